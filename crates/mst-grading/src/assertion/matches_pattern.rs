//! `matchesPattern`: every listed pattern matches somewhere in the final answer.

use mst_model::{GraderScore, OneOrMany};

use crate::answer::Answer;
use crate::excerpt::shorten;
use crate::no_verdict::NoVerdict;
use crate::pattern::Pattern;

/// Grades an answer. May take for ever: run it on [`crate::PatternThreads`].
pub(crate) fn grade(expected: &OneOrMany, answer: &Answer<'_>) -> Result<GraderScore, NoVerdict> {
    let mut missing = Vec::new();
    for source in expected.as_slice() {
        let pattern = Pattern::new(source, None)?;
        if !pattern.matches(answer.text)? {
            missing.push(format!("no match: {}", shorten(&pattern.describe(), 300)));
        }
    }
    if missing.is_empty() {
        return Ok(GraderScore::passed());
    }
    missing.push(answer.beginning());
    Ok(GraderScore::failed(missing.join("\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(text: &str) -> Answer<'_> {
        Answer { text, quote: true }
    }

    #[test]
    fn every_pattern_must_match() {
        let expected = OneOrMany::Many(vec!["^bin \\d$".to_owned(), "shelf".to_owned(), "x$".to_owned()]);
        let score = grade(&expected, &answer("It is in\nbin 7")).unwrap();
        insta::assert_snapshot!(score.details.unwrap(), @r#"
        no match: /shelf/m
        no match: /x$/m
        the answer begins: "It is in\nbin 7"
        "#);
        assert!(grade(&OneOrMany::One("^bin \\d$".to_owned()), &answer("It is in\nbin 7")).unwrap().pass);
        assert!(!grade(&OneOrMany::One(".".to_owned()), &answer("")).unwrap().pass);
    }
}
