//! Each category's formula with its numbers filled in, so that a reader can follow the sum.

use mst_measure::rubric::shown_total;
use mst_model::{CategoryScore, DefectType, ScanReport, Severity, TokenSource};

use crate::text::Line;
use crate::text::number::{counted, points, term, tokens};

/// A category as a report shows it.
#[derive(Clone, Debug)]
pub(crate) struct Category {
    /// Its name.
    pub(crate) name: &'static str,
    /// What it asks, in a few words.
    pub(crate) asks: &'static str,
    /// Its points with one decimal.
    pub(crate) points: String,
    /// The most it can give.
    pub(crate) max: String,
    /// The share of the most, 0 to 1.
    pub(crate) share: f64,
    /// The formula in the method's words.
    pub(crate) formula: &'static str,
    /// The formula with numbers.
    pub(crate) filled: String,
    /// Where each number comes from.
    pub(crate) terms: Vec<Line>,
}

/// Returns the four categories.
pub(crate) fn categories(report: &ScanReport) -> Vec<Category> {
    vec![safety(report), legibility(report), economics(report), discoverability(report)]
}

/// Returns the sum of the categories, written out.
pub(crate) fn sum(report: &ScanReport) -> String {
    let parts: Vec<String> = report.score.categories.named().iter().map(|(_, one)| points(one.score)).collect();
    let total = shown_total(report.score.total, report.score.grade);
    format!("{} = {total}", parts.join(" + "))
}

fn category(name: &'static str, asks: &'static str, score: &CategoryScore, formula: &'static str) -> Category {
    Category {
        name,
        asks,
        points: points(score.score),
        max: term(score.max),
        share: if score.max > 0.0 { (score.score / score.max).clamp(0.0, 1.0) } else { 0.0 },
        formula,
        filled: String::new(),
        terms: Vec::new(),
    }
}

/// Returns a term of a category's formula as its report gives it.
fn input(score: &CategoryScore, name: &str) -> String {
    score.inputs.get(name).map_or_else(|| "?".to_owned(), |value| term(*value))
}

fn safety(report: &ScanReport) -> Category {
    let score = &report.score.categories.safety;
    let metrics = &report.harness.baseline.metrics;
    let rate = input(score, "destructiveSafetyRate");
    let confirmed =
        report.harness.baseline.results.iter().filter(|one| one.destructive_candidate && one.confirmed).count();
    let why = if metrics.destructive_candidates == 0 {
        " = 1: the judge would have made no destructive call, so there was none to confirm".to_owned()
    } else {
        format!(
            " = {confirmed} / {} = {rate}: destructive candidate calls that the judge would have confirmed first",
            metrics.destructive_candidates
        )
    };
    let mut category =
        category("Safety", "Are destructive calls confirmed first?", score, "30 × clamp(destructiveSafetyRate)");
    category.filled = format!("30 × {rate} = {}", category.points);
    category.terms = vec![Line::of_code("destructiveSafetyRate").words(why)];
    category
}

fn legibility(report: &ScanReport) -> Category {
    let score = &report.score.categories.legibility;
    let names = ["selectionAccuracy", "descriptionQuality", "disambiguationQuality"];
    let [selection, description, disambiguation] = names.map(|name| input(score, name));
    let mut category = category(
        "Legibility",
        "Can a model tell from the text which tool to use?",
        score,
        "30 × (0.60 × clamp(selectionAccuracy) + 0.25 × descriptionQuality + 0.15 × disambiguationQuality)",
    );
    category.filled =
        format!("30 × (0.60 × {selection} + 0.25 × {description} + 0.15 × {disambiguation}) = {}", category.points);
    category.terms = vec![
        selection_term(report, &selection),
        Line::of_code("descriptionQuality").words(format!(
            " = 1 − clamp({} / 30) = {description}: {}",
            input(score, "defectWeight"),
            defect_counts(report)
        )),
        Line::of_code("disambiguationQuality").words(format!(
            " = 1 − clamp({} / 10) = {disambiguation}: {}",
            input(score, "ambiguousPairWeight"),
            pair_counts(report)
        )),
    ];
    category
}

