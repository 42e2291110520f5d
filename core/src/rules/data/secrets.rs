//! Secrets in texts. A message names what was found and never repeats it whole.

use aho_corasick::{AhoCorasick, MatchKind};
use memchr::{memchr2_iter, memmem};
use std::sync::LazyLock;

/// The shape of a well-known secret, which is also how it is found where it is to be redacted.
pub(crate) struct SecretShape {
    /// The name of such secrets where they were redacted.
    pub(crate) kind: &'static str,
    what: &'static str,
    /// How it begins.
    pub(crate) prefix: &'static str,
    /// Letters, digits, `_` and `-` that follow at least.
    pub(crate) len_min: usize,
}

const fn shape(kind: &'static str, what: &'static str, prefix: &'static str, len_min: usize) -> SecretShape {
    SecretShape { kind, what, prefix, len_min }
}

pub(crate) const SHAPES: &[SecretShape] = &[
    shape("aws-key", "an AWS access key", "AKIA", 16),
    shape("aws-key", "a temporary AWS access key", "ASIA", 16),
    shape("github-token", "a GitHub token", "ghp_", 36),
    shape("github-token", "a GitHub token", "gho_", 36),
    shape("github-token", "a GitHub token", "ghs_", 36),
    shape("github-token", "a GitHub token", "ghu_", 36),
    shape("github-token", "a GitHub token", "ghr_", 36),
    shape("github-token", "a GitHub token", "github_pat_", 40),
    shape("gitlab-token", "a GitLab token", "glpat-", 20),
    shape("slack-token", "a Slack token", "xoxb-", 24),
    shape("slack-token", "a Slack token", "xoxp-", 24),
    shape("slack-token", "a Slack token", "xoxa-", 24),
    shape("api-key", "an Anthropic key", "sk-ant-", 32),
    shape("api-key", "an OpenAI key", "sk-proj-", 32),
    shape("api-key", "an OpenAI key", "sk-", 40),
    shape("google-key", "a Google key", "AIza", 35),
    shape("huggingface-token", "a Hugging Face token", "hf_", 30),
    shape("npm-token", "an npm token", "npm_", 36),
    shape("pypi-token", "a PyPI token", "pypi-AgEIcHlwaS5vcmc", 40),
    shape("stripe-key", "a Stripe key", "sk_live_", 20),
    shape("stripe-key", "a Stripe key", "rk_live_", 20),
];

/// Names of values that are secrets by what they are called.
pub(crate) const NAMES: &[&str] = &[
    "api_key",
    "api-key",
    "apikey",
    "secret_key",
    "access_key",
    "accesskey",
    "client_secret",
    "access_token",
    "auth_token",
    "private_key",
    "password",
    "passwd",
];

/// The last letters of these.
const LAST_LETTERS: &[u8] = b"dnty";

/// A value after such a name is a secret if it is so long and so random, in bits a character.
const VALUE_LEN_MIN: usize = 20;
const VALUE_LEN_MAX: usize = 200;
const ENTROPY_MIN: f64 = 4.0;

/// Bytes before a colon or equals sign in which a name is looked for.
const NAME_BYTES: usize = 40;

/// Letters and digits that a block of a private key has at least.
const KEY_LEN_MIN: usize = 40;

pub(super) fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// How the end of the first line of a private key, a JSON Web Token and the authority of an address begin.
const KEY_END: &str = "PRIVATE KEY-----";
const TOKEN: &str = "eyJ";
const AUTHORITY: &str = "://";

/// The beginnings of all shapes, and then these: one pass says which a text has, mostly none.
static BEGINNINGS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let all = SHAPES.iter().map(|shape| shape.prefix).chain([KEY_END, TOKEN, AUTHORITY]);
    // Only this kind looks at many bytes at a time. A longer beginning precedes those that it begins with.
    AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(all).ok()
});

/// The beginnings that a text has, by their numbers.
struct Beginnings(u64);

impl Beginnings {
    fn of(text: &[u8]) -> Self {
        let all = |found: &AhoCorasick| found.find_iter(text).fold(0, |set, at| set | 1 << at.pattern().as_u32());
        Self(BEGINNINGS.as_ref().map_or(u64::MAX, all))
    }

    fn has(&self, number: usize) -> bool {
        self.0 >> number & 1 == 1
    }
}

