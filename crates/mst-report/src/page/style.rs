//! The style of every page, and the policy that lets a page use it and nothing else.

use std::fmt;
use std::sync::LazyLock;

use askama::filters::HtmlSafe;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

/// What stands in each page's `style` element, byte for byte: the policy names its hash.
const CSS: &str = include_str!("../../assets/report.css");

static POLICY: LazyLock<String> = LazyLock::new(|| {
    let hash = STANDARD.encode(Sha256::digest(CSS.as_bytes()));
    format!("default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; form-action 'none'")
});

/// The style of a page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style;

impl Style {
    /// Returns the content security policy: no script, no request, no style but this one.
    #[expect(clippy::unused_self, reason = "a template reaches it through its style")]
    pub(crate) fn policy(self) -> &'static str {
        &POLICY
    }
}

impl fmt::Display for Style {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(CSS)
    }
}

impl HtmlSafe for Style {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_style_cannot_end_its_element_or_reach_out() {
        for word in ["<", "url(", "@import", "http", "expression"] {
            assert!(!CSS.contains(word), "{word}");
        }
        assert!(Style.policy().starts_with("default-src 'none'; style-src 'sha256-"));
    }
}
