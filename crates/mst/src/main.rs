//! Evaluates MCP servers: will a model use them well, and did a change make it better?
fn main() {}
