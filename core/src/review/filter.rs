//! The small language of filters: `steps>20 tool:bash !finish:open-call "two words"`.
//!
//! Terms are apart by spaces, and all must hold. A term is `NAME:VALUE` (with `|` between values of which one is
//! enough), `NAME>NUMBER` (also `>=`, `<`, `<=`, `=`, `!=`), or words that are looked for; `!` before it turns it
//! round. What is filtered answers through [`Subject`], so that tables, lists of steps and commands share the language;
//! `@NAME` is a filter of the configuration.

mod findings;

use super::custom_columns::{CellValue, CustomColumn};
use super::field::{FilterField, Names, Scope, Subject, Texts};
use super::filter_text::{self, Fault, ParsedTerm, fits};
use super::mark_event::Verdict;
use super::purpose::is_of_findings;
use super::step_subject::FLAG;
use crate::lint;
use crate::text::{Pattern, suggest};
use std::fmt;

/// Most terms and most values of a term.
const TERMS_MAX: usize = 32;
const VALUES_MAX: usize = 200;
/// What precedes the name of a filter of the configuration.
const SAVED: char = '@';

/// Filter syntax error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilterFault {
    /// The character, from 1, at which the fault is; None: no one place of what was typed.
    pub at: Option<usize>,
    /// A sentence.
    pub message: String,
}

impl FilterFault {
    fn everywhere(message: String) -> Self {
        Self { at: None, message }
    }

    fn of(text: &str, fault: Fault) -> Self {
        let before = text.get(..fault.at).unwrap_or(text);
        Self { at: Some(before.chars().count() + 1), message: fault.message }
    }
}

impl fmt::Display for FilterFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at {
            Some(at) => write!(f, "at character {at}: {}", self.message),
            None => f.write_str(&self.message),
        }
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
    field: Option<FilterField>,
    /// The operator, as written.
    sign: &'static str,
    /// Each value as written, and what it means.
    values: Vec<(String, Test)>,
}

impl Term {
    /// What it asks for; None for words.
    #[must_use]
    pub fn field(&self) -> Option<FilterField> {
        self.field
    }

    fn holds(&self, subject: &dyn Subject) -> bool {
        self.values.iter().any(|(_, test)| test.holds(self.field, subject)) != self.is_negated
    }

    /// Whether one of its values is written so, and it may be taken away alone.
    fn is_choice_of(&self, field: FilterField) -> bool {
        self.field == Some(field) && !self.is_negated && self.sign == choice(field)
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values: Vec<&str> = self.values.iter().map(|(written, _)| written.as_str()).collect();
        let not = if self.is_negated { "!" } else { "" };
        let name = self.field.as_ref().map_or("", FilterField::name);
        write!(f, "{not}{name}{}{}", self.sign, values.join("|"))
    }
}

impl PartialEq for Term {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl Test {
    /// Whether it is a range that has a number.
    fn has_number(&self, n: f64) -> bool {
        let Self::Range { low, has_low, high, has_high } = self else { return false };
        (if *has_low { n >= *low } else { n > *low }) && (if *has_high { n <= *high } else { n < *high })
    }

