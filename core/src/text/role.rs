//! What a piece of text is, which themes colour. Never a colour.

/// The meaning of a piece of text on screen. Themes give each one a style by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Role {
    /// Ordinary text.
    #[default]
    Text,
    /// Secondary text: hints, counts, units, unchanged things.
    Dim,
    /// Titles of panes, headings.
    Title,
    /// The one accent: active tab, key names, focused border.
    Accent,
    /// Border of a pane without focus.
    Border,
    /// Border of the pane with focus.
    BorderFocus,
    /// Header line and footer.
    Bar,
    /// A key in the footer or help.
    KeyName,
    /// JSON object key.
    JsonKey,
    /// JSON string.
    JsonString,
    /// JSON number.
    JsonNumber,
    /// JSON true, false.
    JsonBool,
    /// JSON null.
    JsonNull,
    /// JSON punctuation, fold marks.
    Punct,
    /// Name of a kind, a slot, a channel.
    Kind,
    /// Mark of an instance.
    Instance,
    /// A reference (`†state.a`).
    Reference,
    /// The gutter: step that wrote a value.
    Blame,
    /// As `Blame`, written at this step or shortly before.
    BlameNew,
    /// Added at this step.
    Added,
    /// Changed at this step.
    Changed,
    /// Removed at this step.
    Removed,
    /// The value before.
    Old,
    /// Role user.
    User,
    /// Role agent.
    Agent,
    /// Role environment.
    Environment,
    /// Role system.
    System,
    /// A call.
    Call,
    /// A result.
    Result,
    /// An error, a broken record, a violation.
    Error,
    /// A warning.
    Warning,
    /// All is well, live.
    Good,
    /// A mark for a hidden character of the input.
    Hidden,
    /// A search hit.
    Match,
    /// The row under the cursor.
    Cursor,
    /// The row that is selected in a pane without focus.
    Selected,
    /// The write of the focused path on the timeline.
    Focus,
    /// Words of a text that stand out.
    Strong,
    /// Words of a text that are stressed.
    Emphasis,
    /// Code: keyword.
    CodeKeyword,
    /// Code: string.
    CodeString,
    /// Code: comment.
    CodeComment,
    /// Code: number or constant.
    CodeNumber,
    /// Code: function or type name.
    CodeName,
}

impl Role {
    /// All roles with their names in theme files.
    pub const ALL: &'static [(Self, &'static str)] = &[
        (Self::Text, "text"),
        (Self::Dim, "dim"),
        (Self::Title, "title"),
        (Self::Accent, "accent"),
        (Self::Border, "border"),
        (Self::BorderFocus, "border-focus"),
        (Self::Bar, "bar"),
        (Self::KeyName, "key-name"),
        (Self::JsonKey, "json-key"),
        (Self::JsonString, "json-string"),
        (Self::JsonNumber, "json-number"),
        (Self::JsonBool, "json-bool"),
        (Self::JsonNull, "json-null"),
        (Self::Punct, "punct"),
        (Self::Kind, "kind"),
        (Self::Instance, "instance"),
        (Self::Reference, "reference"),
        (Self::Blame, "blame"),
        (Self::BlameNew, "blame-new"),
        (Self::Added, "added"),
        (Self::Changed, "changed"),
        (Self::Removed, "removed"),
        (Self::Old, "old"),
        (Self::User, "user"),
        (Self::Agent, "agent"),
        (Self::Environment, "environment"),
        (Self::System, "system"),
        (Self::Call, "call"),
        (Self::Result, "result"),
        (Self::Error, "error"),
        (Self::Warning, "warning"),
        (Self::Good, "good"),
        (Self::Hidden, "hidden"),
        (Self::Match, "match"),
        (Self::Cursor, "cursor"),
        (Self::Selected, "selected"),
        (Self::Focus, "focus"),
        (Self::Strong, "strong"),
        (Self::Emphasis, "emphasis"),
        (Self::CodeKeyword, "code-keyword"),
        (Self::CodeString, "code-string"),
        (Self::CodeComment, "code-comment"),
        (Self::CodeNumber, "code-number"),
        (Self::CodeName, "code-name"),
    ];
}
