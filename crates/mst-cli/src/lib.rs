//! What the binaries share at the terminal: Ui, diagnostics, exit classes, environment.
