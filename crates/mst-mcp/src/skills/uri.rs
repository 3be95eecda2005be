//! The URIs of skills and their files.

use percent_encoding::percent_decode_str;

/// The file that every skill has.
pub(super) const SKILL_MD: &str = "SKILL.md";
/// The longest URI that is taken, in bytes.
pub(super) const LONGEST_URI: usize = 2_048;

/// Returns the segment before `SKILL.md`, which is the skill's name, percent-encoded.
pub(super) fn name_in(uri: &str) -> Option<&str> {
    let folder = uri.strip_suffix(SKILL_MD)?.strip_suffix('/')?;
    let (_, name) = folder.rsplit_once('/')?;
    (!name.is_empty() && !uri.contains(['?', '#'])).then_some(name)
}

/// Returns whether a URI names a file below a root, with no segment that leads elsewhere.
pub(super) fn is_inside(root: &str, uri: &str) -> bool {
    let dots = |segment: &str| matches!(&*percent_decoded(segment), "" | "." | "..");
    uri.len() <= LONGEST_URI
        && uri.strip_prefix(root).is_some_and(|path| !path.contains(['?', '#']) && !path.split('/').any(dots))
}

/// Returns a segment with its percent-escapes read; as it is where they are none.
pub(super) fn percent_decoded(segment: &str) -> String {
    percent_decode_str(segment).decode_utf8().map_or_else(|_| segment.to_owned(), Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_be_percent_encoded_in_its_uri() {
        for (segment, want) in [("a%20b", "a b"), ("%E6%A4%9C", "検"), ("100%", "100%"), ("%zz", "%zz"), ("%ff", "%ff")]
        {
            assert_eq!(percent_decoded(segment), want);
        }
    }
}
