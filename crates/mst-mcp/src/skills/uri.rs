//! The URIs of skills and their files.

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
    let mut bytes = Vec::with_capacity(segment.len());
    let mut rest = segment.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let hex = (*first == b'%').then(|| after.get(..2)).flatten();
        let escaped = hex.and_then(|hex| u8::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok());
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(bytes).unwrap_or_else(|_| segment.to_owned())
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
