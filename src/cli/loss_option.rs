//! The options of commands that check how conversations train (`--loss`).

use super::chat_template::template;
use super::loss::train;
use super::tokenizer::TokenizerOption;
use crate::model::Problem;
use crate::review::{ChatTemplate, LossCheck, Setting, Tokenizer, Train};
use clap::Args;
use std::sync::Arc;

/// How conversations train in the template that the option `loss` of the command names.
#[derive(Debug, Clone, Args)]
pub(super) struct LossOption {
    /// Messages that train, with --loss, if no field of theirs decides it: marked (by `{% generation %}` blocks of
    /// the template; by one without such blocks the agent's), agent, last, all, or none-of:ROLE
    #[arg(long, value_name = "WHICH", default_value = "marked", requires = "loss", value_parser = train)]
    train: Train,
    /// Context length in tokens, with --loss: counted with --tokenizer, else estimated at four bytes each
    #[arg(long, value_name = "N", requires = "loss")]
    max_tokens: Option<usize>,
    /// Value of a variable of the template, with --loss, such as enable_thinking=false: JSON, else text; repeatable
    #[arg(long = "set", value_name = "KEY=VALUE", requires = "loss", value_parser = Setting::parse)]
    settings: Vec<Setting>,
    #[command(flatten)]
    tokenizer: TokenizerOption,
}

impl LossOption {
    /// The template of that name or file, with the variables that `--set` sets.
    ///
    /// # Errors
    /// There is no such template.
    pub(super) fn template(&self, name: &str) -> Result<Arc<dyn ChatTemplate>, Problem> {
        template(name, &self.settings)
    }

    /// The check of conversations in that template, with tokens counted by `--tokenizer`.
    ///
    /// # Errors
    /// As [`LossOption::template`] and [`LossOption::tokenizer`].
    pub(super) fn check(&self, name: &str) -> Result<LossCheck, Problem> {
        let template = self.tokenizer.counting(self.template(name)?)?;
        Ok(LossCheck { template, train: self.train.clone(), max_tokens: self.max_tokens })
    }

    /// What counts tokens; None: they are estimated.
    ///
    /// # Errors
    /// As [`TokenizerOption::read`].
    pub(super) fn tokenizer(&self) -> Result<Option<Arc<dyn Tokenizer>>, Problem> {
        self.tokenizer.read()
    }
}
