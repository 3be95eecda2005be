//! Words: split at everything that is no letter or digit and at camelCase, in lower case. No stemming.

/// Splits a text into words: at everything that is no letter or digit and at camelCase, in lower case.
pub fn words(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    for run in text.split(|c: char| !c.is_alphanumeric()) {
        let chars: Vec<char> = run.chars().collect();
        let mut word = String::new();
        for (at, c) in chars.iter().enumerate() {
            let before = at.checked_sub(1).map(|at| chars[at]);
            let next = chars.get(at + 1);
            let humps = c.is_uppercase() && before.is_some_and(|before| before.is_lowercase() || before.is_numeric());
            let acronym_ends = c.is_uppercase()
                && before.is_some_and(char::is_uppercase)
                && next.is_some_and(|next| next.is_lowercase());
            if (humps || acronym_ends) && !word.is_empty() {
                all.push(std::mem::take(&mut word));
            }
            word.extend(c.to_lowercase());
        }
        if !word.is_empty() {
            all.push(word);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn words_end_at_marks_and_humps() {
        for (text, want) in [
            ("Which bin is part p-1 in?", "which bin is part p 1 in"),
            ("getHTTPServer2Name", "get http server2 name"),
            ("snake_case.and/slash", "snake case and slash"),
            ("Größe ÄND", "größe änd"),
            ("", ""),
        ] {
            assert_eq!(words(text).join(" "), want);
        }
    }
}
