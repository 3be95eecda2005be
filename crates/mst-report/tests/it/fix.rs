//! The fix brief.

use mst_report::{Declared, fix_brief};

use crate::{declared, report};

#[test]
fn a_brief_quotes_current_texts_and_asks_to_confirm_each_suggestion() {
    insta::assert_snapshot!("notes.fix.md", fix_brief(&report("notes"), &declared()));
}

#[test]
fn a_brief_from_the_report_alone_says_that_current_texts_are_elsewhere() {
    let brief = fix_brief(&report("notes"), &Declared::default());
    assert!(brief.contains("The report holds no current descriptions."), "{brief}");
    assert!(!brief.contains("Current description:"), "{brief}");
}

#[test]
fn a_brief_without_findings_still_holds_the_constraint() {
    insta::assert_snapshot!("tidy.fix.md", fix_brief(&report("tidy"), &Declared::default()));
}
