//! What every report says in the same words.

/// The nine capabilities that the method does not score.
pub(crate) const NOT_MEASURED: [&str; 9] = [
    "a manifest through which a model can ask what the server is able to do",
    "confirmation of whose account or tenant a call acts on",
    "a check of permissions before a call",
    "dry runs",
    "idempotency keys",
    "resolving things by the names people give them",
    "errors that say what to do next",
    "quotas and rate limits as data",
    "queries where there would be long lists",
];

/// What follows from that.
pub(crate) const NOT_MEASURED_MEANS: &str = "Safety, legibility and discoverability come from what a judge did with the \
declared surface. That goes along with some of these and stands in for none of them. No tool was executed and no source was \
read: a high score says that a model uses the surface well, not that the implementation is right or safe to hand to an \
autonomous agent.";

/// What the number means.
pub(crate) const A_MEASUREMENT: &str =
    "A score is a measurement under one judge configuration, not a verdict. Anyone may check it and dispute it:";

/// What is said of every suggested description.
pub(crate) const SUGGESTIONS_ARE_HYPOTHESES: &str = "A suggestion was written from the tool's name, schema and current \
description alone; nobody saw the implementation. Check each against what the tool really does: used unchecked, it can raise \
the score and make the description less true.";

/// Why the parts may seem not to add up.
pub(crate) const ROUNDING: &str = "Texts round to one decimal and the grade is taken from the exact sum; the report's JSON holds every number as computed.";

/// What counts twice.
pub(crate) const COUNTS_TWICE: &str = "Selection accuracy stands in two categories and drives 26 of the 100 points.";
