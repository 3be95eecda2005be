//! Numbers as people read them, in one place.

/// Returns a count with its noun: `1 case`, `2 cases`.
pub fn plural(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// Returns a count with its digits in groups of three: `1,083`.
pub fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let places = digits.char_indices().map(|(at, digit)| {
        let comma = if at > 0 && (digits.len() - at).is_multiple_of(3) { "," } else { "" };
        format!("{comma}{digit}")
    });
    places.collect()
}

/// Returns a share, 0 to 1, as a percentage: `87.5%`. One decimal, and never `100%` or `0%` for what is not quite all
/// or nothing.
pub fn percent(share: f64) -> String {
    let tenths = (share * 1000.0).round();
    let tenths = if share > 0.0 && share < 1.0 { tenths.clamp(1.0, 999.0) } else { tenths };
    let text = format!("{:.1}", tenths / 10.0);
    format!("{}%", text.strip_suffix(".0").unwrap_or(&text))
}

/// Returns a time in seconds as `4.2 s`, `3 min 5 s` or `2 h 4 min`; `-` for what is no time.
pub fn duration(seconds: f64) -> String {
    if !seconds.is_finite() {
        return "-".to_owned();
    }
    let seconds = seconds.max(0.0);
    let whole = seconds.round() as u64;
    match whole {
        0..60 => format!("{seconds:.1} s"),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

/// Returns an amount of USD with four decimals.
pub fn money(usd: f64) -> String {
    format!("${usd:.4}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_and_counts_read_like_words() {
        assert_eq!([plural(0, "case"), plural(1, "case"), plural(2, "case")], ["0 cases", "1 case", "2 cases"]);
        assert_eq!([duration(4.23), duration(185.0), duration(7440.0)], ["4.2 s", "3 min 5 s", "2 h 4 min"]);
        assert_eq!([duration(59.97), duration(-1.0), duration(f64::NAN)], ["1 min 0 s", "0.0 s", "-"]);
        let shares = [0.0, 0.0001, 0.5, 0.875, 0.9999, 1.0].map(percent);
        assert_eq!(shares, ["0%", "0.1%", "50%", "87.5%", "99.9%", "100%"]);
        assert_eq!(money(0.001_982_4), "$0.0020");
    }
}
