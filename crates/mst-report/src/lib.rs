//! Pages and texts from stored results.
//!
//! Everything here is a pure function from what a file holds to a text. What came from a server or a model is data: it is
//! escaped, never markup, a link or a path.
