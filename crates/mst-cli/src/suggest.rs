//! The nearest right spelling.

/// Returns the name that a mistyped word most likely meant; `None` when nothing is near.
///
/// Near is a similar spelling (Jaro-Winkler), or one slip of the hand: a letter too many, too few, wrong, or two that
/// changed places, which a short word's similarity does not show. A slip is likelier than any likeness.
pub fn nearest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const NEAR: f64 = 0.75;
    let score = |name: &str| {
        let slip = word.chars().count() > 2 && strsim::osa_distance(word, name) <= 1;
        (slip, strsim::jaro_winkler(word, name))
    };
    let scored = names.into_iter().map(|name| (score(name), name));
    let near = scored.filter(|((slip, likeness), _)| *slip || *likeness >= NEAR);
    near.max_by(|((a, x), _), ((b, y), _)| a.cmp(b).then(x.total_cmp(y))).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_near_name_is_found_and_a_far_one_is_not() {
        assert_eq!(nearest("rnu", ["run", "grade"]), Some("run"));
        assert_eq!(nearest("rnu", ["run", "runs"]), Some("run"));
        assert_eq!(nearest("zzz", ["run", "grade"]), None);
    }
}
