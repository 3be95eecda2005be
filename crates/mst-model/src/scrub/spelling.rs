//! The spellings in which a secret gives itself away.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::SHORTEST_NAMED;
use crate::identity::hex;
use crate::names::path_segment;

/// Returns a secret in every spelling that gives it away.
pub(super) fn spellings(secret: &str) -> Vec<String> {
    let mut forms = vec![secret.to_owned()];
    let escaped = serde_json::to_string(secret).expect("a text has a JSON form");
    let escaped = escaped[1..escaped.len() - 1].to_owned();
    forms.push(escaped.replace('/', "\\/"));
    let twice = serde_json::to_string(&escaped).expect("a text has a JSON form");
    forms.push(twice[1..twice.len() - 1].to_owned());
    forms.push(escaped);
    if secret.len() < SHORTEST_NAMED {
        return forms;
    }
    let ascii: String = secret
        .encode_utf16()
        .map(|unit| {
            char::from_u32(u32::from(unit))
                .filter(char::is_ascii)
                .map_or_else(|| format!("\\u{unit:04x}"), String::from)
        })
        .collect();
    forms.push(ascii);
    forms.push(
        secret
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;")
            .replace('"', "&quot;")
            .replace('\'', "&#x27;"),
    );
    for percent in [
        percent_encoded(secret, ""),
        percent_encoded(secret, "/"),
        path_segment(secret),
        percent_encoded(secret, "-").replace("%20", "+"),
    ] {
        forms.push(percent.to_lowercase_escapes());
        forms.push(percent_encoded(&percent, ""));
        forms.push(percent);
    }
    let every = percent_escapes(secret);
    forms.push(every.to_ascii_lowercase());
    forms.push(every);
    let hex = hex(secret.as_bytes());
    forms.push(hex.to_ascii_uppercase());
    forms.push(hex);
    forms.extend(base64_cores(secret));
    forms
}

/// Returns the base64 digits that a secret decides by itself, for each of the three ways it can fall into groups of
/// three bytes: what stands before and after it does not change them.
fn base64_cores(secret: &str) -> Vec<String> {
    let mut cores = Vec::new();
    for shift in 0..3_usize {
        let mut bytes = vec![0; shift];
        bytes.extend_from_slice(secret.as_bytes());
        let digits = STANDARD.encode(&bytes);
        let core = &digits[(shift * 8).div_ceil(6)..bytes.len() * 8 / 6];
        if core.len() >= 6 {
            cores.push(core.to_owned());
            cores.push(core.replace('+', "-").replace('/', "_"));
            cores.push(core.replace('/', "\\/"));
        }
    }
    cores
}

/// Returns every byte of a text as a percent escape.
fn percent_escapes(text: &str) -> String {
    text.bytes().flat_map(|byte| ['%', hex_digit(byte >> 4), hex_digit(byte & 15)]).collect()
}

/// Returns a number below 16 as an upper-case hex digit.
fn hex_digit(digit: u8) -> char {
    char::from_digit(u32::from(digit), 16).expect("below 16").to_ascii_uppercase()
}

fn percent_encoded(text: &str, safe: &str) -> String {
    text.bytes()
        .map(|byte| {
            let char = char::from(byte);
            if char.is_ascii_alphanumeric() || "-_.~".contains(char) || safe.contains(char) {
                char.to_string()
            } else {
                format!("%{byte:02X}")
            }
        })
        .collect()
}

/// Lower-cases percent escapes and nothing else.
trait LowercaseEscapes {
    fn to_lowercase_escapes(&self) -> String;
}

impl LowercaseEscapes for String {
    fn to_lowercase_escapes(&self) -> String {
        let mut out = Self::with_capacity(self.len());
        let mut left = 0;
        for char in self.chars() {
            if char == '%' {
                left = 2;
                out.push(char);
            } else if left > 0 {
                left -= 1;
                out.push(char.to_ascii_lowercase());
            } else {
                out.push(char);
            }
        }
        out
    }
}