/// The secrets of a text, each kind once: by their shapes; where there is none, by a name and how random what follows
/// is, since a key of a known shape often follows such a name.
pub(super) fn secrets(text: &str) -> Vec<String> {
    let bytes = text.as_bytes();
    let beginnings = Beginnings::of(bytes);
    let found = if beginnings.0 == 0 { Vec::new() } else { shaped(bytes, &beginnings) };
    if !found.is_empty() {
        return found;
    }
    let name = memchr2_iter(b':', b'=', bytes).find_map(|at| named(bytes, at));
    let message = |name| format!("a random value follows `{name}`; if it is a secret take it out, and revoke it");
    name.map(message).into_iter().collect()
}

/// The secrets with a shape.
fn shaped(bytes: &[u8], beginnings: &Beginnings) -> Vec<String> {
    let is_there = |(number, shape): &(usize, &SecretShape)| {
        let fits = |at: usize| fits(shape, bytes, at) && !is_of_longer(shape, &bytes[at..]);
        beginnings.has(*number) && memmem::find_iter(bytes, shape.prefix).any(fits)
    };
    let message = |(_, shape): (usize, &SecretShape)| {
        format!("this looks like {} (`{}…`); take it out, and revoke it", shape.what, shape.prefix)
    };
    let mut found: Vec<String> = SHAPES.iter().enumerate().filter(is_there).map(message).collect();
    let [has_key_end, has_token, has_authority] = [0, 1, 2].map(|number| beginnings.has(SHAPES.len() + number));
    if has_key_end && private_key(bytes) {
        found.push("this looks like a private key; take it out, and revoke it".to_owned());
    }
    if has_token && memmem::find_iter(bytes, TOKEN).any(|at| is_start(bytes, at) && is_web_token(&bytes[at..])) {
        let message = "this looks like a JSON Web Token (`eyJ…`); take it out, and let it expire or revoke it";
        found.push(message.to_owned());
    }
    let mut addresses = has_authority.then(|| memmem::find_iter(bytes, AUTHORITY)).into_iter().flatten();
    let host = addresses.find_map(|at| with_password(&bytes[at + AUTHORITY.len()..]));
    let message = |host| format!("an address holds a user and a password for `{host}`; take them out, and change them");
    found.extend(host.map(message));
    found
}

/// Whether a text begins with a longer prefix than that of a shape: `sk-ant-` is no `sk-`.
fn is_of_longer(shape: &SecretShape, text: &[u8]) -> bool {
    let is_longer = |other: &SecretShape| {
        other.prefix.len() > shape.prefix.len()
            && other.prefix.starts_with(shape.prefix)
            && text.starts_with(other.prefix.as_bytes())
    };
    SHAPES.iter().any(is_longer)
}

/// Whether no part of a word ends where something begins; an escape for a line end or the like, as JSON in a string has
/// it, is none. Asked before a look at what follows: a text of beginnings
/// alone would be looked through once for each.
fn is_start(text: &[u8], at: usize) -> bool {
    let is_behind_escape = || at > 1 && text[at - 2] == b'\\' && b"nrtbf".contains(&text[at - 1]);
    at == 0 || !is_part(text[at - 1]) || is_behind_escape()
}

fn fits(shape: &SecretShape, text: &[u8], at: usize) -> bool {
    if !is_start(text, at) {
        return false;
    }
    let rest = &text[at + shape.prefix.len()..];
    let rest = &rest[..rest.iter().take_while(|b| is_part(**b)).count()];
    rest.len() >= shape.len_min && !is_placeholder(rest)
}

/// `sk-xxxxxxxx`, `AKIAIOSFODNN7EXAMPLE`.
fn is_placeholder(value: &[u8]) -> bool {
    let lower = value.to_ascii_lowercase();
    let mut kinds = lower.clone();
    kinds.sort_unstable();
    kinds.dedup();
    kinds.len() < 8 || has_placeholder_word(&lower)
}

/// Whether a value says of itself that it stands for another.
fn has_placeholder_word(lower: &[u8]) -> bool {
    ["example", "your", "placeholder"].iter().any(|word| memmem::find(lower, word.as_bytes()).is_some())
}

