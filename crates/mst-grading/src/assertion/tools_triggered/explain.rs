//! What a failed `toolsTriggered` says: the expected call, the closest observed one, the first difference.

use mst_model::{CallOrder, EventKind, EventSource, ExpectedCall};

use super::Call;
use super::argument::Difference;
use crate::excerpt;
use crate::no_verdict::NoVerdict;
use crate::observed::Observed;

/// What the grader found out, by call and event.
pub(super) struct Matching<'a> {
    pub(super) calls: &'a [Call<'a>],
    pub(super) events: &'a [Observed],
    /// Whether an event is of a call, whatever the arguments.
    pub(super) of: &'a [Vec<bool>],
    /// Whether an event satisfies a call.
    pub(super) fits: &'a [Vec<bool>],
    /// Which event serves which call.
    pub(super) assigned: &'a [Option<usize>],
}

/// Explains why a required call has no event.
pub(super) fn missed(matching: &Matching<'_>, call: usize, order: CallOrder) -> Result<String, NoVerdict> {
    let expected = matching.calls[call].expected;
    let head = format!("expected call: {}", describe(expected));
    let closest = |event: usize, what: &str| {
        format!("{head}\nclosest observed call: {} (event {event})\n{what}", matching.events[event].describe())
    };
    if let Some(event) = (0..matching.events.len()).find(|&event| matching.fits[call][event]) {
        return Ok(closest(event, &taken(matching, call, order)));
    }
    if let Some((event, difference)) = closest_of(matching, call)? {
        return Ok(closest(event, &difference));
    }
    Ok(match closest_name(expected, matching.events) {
        Some((event, difference)) => closest(event, &difference),
        None => format!("{head}\nnothing was called"),
    })
}

/// Explains a call whose matching events serve other calls, or come at the wrong place.
fn taken(matching: &Matching<'_>, call: usize, order: CallOrder) -> String {
    let matches = matching.fits[call].iter().filter(|fit| **fit).count();
    match order {
        CallOrder::Any if matches == 1 => {
            "first difference: the number of calls: every expected call needs an event of \
            its own, and this one serves another"
                .to_owned()
        }
        CallOrder::Any => format!(
            "first difference: the number of calls: every expected call needs an event of its own, and all {matches} that \
             match serve others"
        ),
        CallOrder::Strict => {
            let before = (0..call)
                .rev()
                .find_map(|earlier| matching.assigned[earlier].map(|event| (matching.calls[earlier].expected, event)));
            match before {
                Some((earlier, event)) => format!(
                    "first difference: the order: expected after {} (event {event}), each with an event of its own",
                    describe(earlier)
                ),
                None => "first difference: the order: expected before the calls listed after it".to_owned(),
            }
        }
    }
}

/// Returns the event of a call with the fewest differences in its arguments, and the first of them. One that serves no
/// other call comes first among equals.
fn closest_of(matching: &Matching<'_>, call: usize) -> Result<Option<(usize, String)>, NoVerdict> {
    let mut best: Option<((usize, bool), usize, String)> = None;
    for (event, observed) in matching.events.iter().enumerate() {
        if !matching.of[call][event] {
            continue;
        }
        let serves = matching.assigned.contains(&Some(event));
        let (count, text) = match (&matching.calls[call].arguments, &observed.raw_arguments) {
            (Some(_), Some(raw)) => {
                let raw = excerpt::json(&serde_json::Value::from(raw.as_str()));
                (usize::MAX, format!("first difference: $: expected an object, observed the text {raw}"))
            }
            (Some(want), None) => {
                let differences = want.differences(&observed.arguments)?;
                let count = differences.len();
                let Some(Difference { path, expected, observed }) = differences.into_iter().next() else { continue };
                (count, format!("first difference: {path}: expected {expected}, observed {observed}"))
            }
            (None, _) => continue,
        };
        let rank = (count, serves);
        if best.as_ref().is_none_or(|(least, _, _)| rank < *least) {
            best = Some((rank, event, text));
        }
    }
    Ok(best.map(|(_, event, text)| (event, text)))
}

/// Returns the event whose name is closest, and the first part of its identity that differs.
fn closest_name(expected: &ExpectedCall, events: &[Observed]) -> Option<(usize, String)> {
    let likeness = |event: &Observed| {
        if event.has_name(&expected.name) {
            return 2.0;
        }
        let qualified = event.server.as_ref().map(|server| format!("{server}.{}", event.name));
        let bare = strsim::jaro_winkler(&event.name, &expected.name);
        qualified.map_or(bare, |name| bare.max(strsim::jaro_winkler(&name, &expected.name)))
    };
    let (event, _) =
        events.iter().map(likeness).enumerate().reduce(|best, next| if next.1 > best.1 { next } else { best })?;
    Some((event, format!("first difference: {}", identity_difference(expected, &events[event]))))
}

fn identity_difference(expected: &ExpectedCall, event: &Observed) -> String {
    if !event.has_name(&expected.name) {
        return format!("the name: expected {:?}, observed {:?}", expected.name, excerpt::shorten(&event.name, 200));
    }
    if let Some(server) = expected.server.as_ref().filter(|server| event.server.as_ref() != Some(server)) {
        let observed =
            event.server.as_ref().map_or_else(|| "none".to_owned(), |server| format!("{:?}", server.as_str()));
        return format!("the server: expected {:?}, observed {observed}", server.as_str());
    }
    if let Some(kind) = expected.kind.filter(|kind| *kind != event.kind) {
        return format!("the kind: expected {}, observed {}", kind_word(kind), kind_word(event.kind));
    }
    let source = expected.source.unwrap_or(event.source);
    format!("the source: expected {}, observed {}", source_word(source), source_word(event.source))
}

/// Lists the events that no expected call is of.
pub(super) fn unexpected(events: &[Observed], is_expected: &[bool]) -> Option<String> {
    const MOST: usize = 10;
    let lines: Vec<String> = events
        .iter()
        .enumerate()
        .filter(|(event, _)| !is_expected[*event])
        .map(|(at, event)| format!("unexpected call: {} (event {at})", event.describe()))
        .collect();
    let more = lines.len().saturating_sub(MOST);
    let mut text = lines.into_iter().take(MOST).collect::<Vec<_>>().join("\n");
    if more > 0 {
        text = format!("{text}\nand {more} more unexpected calls");
    }
    (!text.is_empty()).then_some(text)
}

fn describe(expected: &ExpectedCall) -> String {
    let arguments = expected.arguments.as_ref().map(|arguments| format!(" {}", excerpt::object(arguments)));
    let selectors = [
        expected.server.as_ref().map(|server| format!("server {server}")),
        expected.kind.map(|kind| format!("kind {}", kind_word(kind))),
        expected.source.map(|source| format!("source {}", source_word(source))),
    ];
    let selectors: Vec<String> = selectors.into_iter().flatten().collect();
    let selectors = if selectors.is_empty() { String::new() } else { format!(" ({})", selectors.join(", ")) };
    format!("{}{}{selectors}", expected.name, arguments.unwrap_or_default())
}

fn kind_word(kind: EventKind) -> &'static str {
    match kind {
        EventKind::ToolCall => "tool_call",
        EventKind::Skill => "skill",
        EventKind::Command => "command",
        EventKind::Subagent => "subagent",
        EventKind::ToolSearch => "tool_search",
    }
}

fn source_word(source: EventSource) -> &'static str {
    match source {
        EventSource::Mcp => "mcp",
        EventSource::Builtin => "builtin",
    }
}
