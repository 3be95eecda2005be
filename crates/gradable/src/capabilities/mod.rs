//! The nine capabilities that the method names and does not score, as far as a declared surface shows them.
//!
//! A declaration is all there is to see: `present` means that it is declared wherever it would matter, `partial` that it is
//! in places, `absent` that nothing declares it. `docs/capabilities.md` has the rules.

mod changing;
mod errors;
mod facts;
mod knowing;
mod naming;

use mst_model::{CapabilityFinding, CapabilityState};

use self::facts::Facts;
use crate::surface::Surface;

/// The most tools and parameters that are named as evidence of one capability.
const SHOWN: usize = 12;

/// Returns the state of each capability, in the order of the method's text.
pub(crate) fn capabilities(surface: &Surface) -> Vec<CapabilityFinding> {
    let facts = Facts::of(surface);
    vec![
        knowing::introspection(&facts),
        knowing::identity(&facts),
        knowing::preflight(&facts),
        changing::dry_run(&facts),
        changing::idempotency(&facts),
        naming::natural_names(&facts),
        errors::errors(&facts),
        knowing::quota(&facts),
        naming::queries(&facts),
    ]
}

/// A capability's state with what shows it.
fn finding(
    name: &str,
    state: CapabilityState,
    evidence: impl IntoIterator<Item = String>,
    reason: impl Into<String>,
) -> CapabilityFinding {
    let mut evidence: Vec<String> = evidence.into_iter().collect();
    evidence.dedup();
    if evidence.len() > SHOWN {
        let more = evidence.len() - SHOWN;
        evidence.truncate(SHOWN);
        evidence.push(format!("and {more} more"));
    }
    CapabilityFinding { name: name.to_owned(), state, evidence, reason: reason.into() }
}

/// The state of what some of those have for which it would matter.
fn state_of(having: usize, all: usize) -> CapabilityState {
    match having {
        0 => CapabilityState::Absent,
        having if having == all => CapabilityState::Present,
        _ => CapabilityState::Partial,
    }
}

#[cfg(test)]
mod tests {
    use mst_model::CapabilityState::{self, Absent, Partial, Present};
    use serde_json::{Value, json};

    use super::capabilities;
    use crate::surface::Surface;

    fn state(tools: Value, name: &str) -> CapabilityState {
        let found = capabilities(&Surface::of(tools));
        found.into_iter().find(|one| one.name == name).expect("every capability is there").state
    }

    fn taking(name: &str, parameters: &[&str]) -> Value {
        let properties: serde_json::Map<String, Value> =
            parameters.iter().map(|name| ((*name).to_owned(), json!({ "type": "string" }))).collect();
        json!({ "name": name, "inputSchema": { "type": "object", "properties": properties, "required": parameters } })
    }

    fn described(name: &str, description: &str) -> Value {
        json!({ "name": name, "description": description, "inputSchema": { "type": "object" } })
    }

    #[test]
    fn all_nine_in_the_order_of_the_method() {
        let names: Vec<String> = capabilities(&Surface::of(json!([]))).into_iter().map(|one| one.name).collect();
        let right = [
            "capability_introspection",
            "identity_and_tenant_confirmation",
            "permission_preflight",
            "dry_run_support",
            "idempotency_keys",
            "natural_name_resolution",
            "actionable_error_semantics",
            "quota_and_rate_state",
            "query_over_list",
        ];
        assert_eq!(names, right);
    }

    #[test]
    fn each_state_by_what_is_declared() {
        let search = taking("search_parts", &["query"]);
        let table = [
            ("capability_introspection", json!([described("list_capabilities", "")]), Present),
            ("capability_introspection", json!([described("get_help", "")]), Partial),
            ("capability_introspection", json!([search]), Absent),
            (
                "identity_and_tenant_confirmation",
                json!([described("whoami", ""), described("list_workspaces", "")]),
                Present,
            ),
            ("identity_and_tenant_confirmation", json!([described("get_current_user", "")]), Partial),
            ("identity_and_tenant_confirmation", json!([described("get_user", "")]), Absent),
            ("permission_preflight", json!([described("check_permission", "")]), Present),
            ("permission_preflight", json!([described("send", "Requires the scope mail.send.")]), Partial),
            ("permission_preflight", json!([search]), Absent),
            ("dry_run_support", json!([taking("delete_part", &["id", "dryRun"])]), Present),
            (
                "dry_run_support",
                json!([taking("delete_part", &["id", "dry_run"]), taking("add_part", &["name"])]),
                Partial,
            ),
            ("dry_run_support", json!([taking("delete_part", &["id"])]), Absent),
            ("dry_run_support", json!([search]), Absent),
            (
                "idempotency_keys",
                json!([taking("pay", &["amount"]), taking("send_mail", &["idempotency_key"])]),
                Partial,
            ),
            ("idempotency_keys", json!([taking("get_bill", &["id"]), taking("send_mail", &["requestId"])]), Present),
            (
                "idempotency_keys",
                json!([{ "name": "set_x", "annotations": { "idempotentHint": true, "readOnlyHint": false } }]),
                Partial,
            ),
            ("idempotency_keys", json!([taking("create_part", &["name"])]), Absent),
            ("natural_name_resolution", json!([taking("get_part", &["part_id"]), search]), Partial),
            ("natural_name_resolution", json!([taking("get_part", &["name"])]), Present),
            ("natural_name_resolution", json!([taking("get_part", &["part_id"])]), Absent),
            (
                "natural_name_resolution",
                json!([{ "name": "get_part", "inputSchema": { "properties": { "part": { "description": "Name or id" }, "id": { "description": "its ID or name" } }, "required": ["id"] } }]),
                Present,
            ),
            (
                "actionable_error_semantics",
                json!([described("send", "Fails when the address is unknown; check it with find.")]),
                Present,
            ),
            (
                "actionable_error_semantics",
                json!([described("send", "Returns an error if it is unknown."), search]),
                Partial,
            ),
            ("actionable_error_semantics", json!([search]), Absent),
            ("quota_and_rate_state", json!([described("get_rate_limit", "")]), Present),
            (
                "quota_and_rate_state",
                json!([described("send", "At most 10 a minute; then rate limits apply.")]),
                Partial,
            ),
            ("quota_and_rate_state", json!([search]), Absent),
            ("query_over_list", json!([taking("list_parts", &["filter"])]), Present),
            ("query_over_list", json!([taking("list_parts", &["filter"]), taking("list_bins", &["page"])]), Partial),
            ("query_over_list", json!([taking("list_bins", &["page"])]), Absent),
            ("query_over_list", json!([search]), Present),
        ];
        for (name, tools, right) in table {
            assert_eq!(state(tools.clone(), name), right, "{name} of {tools}");
        }
    }
}
