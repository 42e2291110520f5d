//! What a value belongs to: kind and instance.

/// Under which name the state holds a value: a kind (Agent/Data, ADP), a slot name (Scopix), a channel; and, where the
/// system knows instances, which one (A13, A14).
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Identity {
    /// The kind, decoded, as the file spells it.
    pub kind: String,
    /// The instance; None is the global one.
    pub instance: Option<String>,
}

impl Identity {
    /// An identity without instance.
    #[must_use]
    pub fn global(kind: impl Into<String>) -> Self {
        Self { kind: kind.into(), instance: None }
    }

    /// An identity of an instance.
    #[must_use]
    pub fn of(kind: impl Into<String>, instance: impl Into<String>) -> Self {
        Self { kind: kind.into(), instance: Some(instance.into()) }
    }
}
