//! Texts of servers on one line of a listing.

/// Returns a text on one line: white space joined, cut to so many characters with an ellipsis.
pub(crate) fn one_line(text: &str, characters: usize) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.chars().count() > characters {
            break;
        }
    }
    match line.char_indices().nth(characters) {
        Some(_) => line.chars().take(characters.saturating_sub(1)).chain(['…']).collect(),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::one_line;

    #[test]
    fn long_texts_are_cut_and_white_space_is_joined() {
        assert_eq!(one_line(" a\n\n b\tc ", 10), "a b c");
        assert_eq!(one_line("検索結果の一覧", 4), "検索結…");
        assert_eq!(one_line("abcd", 4), "abcd");
    }
}
