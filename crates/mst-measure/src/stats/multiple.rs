//! Many tests at once.

use num_traits::{FromPrimitive, Num};

/// A p value: a double, or an exact fraction where a limit may be met exactly.
pub trait PValue: Num + FromPrimitive + PartialOrd + Clone {}

impl<P: Num + FromPrimitive + PartialOrd + Clone> PValue for P {}

/// Returns Holm's step-down adjusted p values (S. Holm, 1979), in the order given, each at most 1.
///
/// The i-th smallest of m is multiplied by m - i + 1, and is at least the one before it. A test is significant when its
/// adjusted p is at most the level; the chance of any false one among all is then at most that level.
pub fn holm<P: PValue>(p: &[P]) -> Vec<P> {
    adjusted(p, ascending(p), |rank, m| (m - rank, 1), |running, next| if next > running { next } else { running })
}

/// Returns the Benjamini-Hochberg adjusted p values (Y. Benjamini and Y. Hochberg, 1995), in the order given, each at most 1.
///
/// The i-th smallest of m is multiplied by m / i, and is at most the one after it. Among the tests whose adjusted p is at
/// most the level, at most that share is false on average, when the tests are independent.
pub fn benjamini_hochberg<P: PValue>(p: &[P]) -> Vec<P> {
    let mut descending = ascending(p);
    descending.reverse();
    let factor = |rank: usize, m: usize| (m, m - rank);
    adjusted(p, descending, factor, |running, next| if next < running { next } else { running })
}

/// Returns the indices in ascending order of their values.
fn ascending<P: PValue>(p: &[P]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|a, b| p[*a].partial_cmp(&p[*b]).unwrap_or(std::cmp::Ordering::Equal));
    order
}

/// Walks along `order`; the value at a rank (from 0) is multiplied by a factor and joined with the one before it.
fn adjusted<P: PValue>(
    p: &[P],
    order: Vec<usize>,
    factor: impl Fn(usize, usize) -> (usize, usize),
    join: impl Fn(P, P) -> P,
) -> Vec<P> {
    let number = |count: usize| P::from_usize(count).expect("a count is a number");
    let mut result = p.to_vec();
    let mut running: Option<P> = None;
    for (rank, index) in order.into_iter().enumerate() {
        let (above, below) = factor(rank, p.len());
        let raised = p[index].clone() * number(above) / number(below);
        let raised = if raised > P::one() { P::one() } else { raised };
        let next = match running {
            Some(running) => join(running, raised),
            None => raised,
        };
        result[index] = next.clone();
        running = Some(next);
    }
    result
}
