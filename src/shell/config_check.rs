//! The configuration as a whole: a commented example of it, and all that is wrong with the one that is there.

use crate::model::Problem;
use crate::shell::config::{Config, Environment};
use crate::shell::themes::Themes;
#[cfg(feature = "query")]
use crate::shell::{
    config::{folder, ignored},
    custom_columns::LIMIT,
    query::RecordQuery,
};

/// A `config.toml` in which every setting is as a comment.
pub(crate) const EXAMPLE: &str = include_str!("config.example.toml");

/// All that is wrong in `config.toml`, the themes and the formats of the configuration folder.
pub(crate) fn problems() -> Vec<Problem> {
    let config = Config::load();
    let columns = broken_columns(&config);
    all_problems(config, &Environment::read()).into_iter().chain(columns).collect()
}

/// The columns whose expression cannot be read, which else is found out when the table shows them.
#[cfg(feature = "query")]
fn broken_columns(config: &Config) -> Vec<Problem> {
    let file = folder().unwrap_or_default().join("config.toml");
    let broken = |(name, expression): &(String, String)| {
        let query = RecordQuery { expression: expression.clone(), wants_results: true, limit: LIMIT };
        let message = query.child().err()?.message.replacen("EXPR", &format!("[columns] {name} = {expression}"), 1);
        Some(ignored(&file, &message))
    };
    config.columns.iter().filter_map(broken).collect()
}

#[cfg(not(feature = "query"))]
fn broken_columns(_config: &Config) -> Vec<Problem> {
    Vec::new()
}

fn all_problems(mut config: Config, environment: &Environment) -> Vec<Problem> {
    let themes = Themes::choose(None, &config, environment).map_or_else(|problem| vec![problem], |t| t.problems);
    // These are read when the screen wants them; what is wrong with them joins the problems then.
    let _ = config.take_template();
    let _ = config.take_tokenizer();
    config.problems.into_iter().chain(themes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// The example with its settings in force: all comments that are settings without their sign.
    fn in_force() -> String {
        let is_setting = |line: &str| line.starts_with("# [") || line.contains(" = ");
        let bare = |line: &str| line.strip_prefix("# ").filter(|_| is_setting(line)).unwrap_or(line).to_owned();
        EXAMPLE.lines().map(bare).collect::<Vec<_>>().join("\n")
    }

    fn of(text: &str, theme: &str) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("config.toml"), text).unwrap();
        let tokenizer = r#"{"added_tokens":[],"model":{"type":"WordLevel","vocab":{"x":0},"unk_token":"x"}}"#;
        fs::write(folder.path().join("tokenizer.json"), tokenizer).unwrap();
        fs::create_dir(folder.path().join("themes")).unwrap();
        fs::write(folder.path().join("themes/sea.toml"), theme).unwrap();
        let problems = all_problems(Config::of(folder.path()), &Environment::default());
        problems.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_example_is_right_as_it_is_and_with_its_settings_in_force() {
        assert_eq!(of(EXAMPLE, ""), Vec::<String>::new());
        let all = in_force();
        assert_eq!(of(&all, ""), Vec::<String>::new(), "{all}");
        let unknown = of("unknown = 1", "").join("");
        let names: Vec<&str> = unknown.split('`').skip(3).step_by(2).chain(["notice"]).collect();
        assert!(names.len() > 5, "{unknown}");
        for name in names {
            assert!(EXAMPLE.contains(&format!("{name} =")) || EXAMPLE.contains(&format!("[{name}]")), "{name}");
        }
        assert_eq!(of(&all.replace("theme = \"ansi\"", "theme = \"anis\""), "").len(), 1);
    }

    #[test]
    fn broken_themes_and_templates_are_reported_together() {
        let message = of("template = \"none.jinja\"\ntheme = \"sea\"", "text = \"no colour\"").join("\n");
        assert!(message.contains("none.jinja") && message.contains("theme sea"), "{message}");
    }
}
