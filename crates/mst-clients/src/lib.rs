//! Built-in clients under test.
