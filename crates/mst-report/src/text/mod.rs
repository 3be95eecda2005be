//! Texts and numbers in a form that can be shown.

pub(crate) mod document;
pub(crate) mod line;
pub(crate) mod markdown;
pub(crate) mod measured;
pub(crate) mod number;
pub(crate) mod visible;

pub(crate) use document::Document;
pub(crate) use line::Line;
pub(crate) use visible::Shown;
