//! Which tools look alike, by their words: so that on a surface too big for one question those that may be confused meet in
//! one.

use std::collections::{BTreeSet, HashMap};

use mst_mcp::ListedTool;

/// How many of its nearest tools each tool is to meet.
const NEAREST: usize = 6;
/// Words that more tools than this share tell nothing, and make comparing slow.
const COMMON: usize = 200;

/// Groups tools, by their places, so that each meets its nearest ones in some group and each is in at least one. `fits` says
/// whether a group may be so big.
pub(super) fn groups(tools: &[&ListedTool], fits: impl Fn(&[usize]) -> bool) -> Vec<Vec<usize>> {
    let near = neighbours(tools);
    let mut unmet: BTreeSet<(usize, usize)> = BTreeSet::new();
    for (tool, others) in near.iter().enumerate() {
        unmet.extend(others.iter().map(|other| (tool.min(*other), tool.max(*other))));
    }
    let mut groups = Vec::new();
    while let Some(&(a, b)) = unmet.first() {
        let mut group = vec![a, b];
        let mut next = 0;
        // Grows along what is alike, so that the fewest groups cover the pairs.
        'growing: while next < group.len() {
            for other in &near[group[next]] {
                if group.contains(other) {
                    continue;
                }
                group.push(*other);
                if !fits(&group) {
                    group.pop();
                    break 'growing;
                }
            }
            next += 1;
        }
        group.sort_unstable();
        for (at, tool) in group.iter().enumerate() {
            for other in &group[at + 1..] {
                unmet.remove(&(*tool, *other));
            }
        }
        groups.push(group);
    }
    let grouped: BTreeSet<usize> = groups.iter().flatten().copied().collect();
    let mut rest: Vec<usize> = Vec::new();
    for tool in (0..tools.len()).filter(|tool| !grouped.contains(tool)) {
        rest.push(tool);
        if rest.len() > 1 && !fits(&rest) {
            rest.pop();
            groups.push(std::mem::replace(&mut rest, vec![tool]));
        }
    }
    groups.extend((!rest.is_empty()).then_some(rest));
    groups
}

/// Returns each tool's nearest ones, nearest first.
fn neighbours(tools: &[&ListedTool]) -> Vec<Vec<usize>> {
    let words: Vec<BTreeSet<String>> = tools.iter().map(|tool| words(tool)).collect();
    let mut holders: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, words) in words.iter().enumerate() {
        for word in words {
            holders.entry(word).or_default().push(at);
        }
    }
    words
        .iter()
        .enumerate()
        .map(|(at, words)| {
            let mut shared: HashMap<usize, f64> = HashMap::new();
            for word in words {
                let holders = &holders[word.as_str()];
                if holders.len() > COMMON {
                    continue;
                }
                let weight = (tools.len() as f64 / holders.len() as f64).ln();
                for other in holders.iter().filter(|other| **other != at) {
                    *shared.entry(*other).or_default() += weight;
                }
            }
            let mut ranked: Vec<(usize, f64)> = shared.into_iter().filter(|(_, weight)| *weight > 0.0).collect();
            ranked.sort_by(|(a, left), (b, right)| right.total_cmp(left).then(a.cmp(b)));
            ranked.into_iter().take(NEAREST).map(|(other, _)| other).collect()
        })
        .collect()
}

/// Returns the words of a tool's name and description in lower case; `getUser` and `get_user` have the same ones.
fn words(tool: &ListedTool) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    for text in [tool.name(), tool.description().unwrap_or_default()] {
        let mut word = String::new();
        let mut was_lower = false;
        for c in text.chars() {
            if !c.is_alphanumeric() || (c.is_uppercase() && was_lower) {
                words.extend((word.len() > 1).then(|| std::mem::take(&mut word)));
                word.clear();
            }
            if c.is_alphanumeric() {
                word.extend(c.to_lowercase());
            }
            was_lower = c.is_lowercase();
        }
        words.extend((word.len() > 1).then_some(word));
    }
    words
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn tools(count: usize) -> Vec<ListedTool> {
        // Tools that are alike stand far apart.
        let tool = |at: usize| {
            let raw = json!({ "name": format!("{}_thing{}", if at < count / 2 { "get" } else { "fetch" }, at % (count / 2)) });
            ListedTool::new(raw.as_object().expect("an object").clone()).expect("a named tool")
        };
        (0..count).map(tool).collect()
    }

    #[test]
    fn tools_that_are_alike_meet_however_far_apart_they_stand() {
        let tools = tools(300);
        let tools: Vec<&ListedTool> = tools.iter().collect();
        let groups = groups(&tools, |group| group.len() <= 25);
        assert!(groups.iter().all(|group| (1..=25).contains(&group.len())));
        for at in 0..150 {
            assert!(
                groups.iter().any(|group| group.contains(&at) && group.contains(&(at + 150))),
                "{} and {} do not meet",
                tools[at].name(),
                tools[at + 150].name()
            );
        }
        assert!(groups.len() < 200, "{} groups", groups.len());
    }

    #[test]
    fn every_tool_is_in_a_group() {
        let raw = |name: &str| {
            ListedTool::new(json!({ "name": name }).as_object().expect("an object").clone()).expect("a tool")
        };
        let tools = ["alpha", "beta", "gamma", "delta", "epsilon"].map(raw);
        let tools: Vec<&ListedTool> = tools.iter().collect();
        assert_eq!(groups(&tools, |group| group.len() <= 2), [vec![0, 1], vec![2, 3], vec![4]]);
        assert_eq!(words(&raw("getUserByID2")), ["by", "get", "id2", "user"].map(String::from).into());
    }
}
