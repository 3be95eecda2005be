//! Mistakes in files as the terminal shows them: place, source line, caret, help.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use mst_config::{Diagnostic, Severity, SourceLine};
use unicode_width::UnicodeWidthStr as _;

use crate::printable::{printable, printable_line};

/// Returns a diagnostic as text without colour, such as
///
/// ```text
/// error: unknown key "modle"
///   --> eval.json:4:3
///    |
///  4 |   "modle": "x",
///    |   ^^^^^^^
///    = help: did you mean "model"?
/// ```
pub fn render(diagnostic: &Diagnostic) -> String {
    render_in(diagnostic, false)
}

/// Returns a diagnostic as text; `colour` marks its parts, and adds nothing that the text does not say.
pub(crate) fn render_in(diagnostic: &Diagnostic, colour: bool) -> String {
    let (word, shade) = match diagnostic.severity {
        Severity::Error => ("error", AnsiColor::Red),
        Severity::Warning => ("warning", AnsiColor::Yellow),
    };
    let paint = |style: Style| if colour { style } else { Style::new() };
    let (label, rule, help) =
        (paint(shade.on_default().bold()), paint(AnsiColor::Blue.on_default()), paint(AnsiColor::Cyan.on_default()));
    let mut out = format!("{label}{word}:{label:#} {}\n", printable(&diagnostic.message).replace('\n', "\n  "));
    let line = diagnostic.position.map(|position| position.line.to_string()).unwrap_or_default();
    let margin = " ".repeat(line.len());
    let mut add = |text: std::fmt::Arguments<'_>| out.write_fmt(text).expect("a string takes any text");
    if let Some(file) = &diagnostic.file {
        let file = printable_line(&file.display().to_string());
        let place = diagnostic.position.map(|at| format!(":{}:{}", at.line, at.column)).unwrap_or_default();
        add(format_args!(" {margin}{rule}-->{rule:#} {file}{place}\n"));
    }
    if let Some(source) = &diagnostic.source_line {
        let (text, before, carets) = underlined(source);
        add(format_args!(" {margin} {rule}|{rule:#}\n {rule}{line} |{rule:#} {text}\n"));
        add(format_args!(" {margin} {rule}|{rule:#} {before}{label}{carets}{label:#}\n"));
    }
    if let Some(text) = &diagnostic.help {
        add(format_args!(" {margin} {rule}={rule:#} {help}help:{help:#} {}\n", printable_line(text)));
    }
    out
}

/// Returns a source line as shown, the space before its carets, and the carets: a caret stands under what it means
/// whatever the width of the characters before it.
fn underlined(source: &SourceLine) -> (String, String, String) {
    let shown = |chars: &mut dyn Iterator<Item = char>| -> String {
        let text: String = chars.collect();
        printable_line(&text.replace('\t', "    "))
    };
    let mut chars = source.text.chars();
    let before = shown(&mut chars.by_ref().take(source.caret));
    let meant = shown(&mut chars.by_ref().take(source.width.max(1)));
    let after = shown(&mut chars);
    let (space, carets) = (" ".repeat(before.width()), "^".repeat(meant.width().max(1)));
    ((before + &meant + &after).trim_end().to_owned(), space, carets)
}

#[cfg(test)]
mod tests {
    use super::*;
    use mst_config::{Code, Position};

    fn diagnostic(text: &str, caret: usize, width: usize) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            code: Code::UnknownKey,
            message: "unknown key \"modle\"".to_owned(),
            file: Some("eval.json".into()),
            pointer: "/modle".to_owned(),
            position: Some(Position { line: 12, column: caret + 1, width, span: (0, 1) }),
            help: Some("did you mean \"model\"?".to_owned()),
            source_line: Some(SourceLine { text: text.to_owned(), caret, width }),
        }
    }

    #[test]
    fn the_caret_stands_under_what_it_means() {
        let shown = [
            ("  \"modle\": \"x\",", 2, 7),
            ("\t\"modle\": \"x\",", 1, 7),
            ("\"検査\": 1, \"modle\": 2", 9, 7),
            ("\"a\u{1b}[31m\": 1, \"modle\": 2", 13, 7),
            ("\"x\"", 3, 1),
        ]
        .map(|(text, caret, width)| {
            render(&diagnostic(text, caret, width)).lines().skip(3).take(2).collect::<Vec<_>>().join("\n")
        })
        .join("\n");
        insta::assert_snapshot!(shown, @r#"
        12 |   "modle": "x",
           |   ^^^^^^^
        12 |     "modle": "x",
           |     ^^^^^^^
        12 | "検査": 1, "modle": 2
           |            ^^^^^^^
        12 | "a\u{1b}[31m": 1, "modle": 2
           |                   ^^^^^^^
        12 | "x"
           |    ^
        "#);
    }

    #[test]
    fn a_whole_diagnostic_reads_like_a_compilers() {
        insta::assert_snapshot!(render(&diagnostic("  \"modle\": \"x\",", 2, 7)), @r#"
        error: unknown key "modle"
           --> eval.json:12:3
            |
         12 |   "modle": "x",
            |   ^^^^^^^
            = help: did you mean "model"?
        "#);
        let mut flag = diagnostic("", 0, 1);
        (flag.file, flag.position, flag.source_line) = (None, None, None);
        flag.message = "two\nlines".to_owned();
        insta::assert_snapshot!(render(&flag), @r#"
        error: two
          lines
          = help: did you mean "model"?
        "#);
    }

    #[test]
    fn colour_adds_nothing_to_the_text() {
        let diagnostic = diagnostic("  \"modle\": \"x\",", 2, 7);
        let coloured = render_in(&diagnostic, true);
        assert!(coloured.contains('\u{1b}'));
        let mut bare = String::new();
        for part in coloured.split('\u{1b}') {
            bare.push_str(part.strip_prefix('[').and_then(|rest| rest.split_once('m')).map_or(part, |(_, rest)| rest));
        }
        assert_eq!(bare, render(&diagnostic));
    }
}