fn private_key(text: &[u8]) -> bool {
    memmem::find_iter(text, KEY_END).any(|at| {
        let has_begin = memmem::rfind(&text[at.saturating_sub(24)..at], b"-----BEGIN ").is_some();
        let body = text[at + KEY_END.len()..].split(|b| *b == b'-').next().unwrap_or_default();
        has_begin && body.iter().filter(|b| b.is_ascii_alphanumeric()).count() >= KEY_LEN_MIN
    })
}

/// Letters and digits that each of the three parts of a JSON Web Token has at least.
const TOKEN_PART_MIN: usize = 10;

/// Three parts of base 64, the first two of which are JSON objects. A part is looked at when those before it are long
/// enough, so that no text is looked through more than three times.
fn is_web_token(text: &[u8]) -> bool {
    let mut rest = text;
    let mut part = || {
        let (part, after) = rest.split_at(rest.iter().take_while(|b| is_part(**b)).count());
        rest = after.strip_prefix(b".").unwrap_or_default();
        Some(part).filter(|part| part.len() >= TOKEN_PART_MIN)
    };
    let mut parts = || Some((part()?, part()?, part()?));
    let Some((_, claims, signature)) = parts() else { return false };
    claims.starts_with(b"eyJ") && !is_placeholder(signature)
}

/// Passwords of examples.
const NOBODY: [&str; 12] = [
    "user", "username", "pass", "password", "passwd", "secret", "token", "admin", "root", "postgres", "example", "foo",
];

/// The host of an address that holds a user and a password, `user:password@host`; none of a local or made up one.
fn with_password(text: &[u8]) -> Option<String> {
    let end = text.iter().take(VALUE_LEN_MAX).position(|b| b.is_ascii_whitespace() || b"/\"'`<>\\)]},".contains(b));
    let authority = text.get(..end.unwrap_or(text.len().min(VALUE_LEN_MAX)))?;
    let at = memchr::memrchr(b'@', authority)?;
    let colon = authority[..at].iter().position(|b| *b == b':')?;
    let (user, password, host) = (&authority[..colon], &authority[colon + 1..at], &authority[at + 1..]);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).to_lowercase();
    let (user, password, host) = (text(user), text(password), text(host));
    let name = host.split(':').next().unwrap_or_default();
    let is_placeholder = NOBODY.contains(&password.as_str())
        || password == user
        || password.len() < 4
        || password.starts_with(['$', '%', '<', '{', '*', '[', '.'])
        || is_placeholder_word(&password)
        || is_reserved(name);
    (!user.is_empty() && name.contains('.') && !is_placeholder).then(|| name.to_owned())
}

/// `xxxxxxxx`, `your-password`.
fn is_placeholder_word(text: &str) -> bool {
    let first = text.chars().next();
    text.chars().all(|c| Some(c) == first || c == '*') || has_placeholder_word(text.as_bytes())
}

/// The name before a colon or equals sign, if a random value follows it.
fn named(text: &[u8], at: usize) -> Option<&'static str> {
    let is_around = |b: &u8| matches!(b, b'"' | b'\'' | b' ' | b'\\');
    // Nearly every colon follows another word: its last letter says so.
    let last = text[..at].iter().rev().take(NAME_BYTES).find(|b| !is_around(b))?.to_ascii_lowercase();
    if !LAST_LETTERS.contains(&last) {
        return None;
    }
    let before = text[at.saturating_sub(NAME_BYTES)..at].to_ascii_lowercase();
    let before = &before[..=before.iter().rposition(|b| !is_around(b))?];
    let name = NAMES.iter().find(|name| before.ends_with(name.as_bytes()))?;
    let behind = &text[at + 1..];
    let behind = &behind[behind.iter().take(4).take_while(|b| is_around(b)).count()..];
    let is_value = |b: &u8| is_part(*b) || matches!(b, b'+' | b'/' | b'=');
    let value = &behind[..behind.iter().take(VALUE_LEN_MAX + 1).take_while(|b| is_value(b)).count()];
    let has = |kind: fn(&u8) -> bool| value.iter().any(kind);
    let is_mixed = has(u8::is_ascii_digit) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase);
    let fits = (VALUE_LEN_MIN..=VALUE_LEN_MAX).contains(&value.len());
    (fits && is_mixed && entropy(value) >= ENTROPY_MIN && !is_placeholder(value)).then_some(*name)
}

