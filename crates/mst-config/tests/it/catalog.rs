//! A catalog like the program's own, and evals in a temporary folder.

use std::path::{Path, PathBuf};

use mst_config::{Diagnostics, LoadRequest, Loaded, SelectionFlags, load};
use mst_model::{Catalog, CatalogEntry, ExtensionKind};
use serde_json::{Value, json};

pub(crate) fn catalog() -> Catalog {
    let api = json!({
        "type": "object",
        "additionalProperties": false,
        "properties": {
            "model": { "type": "string", "default": "claude-sonnet-4-20250514" },
            "provider": { "enum": ["anthropic", "openai", "google", "offline"] },
            "maxToolCalls": { "type": "integer", "minimum": 0 },
            "timeout": { "type": "integer", "minimum": 1 },
            "temperature": { "type": "number", "minimum": 0, "maximum": 1 },
            "maxTokens": { "type": "integer", "minimum": 1 },
            "systemPrompt": { "type": "string" },
            "skills": { "enum": ["off", "catalog", "preload"] },
            "env": { "type": "object", "additionalProperties": { "type": "string" } },
        },
    });
    let desktop = json!({
        "type": "object",
        "additionalProperties": false,
        "properties": { "timeout": { "type": "integer" } },
    });
    let client =
        |name: &str, options: &Value, tool_metadata, max_concurrency, unavailable: Option<&str>| CatalogEntry {
            kind: ExtensionKind::Client,
            name: name.to_owned(),
            description: String::new(),
            options: options.clone(),
            tool_metadata,
            max_concurrency,
            requirements: mst_model::Requirements::default(),
            requires: Vec::new(),
            version: None,
            swap_positions: None,
            unavailable: unavailable.map(str::to_owned),
        };
    let metric = |name: &str, unavailable: Option<&str>| CatalogEntry {
        kind: ExtensionKind::Metric,
        name: name.to_owned(),
        description: String::new(),
        options: json!({}),
        tool_metadata: false,
        max_concurrency: None,
        requirements: mst_model::Requirements::default(),
        requires: Vec::new(),
        version: None,
        swap_positions: None,
        unavailable: unavailable.map(str::to_owned),
    };
    let judge = |name: &str, kind: ExtensionKind, own: &Value, required: &[&str]| {
        let mut properties = json!({
            "provider": { "enum": ["anthropic", "openai", "google"] },
            "model": { "type": "string", "minLength": 1 },
            "maxTokens": { "type": "integer", "minimum": 1 },
        });
        properties.as_object_mut().expect("an object").extend(own.as_object().expect("an object").clone());
        let options = json!({
            "type": "object",
            "additionalProperties": false,
            "required": required,
            "properties": properties,
        });
        CatalogEntry { kind, ..client(name, &options, false, None, None) }
    };
    let rubric = json!({ "rubric": { "anyOf": [
        { "enum": ["correctness", "completeness"] },
        { "type": "object", "additionalProperties": false, "required": ["text"], "properties": { "text": { "type": "string" } } },
    ] } });
    let criteria = json!({ "criteria": { "type": "array", "minItems": 1, "items": {
        "type": "object",
        "additionalProperties": false,
        "required": ["id", "text"],
        "properties": {
            "id": { "type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9_.-]*$" },
            "text": { "type": "string" },
            "required": { "type": "boolean" },
        },
    } } });
    let dir = json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["dir"],
        "properties": { "dir": { "type": "string", "minLength": 1 } },
    });
    let store = |name: &str, unavailable: Option<&str>| CatalogEntry {
        kind: ExtensionKind::ResultStore,
        ..client(name, &dir, false, None, unavailable)
    };
    Catalog {
        entries: vec![
            store("file", None),
            store("gcs", Some("the result store \"gcs\" (gs://…) is not available in this version of mst")),
            judge("rubric", ExtensionKind::Judge, &rubric, &["rubric"]),
            judge("task-completion", ExtensionKind::Judge, &json!({}), &[]),
            judge("criteria", ExtensionKind::Judge, &criteria, &["criteria"]),
            judge("preference", ExtensionKind::PairwiseJudge, &json!({}), &[]),
            client("api", &api, true, None, None),
            client("desktop", &desktop, false, Some(1), None),
            client(
                "claude-code",
                &json!({}),
                false,
                None,
                Some("client \"claude-code\" is not available in this version of mst; use \"client\": \"api\""),
            ),
            metric("passed", None),
            metric("tool_count", None),
            metric("input_tokens", None),
            CatalogEntry {
                options: json!({ "type": "object", "properties": { "judge": { "type": "string" } }, "required": ["judge"] }),
                ..metric("judge_pass_for", None)
            },
            metric("judge_score", Some("metric \"judge_score\" needs judges, which this version of mst does not have")),
        ],
    }
}

/// An eval in a folder of its own.
pub(crate) struct Eval {
    folder: tempfile::TempDir,
    pub(crate) flags: SelectionFlags,
}

impl Eval {
    pub(crate) fn new(config: &Value) -> Self {
        let eval = Self { folder: tempfile::tempdir().expect("a folder"), flags: SelectionFlags::default() };
        eval.write("eval.json", config.to_string());
        eval.write("parts.json", three_cases().to_string());
        eval
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs_err::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs_err::write(path, text).expect("a file");
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    pub(crate) fn load(&self) -> Result<Loaded, Diagnostics> {
        load(&self.request("eval.json"))
    }

    pub(crate) fn request(&self, config: &str) -> LoadRequest {
        request(&self.path(config), self.folder.path(), &self.flags)
    }

    /// Loads and returns the plan.
    pub(crate) fn plan(&self) -> mst_config::Plan {
        self.load().unwrap_or_else(|error| panic!("{error}")).plan
    }

    /// Loads and returns what is wrong, without the folder's path.
    pub(crate) fn errors(&self) -> String {
        self.relative(&self.load().expect_err("a refusal").to_string())
    }

    /// Loads and returns the warnings, without the folder's path.
    pub(crate) fn warnings(&self) -> String {
        self.relative(&self.plan().warnings.join("\n"))
    }

    /// Returns a text without the folder's path.
    pub(crate) fn relative(&self, text: &str) -> String {
        text.replace(&format!("{}/", self.folder.path().display()), "")
    }
}

pub(crate) fn request(config: &Path, root: &Path, flags: &SelectionFlags) -> LoadRequest {
    LoadRequest {
        config_path: config.to_owned(),
        root_dir: root.to_owned(),
        output_dir: None,
        selection: flags.clone(),
        allow_live_writes: false,
        catalog: catalog(),
    }
}

pub(crate) fn three_cases() -> Value {
    json!({ "name": "parts", "cases": [
        { "id": "bin", "input": "Which bin?", "tags": ["bins"], "assertions": { "toolCallCount": { "max": 9 } } },
        { "id": "count", "input": "How many?", "tags": ["counts"], "assertions": { "toolCallCount": { "max": 9 } } },
        { "id": "list", "input": "List.", "trials": 4, "passThreshold": 0.5, "assertions": { "toolCallCount": { "max": 9 } } },
    ] })
}

/// A config with some keys put over a plain one.
pub(crate) fn config(over: &Value) -> Value {
    let mut config = json!({
        "name": "parts-eval",
        "datasets": ["parts.json"],
        "client": "api",
        "model": "claude-x",
        "servers": { "parts": { "transport": "stdio", "command": "parts-server" } },
    });
    for (key, value) in over.as_object().expect("an object") {
        config[key] = value.clone();
    }
    config
}
