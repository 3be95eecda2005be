//! What a request holds, in words that are the same for every provider.

use serde::Serialize;
use serde_json::Value;

/// The content of a model request, whatever its wire form.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct View {
    /// System and developer texts, joined by newlines.
    pub system: String,
    /// User and assistant messages that have a text, in order.
    pub messages: Vec<Message>,
    /// The tools offered.
    pub tools: Vec<OfferedTool>,
    /// Tool results, in order.
    pub tool_results: Vec<ToolResult>,
    /// Tool calls of earlier assistant turns, in order.
    pub assistant_calls: Vec<AssistantCall>,
    /// Assistant turns in the request; neighbouring assistant messages count once.
    pub assistant_turns: usize,
    /// Whether the request ends with tool results, so that the model answers to them.
    pub ends_with_results: bool,
}

/// A user or assistant message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// The text blocks, joined by newlines.
    pub text: String,
}

/// Who speaks in a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The user.
    User,
    /// The model.
    Assistant,
}

/// A tool as it was offered to the model.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OfferedTool {
    /// The presented name.
    pub name: String,
    /// The description, empty when absent.
    pub description: String,
    /// The input schema as sent, null when absent.
    pub schema: Value,
    /// The whole declaration as sent.
    pub raw: Value,
}

/// A tool result in the request.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ToolResult {
    /// The id of the call that it answers, when the form has ids.
    pub id: Option<String>,
    /// The tool's name: as sent, else that of the call with the same id, or in the same place.
    pub name: Option<String>,
    /// The text, blocks joined by newlines; JSON text for a JSON result.
    pub text: String,
    /// Whether it is marked as an error, where the form can say so.
    pub is_error: Option<bool>,
    /// The content as sent.
    pub content: Value,
}

/// A tool call that an earlier assistant turn of the request made.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AssistantCall {
    /// The call's id, when the form has ids.
    pub id: Option<String>,
    /// The tool's presented name.
    pub name: String,
    /// The arguments as sent: text in the OpenAI forms, JSON in the others.
    pub arguments: Value,
}

/// One thing of a conversation, in order; the readers of wire forms produce these.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Item {
    System(String),
    User(String),
    Assistant(String),
    Call(AssistantCall),
    Result(ToolResult),
}

impl View {
    /// Gathers a conversation's items.
    pub(crate) fn of(items: Vec<Item>, tools: Vec<OfferedTool>) -> Self {
        let mut view = Self { tools, ..Self::default() };
        let mut in_assistant_turn = false;
        for item in items {
            let is_assistant = matches!(item, Item::Assistant(_) | Item::Call(_));
            if is_assistant && !in_assistant_turn {
                view.assistant_turns += 1;
            }
            in_assistant_turn = is_assistant;
            match item {
                Item::System(text) => {
                    if !view.system.is_empty() {
                        view.system.push('\n');
                    }
                    view.system.push_str(&text);
                    continue;
                }
                Item::User(text) => view.messages.push(Message { role: Role::User, text }),
                Item::Assistant(text) if text.is_empty() => {}
                Item::Assistant(text) => view.messages.push(Message { role: Role::Assistant, text }),
                Item::Call(call) => view.assistant_calls.push(call),
                Item::Result(mut result) => {
                    if result.name.is_none() && result.id.is_some() {
                        let call = view.assistant_calls.iter().rev().find(|call| call.id == result.id);
                        result.name = call.map(|call| call.name.clone());
                    }
                    if result.name.is_none() {
                        // Some forms have no ids; their results stand in the order of the calls.
                        let call = view.assistant_calls.get(view.tool_results.len()).filter(|call| call.id.is_none());
                        result.name = call.map(|call| call.name.clone());
                    }
                    view.tool_results.push(result);
                    view.ends_with_results = true;
                    continue;
                }
            }
            view.ends_with_results = false;
        }
        view
    }

    /// Returns the user messages' texts in order.
    pub fn user_texts(&self) -> impl Iterator<Item = &str> {
        self.messages.iter().filter(|message| message.role == Role::User).map(|message| message.text.as_str())
    }

    /// Returns the last user text, empty when there is none.
    pub fn last_user_text(&self) -> &str {
        self.user_texts().last().unwrap_or_default()
    }

    /// Returns the first user text, empty when there is none: what the conversation is about.
    pub fn prompt(&self) -> &str {
        self.user_texts().next().unwrap_or_default()
    }

    /// Returns the offered tools' names in order.
    pub fn tool_names(&self) -> Vec<&str> {
        self.tools.iter().map(|tool| tool.name.as_str()).collect()
    }

    /// Finds an offered tool by its presented name.
    pub fn tool(&self, name: &str) -> Option<&OfferedTool> {
        self.tools.iter().find(|tool| tool.name == name)
    }
}
