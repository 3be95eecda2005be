//! Whether a value is a secret, by its name or its look.
//!
//! More counts here than in a run: what is left out of a file can be put in by hand, and what was committed stays known.

use mst_model::is_credential_name;
use url::Url;

/// How tokens of well-known services begin.
const BEGINNINGS: [&str; 16] = [
    "sk-",
    "sk_",
    "pk_live_",
    "rk_",
    "ghp_",
    "gho_",
    "ghs_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "AKIA",
    "AIza",
    "eyJ",
    "npm_",
    "hf_",
];

/// The shortest text that is taken for a token by its beginning.
const SHORTEST: usize = 16;

/// The shortest text that is taken for a token because it looks drawn at random.
const SHORTEST_RANDOM: usize = 20;

/// Words of names for secrets, beside those of credentials.
const WORDS: [&str; 5] = ["pw", "pass", "passphrase", "passcode", "bearer"];

/// Returns whether a value is to be kept out of files: its name says so, or it looks like a token or holds a password.
pub fn looks_secret(name: &str, value: &str) -> bool {
    is_secret_name(name) || is_secret_text(value)
}

/// Returns whether a name says that its value is a secret.
pub(super) fn is_secret_name(name: &str) -> bool {
    let words = || name.split(|char: char| !char.is_ascii_alphanumeric());
    is_credential_name(name) || words().any(|word| WORDS.iter().any(|known| word.eq_ignore_ascii_case(known)))
}

/// Returns whether a text is a secret whatever its name.
pub(super) fn is_secret_text(value: &str) -> bool {
    is_token(value) || is_random(value) || url_holds_secret(value)
}

/// Says what is secret about a word of a command line, without its value.
pub(super) fn is_secret_word(before: Option<&str>, word: &str) -> Option<String> {
    if url_holds_secret(word) {
        return Some("a URL with a password or a key".to_owned());
    }
    let flag = before.filter(|flag| flag.starts_with('-') && !flag.contains('=') && !word.starts_with('-'));
    if let Some(flag) = flag.filter(|flag| matches!(*flag, "-k" | "-K") || is_secret_name(flag.trim_start_matches('-')))
    {
        return Some(format!("a secret after {flag}"));
    }
    let (name, value) = if word.contains("://") && !word.starts_with('-') {
        ("", word)
    } else {
        word.split_once(['=', ':']).unwrap_or(("", word))
    };
    let value = value.trim_start();
    let named = !name.is_empty() && !name.contains(['/', ' ']) && !value.is_empty();
    let scheme = value.split_once(' ').is_some_and(|(scheme, token)| is_scheme(scheme) && !token.contains(' '));
    if named && (is_secret_name(name.trim_start_matches('-')) || is_secret_text(value) || scheme) {
        return Some(format!("a secret in {name}"));
    }
    let attached = word.strip_prefix("-k").is_some_and(is_random);
    (is_secret_text(word) || scheme || attached).then(|| "a text that looks like a token".to_owned())
}

/// Returns whether a text looks like a token of a well-known service.
fn is_token(value: &str) -> bool {
    let bare = value.split_once(' ').filter(|(scheme, _)| is_scheme(scheme)).map_or(value, |(_, token)| token);
    bare.len() >= SHORTEST && BEGINNINGS.iter().any(|begin| bare.starts_with(begin))
}

/// Returns whether a text looks drawn at random: letters and digits that change kind at every third or so. Names,
/// versions, UUIDs and the hashes of commits and images do not.
fn is_random(value: &str) -> bool {
    #[derive(PartialEq)]
    enum Kind {
        Upper,
        Lower,
        Digit,
    }
    let hex = value.chars().all(|char| char.is_ascii_hexdigit());
    let allowed = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | '+' | '=');
    if value.len() < SHORTEST_RANDOM || !value.chars().all(allowed) || (hex && matches!(value.len(), 40 | 64)) {
        return false;
    }
    let parts: Vec<usize> = value.split('-').map(str::len).collect();
    if parts == [8, 4, 4, 4, 12] {
        return false;
    }
    let kinds: Vec<Kind> = value
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|char| match char {
            '0'..='9' => Kind::Digit,
            'A'..='Z' => Kind::Upper,
            _ => Kind::Lower,
        })
        .collect();
    let changes = kinds.windows(2).filter(|pair| pair[0] != pair[1]).count();
    kinds.contains(&Kind::Digit) && changes * 7 >= kinds.len() * 2
}

/// Returns whether a text is a URL with a password, such as a database's, or with a parameter that is a secret.
fn url_holds_secret(value: &str) -> bool {
    let secret = |name: &str, value: &str| is_secret_name(name) || is_token(value) || is_random(value);
    value.contains("://")
        && Url::parse(value)
            .is_ok_and(|url| url.password().is_some() || url.query_pairs().any(|(name, value)| secret(&name, &value)))
}

/// Returns the password of a URL, as it is written there, when it has one.
pub fn password_of_url(value: &str) -> Option<String> {
    let url = value.contains("://").then(|| Url::parse(value).ok()).flatten()?;
    url.password().filter(|password| !password.is_empty()).map(str::to_owned)
}

/// Returns whether a word names a scheme of HTTP authentication.
pub(super) fn is_scheme(word: &str) -> bool {
    ["bearer", "basic", "token"].iter().any(|scheme| word.eq_ignore_ascii_case(scheme))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_told_by_name_or_look() {
        for (name, value, want) in [
            ("GITHUB_TOKEN", "x", true),
            ("X-Api-Key", "x", true),
            ("PW", "x", true),
            ("DB_PASS", "x", true),
            ("PASSPORT_SERVICE", "x", false),
            ("MODE", "fast", false),
            ("MODE", "ghp_0123456789abcdef", true),
            ("MODE", "Bearer sk-0123456789abcdef", true),
            ("MODE", "q7Zp2LxV9tRk4WmB8sYd", true),
            ("MODE", "9f86d081884c7d659a2feaa0c55ad015", true),
            ("MODE", "MyServer-Configuration-2024", false),
            ("MODE", "x86_64-unknown-linux-gnu-v1", false),
            ("MODE", "3f2504e0-4f89-11d3-9a0c-0305e82c3301", false),
            ("MODE", "356a192b7913b04c54574d18c28d46e6395428ab", false),
            ("DATABASE", "postgres://user:hidden@127.0.0.1/db", true),
            ("DATABASE", "postgres://127.0.0.1/db", false),
            ("ENDPOINT", "https://127.0.0.1/mcp?token=x", true),
            ("MODE", "sk-", false),
        ] {
            assert_eq!(looks_secret(name, value), want, "{name}={value}");
        }
    }
}
