//! The Markdown and HTML forms.

use mst_report::{PageLinks, scan_html, scan_markdown};

use crate::report;

#[test]
fn markdown_says_everything_of_a_report() {
    insta::assert_snapshot!("notes.md", scan_markdown(&report("notes")));
    insta::assert_snapshot!("tidy.md", scan_markdown(&report("tidy")));
}

#[test]
fn a_page_says_everything_of_a_report() {
    insta::assert_snapshot!("notes.html", without_style(&scan_html(&report("notes"), PageLinks::BESIDE)));
    insta::assert_snapshot!("tidy.html", without_style(&scan_html(&report("tidy"), PageLinks::default())));
}

#[test]
fn the_first_paragraph_holds_score_grade_and_judge() {
    let notes = scan_markdown(&report("notes"));
    let first = notes.split("\n\n").nth(1).unwrap();
    for word in ["75.5 of 100, grade C", "lexical-1", "not a language model", "never compared"] {
        assert!(first.contains(word), "{word}: {first}");
    }
    let tidy = scan_markdown(&report("tidy"));
    let first = tidy.split("\n\n").nth(1).unwrap();
    for word in ["99.9 of 100, grade A", "claude-sonnet-5", "The defects stage had another judge", "deepseek-v4-flash"]
    {
        assert!(first.contains(word), "{word}: {first}");
    }
}

#[test]
fn a_text_never_shows_a_number_that_contradicts_its_grade() {
    let mut report = report("notes");
    report.score.total = 79.96;
    for text in [scan_markdown(&report), scan_html(&report, PageLinks::BESIDE)] {
        assert!(text.contains("79.9"));
        assert!(!text.contains("80.0"), "{text}");
    }
}

/// Takes the style out: it is a file of its own.
pub(crate) fn without_style(html: &str) -> String {
    let start = html.find("<style>").unwrap() + "<style>".len();
    let end = html.find("</style>").unwrap();
    let html = format!("{}…{}", &html[..start], &html[end..]);
    let hash = html.find("sha256-").unwrap();
    let end = hash + html[hash..].find("&#39;").unwrap();
    format!("{}sha256-…{}", &html[..hash], &html[end..])
}
