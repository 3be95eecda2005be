//! The judges that are tried: the built-in ones, and those of an eval config.

use std::collections::HashSet;
use std::sync::Arc;

use mst_cli::{CliError, ExitClass};
use mst_config::{LoadRequest, Plan, SelectionFlags, load};
use mst_ext::{Judge, JudgeFault, Registry};
use mst_grading::judge::BoundJudge;
use mst_grading::pairwise::BoundPairwiseJudge;
use mst_judges::{Probe, probes};
use mst_model::{Catalog, JudgeEntry, JudgeSetting, PairwiseSetting, content_hash, judges_of};
use serde_json::{Map, Value, json};

use crate::args::SelftestArgs;
use crate::error;

/// The built-in judges as they are tried. Of the built-in rubrics these two ask for what the probes break.
const BUILT_IN: [(&str, Option<&str>); 6] = [
    ("rubric", Some("correctness")),
    ("rubric", Some("groundedness")),
    ("task-completion", None),
    ("grounded-in-tools", None),
    ("tool-use", None),
    ("criteria", None),
];

/// The built-in pairwise judge.
const PREFERENCE: &str = "preference";

/// A judge that is tried.
pub(super) struct Subject {
    /// Its name in results.
    pub(super) name: String,
    /// The judge as registered.
    pub(super) judge: String,
    /// Its options, as written.
    pub(super) options: Map<String, Value>,
    /// Whether the eval config lists it.
    pub(super) is_configured: bool,
    pub(super) question: Question,
}

/// What a judge is asked.
#[derive(Clone)]
pub(super) enum Question {
    /// Whether a trial passes.
    Verdict { setting: Box<JudgeSetting>, judge: Arc<dyn Judge> },
    /// Which of a good trial and a broken one is better.
    Preference(Box<BoundPairwiseJudge>),
}

impl Question {
    /// Binds a judge for a probe: the judge `criteria` takes the probe's own, whatever its entry says.
    pub(super) fn bind(setting: &JudgeSetting, judge: &Arc<dyn Judge>, probe: &Probe) -> Result<BoundJudge, CliError> {
        let mut setting = setting.clone();
        if setting.judge == "criteria" {
            setting.options.insert("criteria".to_owned(), probe.criteria.clone());
        }
        BoundJudge::bind(&setting, Arc::clone(judge))
            .map_err(|fault| CliError::new(ExitClass::Usage, fault.to_string()))
    }

    /// Returns the models that it asks.
    pub(super) fn models(&self) -> Vec<String> {
        match self {
            Self::Verdict { setting, judge } => {
                let bound = Self::bind(setting, judge, &any_probe());
                bound.iter().flat_map(BoundJudge::models).map(str::to_owned).collect()
            }
            Self::Preference(judge) => judge.model().map(str::to_owned).into_iter().collect(),
        }
    }

    /// Checks that it could be asked at all, without any call.
    pub(super) async fn preflight(&self) -> Result<(), JudgeFault> {
        match self {
            Self::Verdict { setting, judge } => {
                let bound = Self::bind(setting, judge, &any_probe());
                bound.map_err(|error| JudgeFault::Failed(error.message))?.preflight().await
            }
            Self::Preference(judge) => judge.preflight().await,
        }
    }
}

/// Returns a probe to bind a judge for, where it does not matter which.
fn any_probe() -> Probe {
    probes().swap_remove(0)
}

/// Returns the judges that flags and names ask for, the config's first.
pub(super) fn subjects(args: &SelftestArgs, catalog: Catalog, registry: &Registry) -> Result<Vec<Subject>, CliError> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    if let Some(path) = &args.config {
        let request = LoadRequest {
            config_path: path.clone(),
            root_dir: args.root_dir.clone(),
            output_dir: None,
            selection: SelectionFlags::default(),
            // No trial is run.
            allow_live_writes: true,
            catalog,
        };
        let plan = load(&request).map_err(error::diagnostics)?.plan;
        for setting in settings_of(&plan) {
            add(&mut found, &mut seen, setting, true, registry)?;
        }
        for setting in plan.pairwise_judges {
            add_pairwise(&mut found, &mut seen, setting, true, registry)?;
        }
    }
    let model = |options: &mut Map<String, Value>| {
        options.extend(args.provider.iter().map(|provider| ("provider".to_owned(), json!(provider))));
        options.extend(args.model.iter().map(|model| ("model".to_owned(), json!(model))));
    };
    for (judge, rubric) in BUILT_IN {
        let mut entry = Map::from_iter([("type".to_owned(), json!(judge))]);
        entry.extend(rubric.map(|rubric| ("rubric".to_owned(), json!(rubric))));
        model(&mut entry);
        let setting = JudgeEntry::read(&Value::Object(entry)).map(JudgeEntry::alone);
        add(&mut found, &mut seen, setting.expect("it has a type"), false, registry)?;
    }
    let mut options = Map::new();
    model(&mut options);
    let setting = PairwiseSetting { judge: PREFERENCE.to_owned(), reps: 1, options };
    add_pairwise(&mut found, &mut seen, setting, false, registry)?;
    named(found, &args.judges)
}

