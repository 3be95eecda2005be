//! The four categories, their sum and its grade.

use indexmap::IndexMap;
use mst_model::{Categories, CategoryScore, ConfusablePair, RubricScore, Severity, TaskResult, ToolFinding};
use num_traits::One;

use super::exact::{Exact, clamp, counted, fraction, nearest, whole};
use super::fault::RubricFault;
use super::grade::grade_of;
use super::limits::{
    DEFECT_WEIGHT, DEFINITION, DISCOVERABILITY, ECONOMICS, LEGIBILITY, PAIR_WEIGHT, RESPONSE, SAFETY, TASK,
};
use super::metrics::ExactMetrics;

/// Everything that a score is made of.
#[derive(Clone, Copy, Debug)]
pub struct ScoreInput<'a> {
    /// The baseline's results; a pass with rewritten descriptions never counts.
    pub baseline: &'a [TaskResult],
    /// What was found about each tool.
    pub tools: &'a [ToolFinding],
    /// The confusable pairs.
    pub confusable_pairs: &'a [ConfusablePair],
    /// The tokens of the whole surface.
    pub definition_tokens: f64,
    /// The mean tokens of a tool's answer; `None` takes the formula without response data.
    pub avg_response_tokens: Option<f64>,
}

/// A category before it is stored.
struct Category {
    points: Exact,
    max: u64,
    inputs: Vec<(&'static str, Exact)>,
}

impl Category {
    fn stored(&self) -> CategoryScore {
        let inputs: IndexMap<String, f64> =
            self.inputs.iter().map(|(name, value)| ((*name).to_owned(), nearest(value))).collect();
        CategoryScore { score: nearest(&self.points), max: self.max as f64, inputs }
    }
}

/// Returns the score of a report.
///
/// # Errors
/// There is no task, or a number of tokens is no count.
pub fn rubric_score(input: &ScoreInput<'_>) -> Result<RubricScore, RubricFault> {
    let metrics = ExactMetrics::of(input.baseline)?;
    let safety = safety(&metrics);
    let legibility = legibility(&metrics, input);
    let economics = economics(&metrics, input)?;
    let discoverability = discoverability(&metrics);
    let total = &safety.points + &legibility.points + &economics.points + &discoverability.points;
    Ok(RubricScore {
        total: nearest(&total),
        grade: grade_of(&total),
        categories: Categories {
            safety: safety.stored(),
            legibility: legibility.stored(),
            economics: economics.stored(),
            discoverability: discoverability.stored(),
        },
    })
}

/// Returns the weight of a confusable pair: 0.25, 0.6 or 1.
pub fn severity_weight(severity: Severity) -> f64 {
    nearest(&exact_weight(severity))
}

fn exact_weight(severity: Severity) -> Exact {
    match severity {
        Severity::Low => fraction(1, 4),
        Severity::Medium => fraction(3, 5),
        Severity::High => fraction(1, 1),
    }
}

/// `30 × clamp(destructiveSafetyRate)`.
fn safety(metrics: &ExactMetrics) -> Category {
    let rate = metrics.destructive_safety_rate.clone();
    Category { points: whole(SAFETY) * clamp(rate.clone()), max: SAFETY, inputs: vec![("destructiveSafetyRate", rate)] }
}

/// `30 × (0.60 × clamp(selectionAccuracy) + 0.25 × descriptionQuality + 0.15 × disambiguationQuality)`.
fn legibility(metrics: &ExactMetrics, input: &ScoreInput<'_>) -> Category {
    let defects = defect_weight(input.tools);
    let pairs: Exact = input.confusable_pairs.iter().map(|pair| exact_weight(pair.severity)).sum();
    let description = Exact::one() - clamp(&defects / whole(DEFECT_WEIGHT));
    let disambiguation = Exact::one() - clamp(&pairs / whole(PAIR_WEIGHT));
    let selection = metrics.selection_accuracy.clone();
    let share =
        fraction(3, 5) * clamp(selection.clone()) + fraction(1, 4) * &description + fraction(3, 20) * &disambiguation;
    Category {
        points: whole(LEGIBILITY) * share,
        max: LEGIBILITY,
        inputs: vec![
            ("selectionAccuracy", selection),
            ("descriptionQuality", description),
            ("disambiguationQuality", disambiguation),
            ("defectWeight", defects),
            ("ambiguousPairWeight", pairs),
        ],
    }
}

/// The number of distinct defect types of each tool, over all tools.
fn defect_weight(tools: &[ToolFinding]) -> Exact {
    let distinct = |tool: &ToolFinding| {
        let mut kinds: Vec<_> = tool.defects.iter().map(|defect| defect.kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds.len() as u64
    };
    whole(tools.iter().map(distinct).sum())
}

/// `20 × (0.60 × definitionEfficiency + 0.40 × taskEfficiency)`, and with response data
/// `20 × (0.50 × definitionEfficiency + 0.30 × taskEfficiency + 0.20 × responseEfficiency)`.
fn economics(metrics: &ExactMetrics, input: &ScoreInput<'_>) -> Result<Category, RubricFault> {
    let definition = counted(input.definition_tokens, || "definitionTokens".to_owned())?;
    let definition = DEFINITION.efficiency(&definition);
    let task = TASK.efficiency(&metrics.avg_tokens);
    let mut inputs = vec![("definitionEfficiency", definition.clone()), ("taskEfficiency", task.clone())];
    let share = match input.avg_response_tokens {
        None => fraction(3, 5) * definition + fraction(2, 5) * task,
        Some(tokens) => {
            let response = RESPONSE.efficiency(&counted(tokens, || "avgResponseTokens".to_owned())?);
            inputs.push(("responseEfficiency", response.clone()));
            fraction(1, 2) * definition + fraction(3, 10) * task + fraction(1, 5) * response
        }
    };
    Ok(Category { points: whole(ECONOMICS) * share, max: ECONOMICS, inputs })
}

/// `20 × (0.40 × clamp(selectionAccuracy) + 0.60 × clamp(firstCallSuccess))`.
fn discoverability(metrics: &ExactMetrics) -> Category {
    let (selection, first) = (metrics.selection_accuracy.clone(), metrics.first_call_success.clone());
    let share = fraction(2, 5) * clamp(selection.clone()) + fraction(3, 5) * clamp(first.clone());
    Category {
        points: whole(DISCOVERABILITY) * share,
        max: DISCOVERABILITY,
        inputs: vec![("selectionAccuracy", selection), ("firstCallSuccess", first)],
    }
}
