//! Requests that take several rounds (revision 2026-07-28): a result that asks for input is answered from the script, and
//! the request is sent again with the inputs.

use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::failure::CallFailure;
use crate::host::Host;
use crate::link::{Delivery, Link, Request, Wait};
use crate::text::cut;

/// How often a server may ask for input before a request is given up, as other clients have it.
const MOST_ROUNDS: u32 = 10;
/// The first pause before a request is sent again to a server that only gave a state to come back with; it doubles.
const PAUSE: Duration = Duration::from_millis(50);
/// The longest such pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// What a round adds to the request's parameters.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Inputs {
    #[serde(skip_serializing_if = "Option::is_none")]
    input_responses: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_state: Option<Value>,
}

/// Sends a request, and again with inputs as long as its result asks for some, all of it within one wait.
pub(crate) async fn request<'a, P: Serialize>(
    link: &Link,
    host: &Host,
    wait: Wait<'_>,
    make: impl Fn(Inputs) -> Request<'a, P>,
) -> Delivery {
    let mut inputs = Inputs::default();
    for round in 0..=MOST_ROUNDS {
        let result = link.request(make(inputs), wait).await?;
        let Some(asked) = Asked::of(&result)? else { return Ok(result) };
        if round == MOST_ROUNDS {
            break;
        }
        if asked.requests.is_none() {
            wait.pause(LONGEST_PAUSE.min(PAUSE * (1 << round))).await?;
        }
        inputs = asked.answer(host).await?;
    }
    let detail = format!("it asked more than {MOST_ROUNDS} times");
    Err(CallFailure::InputRefused { detail })
}

/// What a result asks for.
struct Asked<'r> {
    requests: Option<&'r Map<String, Value>>,
    state: Option<&'r Value>,
}

impl<'r> Asked<'r> {
    /// Reads a result; `None` when it is complete, as one is that does not say.
    fn of(result: &'r Value) -> Result<Option<Self>, CallFailure> {
        match result.get("resultType") {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(kind)) if kind == "complete" => return Ok(None),
            Some(Value::String(kind)) if kind == "input_required" => {}
            Some(kind) => {
                let detail = format!("a result of the type {}", cut(&kind.to_string(), 100));
                return Err(CallFailure::Malformed { detail });
            }
        }
        let requests = result.get("inputRequests").and_then(Value::as_object).filter(|requests| !requests.is_empty());
        let state = result.get("requestState").filter(|state| !state.is_null());
        if requests.is_none() && state.is_none() {
            let detail = "a result that asks for input and says neither for what nor how to come back".to_owned();
            return Err(CallFailure::Malformed { detail });
        }
        Ok(Some(Self { requests, state }))
    }

    /// Answers everything that is asked for, in its order.
    async fn answer(&self, host: &Host) -> Result<Inputs, CallFailure> {
        let mut responses = Map::new();
        for (key, request) in self.requests.into_iter().flatten() {
            let method = request.get("method").and_then(Value::as_str).unwrap_or_default();
            let params = request.get("params").unwrap_or(&Value::Null);
            let answer = match method {
                "elicitation/create" | "sampling/createMessage" | "roots/list" => host.input(method, params).await,
                other => Err(format!("{:?} is nothing to ask for", cut(other, 100))),
            };
            responses.insert(key.clone(), answer.map_err(|detail| CallFailure::InputRefused { detail })?);
        }
        let input_responses = (!responses.is_empty()).then_some(responses);
        Ok(Inputs { input_responses, request_state: self.state.cloned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mst_model::{ServerConfig, ServerLabel, StdioServer};
    use serde_json::json;

    #[test]
    fn only_a_result_that_says_so_asks_for_input() {
        for complete in [json!({}), json!({ "resultType": "complete" }), json!({ "resultType": null }), json!([1])] {
            assert!(matches!(Asked::of(&complete), Ok(None)), "{complete}");
        }
        for malformed in [
            json!({ "resultType": "task" }),
            json!({ "resultType": 7 }),
            json!({ "resultType": "input_required" }),
            json!({ "resultType": "input_required", "inputRequests": {} }),
        ] {
            assert!(matches!(Asked::of(&malformed), Err(CallFailure::Malformed { .. })), "{malformed}");
        }
    }

    #[tokio::test]
    async fn every_request_is_answered_under_its_key_or_the_round_is_over() {
        let answers = json!({ "elicitation": [{ "match": "size", "action": "decline" }], "roots": ["file:///a"] });
        let answers = Some(serde_json::from_value(answers).unwrap());
        let server = ServerConfig::Stdio(StdioServer { answers, ..StdioServer::default() });
        let host = Host::new(&ServerLabel::new("parts"), &server);
        let asked =
            |requests: Value| json!({ "resultType": "input_required", "inputRequests": requests, "requestState": "s" });
        let roots = json!({ "method": "roots/list" });
        let size = json!({ "method": "elicitation/create", "params": { "message": "Which size?" } });
        let result = asked(json!({ "b": roots, "a": size }));
        let inputs = Asked::of(&result).unwrap().unwrap().answer(&host).await.unwrap();
        assert_eq!(
            serde_json::to_value(inputs).unwrap(),
            json!({ "inputResponses": { "b": { "roots": [{ "uri": "file:///a" }] }, "a": { "action": "decline" } },
                "requestState": "s" })
        );
        for (request, want) in [
            (
                json!({ "method": "elicitation/create", "params": { "message": "Which colour?" } }),
                r#"nothing answers its elicitation/create "Which colour?""#,
            ),
            (json!({ "method": "sampling/createMessage" }), "nothing answers its sampling/createMessage"),
            (json!({ "method": "tools/call" }), r#""tools/call" is nothing to ask for"#),
            (json!(7), r#""" is nothing to ask for"#),
        ] {
            let result = asked(json!({ "a": request }));
            let refused = Asked::of(&result).unwrap().unwrap().answer(&host).await.unwrap_err();
            assert_eq!(refused, CallFailure::InputRefused { detail: want.to_owned() });
        }
    }
}
