//! The nouns of an evaluation: cases, servers, transcripts, endings, usage, scores, runs, and their invariants.
//!
//! Everything stored, sent between crates or read by two of them is defined here. Nothing in this crate does IO, waits,
//! or asks for the time: a [`Clock`], a [`Seed`] and known secrets come in as values.

mod answers;
mod assertion;
mod case;
mod catalog;
mod change;
mod client_run;
mod dataset;
mod diagnostics;
mod ending;
mod event;
mod history;
mod host_telemetry;
mod identity;
mod judge;
mod manifest;
mod names;
mod one_or_many;
mod previous_run;
mod provider;
mod record;
mod redact;
mod results;
mod run_id;
mod scan_report;
mod score;
mod scrub;
mod sequential;
mod server;
mod server_request;
mod skill_load;
mod summary;
mod tape;
mod time;
mod tool_metadata;
mod transcript;
mod trial;
mod usage;
mod value;
mod write;

pub use answers::{Answers, ElicitationAction, ElicitationAnswer, SamplingAnswer};
pub use assertion::{Assertions, CallOrder, ExpectedCall, ToolCallCount, ToolsTriggered};
pub use case::EvalCase;
pub use catalog::{Catalog, CatalogEntry, ExtensionKind, Reference, ReferenceError, Requirements};
pub use change::{Change, ChangeAssessment};
pub use client_run::ClientRun;
pub use dataset::Dataset;
pub use diagnostics::{ClientDiagnostics, FailureKind, ServerObservation};
pub use ending::{Broke, Ending};
pub use event::{Event, EventKind, EventSource, SearchHit};
pub use history::{
    HISTORY_FORMAT, HeadlineMeasure, History, HistoryChange, HistoryRow, HistorySetup, HistoryVariant, JudgeMeasure,
    JudgedCases, PairwiseMeasure, RowSource, RunStatus, SkippedRun, VariantMeasures,
};
pub use host_telemetry::{HostItem, HostTelemetry};
pub use identity::{canonical_json, content_hash, content_hash_of_list, sha256_hex};
pub use judge::{
    Criterion, CriterionVerdict, DEFAULT_THRESHOLD, DimensionSummary, JUDGE_ENTRY_KEYS, JudgeCase, JudgeEntry,
    JudgeExpected, JudgeInput, JudgePrompt, JudgeScore, JudgeSetting, JudgeTrial, JuryMember, PAIRWISE_ENTRY_KEYS,
    Pairwise, PairwiseAnswer, PairwiseCase, PairwiseInput, PairwiseSetting, PairwiseSummary, Preference,
    PreferenceDimension, PreferenceRecord, Preferred, SubScore, UnmatchedCases, WrittenJudge, WrittenPairwiseJudge,
    judges_of,
};
pub use manifest::{MANIFEST_FORMAT, Manifest, ManifestFile};
pub use names::{CaseId, GraderName, ServerLabel, VariantName, eval_directory, path_segment};
pub use one_or_many::OneOrMany;
pub use previous_run::{PreviousRun, PreviousVariant};
pub use provider::{ModelFamily, Provider};
pub use record::{
    DatasetRecord, MstVersion, Phase, Phases, ProviderThrottling, RecordedJudge, RecordedPlugin, RecordedServer,
    ReplayRecord, RunRecord, RunnerRecord, Selection, ServerReadiness, VariantRecord,
};
pub use redact::{redact_case, redact_preference, redact_score, redact_transcript, redact_trial};
pub use results::{
    CaseRequest, CaseResult, Interval, MissedCall, Results, ToolCallTrace, TracedCall, TracedStatus, TrialResult,
};
pub use run_id::{RunId, RunIdError, Seed};
pub use scan_report::{
    CapabilityFinding, CapabilityState, Categories, CategoryScore, ConfusablePair, Defect, DefectType, Economics,
    FAILED_SCAN_FORMAT, FailedScan, FailedTarget, Grade, Harness, HarnessMetrics, HarnessRuns, JudgeBlock, LintFinding,
    LintSubject, ResponseSource, RubricScore, SCAN_REPORT_FORMAT, ScanReport, ScanStage, ScanTarget, ScanTask,
    ScanTransport, Scanner, ScoreInterval, Severity, StageJudge, StageJudges, TaskResult, TokenSource, ToolFinding,
    Unscored,
};
pub use score::{GraderScore, ScoreRecord};
pub use scrub::{REDACTED, Scrub, Scrubbed, Scrubber, is_credential_name};
pub use sequential::{LookRecord, SequentialRecord};
pub use server::{
    AccessAuth, Capabilities, HttpServer, ProtocolProbe, ProtocolSetting, ProxySetting, ServerConfig, SessionScope,
    StdioServer, TlsSetting,
};
pub use server_request::{ServerLogLine, ServerRequest, ServerRequestOutcome};
pub use skill_load::{SkillLoad, SkillLoadKind, SkillLoadVia};
pub use summary::{Delta, LatestRecord, ModelPrice, Summary, SummaryMetrics, Telemetry, VariantResult, VariantSummary};
pub use tape::{
    Difference, Exchange, Nearest, NextExchange, Played, TAPE_FORMAT, Tape, TapeAnswer, TapeKey, TapeKind, TapeMiss,
    TapePlayer, TapeRecorder, TapeRequest, TapeScope,
};
pub use time::{Clock, FixedClock, Timestamp};
pub use tool_metadata::{ToolMetadata, ToolPatch};
pub use transcript::{Evidence, ModelCall, Transcript};
pub use trial::TrialRecord;
pub use usage::Usage;
pub use value::{json_eq, number_eq};
pub use write::WriteMode;

/// The version string of the run directory format that this build writes and reads.
pub const RUN_FORMAT: &str = "mst.run/v1";
