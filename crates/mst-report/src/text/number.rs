//! Numbers as people read them.

use mst_measure::rubric::shown_points;

/// Returns points with one decimal.
pub(crate) fn points(value: f64) -> String {
    if value.abs() >= 1e15 { fixed(value, 1) } else { shown_points(value) }
}

/// Returns a term of a formula: up to four decimals, without zeros at the end.
pub(crate) fn term(value: f64) -> String {
    let text = fixed(value, 4);
    if !text.contains('.') {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Returns a share, 0 to 1, as a percentage with one decimal; never 100% or 0% for what is not quite all or nothing.
pub(crate) fn percent(share: f64) -> String {
    let tenths = (share * 1000.0).round();
    let tenths = if share > 0.0 && share < 1.0 { tenths.clamp(1.0, 999.0) } else { tenths };
    format!("{}%", term(tenths / 10.0))
}

/// Returns a count of tokens: rounded to a whole one, in groups of three.
pub(crate) fn tokens(value: f64) -> String {
    grouped(&fixed(value, 0))
}

/// Returns a count with its noun: `1 tool`, `1,083 tools`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    format!("{} {noun}{}", grouped(&count.to_string()), if count == 1 { "" } else { "s" })
}

/// Returns digits in groups of three.
pub(crate) fn grouped(digits: &str) -> String {
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return digits.to_owned();
    }
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Returns a number with fixed decimals; in powers of ten where it has more digits than a double knows.
fn fixed(value: f64, decimals: usize) -> String {
    if value.abs() >= 1e15 {
        return format!("{value:e}");
    }
    let text = format!("{value:.decimals$}");
    let negative_zero = text.starts_with('-') && text.bytes().all(|byte| matches!(byte, b'-' | b'0' | b'.'));
    if negative_zero { text[1..].to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_grouped() {
        assert_eq!([term(0.75), term(1.0), term(11.0 / 12.0), term(0.000_01)], ["0.75", "1", "0.9167", "0"]);
        assert_eq!([tokens(523_737.25), tokens(999.4), tokens(0.0), tokens(1e300)], ["523,737", "999", "0", "1e300"]);
        assert_eq!([percent(1.0), percent(0.9999), percent(0.0001), percent(0.5)], ["100%", "99.9%", "0.1%", "50%"]);
        assert_eq!([points(-0.01), points(26.666)], ["0.0", "26.7"]);
        assert_eq!([counted(1, "tool"), counted(1083, "tool")], ["1 tool", "1,083 tools"]);
    }
}
