//! From a request to an answer: picks the reply, resolves its tools, renders it in the request's wire form.

use bytes::Bytes;
use serde_json::Value;

use super::automatic;
use super::delivery::Answer;
use super::form::Form;
use super::render::{self, Ids, NamedCall, Turn};
use super::reply::{Fault, RawReply, Reply};
use super::request::RecordedRequest;
use super::script::{Fallback, Order, Script};
use super::view::View;

/// Which reply a script gives for a request.
pub(crate) enum Choice {
    /// A reply of the script, with the places of its rule and of itself.
    Scripted { reply: Reply, rule: usize, step: usize },
    /// A random fault in place of any reply.
    Struck(Reply),
    /// A rule matched and has no reply left.
    Exhausted { rule: usize },
    /// No rule matched: the automatic reply, or none for a strict script.
    Unmatched(Option<Reply>),
}

/// Picks the reply; `arrivals` counts each rule's requests and is advanced.
pub(crate) fn choose(script: &Script, arrivals: &mut Vec<usize>, request: &RecordedRequest, view: &View) -> Choice {
    let Some((place, rule)) = script.rules.iter().enumerate().find(|(_, rule)| rule.when.is_met(request, view)) else {
        return Choice::Unmatched((script.fallback == Fallback::Automatic).then(|| automatic::reply(view)));
    };
    if arrivals.len() <= place {
        arrivals.resize(place + 1, 0);
    }
    let arrival = arrivals[place];
    arrivals[place] += 1;
    let step = match rule.order() {
        Order::Turn => view.assistant_turns,
        Order::Arrival => arrival,
    };
    match rule.reply(step) {
        Some(reply) => Choice::Scripted { reply: reply.clone(), rule: place, step },
        None => Choice::Exhausted { rule: place },
    }
}

/// Renders a reply for a request.
pub(crate) fn answer(form: Form, request: &RecordedRequest, view: &View, reply: &Reply, ids: &Ids) -> Answer {
    if let Some(Fault::Status { status, message, headers }) = &reply.fault {
        let mut answer = Answer::json(*status, &render::error(form, *status, message));
        answer.headers = headers.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
        answer.fault.clone_from(&reply.fault);
        return answer;
    }
    let mut answer = match &reply.raw {
        Some(raw) => raw_answer(form, request, raw),
        None => match rendered(view, reply, request.model.as_deref().unwrap_or("fake-model"), ids) {
            Ok(turn) => whole(form, request, 200, &render::body(form, &turn)),
            Err(problem) => refusal(form, &problem),
        },
    };
    answer.fault.clone_from(&reply.fault);
    answer
}

/// Answers 400 for a request that the script does not provide for.
pub(crate) fn refusal(form: Form, message: &str) -> Answer {
    Answer::json(400, &render::error(form, 400, message))
}

fn rendered<'a>(view: &View, reply: &'a Reply, model: &'a str, ids: &'a Ids) -> Result<Turn<'a>, String> {
    let calls: Result<Vec<NamedCall>, String> = reply
        .tool_calls
        .iter()
        .map(|call| Ok(NamedCall { name: call.resolve(view)?, arguments: call.arguments.clone(), id: call.id.clone() }))
        .collect();
    let text = reply.text.as_ref().map(|text| {
        let result = view.tool_results.last().map_or("", |result| result.text.as_str());
        text.replace("{{last_tool_result}}", result).replace("{{last_user_text}}", view.last_user_text())
    });
    Ok(Turn { reply, text, calls: calls?, model, ids })
}

fn raw_answer(form: Form, request: &RecordedRequest, raw: &RawReply) -> Answer {
    let body = raw.bodies.get(&form).unwrap_or(&raw.body);
    let mut answer = match body {
        Value::String(text) => Answer {
            content_type: "text/plain",
            pieces: vec![Bytes::from(text.clone())],
            ..Answer::json(raw.status, &Value::Null)
        },
        body => whole(form, request, raw.status, body),
    };
    answer.headers = raw.headers.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    answer
}

/// Sends a body whole, or as a stream when one is asked for and the answer is no error.
fn whole(form: Form, request: &RecordedRequest, status: u16, body: &Value) -> Answer {
    if !request.stream || status >= 400 {
        return Answer::json(status, body);
    }
    let stream = render::stream(form, &request.query, body);
    Answer {
        content_type: stream.content_type,
        pieces: stream.pieces.into_iter().map(Bytes::from).collect(),
        ..Answer::json(status, &Value::Null)
    }
}
