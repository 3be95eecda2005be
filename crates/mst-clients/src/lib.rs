//! The built-in clients under test.
//!
//! A client runs one input and returns its transcript; it never repeats, judges or decides. [`api_client`] makes the one
//! that asks a model directly through its provider's API, with the servers' tools. [`unavailable_clients`] lists the
//! names that configs may use and this version cannot run, so that a run says so instead of calling them unknown.
//! [`build_tool_surface`] applies a variant's tool metadata to what servers list; every client that presents tools itself
//! uses it.

mod api;
mod surface;
mod unavailable;

pub use api::{ApiDeps, ApiOptions, SkillsMode, api_client, unique_names};
pub use surface::{ListedServer, PresentedTool, SurfaceError, ToolPresentation, build_tool_surface};
pub use unavailable::unavailable_clients;
