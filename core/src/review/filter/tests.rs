//! Tests of the language of filters.

use super::super::facts::tests::{facts_of, table};
use super::*;

fn passing(filter: &str) -> Vec<usize> {
    let mut third = facts_of("Web 3", 61, &[("click here", 30)], Some(-1.5), "message");
    third.rules = vec![("adp.class".into(), 1), ("sft.first-user".into(), 2)];
    (third.errors, third.warnings) = (1, 2);
    let all = [
        facts_of("os_1", 24, &[("bash", 11), ("code:python", 1)], Some(1.0), "finish"),
        facts_of("os_2", 9, &[("bash", 4)], Some(0.0), "open-call"),
        third,
        facts_of("db_4", 5, &[], None, "finish"),
    ];
    let table = table(&all);
    let filter = Filter::parse(filter, Scope::Records).unwrap();
    table.iter().filter(|entry| filter.holds(entry)).map(|entry| entry.record()).collect()
}

#[test]
fn terms_let_through_what_they_say() {
    for (filter, expected) in [
        ("", vec![0, 1, 2, 3]),
        ("steps>20", vec![0, 2]),
        ("steps>=24 steps<61", vec![0]),
        ("steps:5..24", vec![1, 3]),
        ("steps:..9|61", vec![2, 3]),
        ("steps=9", vec![1]),
        ("steps!=9", vec![0, 2, 3]),
        ("reward<=0", vec![1, 2]),
        ("reward>-2", vec![0, 1, 2]),
        ("reward:none", vec![3]),
        ("!reward>0", vec![1, 2, 3]),
        ("tokens>1k", vec![2]),
        ("calls:0", vec![3]),
        ("record>1", vec![2, 3]),
        ("tool:bash", vec![0, 1]),
        ("tool:code:*", vec![0]),
        ("tool:BASH|code:python", vec![0, 1]),
        ("tool:python", vec![0]),
        ("size>1kB", vec![]),
        ("tool:none", vec![3]),
        ("tool:\"click here\"", vec![2]),
        ("tool:\"b*\"", vec![]),
        ("finding:adp.*", vec![2]),
        ("finding:*first*", vec![2]),
        ("finding:sft", vec![2]),
        ("finding:ATIF|adp.class", vec![2]),
        ("!finding:adp.shape", vec![0, 1, 2, 3]),
        ("id:\"(\"", vec![]),
        ("findings=3 errors=1 warnings=2", vec![2]),
        ("finish:finish !tool:none", vec![0]),
        ("finish!=finish", vec![1, 2]),
        ("os_", vec![0, 1]),
        ("do web", vec![2]),
        ("\"do Web\"", vec![2]),
        ("!os_ !web", vec![3]),
        ("id:^db", vec![3]),
        ("id:_ id!=os_1", vec![1, 3]),
        ("id=os", vec![]),
        ("words=\"do os_1\"|\"do db_4\"", vec![0, 3]),
        ("words:do id:os|db steps<9", vec![3]),
    ] {
        assert_eq!(passing(filter), expected, "{filter}");
    }
}

#[test]
fn faults_say_where_and_what_there_is() {
    for (filter, message) in [
        ("stepz>3", "at character 1: there is no stepz to filter by; did you mean steps?"),
        ("step>3", "at character 1: records have no step to filter by; did you mean steps?"),
        ("tool:ä|b !http://x", "at character 11: there is no http to filter by; there are record steps"),
        ("steps > 5", "at character 7: no name is right before >; steps>5 is understood"),
        ("steps >5", "at character 7: no name is right before >; steps>5 is understood"),
        ("steps>many", "at character 7: many is not a number; steps>20 is understood"),
        ("x steps:1|1..x", "at character 11: 1..x is not a number; steps:20, steps:10..20 or steps:none is understood"),
        ("steps:..", ".. is not a number"),
        ("steps>nan", "nan is not a number"),
        ("x tool>bash", "at character 3: tool is a name, which has no order; use tool:bash"),
        ("steps>", "at character 7: nothing follows steps>"),
        ("tool:a||b", "at character 8: nothing follows tool:"),
        ("a \"open", "at character 3: this quote has no end"),
        ("a !", "at character 4: nothing follows !"),
        ("a id:x|ä(", "at character 9: ä( is not a pattern: unclosed group; in quotes"),
        ("flight(", "at character 7: flight( is not a pattern"),
        ("finding:nope.rule", "at character 9: there is no rule `nope.rule`"),
        ("finding:adp.shap", "do you mean adp.shape"),
    ] {
        let fault = Filter::parse(filter, Scope::Records).unwrap_err().to_string();
        assert!(fault.contains(message), "{filter}: {fault}");
    }
    let saved = [("y".to_owned(), "@x".to_owned())];
    let fault = Filter::read("@y", Scope::Records, &saved).unwrap_err().to_string();
    assert_eq!(fault, "@y is @x, and a filter by name cannot be another by name");
    assert!(Filter::parse(&"a ".repeat(33), Scope::Records).is_err());
    assert!(Filter::parse(&format!("tool:{}", ["a"; 201].join("|")), Scope::Records).is_err());
}

