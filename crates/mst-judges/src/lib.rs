//! The built-in judges and their prompts. They are reached through the registry alone, as a plugin's are.
