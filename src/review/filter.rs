//! The small language of filters: `steps>20 tool:bash !finish:open-call "two words"`.
//!
//! Terms stand apart by spaces, and all must hold. A term is `NAME:VALUE` (with `|` between values of which one is
//! enough), `NAME>NUMBER` (also `>=`, `<`, `<=`, `=`, `!=`), or words that are looked for; `!` before it turns it
//! round. What is filtered answers through [`Subject`], so that tables and commands share the language.

use super::filter_text::{self, Written};
use crate::text::{Pattern, near};
use std::fmt;

/// Most terms and most values of a term.
const TERMS_MAX: usize = 32;
const VALUES_MAX: usize = 200;

/// A number that filters ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "their names in ALL say what they are")]
pub enum Numbers {
    Record,
    Steps,
    Actions,
    Calls,
    Tokens,
    Chars,
    Size,
    Reward,
    Findings,
    Errors,
    Warnings,
}

impl Numbers {
    /// All with their names.
    pub const ALL: [(&'static str, Self); 11] = [
        ("record", Self::Record),
        ("steps", Self::Steps),
        ("actions", Self::Actions),
        ("calls", Self::Calls),
        ("tokens", Self::Tokens),
        ("chars", Self::Chars),
        ("size", Self::Size),
        ("reward", Self::Reward),
        ("findings", Self::Findings),
        ("errors", Self::Errors),
        ("warnings", Self::Warnings),
    ];
}

/// Names that filters ask for: a record may have several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "their names in ALL say what they are")]
pub enum Names {
    Tool,
    Class,
    Finish,
    Finding,
    Mark,
    Tag,
}

impl Names {
    /// All with their names.
    pub const ALL: [(&'static str, Self); 6] = [
        ("tool", Self::Tool),
        ("class", Self::Class),
        ("finish", Self::Finish),
        ("finding", Self::Finding),
        ("mark", Self::Mark),
        ("tag", Self::Tag),
    ];
}

/// Texts that filters look into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "their names in ALL say what they are")]
pub enum Texts {
    Id,
    Words,
}

impl Texts {
    /// All with their names.
    pub const ALL: [(&'static str, Self); 2] = [("id", Self::Id), ("words", Self::Words)];
}

/// What a term asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Field {
    /// A number.
    Number(Numbers),
    /// Names.
    Name(Names),
    /// A text.
    Text(Texts),
}

impl Field {
    /// All fields with their names.
    fn all() -> impl Iterator<Item = (&'static str, Self)> {
        let numbers = Numbers::ALL.into_iter().map(|(name, field)| (name, Self::Number(field)));
        let names = Names::ALL.into_iter().map(|(name, field)| (name, Self::Name(field)));
        let texts = Texts::ALL.into_iter().map(|(name, field)| (name, Self::Text(field)));
        numbers.chain(names).chain(texts)
    }

    /// Its name in filters.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::all().find(|(_, field)| *field == self).map_or("", |(name, _)| name)
    }
}

/// What answers a filter: a record of a table, or one just read.
pub trait Subject {
    /// A number; None where there is none.
    fn number(&self, numbers: Numbers) -> Option<f64>;
    /// Whether one of some names passes a test.
    fn any_name(&self, names: Names, test: &dyn Fn(&str) -> bool) -> bool;
    /// A text.
    fn text(&self, text: Texts) -> &str;
}

/// Why a filter is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterFault(pub String);

impl fmt::Display for FilterFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One value of a term.
#[derive(Debug, Clone)]
enum Test {
    /// Between two numbers; whether each end belongs to it.
    Range { low: f64, has_low: bool, high: f64, has_high: bool },
    /// Nothing is there.
    Missing,
    /// The name itself, or with `*` for any characters.
    Name(Vec<String>),
    /// The text has it somewhere.
    Has(Box<Pattern>),
    /// The text is that.
    Is(String),
}

/// One condition.
#[derive(Debug, Clone)]
pub struct Term {
    is_negated: bool,
    field: Option<Field>,
    /// The operator, as written.
    sign: &'static str,
    /// Each value as written, and what it means.
    values: Vec<(String, Test)>,
}

impl Term {
    /// What it asks for; None for words.
    #[must_use]
    pub fn field(&self) -> Option<Field> {
        self.field
    }

