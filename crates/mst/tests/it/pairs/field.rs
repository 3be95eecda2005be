//! A scenario, run over a transport and every provider.

use std::collections::BTreeMap;
use std::time::Duration;

use mst_testkit::mcp::{HttpOptions, McpOptions};
use mst_testkit::provider::{RecordedRequest, View};
use mst_testkit::{FakeMcpHttp, Form, Mode, Script};
use serde_json::{Value, json};

use crate::eval::Eval;
use crate::run_dir::{self, RunDir};
use crate::{tape, wire};

/// How a server is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Transport {
    Stdio,
    Http,
}

/// Both transports.
pub(super) const BOTH: [Transport; 2] = [Transport::Stdio, Transport::Http];

/// What is run.
pub(super) struct Scenario {
    /// The servers by label.
    pub(super) servers: Vec<(&'static str, Mode)>,
    /// What every provider answers.
    pub(super) script: Script,
    /// The dataset's cases.
    pub(super) cases: Value,
    /// Keys that go over the config's.
    pub(super) more: Value,
    /// Keys of every server entry.
    pub(super) entry: Value,
    /// Whether HTTP servers answer with event streams.
    pub(super) sse: bool,
    /// Whether each provider has servers of its own, for servers that do not outlive a trial.
    pub(super) apart: bool,
    /// Whether the offline model is a variant too.
    pub(super) offline: bool,
    /// The exit status.
    pub(super) code: i32,
}

impl Scenario {
    /// Makes a scenario of one server `parts` in which everything passes.
    pub(super) fn new(mode: Mode, script: Script, cases: Value) -> Self {
        Self {
            servers: vec![("parts", mode)],
            script,
            cases,
            more: json!({}),
            entry: json!({}),
            sse: false,
            apart: false,
            offline: false,
            code: 0,
        }
    }

    /// Writes the eval and starts the servers.
    pub(super) fn prepare(&self, transport: Transport) -> Prepared {
        let mut eval = Eval::new(self.script.clone());
        wire::with_google_login(&mut eval);
        let mut names: Vec<Provider> = wire::all(&eval.provider).iter().map(Provider::of).collect();
        if self.offline {
            names.push(Provider { name: "offline", form: None, model: "lexical-1" });
        }
        let (mut servers, mut fakes) = (json!({}), Vec::new());
        let mut variants = wire::variants(&wire::all(&eval.provider));
        let list = variants.as_array_mut().expect("a list");
        list.extend(self.offline.then(|| json!({ "name": "offline", "model": "lexical-1" })));
        for variant in list.iter_mut() {
            let owner = variant["name"].as_str().expect("a name").to_owned();
            let mut labels = Vec::new();
            for (label, mode) in &self.servers {
                let name = if self.apart { format!("{label}-{owner}") } else { (*label).to_owned() };
                if servers.get(&name).is_none() {
                    let mut entry = match transport {
                        Transport::Stdio => eval.stdio(label, *mode),
                        Transport::Http => {
                            let fake = self.serve(&eval, label, *mode);
                            let entry = json!({ "transport": "http", "serverUrl": fake.url() });
                            fakes.push(fake);
                            entry
                        }
                    };
                    for (key, value) in self.entry.as_object().expect("keys of an entry") {
                        entry[key] = value.clone();
                    }
                    servers[&name] = entry;
                }
                labels.push(name);
            }
            variant["servers"] = json!(labels);
        }
        let mut more = json!({ "variants": variants });
        for (key, value) in self.more.as_object().expect("keys of a config") {
            more[key] = value.clone();
        }
        eval.write(&servers, &self.cases, &more);
        Prepared { eval, fakes, providers: names, transport }
    }

    fn serve(&self, eval: &Eval, label: &str, mode: Mode) -> FakeMcpHttp {
        let log = Some(eval.env.path(format!("{label}.log")));
        let mcp = McpOptions { log, ..McpOptions::mode(mode) };
        FakeMcpHttp::start(HttpOptions { mcp, sse: self.sse, ..HttpOptions::default() })
    }

    /// Runs the scenario over a transport.
    #[track_caller]
    pub(super) fn run(&self, transport: Transport) -> Field {
        self.prepare(transport).run(&[], self.code)
    }

    /// Runs the scenario over transports and looks at each pair.
    #[track_caller]
    pub(super) fn over(&self, transports: &[Transport], check: impl Fn(&Pair<'_>)) {
        for transport in transports {
            self.run(*transport).each(&check);
        }
    }
}

/// A provider as the run's variant names it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Provider {
    pub(super) name: &'static str,
    /// Absent for the offline model.
    pub(super) form: Option<Form>,
    pub(super) model: &'static str,
}

impl Provider {
    fn of(wire: &wire::Wire) -> Self {
        Self { name: wire.name, form: Some(wire.form), model: wire.model }
    }

