//! Whether a value is a secret, by its name or its look.

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

/// Returns whether a value is to be kept out of files: its name says so, or it looks like a token or holds a password.
pub fn looks_secret(name: &str, value: &str) -> bool {
    is_credential_name(name) || is_token(value) || has_password(value)
}

/// Returns whether a text looks like a token of a well-known service.
pub(super) fn is_token(value: &str) -> bool {
    let bare = value.split_once(' ').filter(|(scheme, _)| is_scheme(scheme)).map_or(value, |(_, token)| token);
    bare.len() >= SHORTEST && BEGINNINGS.iter().any(|begin| bare.starts_with(begin))
}

/// Returns whether a text is a URL with a password, such as a database's.
pub(super) fn has_password(value: &str) -> bool {
    value.contains("://") && Url::parse(value).is_ok_and(|url| url.password().is_some())
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
            ("MODE", "fast", false),
            ("MODE", "ghp_0123456789abcdef", true),
            ("MODE", "Bearer sk-0123456789abcdef", true),
            ("DATABASE", "postgres://user:hidden@127.0.0.1/db", true),
            ("DATABASE", "postgres://127.0.0.1/db", false),
            ("MODE", "sk-", false),
        ] {
            assert_eq!(looks_secret(name, value), want, "{name}");
        }
    }
}
