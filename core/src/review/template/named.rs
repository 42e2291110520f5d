//! The templates known by name.

/// The templates known by name, each written from the published format of its tokens.
pub const TEMPLATES: &[(&str, &str)] = &[
    ("chatml", include_str!("../templates/chatml.jinja")),
    ("deepseek-v3", include_str!("../templates/deepseek-v3.jinja")),
    ("gemma", include_str!("../templates/gemma.jinja")),
    ("glm-4.5", include_str!("../templates/glm-4.5.jinja")),
    ("gpt-oss", include_str!("../templates/gpt-oss.jinja")),
    ("llama-3", include_str!("../templates/llama-3.jinja")),
    ("llama-3.1", include_str!("../templates/llama-3.1.jinja")),
    ("mistral", include_str!("../templates/mistral.jinja")),
    ("mistral-v13", include_str!("../templates/mistral-v13.jinja")),
    ("qwen", include_str!("../templates/qwen.jinja")),
    ("qwen3", include_str!("../templates/qwen3.jinja")),
    ("zephyr", include_str!("../templates/zephyr.jinja")),
];

#[cfg(test)]
mod tests;
