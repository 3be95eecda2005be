//! What a request names: quoted texts, ids, numbers, and values given by name.

use super::words::words;

/// Marks that open and close a quoted text.
const QUOTES: [(char, char); 6] = [('"', '"'), ('\'', '\''), ('`', '`'), ('“', '”'), ('‘', '’'), ('«', '»')];

/// The things that a request names, each used once.
#[derive(Debug)]
pub(super) struct Clues<'a> {
    text: &'a str,
    lower: String,
    quoted: Vec<String>,
    ids: Vec<String>,
    numbers: Vec<String>,
}

impl<'a> Clues<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        let (quoted, rest) = take_quoted(text);
        let tokens = rest
            .split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '(' | ')' | '[' | ']' | '{' | '}' | '"'))
            // A URL keeps its query.
            .flat_map(|token| token.split(|c: char| c == '=' && !token.contains("://")))
            .map(|token| token.trim_matches(|c: char| matches!(c, '.' | '?' | '!' | ':' | '\'' | '<' | '>')))
            .filter(|token| !token.is_empty());
        let (mut ids, mut numbers) = (Vec::new(), Vec::new());
        for token in tokens {
            if token.parse::<f64>().is_ok_and(f64::is_finite)
                && token.starts_with(|c: char| c.is_ascii_digit() || c == '-')
            {
                numbers.push(token.to_owned());
            } else if is_id(token) {
                ids.push(token.to_owned());
            }
        }
        Self { text, lower: text.to_lowercase(), quoted, ids, numbers }
    }

    pub(super) fn text(&self) -> &'a str {
        self.text
    }

    /// Returns the value of `name=value` or `name: value`, and uses up every other clue with that text.
    pub(super) fn named(&mut self, name: &str) -> Option<String> {
        let value = named_value(self.text, &self.lower, &name.to_lowercase())?;
        for clues in [&mut self.quoted, &mut self.ids, &mut self.numbers] {
            clues.retain(|clue| *clue != value);
        }
        Some(value)
    }

    pub(super) fn next_quoted(&mut self) -> Option<String> {
        take_first(&mut self.quoted, |_| true)
    }

    pub(super) fn all_quoted(&mut self) -> Vec<String> {
        std::mem::take(&mut self.quoted)
    }

    pub(super) fn next_id(&mut self, fits: impl Fn(&str) -> bool) -> Option<String> {
        take_first(&mut self.ids, fits)
    }

    pub(super) fn next_number(&mut self, fits: impl Fn(&str) -> bool) -> Option<String> {
        take_first(&mut self.numbers, fits)
    }

    /// Returns whether a value stands in the request as whole words.
    pub(super) fn has(&self, value: &str) -> bool {
        let (wanted, all) = (words(value), words(self.text));
        !wanted.is_empty() && all.windows(wanted.len()).any(|window| window == wanted.as_slice())
    }
}

fn take_first(clues: &mut Vec<String>, fits: impl Fn(&str) -> bool) -> Option<String> {
    let at = clues.iter().position(|clue| fits(clue))?;
    Some(clues.remove(at))
}

/// A token that names one thing: it has a digit beside letters or marks (`p-1`, `INV2024`, `2025-01-31`), or it is a
/// mail address or a URL.
fn is_id(token: &str) -> bool {
    let has_digit = token.chars().any(|c| c.is_ascii_digit());
    let is_address = token.contains("://") || (token.contains('@') && token.contains('.'));
    is_address || (has_digit && token.chars().all(|c| c.is_alphanumeric() || "-_./#:".contains(c)))
}

/// Returns the quoted texts, and the text without them.
fn take_quoted(text: &str) -> (Vec<String>, String) {
    let chars: Vec<char> = text.chars().collect();
    let (mut quoted, mut rest) = (Vec::new(), String::new());
    let mut at = 0;
    while at < chars.len() {
        let close = QUOTES.iter().find(|(open, _)| *open == chars[at]).map(|(_, close)| *close);
        // An apostrophe inside a word opens and closes nothing.
        let is_free = at == 0 || !chars[at - 1].is_alphanumeric();
        let end = close.filter(|_| is_free).and_then(|close| {
            (at + 1..chars.len())
                .find(|end| chars[*end] == close && chars.get(end + 1).is_none_or(|after| !after.is_alphanumeric()))
        });
        match end {
            Some(end) if end > at + 1 => {
                quoted.push(chars[at + 1..end].iter().collect());
                rest.push(' ');
                at = end + 1;
            }
            _ => {
                rest.push(chars[at]);
                at += 1;
            }
        }
    }
    (quoted, rest)
}

/// Finds `name=value` or `name: value`; the value is quoted or ends at a space, comma or semicolon.
fn named_value(text: &str, lower: &str, name: &str) -> Option<String> {
    if name.is_empty() || lower.len() != text.len() {
        // Lower case of another length would shift every place; such texts have no named values here.
        return None;
    }
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    for (at, _) in lower.match_indices(name) {
        if lower[..at].chars().next_back().is_some_and(is_word) {
            continue;
        }
        let Some(after) = text.get(at + name.len()..).map(str::trim_start) else { continue };
        let Some(value) = after.strip_prefix(['=', ':']).map(str::trim_start) else { continue };
        let quoted = value.chars().next().and_then(|first| QUOTES.iter().find(|(open, _)| *open == first));
        if let Some((open, close)) = quoted {
            let inside = &value[open.len_utf8()..];
            if let Some(end) = inside.find(*close) {
                return Some(inside[..end].to_owned());
            }
        }
        let end = value.find(|c: char| c.is_whitespace() || matches!(c, ',' | ';')).unwrap_or(value.len());
        let value = value[..end].trim_end_matches(['.', '?', '!', ')']);
        if !value.is_empty() {
            return Some(value.to_owned());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_searched_for_what_it_names() {
        let mut clues = Clues::of("Don't move part p-1 to 'bin 7', qty: 3 and note=\"keep dry\"; cost 4.5 by a@b.co.");
        assert_eq!(clues.named("qty").as_deref(), Some("3"));
        assert_eq!(clues.named("note").as_deref(), Some("keep dry"));
        assert_eq!(clues.named("ote"), None);
        assert_eq!((clues.next_quoted().as_deref(), clues.next_quoted()), (Some("bin 7"), None));
        assert_eq!(clues.next_id(|_| true).as_deref(), Some("p-1"));
        assert_eq!(clues.next_id(|id| id.contains('@')).as_deref(), Some("a@b.co"));
        assert_eq!((clues.next_number(|_| true).as_deref(), clues.next_number(|_| true)), (Some("4.5"), None));
        assert!(clues.has("Keep-Dry") && !clues.has("kee") && !clues.has(""));
    }

    #[test]
    fn odd_texts_give_nothing_and_break_nothing() {
        for text in ["", "'", "\"\"", "''''", "İ=1", "a=", "=b", "“x", "x: ”", "\u{1F600}'\u{1F600}'"] {
            let mut clues = Clues::of(text);
            assert!(clues.named("i").is_none());
            assert!(clues.all_quoted().len() < 2);
        }
    }
}
