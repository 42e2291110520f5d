//! Which pass over a file says what is asked of its records: the cheapest one that does.

use super::field::{FilterField, Names, Numbers};
use crate::format::Purpose;

/// The pass that gives these fields of records; None among them: the words.
#[must_use]
pub fn purpose_of(fields: &[Option<FilterField>]) -> Purpose {
    let all = |test: fn(Option<FilterField>) -> bool| fields.iter().all(|field| test(*field) || is_of_place(*field));
    let any = |test: fn(Option<FilterField>) -> bool| fields.iter().any(|field| test(*field));
    match () {
        () if all(is_of_outline) => Purpose::Outline,
        () if all(is_of_findings) => Purpose::Judged,
        () if all(|field| matches!(field, None | Some(FilterField::Text(_)))) => Purpose::Heads,
        () if any(is_of_findings) || any(is_of_outcomes) => Purpose::Table,
        () => Purpose::Measures,
    }
}

/// Whether a field says what rules find.
#[must_use]
pub fn is_of_findings(field: Option<FilterField>) -> bool {
    use Numbers::{Errors, Findings, Warnings};
    matches!(field, Some(FilterField::Name(Names::Finding) | FilterField::Number(Findings | Errors | Warnings)))
}

/// Whether it says how results came out.
fn is_of_outcomes(field: Option<FilterField>) -> bool {
    matches!(field, Some(FilterField::Number(Numbers::Failed | Numbers::Suspect)))
}

/// Whether it says which steps, tools and rewards there are and how the record ends.
fn is_of_outline(field: Option<FilterField>) -> bool {
    use Numbers::{Actions, Calls, Reward, Steps};
    match field {
        Some(FilterField::Number(number)) => matches!(number, Steps | Actions | Calls | Reward),
        Some(FilterField::Name(name)) => matches!(name, Names::Tool | Names::Class | Names::Finish),
        _ => false,
    }
}

/// Whether it is known without a look at the text.
fn is_of_place(field: Option<FilterField>) -> bool {
    use FilterField::{Name, Number, Text};
    let is_name = |name| matches!(name, Names::Mark | Names::Tag | Names::Format);
    match field {
        Some(Number(number)) => matches!(number, Numbers::Record | Numbers::Size),
        Some(Name(name)) => is_name(name),
        Some(Text(text)) => text == super::field::Texts::File,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::{Filter, Scope};

    #[test]
    fn the_cheapest_pass_that_is_enough() {
        for (filter, purpose) in [
            ("steps>3 tool:bash size>9", Purpose::Outline),
            ("record>3", Purpose::Outline),
            ("finding:adp.* errors>0 mark:good", Purpose::Judged),
            ("words id:x", Purpose::Heads),
            ("steps>3 errors>0", Purpose::Table),
            ("failed>0", Purpose::Table),
            ("steps>3 tokens>9", Purpose::Measures),
            ("steps>3 words", Purpose::Measures),
        ] {
            let filter = Filter::parse(filter, Scope::Records).unwrap();
            assert_eq!(purpose_of(&filter.fields()), purpose, "{filter:?}");
        }
    }
}
