//! Clients without a desktop: Claude Code and Codex on the command line.

use mst_model::Requirements;
use serde_json::json;

use super::option::Omitted::{Default, Described, NotSet};
use super::option::{env, flag, one_of, option, text, whole};
use super::{KnownClient, lines};

const WORKING_FOLDER: &str = "an empty temporary folder, removed after the trial";

pub(super) fn claude_code() -> KnownClient {
    KnownClient {
        name: "claude-code",
        description: "The Claude Code command line, headless",
        tool_metadata: true,
        requirements: Requirements {
            os: vec![],
            install: lines(["Claude Code, as `claude` on PATH"]),
            credentials: lines([
                "ANTHROPIC_API_KEY",
                "or Google Application Default Credentials with \"provider\": \"vertex\"",
            ]),
            setup: vec![],
        },
        options: vec![
            option("model", text(), Described("Claude Code's own")),
            option("timeout", whole(), Default(json!(180_000))),
            option("systemPrompt", text(), NotSet),
            option("provider", one_of(&["anthropic", "vertex", "vertex-anthropic"]), Default(json!("anthropic"))),
            option("isolate", flag(), Default(json!(true))),
            option("cwd", text(), Described(WORKING_FOLDER)),
            env(),
        ],
    }
}

pub(super) fn codex_cli() -> KnownClient {
    KnownClient {
        name: "codex-cli",
        description: "The Codex command line, headless",
        tool_metadata: true,
        requirements: Requirements {
            os: vec![],
            install: lines(["the Codex command line, as `codex` on PATH"]),
            credentials: lines([
                "OPENAI_API_KEY",
                "or a gateway that serves the Responses API (OPENAI_BASE_URL with OPENAI_API_KEY or MST_LLM_AUTH_COMMAND)",
            ]),
            setup: vec![],
        },
        options: vec![
            option("model", text(), Described("Codex's own")),
            option("timeout", whole(), Default(json!(300_000))),
            option("systemPrompt", text(), NotSet),
            option("reasoningEffort", text(), Described("Codex's own")),
            option(
                "sandbox",
                one_of(&["read-only", "workspace-write", "danger-full-access"]),
                Described("read-only; danger-full-access when MST_JUDGE_SANDBOX is `container`"),
            ),
            option("webSearch", flag(), Default(json!(false))),
            option("cwd", text(), Described(WORKING_FOLDER)),
            option("apiKeyEnvVar", text(), Described("OPENAI_API_KEY, or the gateway's credential")),
            env(),
        ],
    }
}
