//! Keys in the texts of panes: a text names an action in braces, as `{step-next}`, and the key in force replaces it.

use super::Window;
use std::rc::Rc;

/// The keys in force, by the names of their actions.
#[derive(Debug, Clone, Default)]
pub struct KeyNames(Rc<[(String, &'static str)]>);

impl KeyNames {
    /// The names of actions, and the key of each; empty where it has none.
    pub fn new(names: impl IntoIterator<Item = (String, &'static str)>) -> Self {
        Self(names.into_iter().collect())
    }

    /// Whether no key is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The key of an action; of one without a key the command that does it.
    #[must_use]
    pub fn key(&self, action: &str) -> String {
        let known = self.0.iter().find(|(name, _)| name == action);
        debug_assert!(self.is_empty() || known.is_some(), "{action} is no action");
        match known {
            Some((_, key)) if !key.is_empty() => (*key).to_owned(),
            _ => format!(":{action}"),
        }
    }

    /// A text of the program with the keys of the actions that it names.
    #[must_use]
    pub fn fill(&self, text: &str) -> String {
        filled(text, |action| self.key(action))
    }

    /// A remark whose part behind the semicolon names actions. Where no key is known, as in a report, only the part
    /// before the semicolon.
    #[must_use]
    pub fn remark(&self, text: &str) -> String {
        if self.is_empty() { text.split("; ").next().unwrap_or_default().to_owned() } else { self.fill(text) }
    }

    /// The sentences that an empty pane shows; they name actions in braces.
    #[must_use]
    pub fn notice(&self, lines: &[&str], cells: usize) -> Window {
        let lines: Vec<String> = lines.iter().map(|line| self.fill(line)).collect();
        Window::notice(&lines.iter().map(String::as_str).collect::<Vec<_>>(), cells)
    }
}

/// A text of the program with a key in place of each action that it names in braces.
pub fn filled(text: &str, key: impl Fn(&str) -> String) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, (action, behind))) =
        rest.split_once('{').and_then(|(before, from)| Some((before, from.split_once('}')?)))
    {
        out.push_str(before);
        out.push_str(&key(action));
        rest = behind;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_named_by_their_keys() {
        let names = KeyNames::new([("step-next".to_owned(), "."), ("step-last".to_owned(), "")]);
        assert_eq!(names.fill("Step on with {step-next}, or {step-last}."), "Step on with ., or :step-last.");
        assert_eq!(names.fill("no key"), "no key");
        assert_eq!(names.remark("3 MB; {step-next} opens it"), "3 MB; . opens it");
        assert_eq!(KeyNames::default().remark("3 MB; {step-next} opens it"), "3 MB");
        assert_eq!(KeyNames::default().fill("{step-next} goes on"), ":step-next goes on");
    }
}
