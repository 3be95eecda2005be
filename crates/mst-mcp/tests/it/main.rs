//! Sessions with servers that behave, and with servers that do not.

mod calls;
mod handshake;
mod http;
mod lifetime;
mod listing;
mod pool;
mod real_servers;
mod support;
