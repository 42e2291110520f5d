//! `--tokenizer`: tokens counted as a model counts them.

use crate::model::Problem;
use crate::review::{ChatTemplate, CountedTemplate, Tokenizer};
use crate::shell::tokenizer::tokenizer;
use clap::Args;
use std::path::PathBuf;
use std::sync::Arc;

/// How tokens are counted.
#[derive(Debug, Clone, Default, Args)]
pub(super) struct TokenizerOption {
    /// Count tokens by this tokenizer.json, or by that of a folder; without it they are estimated
    #[arg(long, value_name = "FILE")]
    tokenizer: Option<PathBuf>,
}

impl TokenizerOption {
    /// The tokenizer; None where none was named.
    ///
    /// # Errors
    /// There is no such file, or it is not a tokenizer.
    pub(super) fn read(&self) -> Result<Option<Arc<dyn Tokenizer>>, Problem> {
        self.tokenizer.as_deref().map(tokenizer).transpose()
    }

    /// A template whose tokens are counted so.
    ///
    /// # Errors
    /// As for [`read`](Self::read).
    pub(super) fn counting(&self, template: Arc<dyn ChatTemplate>) -> Result<Arc<dyn ChatTemplate>, Problem> {
        Ok(match self.read()? {
            Some(tokenizer) => Arc::new(CountedTemplate { template, tokenizer }),
            None => template,
        })
    }
}
