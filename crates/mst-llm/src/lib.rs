//! One trait for a model call, with endpoints, credentials, retries, usage and the offline model.
//!
//! [`Llm`] is the contract; [`connect`] makes the one that answers for a provider. Only `genai.rs` names the library that
//! speaks to providers, so that it can be replaced.

mod chat;

pub use chat::{
    AssistantPart, ChatMessage, ChatReply, ChatRequest, Finish, Llm, LlmError, ToolArguments, ToolCall,
    ToolResultMessage, ToolResultPart, ToolSpec,
};