    fn holds(&self, subject: &dyn Subject) -> bool {
        self.values.iter().any(|(_, test)| test.holds(self.field, subject)) != self.is_negated
    }

    /// Whether one of its values is written so, and it may be taken away alone.
    fn is_choice_of(&self, field: Field) -> bool {
        self.field == Some(field) && !self.is_negated && self.sign == choice(field)
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values: Vec<&str> = self.values.iter().map(|(written, _)| written.as_str()).collect();
        let not = if self.is_negated { "!" } else { "" };
        write!(f, "{not}{}{}{}", self.field.map_or("", Field::name), self.sign, values.join("|"))
    }
}

impl PartialEq for Term {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl Test {
    fn holds(&self, field: Option<Field>, subject: &dyn Subject) -> bool {
        match (self, field) {
            (Self::Range { low, has_low, high, has_high }, Some(Field::Number(numbers))) => {
                let is_in = |n: f64| {
                    (if *has_low { n >= *low } else { n > *low }) && (if *has_high { n <= *high } else { n < *high })
                };
                subject.number(numbers).is_some_and(is_in)
            }
            (Self::Missing, Some(Field::Number(numbers))) => subject.number(numbers).is_none(),
            (Self::Missing, Some(Field::Name(names))) => !subject.any_name(names, &|_| true),
            (Self::Missing, Some(Field::Text(text))) => subject.text(text).is_empty(),
            (Self::Name(parts), Some(Field::Name(names))) => {
                subject.any_name(names, &|name| filter_text::fits(parts, name))
            }
            (Self::Is(whole), Some(Field::Text(text))) => subject.text(text) == whole,
            (Self::Has(pattern), Some(Field::Text(text))) => pattern.is_match(subject.text(text)),
            (Self::Has(pattern), None) => {
                pattern.is_match(subject.text(Texts::Id)) || pattern.is_match(subject.text(Texts::Words))
            }
            _ => false,
        }
    }
}

/// What is let through.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Filter {
    terms: Vec<Term>,
}

impl Filter {
    /// Reads a filter; nothing lets everything through.
    ///
    /// # Errors
    /// A sentence: which term, what is wrong, what there is.
    pub fn parse(text: &str) -> Result<Self, FilterFault> {
        let written = filter_text::terms(text).map_err(FilterFault)?;
        if written.len() > TERMS_MAX {
            return Err(FilterFault(format!("a filter has at most {TERMS_MAX} terms")));
        }
        let terms = written.into_iter().map(term).collect::<Result<_, _>>()?;
        Ok(Self { terms })
    }

    /// Whether everything passes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Its terms.
    #[must_use]
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// Whether it asks for what was decided.
    #[must_use]
    pub fn has_marks(&self) -> bool {
        self.terms.iter().any(|term| matches!(term.field, Some(Field::Name(Names::Mark | Names::Tag))))
    }

    /// Whether it lets something through.
    #[must_use]
    pub fn holds(&self, subject: &dyn Subject) -> bool {
        self.terms.iter().all(|term| term.holds(subject))
    }

    /// Whether a value, as a term of a filter writes it, is one of those that are chosen of a field.
    #[must_use]
    pub fn has(&self, field: Field, value: &str) -> bool {
        let terms = self.terms.iter().filter(|term| term.is_choice_of(field));
        terms.flat_map(|term| &term.values).any(|(written, _)| written == value)
    }

    /// Chooses one more value of a field, or no longer.
    ///
    /// # Errors
    /// It is no value of that field, or there are too many.
    pub fn toggle(&mut self, field: Field, value: &str) -> Result<(), FilterFault> {
        if self.has(field, value) {
            for term in self.terms.iter_mut().filter(|term| term.is_choice_of(field)) {
                term.values.retain(|(written, _)| written != value);
            }
            self.terms.retain(|term| !term.values.is_empty());
            return Ok(());
        }
        let more = Self::parse(&format!("{}{}{value}", field.name(), choice(field)))?;
        match self.terms.iter_mut().find(|term| term.is_choice_of(field)) {
            Some(term) if term.values.len() >= VALUES_MAX => return Err(too_many()),
            Some(term) => term.values.extend(more.terms.into_iter().flat_map(|term| term.values)),
            None => self.terms.extend(more.terms),
        }
        Ok(())
    }

