//! One trait for a model call, with endpoints, credentials, retries, usage and the offline model.
//!
//! [`Llm`] is the contract. An [`LlmConnector`] makes the model that answers for [`LlmSettings`]; [`check`] says before
//! any call whether that can work, and a tape may stand before it. `wire/` holds the providers' forms as pure functions, `http_clients.rs` is the one
//! module that talks HTTP, [`JsonAnswer`] reads what a model that judges answers, and `offline/` is a model that needs neither network nor key.

mod api_model;
mod arguments;
mod chat;
mod connector;
mod credential;
mod endpoint;
mod failure;
mod gate;
mod http_clients;
mod json_answer;
mod json_text;
mod model_traits;
mod offline;
mod retry;
mod schema;
mod settings;
mod sse;
mod taped;
mod watcher;
mod wire;

pub use chat::{
    AssistantPart, ChatMessage, ChatReply, ChatRequest, Finish, Llm, LlmError, ToolArguments, ToolCall,
    ToolResultMessage, ToolResultPart, ToolSet, ToolSpec,
};
pub use connector::{LlmConnector, check};
pub use json_answer::JsonAnswer;
pub use offline::{LexicalChoice, LexicalSelector, MODEL as OFFLINE_MODEL, OfflineModel, words};
pub use retry::RetryPolicy;
pub use schema::{adapt_tools, declared_tools, most_tools};
pub use settings::LlmSettings;
pub use watcher::CallWatcher;
