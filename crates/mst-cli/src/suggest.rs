//! The nearest right spelling.

/// Returns the name that a mistyped word most likely meant; `None` when nothing is near.
pub fn nearest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const NEAR: f64 = 0.75;
    let scored = names.into_iter().map(|name| (strsim::jaro_winkler(word, name), name));
    scored.filter(|(score, _)| *score >= NEAR).max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_name_is_found_and_a_far_one_is_not() {
        assert_eq!(nearest("rnu", ["run", "grade"]), Some("run"));
        assert_eq!(nearest("zzz", ["run", "grade"]), None);
    }
}
