//! Merge patches (RFC 7386) as writes: a member that is null goes, an object merges, all else replaces what differs.

use super::Log;
use crate::json::{Data, Value};
use crate::state::Op;

/// Applies a merge patch at a path of an identity. Only what the patch names is written, so that all else keeps its
/// author.
pub(in crate::format) fn merge_patch(log: &mut Log<'_>, kind: &str, instance: &str, path: &[&str], patch: &Value<'_>) {
    apply(log, kind, instance, &mut path.to_vec(), patch);
}

fn apply<'v>(log: &mut Log<'_>, kind: &str, instance: &str, path: &mut Vec<&'v str>, patch: &'v Value<'_>) {
    let Data::Object(object) = &patch.data else {
        return if patch.is_null() && !path.is_empty() {
            log.remove(kind, instance, path);
        } else {
            log.write(kind, instance, path, Op::Update, patch);
        };
    };
    if object.entries().all(|(_, value)| value.is_null()) {
        log.derive(kind, instance, path, Op::Merge, "{}");
    }
    for (name, value) in object.entries() {
        path.push(name);
        apply(log, kind, instance, path, value);
        path.pop();
    }
}
