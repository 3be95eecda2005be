//! The engine with a scripted client in place of a real one, and no server.

mod collection;
mod durability;
mod ending;
mod limits;
mod scripted;
