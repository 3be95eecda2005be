//! Names that become a path or a key: validated, never plain strings past the reading of a file.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::identity::sha256_hex;

macro_rules! name_type {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Wraps a name as written.
            pub fn new(name: impl Into<String>) -> Self {
                Self(name.into())
            }

            /// Returns the name as written.
            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// Returns the name as one path segment: see [`path_segment`].
            pub fn segment(&self) -> String {
                path_segment(&self.0)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        /// Shows the name quoted, so that a message may hold it as it is.
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.0, f)
            }
        }

        impl From<&str> for $name {
            fn from(name: &str) -> Self {
                Self(name.to_owned())
            }
        }

        impl From<String> for $name {
            fn from(name: String) -> Self {
                Self(name)
            }
        }

        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl PartialEq<str> for $name {
            fn eq(&self, other: &str) -> bool {
                self.0 == other
            }
        }

        impl PartialEq<&str> for $name {
            fn eq(&self, other: &&str) -> bool {
                self.0 == *other
            }
        }
    };
}

name_type! {
    /// A case's id, unique in a run. It names the case's files.
    CaseId
}
name_type! {
    /// A variant's name, unique in an eval whatever the letter case. It names the variant's files.
    VariantName
}
name_type! {
    /// A server's label: its key in the eval config's `servers`.
    ServerLabel
}
name_type! {
    /// A grader as results and paths name it: `textContains`, `regex`, `toolsTriggered`, `toolCallCount`, `writes`, `judge.<name>`.
    GraderName
}

/// The longest path segment written, in bytes; a longer one is cut and gets a hash.
const LONGEST_SEGMENT: usize = 200;

/// Returns a name as one path segment.
///
/// The rule of `mst.run/v1`: percent-encoding of every character that JavaScript's `encodeURIComponent` encodes, and of
/// `*` and a leading or trailing `.`. A result over 200 bytes is cut there (never inside an escape) and gets `~` and the
/// first 16 hex digits of the SHA-256 of the name, so that two long names that begin alike stay apart.
pub fn path_segment(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let last = name.len().saturating_sub(1);
    for (at, byte) in name.bytes().enumerate() {
        let plain = match byte {
            b'.' => at != 0 && at != last,
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'!' | b'~' | b'\'' | b'(' | b')' => true,
            _ => false,
        };
        if plain {
            out.push(char::from(byte));
        } else {
            out.push('%');
            out.push(char::from(HEX_DIGITS[usize::from(byte >> 4)]));
            out.push(char::from(HEX_DIGITS[usize::from(byte & 15)]));
        }
    }
    if out.len() <= LONGEST_SEGMENT {
        return out;
    }
    let mut end = LONGEST_SEGMENT;
    if let Some(escape) = out[end - 2..end].find('%') {
        end = end - 2 + escape;
    }
    format!("{}~{}", &out[..end], &sha256_hex(name.as_bytes())[..16])
}

/// The longest eval name, in bytes, that names its directory as it is.
const LONGEST_EVAL: usize = 200;

/// Returns an eval's name as that of its directory: as it is where it is one segment, else as [`path_segment`] writes it.
pub fn eval_directory(name: &str) -> String {
    let plain = !name.contains(['/', '\\', ':']) && !name.starts_with('.') && !name.chars().any(char::is_control);
    if plain && name.len() <= LONGEST_EVAL { name.to_owned() } else { path_segment(name) }
}

const HEX_DIGITS: &[u8; 16] = b"0123456789ABCDEF";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_encoded_like_encode_uri_component() {
        for (name, want) in [
            ("search", "search"),
            ("docs/10.1038/x", "docs%2F10.1038%2Fx"),
            ("a b%2Fc", "a%20b%252Fc"),
            ("..", "%2E%2E"),
            (".hidden.", "%2Ehidden%2E"),
            ("*", "%2A"),
            ("検", "%E6%A4%9C"),
            ("it's (fine)~!", "it's%20(fine)~!"),
        ] {
            assert_eq!(path_segment(name), want, "{name}");
        }
    }

    #[test]
    fn long_names_are_cut_between_escapes_and_stay_apart() {
        let one = path_segment(&"検".repeat(100));
        let two = path_segment(&format!("{}x", "検".repeat(100)));
        assert_ne!(one, two);
        assert!(one.len() <= LONGEST_SEGMENT + 17, "{}", one.len());
        let (head, tail) = one.split_once('~').expect("a cut name has a hash");
        assert_eq!(tail.len(), 16);
        assert_eq!(head.len() % 3, 0, "cut inside an escape: {head}");
    }
}
