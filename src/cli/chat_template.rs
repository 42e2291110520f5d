//! Chat templates as options ask for them.

use super::complain;
use crate::model::Problem;
use crate::review::{ChatTemplate, Setting};
use crate::shell::templates::template as open;
use std::sync::Arc;

/// The template that was asked for. A begin or end token that it names and no file knows is reported.
///
/// # Errors
/// There is no such template.
pub(super) fn template(asked: &str, settings: &[Setting]) -> Result<Arc<dyn ChatTemplate>, Problem> {
    let template = open(asked, settings)?;
    for token in template.unknown_tokens() {
        complain(&format!(
            "template {asked} names {token}, and no tokenizer_config.json or special_tokens_map.json beside it says \
             what that is: it is left empty; --set {token}=TEXT says it"
        ));
    }
    Ok(template)
}