    /// The filter without what is chosen of a field: so that its other values can be counted.
    #[must_use]
    pub fn without(&self, field: Field) -> Self {
        Self { terms: self.terms.iter().filter(|term| !term.is_choice_of(field)).cloned().collect() }
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let terms: Vec<String> = self.terms.iter().map(Term::to_string).collect();
        f.write_str(&terms.join(" "))
    }
}

/// The sign with which values of a field are chosen.
fn choice(field: Field) -> &'static str {
    if matches!(field, Field::Text(_)) { "=" } else { ":" }
}

fn too_many() -> FilterFault {
    FilterFault(format!("a term has at most {VALUES_MAX} values"))
}

fn term(written: Written) -> Result<Term, FilterFault> {
    let Written { is_negated, name, sign, values } = written;
    if values.len() > VALUES_MAX {
        return Err(too_many());
    }
    let Some(name) = name else {
        let values = values.into_iter().map(|value| pattern(&value)).collect::<Result<_, _>>()?;
        return Ok(Term { is_negated, field: None, sign: "", values });
    };
    let Some((_, field)) = Field::all().find(|(known, _)| *known == name) else { return Err(unknown(&name)) };
    let mut is_negated = is_negated;
    let mut sign = sign;
    if sign == "!=" {
        (is_negated, sign) = (!is_negated, "=");
    }
    let is_order = !matches!(sign, ":" | "=");
    let value = |value: filter_text::Value| match field {
        Field::Number(_) => number(&name, sign, &value),
        _ if is_order => Err(FilterFault(format!("{name} has no order; {name}:{} asks for it", value.written))),
        _ if value.is_none() => Ok((value.written, Test::Missing)),
        Field::Name(_) => Ok((value.written.clone(), Test::Name(value.parts()))),
        Field::Text(_) if sign == "=" => Ok((value.written, Test::Is(value.text))),
        Field::Text(_) => pattern(&value),
    };
    let values = values.into_iter().map(value).collect::<Result<_, _>>()?;
    // One spelling for what means the same, so that a value that is chosen can be found again.
    let sign = if sign == "=" { choice(field) } else { sign };
    Ok(Term { is_negated, field: Some(field), sign, values })
}

fn unknown(name: &str) -> FilterFault {
    let known = || Field::all().map(|(name, _)| name);
    let near = near::nearest(name, known()).first().map(|near| format!("did you mean {near}?"));
    let told = near.unwrap_or_else(|| format!("there are {}", known().collect::<Vec<_>>().join(" ")));
    FilterFault(format!("there is no {name} to filter by; {told}  (quotes look for words)"))
}

fn pattern(value: &filter_text::Value) -> Result<(String, Test), FilterFault> {
    let read = if value.is_quoted { Pattern::literal(&value.text) } else { Pattern::new(&value.text) };
    let pattern = read.ok_or_else(|| FilterFault(format!("{} is too large a pattern", value.written)))?;
    Ok((value.written.clone(), Test::Has(Box::new(pattern))))
}

fn number(name: &str, sign: &str, value: &filter_text::Value) -> Result<(String, Test), FilterFault> {
    let wanted = || {
        let example =
            if sign == ":" { format!("{name}:20, {name}:10..20 or {name}:none") } else { format!("{name}{sign}20") };
        FilterFault(format!("{} is no number; {example} is understood", value.written))
    };
    let read = |text: &str| filter_text::number(text).ok_or_else(wanted);
    let (least, most) = (f64::NEG_INFINITY, f64::INFINITY);
    let range = |low, has_low, high, has_high| Test::Range { low, has_low, high, has_high };
    let test = match sign {
        ">" => range(read(&value.text)?, false, most, true),
        ">=" => range(read(&value.text)?, true, most, true),
        "<" => range(least, true, read(&value.text)?, false),
        "<=" => range(least, true, read(&value.text)?, true),
        _ if value.is_none() => Test::Missing,
        _ => match value.text.split_once("..") {
            Some(("", "")) => return Err(wanted()),
            Some((low, "")) => range(read(low)?, true, most, true),
            Some(("", high)) => range(least, true, read(high)?, false),
            Some((low, high)) => range(read(low)?, true, read(high)?, false),
            None => range(read(&value.text)?, true, read(&value.text)?, true),
        },
    };
    Ok((value.written.clone(), test))
}

#[cfg(test)]
mod tests {
    use super::super::facts::tests::{made, table};
    use super::*;