/// Bits a character.
fn entropy(value: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    value.iter().for_each(|b| counts[usize::from(*b)] += 1);
    let of = |n: u32| f64::from(n) / value.len() as f64;
    counts.iter().filter(|n| **n > 0).map(|n| -of(*n) * of(*n).log2()).sum()
}

/// Names of domains that people make up, whatever is behind them.
const EXAMPLE_DOMAINS: [&str; 20] = [
    "example",
    "domain",
    "yourdomain",
    "your-domain",
    "mydomain",
    "company",
    "yourcompany",
    "your-company",
    "mycompany",
    "email",
    "acme",
    "foo",
    "bar",
    "test",
    "testing",
    "sample",
    "placeholder",
    "somewhere",
    "host",
    "hostname",
];

/// Whether a host is reserved for documentation (RFC 2606, RFC 6761) or made up for it.
pub(super) fn is_reserved(host: &str) -> bool {
    let mut labels = host.rsplit('.');
    let top = labels.next().unwrap_or_default();
    let is_top = matches!(top, "test" | "example" | "invalid" | "localhost" | "local" | "internal");
    is_top
        || labels.next().is_some_and(|name| EXAMPLE_DOMAINS.contains(&name))
        || labels.next().is_some_and(|name| EXAMPLE_DOMAINS[..1].contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Put together here, so that no text of ours looks like a secret.
    fn token(prefix: &str, n: usize) -> String {
        let letters = "aB3dE5gH7jK9mN1pQ2sT4vW6yZ8";
        format!("{prefix}{}", letters.chars().cycle().take(n).collect::<String>())
    }

    /// Each of these once took a look at all that follows each of its beginnings: hours for such a text.
    #[test]
    fn texts_of_beginnings_alone_are_looked_through_once() {
        for beginning in ["sk-", "eyJ", "eyJ.", "eyJhbGci."] {
            assert_eq!(secrets(&beginning.repeat(2_000_000)), [""; 0], "{beginning}");
        }
    }

    #[test]
    fn secrets_are_known_by_shape_and_name() {
        for shape in SHAPES {
            let text = token(shape.prefix, shape.len_min + 4);
            assert_eq!(secrets(&format!("key={text}.")).len(), 1, "{text}");
            assert!(secrets(&format!("x{text}")).is_empty() || shape.prefix.contains('-'), "{text}");
        }
        let block = token(&format!("-----BEGIN {}", "PRIVATE KEY-----\n"), 60);
        assert!(!secrets(&block).is_empty());
        assert!(NAMES.iter().all(|name| LAST_LETTERS.contains(&name.as_bytes()[name.len() - 1])));
        let value = token("", 24);
        let base64 = format!("{}+/{}==", &value[..12], &value[12..]);
        for text in [
            format!("api_key = \"{value}\""),
            format!("{{\"Password\": \"{value}\"}}"),
            format!("api_key = \"{base64}\""),
        ] {
            assert!(secrets(&text)[0].contains("a random value"), "{text}");
        }
        for text in [
            "AKIAIOSFODNN7EXAMPLE",
            "sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "api_key = os.environ['THE_API_KEY']",
            "password: hunter2",
            "password = aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            "-----BEGIN PRIVATE KEY-----\n...",
            "sha = 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            "a: 1, b=2",
            "postgres://user:password@db.acme.io/x",
            "https://me:hunter22@localhost:80/",
            "https://me:$TOKEN@git.host.io/x",
            "eyJhbGciOiJIUzI1NiJ9.e30.x",
            "see http://a.io:80/b@c",
        ] {
            assert_eq!(secrets(text), [""; 0], "{text}");
        }
        let jwt = format!("eyJ{}.eyJ{}.{}", token("", 20), token("", 30), token("", 40));
        assert!(secrets(&format!("Authorization: {jwt}"))[0].contains("JSON Web Token"));
        let address = "git clone https://bot:s3cr3tQ9@git.uni-x.de/a.git";
        assert!(secrets(address)[0].contains("for `git.uni-x.de`"), "{:?}", secrets(address));
        let both = format!("{} {} {address}", token("AKIA", 16), token("sk-ant-", 60));
        assert_eq!(secrets(&both).len(), 3, "each kind once: {:?}", secrets(&both));
    }
}
