//! Which names say that their value is a credential.

/// Words that make a name a credential's.
const CREDENTIAL_WORDS: [&str; 12] = [
    "token",
    "key",
    "apikey",
    "secret",
    "password",
    "passwd",
    "auth",
    "authorization",
    "cookie",
    "credential",
    "credentials",
    "pat",
];

/// Returns whether a name says that its value is a credential: one of the contract's words stands in it as a whole word.
///
/// Words end at `_`, `-`, `.`, at camelCase (an acronym too: `APIToken` is `API` and `Token`) and before digits that end
/// the name. So `ACME_API_KEY` and `GITHUB_TOKEN2` are credentials, `GIT_AUTHOR_NAME` and `GITHUBTOKEN` are not.
pub fn is_credential_name(name: &str) -> bool {
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit());
    name.split(|c: char| matches!(c, '_' | '-' | '.') || c.is_whitespace())
        .flat_map(camel_words)
        .any(|word| CREDENTIAL_WORDS.contains(&word.to_ascii_lowercase().as_str()))
}

/// Splits a part of a name at camelCase: before an upper-case letter that follows a lower-case letter or a digit, and
/// before the last upper-case letter of an acronym that a lower-case letter follows.
fn camel_words(part: &str) -> Vec<&str> {
    let chars: Vec<(usize, char)> = part.char_indices().collect();
    let mut words = Vec::new();
    let mut start = 0;
    for at in 1..chars.len() {
        let (byte, here) = chars[at];
        let before = chars[at - 1].1;
        let next = chars.get(at + 1).map(|(_, c)| *c);
        let humps = here.is_uppercase() && (before.is_lowercase() || before.is_ascii_digit());
        let acronym_ends = here.is_uppercase() && before.is_uppercase() && next.is_some_and(char::is_lowercase);
        if humps || acronym_ends {
            words.push(&part[start..byte]);
            start = byte;
        }
    }
    words.push(&part[start..]);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_make_a_credential_name() {
        for (name, want) in [
            ("ACME_API_KEY", true),
            ("accessToken", true),
            ("APIToken", true),
            ("GITHUB_TOKEN2", true),
            ("X-Api-Key", true),
            ("GIT_AUTHOR_NAME", false),
            ("MCP_OAUTH_SERVER_URL", false),
            ("AUTH0_DOMAIN", false),
            ("GITHUBTOKEN", false),
            ("OPENAI_BASE_URL", false),
            ("PATH", false),
            ("GH_PAT", true),
        ] {
            assert_eq!(is_credential_name(name), want, "{name}");
        }
    }
}
