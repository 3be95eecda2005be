//! Measured values as people read them.

use super::number::{grouped, percent};

/// Returns a change of a share in points, with its sign: `+3.2 points`.
pub(crate) fn points_changed(change: f64) -> String {
    let change = change * 100.0;
    let text = format!("{:.1}", change.abs());
    let sign = if text == "0.0" {
        "±"
    } else if change < 0.0 {
        "−"
    } else {
        "+"
    };
    format!("{sign}{text}")
}

/// Returns a range of shares: `71% to 93%`.
pub(crate) fn share_range(lower: f64, upper: f64) -> String {
    format!("{} to {}", percent(lower), percent(upper))
}

/// Returns a p value: three decimals, and what is smaller as such.
pub(crate) fn p_value(p: f64) -> String {
    if p < 0.001 { "p < 0.001".to_owned() } else { format!("p = {p:.3}") }
}

/// Returns a cost in USD with the digits that tell small ones apart.
pub(crate) fn cost(usd: f64) -> String {
    let decimals = if usd == 0.0 || usd >= 10.0 {
        2
    } else if usd >= 0.01 {
        4
    } else {
        6
    };
    format!("${usd:.decimals$}")
}

/// Returns the same without zeros at its end, for an axis.
pub(crate) fn short_cost(usd: f64) -> String {
    let text = cost(usd);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// Returns a time of so many milliseconds, in the unit that fits.
pub(crate) fn duration(ms: f64) -> String {
    if ms < 999.5 {
        format!("{ms:.0} ms")
    } else if ms < 59_950.0 {
        format!("{:.1} s", ms / 1000.0)
    } else if ms < 3_599_500.0 {
        let seconds = (ms / 1000.0).round() as u64;
        format!("{} min {} s", seconds / 60, seconds % 60)
    } else {
        let minutes = (ms / 60_000.0).round() as u64;
        format!("{} h {} min", grouped(&(minutes / 60).to_string()), minutes % 60)
    }
}

/// Returns a mean: whole, or with one decimal.
pub(crate) fn average(value: f64) -> String {
    let text = format!("{value:.1}");
    let (whole, decimal) = text.split_once('.').unwrap_or((&text, "0"));
    if decimal == "0" { grouped(whole) } else { format!("{}.{decimal}", grouped(whole)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_their_units_and_no_more_digits_than_they_need() {
        assert_eq!([0.032, -0.1, 0.0, -0.0001].map(points_changed), ["+3.2", "−10.0", "±0.0", "±0.0"]);
        assert_eq!([0.000_01, 0.0251].map(p_value), ["p < 0.001", "p = 0.025"]);
        assert_eq!([0.0, 0.00042, 0.25, 12.0].map(cost), ["$0.00", "$0.000420", "$0.2500", "$12.00"]);
        let times = [0.4, 999.6, 61_000.0, 59_999.0, 3_660_000.0].map(duration);
        assert_eq!(times, ["0 ms", "1.0 s", "1 min 1 s", "1 min 0 s", "1 h 1 min"]);
        assert_eq!([1234.0, 1.25, 3.0].map(average), ["1,234", "1.2", "3"]);
    }
}
