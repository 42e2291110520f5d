//! Tokens counted as a model's tokenizer counts them, in place of an estimate.

use super::conversation::Conversation;
use super::loss::{ChatTemplate, Loss, Train};
use super::template::TemplateFault;
use crate::json::Value;
use crate::rules::trajectory::{RecordShape, Way, each_visible_text};
use std::fmt::Debug;
use std::sync::Arc;

/// Splits texts into tokens. An implementation decides where its code and its vocabulary come from.
pub trait Tokenizer: Debug + Send + Sync {
    /// What it is called.
    fn name(&self) -> &str;

    /// Where each token of a text begins, in bytes, in order. Tokens that are in the text by their names, as
    /// `<|im_end|>`, are one; none is put before or after it.
    ///
    /// # Errors
    /// A sentence: it cannot split this text.
    fn starts(&self, text: &str) -> Result<Vec<usize>, String>;

    /// How many tokens a text has.
    ///
    /// # Errors
    /// As for [`starts`](Self::starts).
    fn count(&self, text: &str) -> Result<usize, String> {
        self.starts(text).map(|starts| starts.len())
    }
}

/// Tokens of all texts that a model sees of a record: what a chat template puts around them is not among them. None for
/// a record that is not a trajectory, or one that the tokenizer cannot split.
#[must_use]
pub fn tokens_of_record(record: &Value<'_>, way: Way, tokenizer: &dyn Tokenizer) -> Option<u64> {
    let reading = way.read(record);
    reading.tracks.first().filter(|_| reading.shape != RecordShape::Other)?;
    let (mut tokens, mut is_whole) = (0, true);
    each_visible_text(&reading, &mut |text| match tokenizer.count(text) {
        Ok(count) => tokens += count as u64,
        Err(_) => is_whole = false,
    });
    is_whole.then_some(tokens)
}

/// A chat template whose tokens are counted: limits and sums are those of the tokenizer.
#[derive(Debug)]
pub struct CountedTemplate {
    /// What renders.
    pub template: Arc<dyn ChatTemplate>,
    /// What counts.
    pub tokenizer: Arc<dyn Tokenizer>,
}

impl ChatTemplate for CountedTemplate {
    fn name(&self) -> &str {
        self.template.name()
    }

    fn knows_think_tags(&self) -> bool {
        self.template.knows_think_tags()
    }

    fn loss(
        &self,
        record: &str,
        conversation: &Conversation,
        train: &Train,
        max_tokens: Option<usize>,
    ) -> Result<Loss, TemplateFault> {
        let loss = self.template.loss(record, conversation, train, None)?;
        let starts = self.tokenizer.starts(&loss.text).map_err(|why| {
            let message = format!("the tokenizer {} cannot split the text: {why}", self.tokenizer.name());
            TemplateFault { line: None, message }
        })?;
        Ok(loss.counted(conversation, starts, max_tokens))
    }
}

#[cfg(test)]
mod tests {
    use super::super::template::Template;
    use super::*;
    use crate::json::parse;

    /// A token is a word, or a sign that is not part of one.
    #[derive(Debug)]
    struct Words;

    impl Tokenizer for Words {
        fn name(&self) -> &'static str {
            "words"
        }

        fn starts(&self, text: &str) -> Result<Vec<usize>, String> {
            let is_start = |(at, c): &(usize, char)| {
                let before = text[..*at].chars().next_back();
                !c.is_whitespace() && (!c.is_alphanumeric() || !before.is_some_and(char::is_alphanumeric))
            };
            if text.contains("unheard") {
                Err("of a word".to_owned())
            } else {
                Ok(text.char_indices().filter(is_start).map(|(at, _)| at).collect())
            }
        }
    }

    const RECORD: &str =
        r#"{"messages":[{"role":"user","content":"one two"},{"role":"assistant","content":"three four five"}]}"#;

    fn loss(record: &str, max_tokens: Option<usize>) -> Result<Loss, TemplateFault> {
        let template = Arc::new(Template::named("chatml").unwrap());
        let counted = CountedTemplate { template, tokenizer: Arc::new(Words) };
        let value = parse(record).unwrap();
        let conversation = Conversation::of(&value, Way::Formats).unwrap();
        counted.loss(record, &conversation, &Train::Marked, max_tokens)
    }

    #[test]
    fn tokens_are_those_of_the_tokenizer() {
        let loss = loss(RECORD, None).unwrap();
        // `<|im_start|>` and `<|im_end|>` are seven of these tokens each, the roles one, and there are five words.
        assert_eq!((loss.is_counted(), loss.token_count()), (true, 4 * 7 + 2 + 5));
        let totals: Vec<_> =
            loss.token_totals().into_iter().map(|(role, t)| (role, t.seen, t.trained, t.cut)).collect();
        assert_eq!(totals, [("user".to_owned(), 17, 0, 0), ("assistant".to_owned(), 18, 10, 0)]);
        assert!(loss.findings.is_empty(), "{:?}", loss.findings);
    }

    #[test]
    fn the_limit_is_one_of_counted_tokens() {
        let loss = loss(RECORD, Some(17 + 8 + 1)).unwrap();
        let seen: String = loss.segments.iter().filter(|s| !s.is_cut).map(|s| &loss.text[s.span.clone()]).collect();
        assert!(seen.ends_with("three "), "{seen}");
        let [finding] = loss.findings.as_slice() else { panic!("{:?}", loss.findings) };
        assert_eq!((finding.rule, finding.message), ("loss.cut", Some(1)));
        assert_eq!(finding.text, "9 of 10 tokens that train lie behind the limit");
        let none = super::tests::loss(RECORD, Some(3)).unwrap();
        let rules: Vec<_> = none.findings.iter().map(|finding| finding.rule).collect();
        assert_eq!(rules, ["loss.nothing-trains", "loss.cut"]);
        assert_eq!(super::tests::loss(RECORD, Some(35)).unwrap().findings, []);
    }

    #[test]
    fn a_text_that_cannot_be_split_is_reported() {
        let fault = loss(&RECORD.replace("two", "unheard"), None).unwrap_err();
        assert_eq!(fault.message, "the tokenizer words cannot split the text: of a word");
        let record = RECORD.replace("two", "unheard");
        assert_eq!(tokens_of_record(&parse(&record).unwrap(), Way::Formats, &Words), None);
    }

    #[test]
    fn a_record_has_the_tokens_of_its_texts() {
        assert_eq!(tokens_of_record(&parse(RECORD).unwrap(), Way::Formats, &Words), Some(5));
        assert_eq!(tokens_of_record(&parse("[1]").unwrap(), Way::Formats, &Words), None);
    }
}