#[test]
fn a_filter_reads_as_it_is_written() {
    for text in ["steps>20 !tool:bash|code:*", "\"two words\" finish:open-call", "reward:none", "!x", "\"a\\\"b\\\\\""]
    {
        let filter = Filter::parse(text, Scope::Records).unwrap();
        assert_eq!(filter.to_string(), text);
        assert_eq!(Filter::parse(&filter.to_string(), Scope::Records), Ok(filter));
    }
    assert_eq!(Filter::parse(" finish=a   steps!=3 ", Scope::Records).unwrap().to_string(), "finish:a !steps:3");
}

#[test]
fn values_are_chosen_and_given_up_again() {
    let field = FilterField::Name(Names::Tool);
    let mut filter = Filter::parse("steps>3 !tool:x", Scope::Records).unwrap();
    for (value, expected) in [
        ("bash", "steps>3 !tool:x tool:bash"),
        ("\"a b\"", "steps>3 !tool:x tool:bash|\"a b\""),
        ("bash", "steps>3 !tool:x tool:\"a b\""),
        ("\"a b\"", "steps>3 !tool:x"),
    ] {
        filter.toggle(field, value).unwrap();
        assert_eq!(filter.to_string(), expected);
    }
    let id = FilterField::Text(Texts::Id);
    filter.toggle(id, "\"a b\"").unwrap();
    assert_eq!(filter.to_string(), "steps>3 !tool:x id=\"a b\"");
    filter.toggle(id, "\"a b\"").unwrap();
    filter.toggle(field, "y").unwrap();
    assert_eq!(filter.without(field).to_string(), "steps>3 !tool:x");
    assert!(filter.has(field, "y") && !filter.has(field, "x"));
}

#[test]
fn steps_and_records_have_fields_of_their_own() {
    let both = |text: &str| Scope::ALL.map(|scope| Filter::parse(text, scope).is_ok());
    assert_eq!(both("tool:x finding:* mark:bad tokens>3 size>1k words:x \"y\""), [true, true]);
    assert_eq!(both("step>3 kind:action role:user writes>0"), [false, true]);
    for text in ["steps>3", "record:1", "finish:x", "id:x", "calls>1", "actions>1"] {
        assert_eq!(both(text), [true, false], "{text}");
    }
}

#[test]
fn saved_filters_are_meant_by_name() {
    let saved =
        [("long and bad".to_owned(), "steps>50 mark:bad".to_owned()), ("of a step".to_owned(), "step>1".to_owned())];
    let read = |text: &str| Filter::read(text, Scope::Records, &saved).map(|filter| filter.to_string());
    assert_eq!(read(" @long and bad ").unwrap(), "steps>50 mark:bad");
    assert_eq!(read("\"@long\" x").unwrap(), "\"@long\" x");
    let describe = |text: &str| read(text).unwrap_err().to_string();
    assert!(describe("@long and bat").contains("did you mean @long and bad?"), "{}", describe("@long and bat"));
    assert!(describe("@?").contains("there are long and bad, of a step"), "{}", describe("@?"));
    assert!(describe("@of a step").contains("records have no step"), "{}", describe("@of a step"));
    let none = Filter::read("@x", Scope::Steps, &[]).unwrap_err().to_string();
    assert!(none.contains("config.toml has no [filters]"), "{none}");
}