    fn passing(filter: &str) -> Vec<usize> {
        let mut third = made("Web 3", 61, &[("click here", 30)], Some(-1.5), "message");
        third.rules = vec![("adp.kwargs".into(), 1), ("sft.first-user".into(), 2)];
        (third.errors, third.warnings) = (1, 2);
        let all = [
            made("os_1", 24, &[("bash", 11), ("code:python", 1)], Some(1.0), "finish"),
            made("os_2", 9, &[("bash", 4)], Some(0.0), "open-call"),
            third,
            made("db_4", 5, &[], None, "finish"),
        ];
        let table = table(&all);
        let filter = Filter::parse(filter).unwrap();
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
            ("tool:none", vec![3]),
            ("tool:\"click here\"", vec![2]),
            ("tool:\"b*\"", vec![]),
            ("finding:adp.*", vec![2]),
            ("finding:*first*", vec![2]),
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
    fn faults_say_which_term_and_what_there_is() {
        for (filter, told) in [
            ("step>3", "there is no step to filter by; did you mean steps?"),
            ("http://x", "there is no http to filter by; there are record steps"),
            ("steps>many", "many is no number; steps>20 is understood"),
            ("steps:1..x", "1..x is no number; steps:20, steps:10..20 or steps:none is understood"),
            ("steps:..", ".. is no number"),
            ("steps>nan", "nan is no number"),
            ("tool>bash", "tool has no order; tool:bash asks for it"),
            ("steps>", "nothing stands behind steps>"),
            ("tool:a||b", "nothing stands behind tool:"),
            ("\"open", "the quote at byte 0 has no end"),
            ("!", "nothing stands behind !"),
        ] {
            let fault = Filter::parse(filter).unwrap_err().to_string();
            assert!(fault.contains(told), "{filter}: {fault}");
        }
        assert!(Filter::parse(&"a ".repeat(33)).is_err());
        assert!(Filter::parse(&format!("tool:{}", ["a"; 201].join("|"))).is_err());
    }

    #[test]
    fn a_filter_reads_as_it_is_written() {
        for text in
            ["steps>20 !tool:bash|code:*", "\"two words\" finish:open-call", "reward:none", "!x", "\"a\\\"b\\\\\""]
        {
            let filter = Filter::parse(text).unwrap();
            assert_eq!(filter.to_string(), text);
            assert_eq!(Filter::parse(&filter.to_string()), Ok(filter));
        }
        assert_eq!(Filter::parse(" finish=a   steps!=3 ").unwrap().to_string(), "finish:a !steps:3");
    }

    #[test]
    fn values_are_chosen_and_given_up_again() {
        let field = Field::Name(Names::Tool);
        let mut filter = Filter::parse("steps>3 !tool:x").unwrap();
        for (value, expected) in [
            ("bash", "steps>3 !tool:x tool:bash"),
            ("\"a b\"", "steps>3 !tool:x tool:bash|\"a b\""),
            ("bash", "steps>3 !tool:x tool:\"a b\""),
            ("\"a b\"", "steps>3 !tool:x"),
        ] {
            filter.toggle(field, value).unwrap();
            assert_eq!(filter.to_string(), expected);
        }
        let id = Field::Text(Texts::Id);
        filter.toggle(id, "\"a b\"").unwrap();
        assert_eq!(filter.to_string(), "steps>3 !tool:x id=\"a b\"");
        filter.toggle(id, "\"a b\"").unwrap();
        filter.toggle(field, "y").unwrap();
        assert_eq!(filter.without(field).to_string(), "steps>3 !tool:x");
        assert!(filter.has(field, "y") && !filter.has(field, "x"));
    }
}
