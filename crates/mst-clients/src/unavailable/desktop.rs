//! Clients that are desktop apps: ChatGPT, Codex inside it, and Claude Desktop in Cowork mode.

use mst_model::Requirements;
use serde_json::json;

use super::option::Omitted::{Default, Described, NotSet, Required};
use super::option::{ClientOption, env, flag, one_of, option, text, texts, whole};
use super::{KnownClient, lines};

const PERMISSIONS: &str = "macOS: the Xcode Command Line Tools, and the permissions Accessibility and Screen Recording for the terminal that runs mst";
const PLANNER: &str =
    "macOS: ANTHROPIC_API_KEY or a gateway, for the Computer Use planner; on Linux there is no planner";
const PLANNER_MODEL: &str = "macOS: MST_COWORK_CUA_MODEL, else claude-sonnet-4-6; Linux: no planner";
const OPENAI_IMAGE: &str = "Linux image: OPENAI_API_KEY, or a gateway that serves the Responses API (OPENAI_BASE_URL with OPENAI_API_KEY or MST_LLM_AUTH_COMMAND)";

pub(super) fn chatgpt() -> KnownClient {
    KnownClient {
        name: "chatgpt",
        description: "The ChatGPT desktop app",
        tool_metadata: false,
        requirements: Requirements {
            os: lines(["macos", "linux"]),
            install: lines([
                "macOS: the ChatGPT app, signed in",
                PERMISSIONS,
                "Linux: the ChatGPT image (--runner docker)",
            ]),
            credentials: lines([PLANNER, OPENAI_IMAGE]),
            setup: lines(["Docker: mst runner setup docker --config <a ChatGPT eval>"]),
        },
        options: chatgpt_options(),
    }
}

pub(super) fn codex_app() -> KnownClient {
    KnownClient {
        name: "codex-app",
        description: "Codex inside the ChatGPT desktop app",
        tool_metadata: false,
        requirements: Requirements {
            os: lines(["macos", "linux"]),
            install: lines([
                "macOS: the ChatGPT app, signed in with access to Codex",
                PERMISSIONS,
                "Linux: the ChatGPT image (--runner docker), whose app runs Codex",
            ]),
            credentials: lines([PLANNER, OPENAI_IMAGE]),
            setup: lines(["Docker: mst runner setup docker --config <a Codex app eval>"]),
        },
        options: chatgpt_options(),
    }
}

fn chatgpt_options() -> Vec<ClientOption> {
    vec![
        option("model", text(), Required),
        option("reasoningEffort", text(), Described("the app's own")),
        option("timeout", whole(), Default(json!(300_000))),
        env(),
        option("plugins", texts(), Described("no marketplace plugins (Linux only)")),
        option("configPath", text(), Described("config.toml of the app's profile on the machine of the trial")),
        option("requireMcpCalls", flag(), Default(json!(false))),
        option("correlation", one_of(&["exact_prompt"]), Default(json!("exact_prompt"))),
        option("maxActions", whole(), Described("macOS: 32; Linux: 24")),
        option("computerUseModel", text(), Described(PLANNER_MODEL)),
    ]
}

pub(super) fn cowork() -> KnownClient {
    KnownClient {
        name: "cowork",
        description: "Claude Desktop in Cowork mode",
        tool_metadata: true,
        requirements: Requirements {
            os: lines(["macos", "linux"]),
            install: lines([
                "macOS: Claude Desktop, signed in",
                PERMISSIONS,
                "Linux: the Cowork image (--runner docker), or a prepared desktop with Claude Desktop",
            ]),
            credentials: lines([
                "macOS, third-party (the default): ANTHROPIC_API_KEY, unless managed preferences set the provider",
                "macOS, first-party: the Claude account that is signed in; no key is installed",
                PLANNER,
                "Linux image: ANTHROPIC_API_KEY, or a gateway (ANTHROPIC_BASE_URL with MST_LLM_AUTH_COMMAND or ANTHROPIC_AUTH_TOKEN)",
            ]),
            setup: lines([
                "macOS, third-party: mst cowork setup, then sign in to Claude Desktop once",
                "macOS, first-party: no setup command; Claude Desktop and Chrome signed in to one account with its connectors, and Chrome's DevTools on loopback (MST_CLAUDE_AI_DEBUG_PORT, default 9222)",
                "Docker: mst runner setup docker",
            ]),
        },
        options: vec![
            option("maxActions", whole(), Default(json!(24))),
            option("hitlMaxActions", whole(), Default(json!(12))),
            option("computerUseModel", text(), Described(PLANNER_MODEL)),
            option("dataDir", text(), Described("Claude Desktop's session folder on the machine of the trial")),
            option("appVersion", text(), Described("the installed app's version (macOS only)")),
            option("pluginRoots", texts(), NotSet),
            option("mcpDataRoot", text(), NotSet),
            option("mode", one_of(&["third-party", "first-party"]), Default(json!("third-party"))),
            option("connectors", json!({}), Described("first-party: the selected servers, read-only")),
            option("timeout", whole(), Default(json!(900_000))),
            option("model", text(), Described("Cowork's own")),
            env(),
            option("plugins", texts(), Described("no marketplace plugins")),
        ],
    }
}
