//! The likely range of a total: a percentile bootstrap over tasks.

use mst_model::{ScoreInterval, TaskResult};

use super::fault::RubricFault;
use super::limits::{DISCOVERABILITY, ECONOMICS, LEGIBILITY, TASK};
use super::score::{ScoreInput, rubric_score};
use crate::stats::{Random, quantile};

/// How often the tasks are resampled.
pub const RESAMPLES: u32 = 2_000;
/// The share of totals inside the range.
const LEVEL: f64 = 0.95;
/// The bytes of the surface's hash that seed the resampling: few enough that JSON readers with doubles keep the number.
const SEED_HEX_DIGITS: usize = 12;

/// Returns the range that holds 95% of the totals when as many tasks are drawn with replacement (B. Efron, 1979; the
/// percentile interval); `None` of fewer than two tasks.
///
/// Selection, first calls and tokens move with the draw; the safety category, the surface's own qualities and its size stay.
/// The draw is seeded from the surface's hash, so that the same report has the same range.
///
/// # Errors
/// As for [`rubric_score`].
pub fn score_interval(input: &ScoreInput<'_>, surface_hash: &str) -> Result<Option<ScoreInterval>, RubricFault> {
    if input.baseline.len() < 2 {
        return Ok(None);
    }
    let seed = surface_hash.get(..SEED_HEX_DIGITS).and_then(|digits| u64::from_str_radix(digits, 16).ok()).unwrap_or(0);
    let moving = Moving::of(input)?;
    let mut random = Random::seeded(seed);
    let totals: Vec<f64> = (0..RESAMPLES).map(|_| moving.total(&draw(input.baseline, &mut random))).collect();
    let tail = (1.0 - LEVEL) / 2.0;
    let end = |q| quantile(&totals, q).expect("there are resamples");
    Ok(Some(ScoreInterval { level: LEVEL, lower: end(tail), upper: end(1.0 - tail), resamples: RESAMPLES, seed }))
}

/// What one draw of tasks comes to.
struct Drawn {
    selection: f64,
    first_call: f64,
    tokens: f64,
}

/// The part of a total that a draw moves, and the rest.
struct Moving {
    fixed: f64,
    task_weight: f64,
}

impl Moving {
    fn of(input: &ScoreInput<'_>) -> Result<Self, RubricFault> {
        let score = rubric_score(input)?;
        let task_weight = ECONOMICS as f64 * if input.avg_response_tokens.is_some() { 0.3 } else { 0.4 };
        let mut moving = Self { fixed: 0.0, task_weight };
        moving.fixed = score.total - moving.total(&observed(input.baseline));
        Ok(moving)
    }

    fn total(&self, drawn: &Drawn) -> f64 {
        let legibility = LEGIBILITY as f64 * 0.6 * drawn.selection;
        let discoverability = DISCOVERABILITY as f64 * (0.4 * drawn.selection + 0.6 * drawn.first_call);
        let total =
            self.fixed + legibility + discoverability + self.task_weight * TASK.efficiency_of_double(drawn.tokens);
        total.clamp(0.0, 100.0)
    }
}

fn observed(results: &[TaskResult]) -> Drawn {
    gathered(results.iter(), results.len())
}

fn draw(results: &[TaskResult], random: &mut Random) -> Drawn {
    let count = results.len();
    gathered((0..count).map(|_| &results[random.index(count)]), count)
}

fn gathered<'a>(results: impl Iterator<Item = &'a TaskResult>, count: usize) -> Drawn {
    let (mut selected, mut first, mut tokens) = (0_u64, 0_u64, 0.0);
    for result in results {
        selected += u64::from(result.correct);
        first += u64::from(result.correct && result.well_formed);
        tokens += result.tokens;
    }
    let share = |number: u64| number as f64 / count as f64;
    Drawn { selection: share(selected), first_call: share(first), tokens: tokens / count as f64 }
}
