//! Places in the state as people read them; what commands take as PATH is what `y` copies.

use crate::format::{Instances, Run};
use crate::json::Key;
use crate::model::Identity;
use std::borrow::Cow;

/// A place: in the notation of its format, or in words where that is a slot pointer: `usage.output`, `shell.cwd`, for
/// a file of the run its path. `folder` is what all paths of files begin with.
pub(super) fn place_name(run: &dyn Run, identity: &Identity, path: &[Key], folder: &str) -> String {
    let instance = identity.instance.as_deref().filter(|_| run.instances() != Instances::Chosen);
    let reference = run.reference(identity, path);
    let Some(instance) = instance.filter(|_| reference.starts_with('/')) else {
        return run.qualified_reference(identity, path);
    };
    let owner = match (&*identity.kind, instance) {
        ("file", path) => Cow::Borrowed(below(path, folder)),
        (kind, "main") => Cow::Borrowed(kind),
        (kind, instance) => Cow::Owned(format!("{kind} {instance}")),
    };
    let keys = path.iter().map(|key| match key {
        Key::Index(index) => format!("[{index}]"),
        Key::Name(name) => format!(".{name}"),
    });
    let between = if identity.kind == "file" && !path.is_empty() { " " } else { "" };
    format!("{owner}{between}{}", keys.collect::<String>())
}

/// The pointer of a finding: that to a file of the run (W11) as its path.
pub(super) fn pointer_name<'p>(pointer: &'p str, folder: &str) -> Cow<'p, str> {
    match pointer.strip_prefix("/file/").filter(|rest| !rest.contains('/')) {
        Some(name) => Cow::Owned(below(&name.replace("~1", "/").replace("~0", "~"), folder).to_owned()),
        None => Cow::Borrowed(pointer),
    }
}

fn below<'p>(path: &'p str, folder: &str) -> &'p str {
    path.strip_prefix(folder).filter(|rest| !rest.is_empty()).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_names_the_file_and_other_pointers_stay() {
        assert_eq!(pointer_name("/file/~1w~1a~0b.py", "/w/"), "a~b.py");
        assert_eq!(pointer_name("/file/~1w~1", "/w/"), "/w/");
        assert_eq!(pointer_name("/content/1/kwargs", "/w/"), "/content/1/kwargs");
        assert_eq!(pointer_name("/file/x/text", ""), "/file/x/text");
    }
}
