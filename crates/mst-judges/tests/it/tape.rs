//! A judge's calls on a tape: recorded once, then answered without provider or key.

use std::sync::{Arc, Mutex};

use mst_ext::JudgeFault;
use mst_model::{
    Exchange, Nearest, NextExchange, Played, Tape, TapeAnswer, TapeKey, TapeKind, TapeMiss, TapePlayer, TapeRecorder,
    TapeRequest, TapeScope,
};
use mst_testkit::{Reply, Rule, Script, When};
use serde_json::{Value, json};

use crate::bench::{Bench, good, options_for};

/// A tape in memory.
#[derive(Debug, Default)]
struct Reel(Mutex<Vec<(TapeRequest, TapeAnswer)>>);

impl TapeRecorder for Reel {
    fn record(&self, exchange: Exchange) -> TapeKey {
        let Exchange { request, answer, .. } = exchange;
        let key = TapeKey { kind: request.kind, scope: request.scope.clone(), hash: request.hash(), ordinal: 0 };
        self.0.lock().expect("nobody panics").push((request, answer));
        key
    }

    fn said_later(&self, _after: &TapeKey, _messages: Vec<Value>) {}

    fn keep_out(&self, _secrets: Vec<String>) {}
}

impl TapePlayer for Reel {
    fn play(&self, request: TapeRequest) -> Result<Played, TapeMiss> {
        let mut reel = self.0.lock().expect("nobody panics");
        let place = reel.iter().position(|(known, _)| known.scope == request.scope && known.hash() == request.hash());
        match place {
            Some(place) => Ok(Played { place, server: Vec::new(), answer: reel.remove(place).1 }),
            None => Err(TapeMiss { kind: request.kind, scope: request.scope, nearest: Nearest::Nothing }),
        }
    }

    fn next(&self, _kind: TapeKind, _scope: &TapeScope, _after: Option<usize>) -> Option<NextExchange> {
        None
    }
}

#[tokio::test]
async fn what_was_recorded_gives_the_same_verdict_without_provider_or_key() {
    for name in ["rubric", "task-completion", "grounded-in-tools", "tool-use", "criteria"] {
        let options = options_for(name, "claude-x");
        // The second answer differs from the first, so that the order of equal questions counts.
        let replies = [Reply::text("hm"), Reply::text(r#"{"answer":"no","reasoning":"r"}"#)];
        let script = if name == "task-completion" {
            Script::strict().rule(Rule::new(When::default(), replies).by_arrival())
        } else {
            Script::automatic()
        };
        let mut bench = Bench::new(script);
        let reel = Arc::new(Reel::default());
        let recorded = bench.ask_taped(name, &options, &good(), Some(Tape::Record(Arc::clone(&reel) as _))).await;
        let asked = bench.provider.requests().len();
        bench.env.clear();
        let replayed = bench.ask_taped(name, &options, &good(), Some(Tape::Replay(Arc::clone(&reel) as _))).await;
        assert_eq!(replayed, recorded, "{name}");
        assert!(recorded.is_ok(), "{name}");
        assert_eq!(bench.provider.requests().len(), asked, "{name}: nobody is asked in a replay");
        // What the tape lacks is no verdict.
        let missed = bench.ask_taped(name, &options, &good(), Some(Tape::Replay(Arc::clone(&reel) as _))).await;
        assert!(matches!(missed, Err(JudgeFault::Failed(_))), "{name}: {missed:?}");
    }
}

#[tokio::test]
async fn the_same_trial_is_asked_about_in_the_same_words() {
    let bench = Bench::new(Script::automatic());
    for _ in 0..2 {
        bench.ask("criteria", &options_for("criteria", "gpt-x"), &good()).await.expect("a verdict");
    }
    let mut bodies: Vec<String> = bench.provider.requests().iter().map(|request| request.body.to_string()).collect();
    bodies.sort();
    bodies.dedup();
    assert_eq!(bodies.len(), 2, "one body a criterion, whatever the time: {}", json!(bodies));
}
