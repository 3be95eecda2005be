//! A run: write modes, readiness, sessions, collection, grading, saving.
