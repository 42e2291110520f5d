//! W9: a command line as simple commands: words, redirections, here-documents.

use super::tables;

/// A word, without its quotes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Word {
    pub(super) text: String,
    /// Whether the shell replaces part of it: a variable or a glob.
    pub(super) is_dynamic: bool,
}

/// Where output goes, or input comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RedirectKind {
    /// `>`
    Write,
    /// `>>`
    Append,
    /// `<`, `<<<`
    Input,
}

/// A redirection to or from a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Redirect {
    pub(super) way: RedirectKind,
    /// Whether it is standard output that goes there (or both outputs).
    pub(super) is_stdout: bool,
    pub(super) target: Word,
}

/// A here-document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Heredoc {
    pub(super) body: String,
    /// Whether the body is taken as it is.
    pub(super) is_quoted: bool,
}

/// What is between a simple command and the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Joint {
    /// `;`, a line end, or nothing.
    #[default]
    Then,
    And,
    Or,
    Pipe,
}

/// A simple command.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Simple {
    pub(super) joint: Joint,
    pub(super) words: Vec<Word>,
    pub(super) redirects: Vec<Redirect>,
    pub(super) heredoc: Option<Heredoc>,
}

impl Simple {
    /// Its words after assignments and [`tables::prefix_words`].
    pub(super) fn command(&self) -> &[Word] {
        let mut words = self.words.as_slice();
        while let Some(first) = words.first() {
            let count = if is_assignment(&first.text) { Some(1) } else { tables::prefix_words(&first.text) };
            match count {
                Some(count) => words = words.get(count..).unwrap_or_default(),
                None => break,
            }
        }
        words
    }

    /// The command's name; empty where there are only redirections.
    pub(super) fn name(&self) -> &str {
        self.command().first().map_or("", |word| word.text.rsplit('/').next().unwrap_or(""))
    }

    /// The words before the name that are passed over.
    pub(super) fn prefixes(&self) -> impl Iterator<Item = &str> {
        let count = self.words.len() - self.command().len();
        self.words.iter().take(count).map(|word| word.text.as_str())
    }

    /// Words after the name.
    pub(super) fn arguments(&self) -> &[Word] {
        self.command().get(1..).unwrap_or_default()
    }

    pub(super) fn is_dynamic(&self) -> bool {
        self.words.iter().chain(self.redirects.iter().map(|redirect| &redirect.target)).any(|word| word.is_dynamic)
    }

    /// The file that standard output goes to.
    pub(super) fn output(&self) -> Option<&Redirect> {
        self.redirects.iter().rev().find(|redirect| redirect.is_stdout && redirect.way != RedirectKind::Input)
    }
}

fn is_assignment(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else { return false };
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// W9: the simple commands of a text; None where it cannot be split: with `( ) { &`, a backtick, `$(`, a keyword or an
/// open quote.
pub(super) fn split(text: &str) -> Option<Vec<Simple>> {
    let mut splitter = Splitter { text, at: 0, commands: Vec::new(), now: Simple::default(), awaited: Vec::new() };
    splitter.run()?;
    Some(splitter.commands)
}

/// The words of a text by shell quoting; separators are words or parts of words.
pub(super) fn shell_words(text: &str) -> Option<Vec<String>> {
    let mut reader = Splitter { text, at: 0, commands: Vec::new(), now: Simple::default(), awaited: Vec::new() };
    let mut words = Vec::new();
    loop {
        reader.pass(char::is_whitespace);
        if reader.at >= text.len() {
            return Some(words);
        }
        words.push(reader.word(false)?.0.text);
    }
}

/// A here-document whose body has not come.
struct PendingHeredoc {
    /// Which simple command it belongs to.
    command: usize,
    end: String,
    is_quoted: bool,
    drops_tabs: bool,
}

struct Splitter<'t> {
    text: &'t str,
    at: usize,
    commands: Vec<Simple>,
    now: Simple,
    awaited: Vec<PendingHeredoc>,
}

