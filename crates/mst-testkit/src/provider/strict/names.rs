//! Names of tools and of parameters.

use std::collections::HashSet;

/// Says what is wrong with a name of at most `longest` ASCII letters, digits and characters of `more`.
pub(super) fn check(name: &str, longest: usize, more: &str) -> Result<(), String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || more.contains(c);
    if name.is_empty() || name.len() > longest || !name.chars().all(fits) {
        return Err(format!("{name:?} should match the pattern ^[a-zA-Z0-9{more}]{{1,{longest}}}$"));
    }
    Ok(())
}

/// Says which name stands twice.
pub(super) fn check_unique<'a>(names: impl Iterator<Item = &'a str>) -> Result<(), String> {
    let mut seen = HashSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(format!("the tool name {name:?} stands twice"));
        }
    }
    Ok(())
}
