//! Markdown in which what came from outside stays text: no markup, no link, no mention, no end of a block.

/// Returns text from outside as a code span.
pub(crate) fn code(text: &str) -> String {
    if text.is_empty() {
        return "(empty)".to_owned();
    }
    let marks = "`".repeat(longest_run(text, '`') + 1);
    // One blank on each side is taken away when read; it keeps a backtick at an end apart from the marks.
    let pad = if text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']) { " " } else { "" };
    format!("{marks}{pad}{text}{pad}{marks}")
}

/// Returns prose from outside on one line, with everything escaped that Markdown could read.
pub(crate) fn prose(text: &str) -> String {
    // Escapes do not stop what some readers turn into a link or a mention by themselves; a code span does.
    if text.contains("://") || text.contains("www.") || text.contains('@') {
        return code(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    for (at, char) in text.char_indices() {
        let begins_block = match char {
            '-' | '+' | '=' => at == 0,
            '.' | ')' => digits > 0 && at == digits && !text[at + 1..].starts_with(|next: char| !next.is_whitespace()),
            _ => false,
        };
        if begins_block || "\\`*_{}[]<>#~&$!".contains(char) {
            out.push('\\');
        }
        out.push(char);
    }
    out
}

/// Returns text as a fenced block that it cannot end: the fence is longer than any run of its marks.
pub(crate) fn fence(text: &str) -> String {
    let marks = "`".repeat((longest_run(text, '`') + 1).max(3));
    format!("{marks}text\n{text}{}{marks}\n", if text.ends_with('\n') { "" } else { "\n" })
}

/// Returns a row of a table. Bars cut a row before anything else is read, so they are escaped here, in names too.
pub(crate) fn row(cells: &[String]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
    format!("| {} |\n", cells.join(" | "))
}

fn longest_run(text: &str, mark: char) -> usize {
    let mut longest = 0;
    let mut run = 0;
    for char in text.chars() {
        run = if char == mark { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_from_outside_is_no_markup() {
        for (text, want) in [("read_file", "`read_file`"), ("a`b", "``a`b``"), ("`a", "`` `a ``"), ("", "(empty)")] {
            assert_eq!(code(text), want);
        }
        for (text, want) in [
            ("It says what, when and why.", "It says what, when and why."),
            ("<b>*x*</b> [a](b)", "\\<b\\>\\*x\\*\\</b\\> \\[a\\](b)"),
            ("1.4.0 of 2026-11-30", "1.4.0 of 2026-11-30"),
            ("- no list", "\\- no list"),
            ("# not a heading", "\\# not a heading"),
            ("1. no list", "1\\. no list"),
            ("see https://example.invalid", "`see https://example.invalid`"),
            ("ask @someone", "`ask @someone`"),
        ] {
            assert_eq!(prose(text), want);
        }
    }

    #[test]
    fn a_fence_is_longer_than_what_it_holds() {
        assert_eq!(fence("a\n```\nrm\n````"), "`````text\na\n```\nrm\n````\n`````\n");
        assert_eq!(fence("a\n"), "```text\na\n```\n");
        assert_eq!(row(&[code("a|b"), prose("c|d")]), "| `a\\|b` | c\\|d |\n");
    }
}