impl Splitter<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn next(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn pass(&mut self, fits: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.at += rest.find(|c| !fits(c)).unwrap_or(rest.len());
    }

    fn take(&mut self, start: &str) -> bool {
        let is_there = self.rest().starts_with(start);
        self.at += if is_there { start.len() } else { 0 };
        is_there
    }

    fn run(&mut self) -> Option<()> {
        loop {
            self.pass(|c| c == ' ' || c == '\t' || c == '\r');
            let Some(next) = self.next() else { break };
            match next {
                '\n' => {
                    self.at += 1;
                    self.end(Joint::Then);
                    self.bodies();
                }
                ';' => {
                    self.at += 1;
                    self.end(Joint::Then);
                }
                '#' => self.pass(|c| c != '\n'),
                '&' | '|' => self.operator()?,
                '(' | ')' | '{' | '`' => return None,
                '>' | '<' => self.redirect(None)?,
                '\\' if self.rest().starts_with("\\\n") => self.at += 2,
                _ => self.plain_word()?,
            }
        }
        self.end(Joint::Then);
        self.awaited.is_empty().then_some(())
    }

    fn operator(&mut self) -> Option<()> {
        for (text, joint) in [("&&", Joint::And), ("||", Joint::Or), ("|", Joint::Pipe)] {
            if self.take(text) {
                self.end(joint);
                return Some(());
            }
        }
        // `&>` and `&>>` are redirections of both outputs; a lone `&` cannot be split.
        let is_both = self.rest().starts_with("&>");
        if is_both {
            self.at += 1;
            return self.redirect(Some("&"));
        }
        None
    }

    /// The command so far is whole; `joint` is before the next one.
    fn end(&mut self, joint: Joint) {
        let is_empty = self.now.words.is_empty() && self.now.redirects.is_empty() && self.now.heredoc.is_none();
        let has_awaited = self.awaited.iter().any(|awaited| awaited.command == self.commands.len());
        if !is_empty || has_awaited {
            self.commands.push(std::mem::take(&mut self.now));
            self.now.joint = joint;
        } else if joint != Joint::Then {
            self.now.joint = joint;
        }
    }

    fn plain_word(&mut self) -> Option<()> {
        let (word, is_quoted) = self.word(true)?;
        // A number directly before a redirection is what is redirected.
        let is_number = !is_quoted && !word.text.is_empty() && word.text.bytes().all(|b| b.is_ascii_digit());
        if is_number && self.rest().starts_with(['>', '<']) {
            return self.redirect(Some(&word.text));
        }
        let is_name = self.now.words.iter().all(|word| is_assignment(&word.text));
        if is_name && !is_quoted && tables::has("keywords", &word.text) {
            return None;
        }
        self.now.words.push(word);
        Some(())
    }

    /// One word, and whether any of it was quoted. `is_shell`: separators end it and what cannot be split is refused.
    fn word(&mut self, is_shell: bool) -> Option<(Word, bool)> {
        let (mut word, mut is_quoted) = (Word::default(), false);
        while let Some(next) = self.next() {
            match next {
                c if c.is_whitespace() => break,
                ';' | '|' | '<' | '>' if is_shell => break,
                '&' if is_shell => break,
                '(' | ')' | '{' | '`' if is_shell => return None,
                '\'' => {
                    self.at += 1;
                    let end = self.rest().find('\'')?;
                    word.text.push_str(&self.rest()[..end]);
                    self.at += end + 1;
                    is_quoted = true;
                }
                '"' => {
                    self.at += 1;
                    self.double_quoted(&mut word, is_shell)?;
                    is_quoted = true;
                }
                '\\' => {
                    self.at += 1;
                    let escaped = self.next()?;
                    self.at += escaped.len_utf8();
                    if escaped != '\n' {
                        word.text.push(escaped);
                    }
                    is_quoted = true;
                }
                '$' if is_shell => {
                    self.at += 1;
                    self.variable(&mut word)?;
                }
                c => {
                    word.is_dynamic |= is_shell && matches!(c, '*' | '?' | '[') && self.is_glob(c, &word);
                    word.text.push(c);
                    self.at += c.len_utf8();
                }
            }
        }
        Some((word, is_quoted))
    }

    /// `[` and `[[` alone are commands.
    fn is_glob(&self, c: char, word: &Word) -> bool {
        c != '[' || !(word.text.is_empty() && self.rest()[1..].starts_with(char::is_whitespace))
    }

    /// After a `$`: what begins a substitution cannot be split, a quoted text is text.
    fn variable(&mut self, word: &mut Word) -> Option<()> {
        if self.rest().starts_with('(') {
            return None;
        }
        word.is_dynamic = true;
        word.text.push('$');
        if self.rest().starts_with('{') {
            let end = self.rest().find('}')?;
            word.text.push_str(&self.rest()[..=end]);
            self.at += end + 1;
        }
        Some(())
    }

    fn double_quoted(&mut self, word: &mut Word, is_shell: bool) -> Option<()> {
        loop {
            let next = self.next()?;
            self.at += next.len_utf8();
            match next {
                '"' => return Some(()),
                '\\' => {
                    let escaped = self.next()?;
                    self.at += escaped.len_utf8();
                    match escaped {
                        '\n' => {}
                        '"' | '\\' | '$' | '`' => word.text.push(escaped),
                        other => word.text.extend(['\\', other]),
                    }
                }
                '`' if is_shell => return None,
                '$' if is_shell && self.rest().starts_with('(') => return None,
                '$' if is_shell => {
                    let is_name = |c: char| c.is_alphanumeric() || "_{@*#?!-$".contains(c);
                    word.is_dynamic |= self.next().is_some_and(is_name);
                    word.text.push('$');
                }
                c => word.text.push(c),
            }
        }
    }

    /// A redirection; `from`: what is redirected, if it is said.
    fn redirect(&mut self, from: Option<&str>) -> Option<()> {
        if !self.rest().starts_with("<<<") && self.rest().starts_with("<<") {
            return self.heredoc();
        }
        let way = if self.take("<<<") || self.take("<>") {
            RedirectKind::Input
        } else if self.take(">>") {
            RedirectKind::Append
        } else if self.take(">|") || self.take(">") {
            RedirectKind::Write
        } else if self.take("<") {
            RedirectKind::Input
        } else {
            return None;
        };
        if self.take("&") {
            // A copy of another output: `2>&1`, `>&2`.
            self.pass(|c| c.is_ascii_digit() || c == '-');
            return Some(());
        }
        self.pass(|c| c == ' ' || c == '\t');
        let (target, is_quoted) = self.word(true)?;
        if target.text.is_empty() && !is_quoted {
            return None;
        }
        let is_stdout = from.is_none_or(|from| from == "1" || from == "&");
        self.now.redirects.push(Redirect { way, is_stdout, target });
        Some(())
    }

    fn heredoc(&mut self) -> Option<()> {
        let drops_tabs = self.take("<<-") || !self.take("<<");
        self.pass(|c| c == ' ' || c == '\t');
        let (end, is_quoted) = self.word(true)?;
        if end.text.is_empty() {
            return None;
        }
        self.awaited.push(PendingHeredoc { command: self.commands.len(), end: end.text, is_quoted, drops_tabs });
        Some(())
    }

    /// The bodies that are from this line on.
    fn bodies(&mut self) {
        for awaited in std::mem::take(&mut self.awaited) {
            let mut body = String::new();
            while self.at < self.text.len() {
                let rest = self.rest();
                let end = rest.find('\n').map_or(rest.len(), |at| at + 1);
                let line = &rest[..end];
                let plain = if awaited.drops_tabs { line.trim_start_matches('\t') } else { line };
                let is_end = plain.trim_end_matches(['\n', '\r']) == awaited.end;
                if !is_end {
                    body.push_str(plain);
                }
                self.at += end;
                if is_end {
                    break;
                }
            }
            let heredoc = Heredoc { body, is_quoted: awaited.is_quoted };
            if let Some(command) = self.commands.get_mut(awaited.command) {
                command.heredoc = Some(heredoc);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Commands as text: the joint, the words in brackets, redirections, the here-document.
    fn of(text: &str) -> String {
        let Some(all) = split(text) else { return "-".to_owned() };
        let each = |one: &Simple| {
            let words: Vec<_> =
                one.words.iter().map(|w| format!("{}{}", w.text, if w.is_dynamic { "$" } else { "" })).collect();
            let redirects: Vec<_> = one
                .redirects
                .iter()
                .map(|r| format!(" {:?}{}:{}", r.way, u8::from(r.is_stdout), r.target.text))
                .collect();
            let body = one.heredoc.as_ref().map(|h| format!(" <<{}:{}", u8::from(h.is_quoted), h.body));
            format!("{:?}[{}]{}{}", one.joint, words.join("|"), redirects.concat(), body.unwrap_or_default())
        };
        all.iter().map(each).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn w9_commands_are_split() {
        for (text, expected) in [
            ("cd /w && cat 'a b'", "Then[cd|/w] And[cat|a b]"),
            ("a;b\nc || d | e", "Then[a] Then[b] Then[c] Or[d] Pipe[e]"),
            ("cat a 2>/dev/null 2>&1 > b", "Then[cat|a] Write0:/dev/null Write1:b"),
            ("cmd &> out", "Then[cmd] Write1:out"),
            ("echo \"a $X\" $Y *.c 'x$y' \\$z", "Then[echo|a $X$|$Y$|*.c$|x$y|$z]"),
            ("cat > f <<'E' && b\nx $y\nE\nc", "Then[cat] Write1:f <<1:x $y\n And[b] Then[c]"),
            ("cat <<-E > f\n\tx\n\tE\n", "Then[cat] Write1:f <<0:x\n"),
            ("> f", "Then[] Write1:f"),
            ("a # b\nc", "Then[a] Then[c]"),
            ("a \\\n b", "Then[a|b]"),
            ("for f in a; do b; done", "-"),
            ("(a)", "-"),
            ("a &", "-"),
            ("echo $(a)", "-"),
            ("echo `a`", "-"),
            ("echo 'a", "-"),
            ("[ -f x ] && y", "Then[[|-f|x|]] And[y]"),
            ("echo ${X}", "Then[echo|${X}$]"),
            ("", ""),
        ] {
            assert_eq!(of(text), expected, "{text}");
        }
    }

    #[test]
    fn w9_prefixes_are_passed_over() {
        let name = |text: &str| split(text).unwrap()[0].name().to_owned();
        assert_eq!(name("sudo timeout 5 A=1 /usr/bin/cat x"), "cat");
        assert_eq!(name("A=1"), "");
        assert_eq!(shell_words("edit 'a b' \"c\nd\" (x)").unwrap(), ["edit", "a b", "c\nd", "(x)"]);
        assert_eq!(shell_words("edit 'a"), None);
    }
}