    /// Whether arguments of calls are text in the provider's answers.
    pub(super) fn has_argument_text(self) -> bool {
        matches!(self.form, Some(Form::Responses | Form::Chat))
    }
}

/// An eval with its servers, about to run.
pub(super) struct Prepared {
    pub(super) eval: Eval,
    fakes: Vec<FakeMcpHttp>,
    pub(super) providers: Vec<Provider>,
    pub(super) transport: Transport,
}

impl Prepared {
    /// Takes everything away that a live run needs: keys, addresses, programs, servers.
    pub(super) fn leave_alone(&mut self) {
        tape::alone(&mut self.eval);
        self.fakes.clear();
    }

    /// Runs the eval with more flags.
    #[track_caller]
    pub(super) fn run(self, more: &[&str], code: i32) -> Field {
        let (finished, dir) = self.eval.run_expecting(more, code);
        let trials = dir.trials().into_iter().map(|(_, trial)| (key(&trial, "caseId"), trial)).collect();
        let cases = dir.file("results.json")["cases"].as_array().cloned().unwrap_or_default();
        let cases = cases.into_iter().map(|case| (key(&case, "id"), case)).collect();
        let requests = self.eval.provider.requests().into_iter().map(|request| (request.view(), request)).collect();
        let printed = finished.stdout + &finished.stderr;
        Field { dir, printed, wall: finished.wall, trials, cases, requests, prepared: self }
    }
}

/// A run over one transport, with every provider.
pub(super) struct Field {
    pub(super) prepared: Prepared,
    pub(super) dir: RunDir,
    pub(super) printed: String,
    pub(super) wall: Duration,
    trials: BTreeMap<Key, Value>,
    cases: BTreeMap<Key, Value>,
    requests: Vec<(View, RecordedRequest)>,
}

/// A variant and a case.
type Key = (String, String);

fn key(record: &Value, id: &str) -> Key {
    let text = |key: &str| record[key].as_str().unwrap_or_default().to_owned();
    (text("variant"), text(id))
}

impl Field {
    /// Looks at each pair of the run.
    pub(super) fn each(&self, check: impl Fn(&Pair<'_>)) {
        for provider in &self.prepared.providers {
            check(&Pair { field: self, provider: *provider });
        }
    }

    /// Returns the eval.
    pub(super) fn eval(&self) -> &Eval {
        &self.prepared.eval
    }

    /// Returns the names of the tools that were called on a server, in order.
    pub(super) fn called(&self, label: &str) -> Vec<String> {
        self.eval().calls(label).into_iter().map(|(name, _)| name).collect()
    }
}

/// What a run found of one provider.
pub(super) struct Pair<'a> {
    pub(super) field: &'a Field,
    pub(super) provider: Provider,
}

impl Pair<'_> {
    /// Names the pair in a failure.
    pub(super) fn name(&self) -> String {
        format!("{:?}, {}", self.field.prepared.transport, self.provider.name)
    }

    /// Whether this is the offline model, which follows no script.
    pub(super) fn is_offline(&self) -> bool {
        self.provider.form.is_none()
    }

    fn key(&self, id: &str) -> Key {
        (self.provider.name.to_owned(), id.to_owned())
    }

    /// Returns the record of a case's trial.
    #[track_caller]
    pub(super) fn trial(&self, id: &str) -> &Value {
        self.field.trials.get(&self.key(id)).unwrap_or_else(|| panic!("{}: no trial of {id}", self.name()))
    }

    /// Returns a case's result.
    #[track_caller]
    pub(super) fn case(&self, id: &str) -> &Value {
        self.field.cases.get(&self.key(id)).unwrap_or_else(|| panic!("{}: no result of {id}", self.name()))
    }

    #[track_caller]
    pub(super) fn state(&self, id: &str) -> &'static str {
        run_dir::state(self.case(id))
    }

    #[track_caller]
    pub(super) fn events(&self, id: &str) -> Vec<Value> {
        run_dir::events(self.trial(id))
    }

    /// Returns the provider's requests about a case, with what they hold.
    fn requests(&self, id: &str) -> impl DoubleEndedIterator<Item = &(View, RecordedRequest)> {
        let (about, model) = (format!("Case {id}:"), self.provider.model);
        let requests = self.field.requests.iter();
        requests
            .filter(move |(view, request)| request.model.as_deref() == Some(model) && view.prompt().contains(&about))
    }

    /// Returns what the provider's requests about a case hold.
    pub(super) fn views(&self, id: &str) -> Vec<&View> {
        self.requests(id).map(|(view, _)| view).collect()
    }

    #[track_caller]
    fn last(&self, id: &str) -> &(View, RecordedRequest) {
        self.requests(id).next_back().unwrap_or_else(|| panic!("{} was not asked about {id}", self.name()))
    }

    /// Returns what the last request about a case holds.
    #[track_caller]
    pub(super) fn last_view(&self, id: &str) -> &View {
        &self.last(id).0
    }

    /// Returns the body of the last request about a case.
    #[track_caller]
    pub(super) fn last_body(&self, id: &str) -> &Value {
        &self.last(id).1.body
    }

    /// Returns the texts of the tool results that the model was told of a case.
    #[track_caller]
    pub(super) fn told(&self, id: &str) -> Vec<String> {
        self.last_view(id).tool_results.iter().map(|result| result.text.clone()).collect()
    }
}
