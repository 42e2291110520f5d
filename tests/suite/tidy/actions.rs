//! Actions are matched arm by arm: a new one that nothing performs does not compile.

use super::{code, sources};

/// The lines of `match` expressions over actions that have a wildcard among their arms.
fn wildcards(code: &str) -> Vec<usize> {
    let mut out = Vec::new();
    for (at, _) in code.match_indices("match ") {
        let Some(open) = code[at..].find('{').map(|brace| at + brace) else { continue };
        let mut depth = 0_usize;
        let mut arms = String::new();
        for c in code[open..].chars() {
            match c {
                '{' | '(' | '[' => depth += 1,
                '}' | ')' | ']' => depth -= 1,
                _ if depth == 1 => arms.push(c),
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        // What is left of the arms at this depth: patterns and simple bodies.
        let patterns: Vec<&str> = arms.split("=>").collect();
        let names_action = |pattern: &&str| {
            let pattern = pattern.trim_end();
            let last = pattern.rsplit([',', '\n']).next().unwrap_or_default().trim();
            last.starts_with("A::") || last.starts_with("Action::") || last.starts_with("| A::")
        };
        let is_wild = |pattern: &&str| pattern.trim_end().rsplit([',', '\n']).next().is_some_and(|p| p.trim() == "_");
        let heads = &patterns[..patterns.len().saturating_sub(1)];
        if heads.iter().any(names_action) && heads.iter().any(is_wild) {
            out.push(code[..at].matches('\n').count() + 1);
        }
    }
    out
}

#[test]
fn actions_are_matched_without_a_wildcard() {
    let mut all = Vec::new();
    let mut seen = 0;
    for source in sources().iter().filter(|source| source.path.starts_with("app/") && !source.is_tests()) {
        let code = source.code();
        seen += usize::from(code.contains("match action {"));
        all.extend(wildcards(&code).into_iter().map(|line| format!("{}:{line}: name each action", source.path)));
    }
    assert!(seen > 0, "App::perform was found");
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn a_wildcard_among_actions_is_found() {
    for text in [
        "match action {\n    A::Up => self.up(),\n    _ => {}\n}",
        "fn f() {\n    match a {\n        Action::Tab(tab) => g(tab),\n        Action::Up | Action::Down => { h() }\n        _ => (),\n    }\n}",
    ] {
        assert_eq!(wildcards(&code::code(text)).len(), 1, "{text}");
    }
    for text in [
        "match action {\n    A::Up => self.up(),\n    A::Down => match x { 1 => f(), _ => g() },\n}",
        "match x {\n    1 => self.perform(A::Up),\n    _ => {}\n}",
    ] {
        assert_eq!(wildcards(&code::code(text)), Vec::<usize>::new(), "{text}");
    }
}
