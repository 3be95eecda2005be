//! Identity is bytes: SHA-256 over RFC 8785 canonical JSON, in this one place.

use serde::Serialize;
use sha2::{Digest as _, Sha256};

/// Returns a value as RFC 8785 canonical JSON: keys sorted by UTF-16 units, numbers as JavaScript writes them.
///
/// Never hash `serde_json::to_string`: another crate of the build can change the order of its maps.
pub fn canonical_json<T: Serialize + ?Sized>(value: &T) -> String {
    serde_json_canonicalizer::to_string(&value).expect("a value made of JSON types has a canonical form")
}

/// Returns the SHA-256 of some bytes as 64 lower-case hex digits.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Returns the SHA-256 (64 lower-case hex digits) of a value's canonical JSON.
pub fn content_hash<T: Serialize + ?Sized>(value: &T) -> String {
    sha256_hex(canonical_json(value).as_bytes())
}

/// Returns the [`content_hash`] of a list of these items, without holding the list.
pub fn content_hash_of_list<T: Serialize>(items: impl IntoIterator<Item = T>) -> String {
    let mut digest = Sha256::new();
    digest.update(b"[");
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            digest.update(b",");
        }
        digest.update(canonical_json(&item));
    }
    digest.update(b"]");
    hex(&digest.finalize())
}

/// Returns bytes as lower-case hex digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]).map(|digit| char::from(DIGITS[usize::from(digit)])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn key_order_does_not_change_a_hash() {
        assert_eq!(content_hash(&json!({ "a": 1, "b": [2.0] })), content_hash(&json!({ "b": [2], "a": 1.0 })));
    }

    #[test]
    fn a_list_is_hashed_item_by_item_as_it_is_whole() {
        for list in [json!([]), json!([{ "b": 1, "a": [2.5] }]), json!([1, "two", null, { "z": {}, "y": [] }])] {
            assert_eq!(content_hash_of_list(list.as_array().expect("a list")), content_hash(&list), "{list}");
        }
    }

    #[test]
    fn canonical_json_follows_rfc_8785() {
        assert_eq!(canonical_json(&json!({ "z": 1e21, "a": "é\n", "n": 1.0 })), r#"{"a":"é\n","n":1,"z":1e+21}"#);
    }
}
