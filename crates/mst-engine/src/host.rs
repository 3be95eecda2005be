//! What clients report of themselves over OpenTelemetry: a receiver that starts with the first trial of a client that does.

use mst_model::{RunId, Seed, sha256_hex};
use mst_otlp::{Inbox, Limits, Receiver};
use mst_store::TrialKey;
use tokio::sync::OnceCell;

/// A run's receiver. It ends with the run.
pub(crate) struct HostReports {
    /// `None` when no port could be had: the trials then run without.
    receiver: OnceCell<Option<Receiver>>,
    /// What the paths are made of that nobody must guess.
    secret: String,
}

impl HostReports {
    pub(crate) fn new(run_id: &RunId, Seed(random): Seed) -> Self {
        let mut bytes = random.to_vec();
        bytes.extend_from_slice(run_id.as_str().as_bytes());
        Self { receiver: OnceCell::new(), secret: sha256_hex(&bytes) }
    }

    /// Opens a trial's inbox.
    pub(crate) async fn open(&self, trial: &TrialKey) -> Option<Inbox> {
        let start = || async {
            let started = Receiver::start(Limits::default()).await;
            started
                .inspect_err(|error| tracing::warn!(%error, "what clients report of themselves is not received"))
                .ok()
        };
        let receiver = self.receiver.get_or_init(start).await.as_ref()?;
        let TrialKey { variant, case_id, trial } = trial;
        let named = serde_json::json!([self.secret, variant, case_id, trial]).to_string();
        Some(receiver.open(sha256_hex(named.as_bytes())[..32].to_owned()))
    }
}
