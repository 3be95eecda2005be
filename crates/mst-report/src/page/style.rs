//! The styles of pages, and the policy that lets a page use its own and nothing else.

use std::fmt;
use std::sync::LazyLock;

use askama::filters::HtmlSafe;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

/// What stands in a page's `style` element, byte for byte: the policy names its hash.
const PLAIN: &str = include_str!("../../assets/report.css");
/// The same of a run's pages.
const RUN: &str = concat!(include_str!("../../assets/report.css"), include_str!("../../assets/run.css"));

static PLAIN_POLICY: LazyLock<String> = LazyLock::new(|| policy(PLAIN));
static RUN_POLICY: LazyLock<String> = LazyLock::new(|| policy(RUN));

fn policy(css: &str) -> String {
    let hash = STANDARD.encode(Sha256::digest(css.as_bytes()));
    format!("default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'")
}

/// The style of a page.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Style {
    /// Of gradable's pages.
    Plain,
    /// Of a run's and a history's.
    Run,
}

impl Style {
    fn css(self) -> &'static str {
        match self {
            Self::Plain => PLAIN,
            Self::Run => RUN,
        }
    }

    /// Returns the content security policy: no script, no request, no style but this one.
    pub(crate) fn policy(self) -> &'static str {
        match self {
            Self::Plain => &PLAIN_POLICY,
            Self::Run => &RUN_POLICY,
        }
    }

    /// Returns the same with the scripts that have a nonce of letters and digits.
    pub(crate) fn policy_with_scripts(self, nonce: &str) -> String {
        let nonce: String = nonce.chars().filter(char::is_ascii_alphanumeric).collect();
        format!("{}; script-src 'nonce-{nonce}'", self.policy())
    }
}

impl fmt::Display for Style {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.css())
    }
}

impl HtmlSafe for Style {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_style_cannot_end_its_element_or_reach_out() {
        for style in [Style::Plain, Style::Run] {
            for word in ["<", "url(", "@import", "http", "expression"] {
                assert!(!style.css().contains(word), "{word}");
            }
            assert!(style.policy().starts_with("default-src 'none'; style-src 'sha256-"));
        }
        assert!(Style::Run.policy_with_scripts("a'; b").ends_with("; script-src 'nonce-ab'"));
    }
}
