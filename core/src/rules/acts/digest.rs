//! Equality of messages as JSON (A4): one digest per message.

use crate::json::Value;
use crate::rules::digest;

/// 128 bits that are equal where two messages are equal as JSON.
pub(super) type MessageDigest = u128;

/// A4: the digest of a message as written.
pub(super) fn of(value: &Value<'_>) -> MessageDigest {
    digest::of(value)
}

/// A3, A4: the digest of `{"type":"solution","solution":…}`.
pub(super) fn of_solution(solution: &Value<'_>) -> MessageDigest {
    digest::of_pair("type", "solution", "solution", solution)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn a_solution_equals_its_message() {
        let s = r#"{"calls":[],"output":1}"#;
        let message = format!(r#"{{"type":"solution","solution":{s}}}"#);
        assert_eq!(of_solution(&parse(s).unwrap()), of(&parse(&message).unwrap()));
    }
}