/// Returns each distinct judge that a plan's cases run; what differs in the reference alone is one.
fn settings_of(plan: &Plan) -> Vec<JudgeSetting> {
    let (mut found, mut seen) = (Vec::new(), HashSet::new());
    for variant in &plan.variants {
        for batch in &variant.batches {
            for planned in &batch.cases {
                let case = plan.datasets[batch.dataset].cases.get(planned.case);
                for setting in judges_of(&case, &variant.judges) {
                    let setting = JudgeSetting { reference: None, ..setting };
                    if seen.insert(content_hash(&setting)) {
                        found.push(setting);
                    }
                }
            }
        }
    }
    found
}

/// Adds a judge that was not seen under the same identity before.
fn add(
    found: &mut Vec<Subject>,
    seen: &mut HashSet<String>,
    setting: JudgeSetting,
    is_configured: bool,
    registry: &Registry,
) -> Result<(), CliError> {
    let judge = registry.judge(&setting.judge).ok_or_else(|| unknown(&setting.judge))?;
    if !seen.insert(Question::bind(&setting, &judge, &any_probe())?.identity().to_owned()) {
        return Ok(());
    }
    found.push(Subject {
        name: setting.name.clone(),
        judge: setting.judge.clone(),
        options: setting.options.clone(),
        is_configured,
        question: Question::Verdict { setting: Box::new(setting), judge },
    });
    Ok(())
}

/// The same for a pairwise judge.
fn add_pairwise(
    found: &mut Vec<Subject>,
    seen: &mut HashSet<String>,
    setting: PairwiseSetting,
    is_configured: bool,
    registry: &Registry,
) -> Result<(), CliError> {
    let judge = registry.pairwise_judge(&setting.judge).ok_or_else(|| unknown(&setting.judge))?;
    let bound = BoundPairwiseJudge::bind(&setting, judge);
    let bound = bound.map_err(|fault| CliError::new(ExitClass::Usage, fault.to_string()))?;
    if seen.insert(bound.identity().to_owned()) {
        found.push(Subject {
            name: setting.judge.clone(),
            judge: setting.judge,
            options: setting.options,
            is_configured,
            question: Question::Preference(Box::new(bound)),
        });
    }
    Ok(())
}

fn unknown(judge: &str) -> CliError {
    CliError::new(ExitClass::Usage, format!("there is no judge {judge:?} in this version of mst"))
}

/// Keeps the judges that were named, by their names in results or as registered; all without names.
fn named(mut found: Vec<Subject>, names: &[String]) -> Result<Vec<Subject>, CliError> {
    for name in names {
        if !found.iter().any(|subject| subject.is_named(name)) {
            let error = CliError::new(ExitClass::Usage, format!("no judge to try is named {name:?}"));
            let known = || found.iter().map(|subject| subject.name.as_str());
            return Err(match mst_cli::nearest(name, known()) {
                Some(near) => error.with_hint(format!("did you mean {near:?}?")),
                None => error.with_hint(format!("known: {}", known().collect::<Vec<_>>().join(", "))),
            });
        }
    }
    found.retain(|subject| names.is_empty() || names.iter().any(|name| subject.is_named(name)));
    Ok(found)
}

impl Subject {
    fn is_named(&self, name: &str) -> bool {
        self.name == name || self.judge == name
    }

    /// Returns the probes whose verdict is known for it.
    pub(super) fn probes(&self) -> Vec<Probe> {
        probes().into_iter().filter(|probe| probe.passes(&self.judge, &self.options).is_some()).collect()
    }
}