    fn holds(&self, field: Option<FilterField>, subject: &dyn Subject) -> bool {
        match (self, field) {
            (Self::Range { .. }, Some(FilterField::Number(numbers))) => {
                subject.number(numbers).is_some_and(|number| self.has_number(number))
            }
            (Self::Range { .. }, Some(FilterField::Custom(name))) => match subject.custom_cell(name) {
                CellValue::Number(number) => self.has_number(*number),
                _ => false,
            },
            (Self::Missing, Some(FilterField::Custom(name))) => subject.custom_cell(name).shown().is_none(),
            (Self::Name(parts), Some(FilterField::Custom(name))) => {
                let cell = subject.custom_cell(name);
                is_same_number(parts, cell) || cell.shown().is_some_and(|shown| fits(parts, &shown))
            }
            (Self::Missing, Some(FilterField::Number(numbers))) => subject.number(numbers).is_none(),
            (Self::Missing, Some(FilterField::Name(names))) => !subject.any_name(names, &|_| true),
            (Self::Missing, Some(FilterField::Text(text))) => subject.text(text).is_empty(),
            // Code is named by its language alone too: `bash` is the tool `code:bash`.
            (Self::Name(parts), Some(FilterField::Name(names))) => subject.any_name(names, &|name| {
                let language = name.strip_prefix("code:").filter(|_| names == Names::Tool);
                [Some(name), language].into_iter().flatten().any(|name| fits(parts, name))
            }),
            (Self::Is(whole), Some(FilterField::Text(text))) => subject.is_text(text, whole),
            (Self::Has(pattern), Some(FilterField::Text(text))) => subject.matches(text, pattern),
            (Self::Has(pattern), None) => subject.matches(Texts::Id, pattern) || subject.matches(Texts::Words, pattern),
            _ => false,
        }
    }
}

/// Whether a cell is the number that is written, however it is written.
fn is_same_number(parts: &[String], cell: &CellValue) -> bool {
    let written = match parts {
        [only] => only.parse::<f64>().ok().filter(|number| number.is_finite()),
        _ => None,
    };
    matches!((written, cell), (Some(written), CellValue::Number(number)) if written == *number)
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
    /// A sentence: where, what is wrong, what there is.
    pub fn parse(text: &str, scope: Scope<'_>) -> Result<Self, FilterFault> {
        let written = filter_text::terms(text).map_err(|fault| FilterFault::of(text, fault))?;
        if written.len() > TERMS_MAX {
            return Err(FilterFault::everywhere(format!("a filter has at most {TERMS_MAX} terms")));
        }
        let terms: Result<_, Fault> = written.into_iter().map(|written| term(written, scope)).collect();
        Ok(Self { terms: terms.map_err(|fault| FilterFault::of(text, fault))? })
    }

    /// Reads a filter as people type it: `@NAME` is the one that the configuration has under that name.
    ///
    /// # Errors
    /// As [`Filter::parse`], or there is no filter of that name.
    pub fn read(text: &str, scope: Scope<'_>, saved: &[(String, String)]) -> Result<Self, FilterFault> {
        let Some(name) = text.trim().strip_prefix(SAVED) else { return Self::parse(text, scope) };
        if let Some((_, filter)) = saved.iter().find(|(known, _)| known == name) {
            if Self::is_name(filter) {
                let message = format!("{SAVED}{name} is {filter}, and a filter by name cannot be another by name");
                return Err(FilterFault::everywhere(message));
            }
            return Self::parse(filter, scope)
                .map_err(|fault| FilterFault::everywhere(format!("{SAVED}{name} is {filter}: {fault}")));
        }
        let known = || saved.iter().map(|(known, _)| known.as_str());
        let near = suggest::nearest(name, known()).first().map(|near| format!("did you mean {SAVED}{near}?"));
        let all = || match saved {
            [] => "config.toml has no [filters]".to_owned(),
            _ => format!("there are {}", known().collect::<Vec<_>>().join(", ")),
        };
        let message = format!("no filter is called {name}; {}", near.unwrap_or_else(all));
        Err(FilterFault { at: Some(1), message })
    }

    /// Whether a text, as people type it, means a filter of the configuration by its name.
    #[must_use]
    pub fn is_name(text: &str) -> bool {
        text.trim_start().starts_with(SAVED)
    }

    /// A filter that lets through what this and another let through.
    ///
    /// # Errors
    /// It has too many terms.
    pub fn and(mut self, other: Self) -> Result<Self, FilterFault> {
        self.terms.extend(other.terms);
        match self.terms.len() {
            n if n > TERMS_MAX => Err(FilterFault::everywhere(format!("a filter has at most {TERMS_MAX} terms"))),
            _ => Ok(self),
        }
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
        self.terms.iter().any(|term| matches!(term.field, Some(FilterField::Name(Names::Mark | Names::Tag))))
    }

    /// Whether it asks for what all attempts at a task come to.
    #[must_use]
    pub fn has_groups(&self) -> bool {
        self.terms.iter().any(|term| matches!(term.field, Some(FilterField::Number(numbers)) if numbers.is_of_group()))
    }

    /// The custom columns that it asks for.
    pub fn custom_columns(&self) -> impl Iterator<Item = CustomColumn> {
        self.terms.iter().filter_map(|term| match term.field {
            Some(FilterField::Custom(name)) => Some(name),
            _ => None,
        })
    }

    /// Its terms that ask for no custom column, and those that do.
    #[must_use]
    pub fn apart(&self) -> (Self, Self) {
        let is_custom = |term: &&Term| matches!(term.field, Some(FilterField::Custom(_)));
        let (custom, known) = self.terms.iter().partition::<Vec<&Term>, _>(is_custom);
        let filter = |terms: Vec<&Term>| Self { terms: terms.into_iter().cloned().collect() };
        (filter(known), filter(custom))
    }

    /// What its terms ask for, as [`Term::field`].
    #[must_use]
    pub fn fields(&self) -> Vec<Option<FilterField>> {
        self.terms.iter().map(Term::field).collect()
    }

    /// Whether it asks for what rules find.
    #[must_use]
    pub fn has_findings(&self) -> bool {
        self.terms.iter().any(|term| is_of_findings(term.field))
    }

    /// Whether it lets something through. What is known without a look at the text is asked first.
    #[must_use]
    pub fn holds(&self, subject: &dyn Subject) -> bool {
        let is_read = |term: &&Term| matches!(term.field, None | Some(FilterField::Text(_)));
        let known = self.terms.iter().filter(|term| !is_read(term));
        known.chain(self.terms.iter().filter(is_read)).all(|term| term.holds(subject))
    }

    /// Whether a value, as a term of a filter writes it, is one of those that are chosen of a field.
    #[must_use]
    pub fn has(&self, field: FilterField, value: &str) -> bool {
        let terms = self.terms.iter().filter(|term| term.is_choice_of(field));
        terms.flat_map(|term| &term.values).any(|(written, _)| written == value)
    }

    /// Chooses one more value of a field, or no longer.
    ///
    /// # Errors
    /// It is not a value of that field, or there are too many.
    pub fn toggle(&mut self, field: FilterField, value: &str) -> Result<(), FilterFault> {
        if self.has(field, value) {
            for term in self.terms.iter_mut().filter(|term| term.is_choice_of(field)) {
                term.values.retain(|(written, _)| written != value);
            }
            self.terms.retain(|term| !term.values.is_empty());
            return Ok(());
        }
        let more = format!("{}{}{value}", field.name(), choice(field));
        let custom = match field {
            FilterField::Custom(name) => vec![name],
            _ => Vec::new(),
        };
        let more = Self::parse(&more, Scope::Table(&custom)).map_err(|fault| FilterFault::everywhere(fault.message))?;
        match self.terms.iter_mut().find(|term| term.is_choice_of(field)) {
            Some(term) if term.values.len() >= VALUES_MAX => return Err(FilterFault::everywhere(too_many())),
            Some(term) => term.values.extend(more.terms.into_iter().flat_map(|term| term.values)),
            None => self.terms.extend(more.terms),
        }
        Ok(())
    }

    /// The filter without what is chosen of a field: so that its other values can be counted.
    #[must_use]
    pub fn without(&self, field: FilterField) -> Self {
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
fn choice(field: FilterField) -> &'static str {
    if matches!(field, FilterField::Text(_)) { "=" } else { ":" }
}

fn too_many() -> String {
    format!("a term has at most {VALUES_MAX} values")
}

fn term(written: ParsedTerm, scope: Scope<'_>) -> Result<Term, Fault> {
    let ParsedTerm { at, is_negated, name, sign, values } = written;
    if values.len() > VALUES_MAX {
        return Err(Fault { at, message: too_many() });
    }
    let Some((at, name)) = name else {
        let values = values.into_iter().map(|value| pattern(&value)).collect::<Result<_, _>>()?;
        return Ok(Term { is_negated, field: None, sign: "", values });
    };
    let field = known(&name, scope).map_err(|message| Fault { at, message })?;
    let mut is_negated = is_negated;
    let mut sign = sign;
    if sign == "!=" {
        (is_negated, sign) = (!is_negated, "=");
    }
    let is_order = !matches!(sign, ":" | "=");
    let is_range = |value: &filter_text::Value| !value.is_quoted && value.text.contains("..");
    let no_order =
        |value: &str| Fault { at, message: format!("{name} is a name, which has no order; use {name}:{value}") };
    let value = |value: filter_text::Value| match field {
        FilterField::Number(_) => number(&name, sign, &value),
        // A custom column holds numbers and names.
        FilterField::Custom(_) if is_order || is_range(&value) => number(&name, sign, &value),
        _ if is_order => Err(no_order(&value.written)),
        _ if value.is_none() => Ok((value.written, Test::Missing)),
        FilterField::Name(Names::Mark) if !is_mark(&value) => {
            let message = format!("there is no mark {}; there are {} none", value.written, MARKS.join(" "));
            Err(Fault { at: value.at, message })
        }
        FilterField::Name(Names::Finding) => rule(value),
        FilterField::Name(_) | FilterField::Custom(_) => Ok((value.written.clone(), Test::Name(value.parts()))),
        FilterField::Text(_) if sign == "=" => Ok((value.written, Test::Is(value.text))),
        FilterField::Text(_) => pattern(&value),
    };
    let values = values.into_iter().map(value).collect::<Result<_, _>>()?;
    // One spelling for what means the same, so that a value that is chosen can be found again.
    let sign = if sign == "=" { choice(field) } else { sign };
    Ok(Term { is_negated, field: Some(field), sign, values })
}

/// What a mark can be.
const MARKS: [&str; 4] = [Verdict::Good.name(), Verdict::Bad.name(), Verdict::Unsure.name(), FLAG];

fn is_mark(value: &filter_text::Value) -> bool {
    MARKS.iter().any(|mark| fits(&value.parts(), mark))
}

/// The field of that name, if the scope has it.
fn known(name: &str, scope: Scope<'_>) -> Result<FilterField, String> {
    let custom = match scope {
        Scope::Table(custom_columns) | Scope::StepsOf(custom_columns) => custom_columns,
        Scope::Records | Scope::Steps => &[],
    };
    if let Some(custom) = custom.iter().find(|column| column.as_str() == name) {
        return Ok(FilterField::Custom(*custom));
    }
    let named = FilterField::named(name);
    if let Some(field) = named.filter(|field| scope.has(*field)) {
        return Ok(field);
    }
    let fields = || FilterField::all().filter(|(_, field)| scope.has(*field)).map(|(name, _)| name);
    let all = || fields().chain(custom.iter().map(CustomColumn::as_str));
    let near = suggest::nearest(name, all()).first().map(|near| format!("did you mean {near}?"));
    let columns = || custom.iter().map(CustomColumn::as_str).collect::<Vec<_>>().join(" ");
    let message = match near {
        Some(near) if custom.is_empty() => near,
        Some(near) => format!("{near}  (your columns: {})", columns()),
        None => format!("there are {}", all().collect::<Vec<_>>().join(" ")),
    };
    let what = scope.name();
    Err(match named {
        Some(_) => format!("{what} have no {name} to filter by; {message}"),
        None => format!("there is no {name} to filter by; {message}  (quotes look for words)"),
    })
}

/// A rule, a family for all of its rules, or a name with `*`; of the former two there must be one.
fn rule(value: filter_text::Value) -> Result<(String, Test), Fault> {
    let name = value.text.to_lowercase();
    let mut parts = value.parts();
    if let [whole] = parts.as_slice() {
        if lint::family(whole).is_some() {
            parts = vec![format!("{name}."), String::new()];
        } else if lint::by_id(whole).is_none() {
            return Err(Fault { at: value.at, message: lint::unknown(&name).to_string() });
        }
    }
    Ok((value.written, Test::Name(parts)))
}

fn pattern(value: &filter_text::Value) -> Result<(String, Test), Fault> {
    if let Some((at, why)) = Pattern::fault(&value.text).filter(|_| !value.is_quoted) {
        let message = format!("{} is not a pattern: {why}; in quotes it is looked for as written", value.written);
        return Err(Fault { at: value.at + at, message });
    }
    let read = if value.is_quoted { Pattern::literal(&value.text) } else { Pattern::new(&value.text) };
    let fault = || Fault { at: value.at, message: format!("{} is too large a pattern", value.written) };
    Ok((value.written.clone(), Test::Has(Box::new(read.ok_or_else(fault)?))))
}

fn number(name: &str, sign: &str, value: &filter_text::Value) -> Result<(String, Test), Fault> {
    let wanted = || {
        let example =
            if sign == ":" { format!("{name}:20, {name}:10..20 or {name}:none") } else { format!("{name}{sign}20") };
        Fault { at: value.at, message: format!("{} is not a number; {example} is understood", value.written) }
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
mod tests;
