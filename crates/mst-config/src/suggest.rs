//! "Did you mean": the nearest name of a closed set.

/// Returns the known name that a misspelt one most likely stands for; `None` when none is near.
///
/// Near is a Damerau-Levenshtein distance of at most a third of the longer name, letter case aside, at least 1.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > 200 {
        return None;
    }
    let lower = name.to_lowercase();
    known
        .into_iter()
        .filter_map(|candidate| {
            let other = candidate.to_lowercase();
            let limit = (lower.chars().count().max(other.chars().count()) / 3).max(1);
            let distance = strsim::damerau_levenshtein(&lower, &other);
            let prefix = lower.len() >= 3 && other.starts_with(&lower);
            (distance <= limit || prefix).then_some((distance, candidate))
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Returns the help for a name that is not known: the nearest one, else all of them when they are few.
pub(crate) fn help<'a>(name: &str, known: impl IntoIterator<Item = &'a str> + Clone) -> Option<String> {
    const LISTED: usize = 12;
    if let Some(near) = nearest(name, known.clone()) {
        return Some(format!("did you mean {near:?}?"));
    }
    let names: Vec<&str> = known.into_iter().collect();
    (!names.is_empty() && names.len() <= LISTED).then(|| format!("known: {}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found_and_a_far_one_is_not() {
        let known = ["model", "metrics", "assertions", "clientOptions"];
        for (name, want) in [
            ("modle", Some("model")),
            ("assertion", Some("assertions")),
            ("ASSERTIONS", Some("assertions")),
            ("clientoptions", Some("clientOptions")),
            ("client", Some("clientOptions")),
            ("zzz", None),
            ("", None),
        ] {
            assert_eq!(nearest(name, known), want, "{name}");
        }
    }
}