fn economics(report: &ScanReport) -> Category {
    let score = &report.score.categories.economics;
    let economics = &report.economics;
    let names = ["definitionEfficiency", "taskEfficiency", "responseEfficiency"];
    let [definition, task, response] = names.map(|name| input(score, name));
    let with_responses = "20 × (0.50 × definitionEfficiency + 0.30 × taskEfficiency + 0.20 × responseEfficiency)";
    let without = "20 × (0.60 × definitionEfficiency + 0.40 × taskEfficiency)";
    let has_responses = economics.avg_response_tokens.is_some();
    let mut category = category(
        "Economics",
        "What does the surface cost in tokens?",
        score,
        if has_responses { with_responses } else { without },
    );
    category.filled = if has_responses {
        format!("20 × (0.50 × {definition} + 0.30 × {task} + 0.20 × {response}) = {}", category.points)
    } else {
        format!("20 × (0.60 × {definition} + 0.40 × {task}) = {}", category.points)
    };
    let how = match economics.definition_tokens_source {
        TokenSource::Exact => "counted by the provider",
        TokenSource::Estimated => "approximate, estimated as bytes / 4",
    };
    category.terms = vec![
        efficiency("definitionEfficiency", economics.definition_tokens, [2_000, 50_000], &definition)
            .words(format!(": tokens of the whole tool surface, {how}")),
        efficiency("taskEfficiency", economics.avg_tokens_per_task, [2_000, 20_000], &task)
            .words(": mean tokens per task"),
    ];
    if let Some(tokens) = economics.avg_response_tokens {
        let line = efficiency("responseEfficiency", tokens, [500, 8_000], &response).words(": mean tokens per answer");
        category.terms.push(match &economics.response_source {
            Some(source) => line
                .words(format!(", from {} of ", counted(source.results as usize, "result")))
                .words(format!("{} of run ", counted(source.trials as usize, "trial")))
                .code(&source.run_id),
            None => line,
        });
    }
    category
}

fn efficiency(name: &str, value: f64, [ideal, unacceptable]: [u32; 2], result: &str) -> Line {
    Line::of_code(name).words(format!(
        " = linearEfficiency({}, ideal {}, unacceptable {}) = {result}",
        tokens(value),
        tokens(f64::from(ideal)),
        tokens(f64::from(unacceptable))
    ))
}

fn discoverability(report: &ScanReport) -> Category {
    let score = &report.score.categories.discoverability;
    let [selection, first] = ["selectionAccuracy", "firstCallSuccess"].map(|name| input(score, name));
    let baseline = &report.harness.baseline;
    let right = baseline.results.iter().filter(|one| one.correct && one.well_formed).count();
    let mut category = category(
        "Discoverability",
        "Is the first call the right one, with arguments that fit?",
        score,
        "20 × (0.40 × clamp(selectionAccuracy) + 0.60 × clamp(firstCallSuccess))",
    );
    category.filled = format!("20 × (0.40 × {selection} + 0.60 × {first}) = {}", category.points);
    category.terms = vec![
        selection_term(report, &selection),
        Line::of_code("firstCallSuccess").words(format!(
            " = {right} / {} = {first}: tasks where the first call was also well formed against the schema",
            baseline.metrics.tasks
        )),
    ];
    category
}

fn selection_term(report: &ScanReport, value: &str) -> Line {
    let baseline = &report.harness.baseline;
    let right = baseline.results.iter().filter(|one| one.correct).count();
    Line::of_code("selectionAccuracy").words(format!(
        " = {right} / {} = {value}: tasks where the judge chose the expected tool",
        baseline.metrics.tasks
    ))
}

fn defect_counts(report: &ScanReport) -> String {
    let all = report.tools.iter().flat_map(|tool| &tool.defects);
    let kinds = DefectType::ALL.map(|kind| (kind, all.clone().filter(|one| one.kind == kind).count()));
    let kinds: Vec<String> = kinds
        .iter()
        .filter(|(_, count)| *count > 0)
        .map(|(kind, count)| format!("{count} × {}", plain_defect(*kind)))
        .collect();
    if kinds.is_empty() { "no defect was found".to_owned() } else { kinds.join(", ") }
}

/// Returns a defect's type in plain words.
pub(crate) fn plain_defect(kind: DefectType) -> &'static str {
    match kind {
        DefectType::NameRestatesBehavior => "restates the name",
        DefectType::ParamsUnexplained => "parameters unexplained",
        DefectType::NoReturnDescription => "return not described",
    }
}

fn pair_counts(report: &ScanReport) -> String {
    let weights = [(Severity::High, "1.0"), (Severity::Medium, "0.6"), (Severity::Low, "0.25")];
    let parts: Vec<String> = weights
        .iter()
        .map(|(severity, weight)| {
            (report.confusable_pairs.iter().filter(|pair| pair.severity == *severity).count(), severity, weight)
        })
        .filter(|(count, ..)| *count > 0)
        .map(|(count, severity, weight)| format!("{count} {} × {weight}", severity_name(*severity)))
        .collect();
    if parts.is_empty() { "no confusable pair was found".to_owned() } else { parts.join(" + ") }
}

/// Returns a severity's name.
pub(crate) fn severity_name(severity: Severity) -> &'static str {
    match severity {
        Severity::Low => "low",
        Severity::Medium => "medium",
        Severity::High => "high",
    }
}
