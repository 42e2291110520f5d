//! JSON Schema 2020-12 by the crate that the program uses too: what a schema means is not in question here.

use crate::reference::json::J;
use crate::reference::path::Key;

fn plain(value: &J) -> serde_json::Value {
    serde_json::from_str(&value.compact()).unwrap_or(serde_json::Value::Null)
}

/// Whether an object or boolean is a JSON Schema.
pub(crate) fn is_valid(schema: &J) -> bool {
    jsonschema::draft202012::meta::is_valid(&plain(schema))
}

/// The paths of a value that violate a valid schema (A42).
pub(crate) fn violations(schema: &J, value: &J) -> Vec<Vec<Key>> {
    let instance = plain(value);
    let Ok(validator) = jsonschema::draft202012::new(&plain(schema)) else { return Vec::new() };
    let mut out: Vec<Vec<Key>> = Vec::new();
    for error in validator.iter_errors(&instance) {
        let mut path = Vec::new();
        let mut at = &instance;
        let pointer = error.instance_path().to_string();
        for segment in pointer.split('/').skip(1) {
            let name = segment.replace("~1", "/").replace("~0", "~");
            let index = name.parse::<usize>().ok().filter(|_| at.is_array());
            at = index.map_or_else(|| &at[name.as_str()], |i| &at[i]);
            path.push(index.map_or_else(|| Key::Name(name.clone()), Key::Index));
        }
        if !out.contains(&path) {
            out.push(path);
        }
    }
    out
}
