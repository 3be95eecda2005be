//! Sessions with servers that behave, and with servers that do not.

mod ahead;
mod calls;
mod conformance;
mod handshake;
mod http;
mod http_faults;
mod lifetime;
mod listing;
mod pool;
mod real_servers;
mod requests;
mod secure;
mod support;
