//! Equality of JSON values as people mean it: numbers by value.

use serde_json::{Number, Value};

/// Returns whether two JSON values are equal, with numbers compared by value (`10` equals `10.0`).
///
/// Strings never equal numbers, arrays compare element by element, objects key by key.
pub fn json_eq(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => number_eq(left, right),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| json_eq(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, value)| right.get(key).is_some_and(|other| json_eq(value, other)))
        }
        _ => left == right,
    }
}

/// Returns whether two JSON numbers have the same value, exactly: integers past 2^53 stay apart.
pub fn number_eq(left: &Number, right: &Number) -> bool {
    match (integer(left), integer(right)) {
        (Some(left), Some(right)) => left == right,
        (None, None) => left.as_f64() == right.as_f64(),
        _ => false,
    }
}

/// Returns a number's value when it is a whole number that 128 bits hold exactly.
fn integer(number: &Number) -> Option<i128> {
    if let Some(value) = number.as_i64() {
        return Some(i128::from(value));
    }
    if let Some(value) = number.as_u64() {
        return Some(i128::from(value));
    }
    let value = number.as_f64()?;
    (value.fract() == 0.0 && value.abs() < 1e38).then_some(value as i128)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_compare_by_value_and_types_stay_apart() {
        for (left, right, want) in [
            (json!(10), json!(10.0), true),
            (json!(10), json!("10"), false),
            (json!(9_007_199_254_740_993_u64), json!(9_007_199_254_740_992_u64), false),
            (json!(-1), json!(18_446_744_073_709_551_615_u64), false),
            (json!(0.1), json!(0.1), true),
            (json!({ "a": 1, "b": [2] }), json!({ "b": [2.0], "a": 1 }), true),
            (json!({}), json!([]), false),
            (json!(null), json!(false), false),
        ] {
            assert_eq!(json_eq(&left, &right), want, "{left} and {right}");
        }
    }
}
