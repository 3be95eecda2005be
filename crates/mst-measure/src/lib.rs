//! Numbers: metrics, rates, intervals, tests, summaries. Pure functions.
