//! Where traces go and how: the standard variables of OpenTelemetry, read from an environment value.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue};
use percent_encoding::percent_decode_str;
use url::Url;

use super::encoding::Encoding;

/// How long a collector has to take a request, unless said otherwise; the standard's default.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(10);

/// Where traces go and how.
#[derive(Clone)]
pub struct ExportSettings {
    /// The address that traces are posted to.
    pub(super) endpoint: Url,
    /// What every request carries. May hold credentials, so nothing prints it.
    pub(super) headers: HeaderMap,
    /// How long a request may take.
    pub(super) timeout: Duration,
    pub(super) encoding: Encoding,
    /// Whether requests are compressed.
    pub(super) gzip: bool,
    /// Attributes of the resource that spans are of, in the order they were given.
    pub(super) resource: Vec<(String, String)>,
}

/// A variable that cannot be used. Its value is not told: it may be a credential.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{variable} {problem}")]
pub struct SettingError {
    /// The variable, or the flag in its place.
    pub variable: String,
    /// What is wrong with it.
    pub problem: String,
}

impl ExportSettings {
    /// Reads the settings from the environment. `None` when traces are not asked for: no endpoint is set,
    /// `OTEL_SDK_DISABLED` is true, or `OTEL_TRACES_EXPORTER` names no `otlp`.
    ///
    /// # Errors
    /// When a variable has no meaning.
    pub fn from_env(env: &BTreeMap<String, String>) -> Result<Option<Self>, SettingError> {
        let variables = Variables(env);
        let is_disabled = variables.get("OTEL_SDK_DISABLED").is_some_and(|value| value.eq_ignore_ascii_case("true"));
        let exporters = variables.get("OTEL_TRACES_EXPORTER").unwrap_or("otlp");
        if is_disabled || !exporters.split(',').any(|name| name.trim() == "otlp") {
            return Ok(None);
        }
        let endpoint = if let Some(text) = variables.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") {
            parse_url("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", text)?
        } else if let Some(text) = variables.get("OTEL_EXPORTER_OTLP_ENDPOINT") {
            under(parse_url("OTEL_EXPORTER_OTLP_ENDPOINT", text)?)
        } else {
            return Ok(None);
        };
        Self::read(endpoint, &variables).map(Some)
    }

    /// Makes the settings for a collector that was named otherwise, such as by a flag called `name`: the root that
    /// `OTEL_EXPORTER_OTLP_ENDPOINT` would give, or the whole address when it ends in `/v1/traces`. The other variables hold.
    ///
    /// # Errors
    /// When the address is none, or a variable has no meaning.
    pub fn for_endpoint(name: &str, endpoint: &str, env: &BTreeMap<String, String>) -> Result<Self, SettingError> {
        let url = parse_url(name, endpoint)?;
        let endpoint = if url.path().ends_with("/v1/traces") { url } else { under(url) };
        Self::read(endpoint, &Variables(env))
    }

    /// Returns the collector's address without user, password and query, for messages.
    pub fn shown_endpoint(&self) -> String {
        let mut bare = self.endpoint.clone();
        // An address that can have no user has none to take out.
        let _kept = bare.set_username("").and_then(|()| bare.set_password(None));
        bare.set_query(None);
        bare.set_fragment(None);
        bare.to_string()
    }

    /// Returns how long a request may take.
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    fn read(endpoint: Url, variables: &Variables<'_>) -> Result<Self, SettingError> {
        let encoding = match variables.of_traces("PROTOCOL") {
            (_, None | Some("http/protobuf")) => Encoding::Protobuf,
            (_, Some("http/json")) => Encoding::Json,
            (name, Some("grpc")) => {
                return Err(wrong(&name, "is grpc, which is not spoken here; use http/protobuf or http/json"));
            }
            (name, Some(_)) => return Err(wrong(&name, "is neither http/protobuf nor http/json")),
        };
        let timeout = match variables.of_traces("TIMEOUT") {
            (_, None) => DEFAULT_TIMEOUT,
            (name, Some(text)) => match text.parse::<u64>() {
                Ok(millis) if millis > 0 => Duration::from_millis(millis),
                _ => return Err(wrong(&name, "is not a number of milliseconds above 0")),
            },
        };
        let gzip = match variables.of_traces("COMPRESSION") {
            (_, None | Some("none")) => false,
            (_, Some("gzip")) => true,
            (name, Some(_)) => return Err(wrong(&name, "is neither gzip nor none")),
        };
        let (name, text) = variables.of_traces("HEADERS");
        let headers = read_headers(&name, text.unwrap_or_default())?;
        Ok(Self { endpoint, headers, timeout, encoding, gzip, resource: resource(variables)? })
    }
}

/// Shows the settings without their headers.
impl fmt::Debug for ExportSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExportSettings")
            .field("endpoint", &self.shown_endpoint())
            .field("timeout", &self.timeout)
            .field("encoding", &self.encoding)
            .finish_non_exhaustive()
    }
}

/// The environment; a variable that is empty counts as not set, as the standard says.
struct Variables<'a>(&'a BTreeMap<String, String>);

impl Variables<'_> {
    fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(|value| value.trim()).filter(|value| !value.is_empty())
    }

    /// Returns a setting of the exporter with the variable it is from: the one for traces alone, else the one for everything.
    fn of_traces(&self, setting: &str) -> (String, Option<&str>) {
        let own = format!("OTEL_EXPORTER_OTLP_TRACES_{setting}");
        if let Some(value) = self.get(&own) {
            return (own, Some(value));
        }
        let general = format!("OTEL_EXPORTER_OTLP_{setting}");
        let value = self.get(&general);
        (general, value)
    }
}

fn wrong(variable: &str, problem: &str) -> SettingError {
    SettingError { variable: variable.to_owned(), problem: problem.to_owned() }
}

fn parse_url(variable: &str, text: &str) -> Result<Url, SettingError> {
    let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    url.ok_or_else(|| wrong(variable, "is not an http or https address"))
}

/// Returns where traces go below a collector's root.
fn under(mut root: Url) -> Url {
    let path = format!("{}/v1/traces", root.path().trim_end_matches('/'));
    root.set_path(&path);
    root
}

/// Reads `name=value` between commas, with percent escapes in values.
fn pairs<'a>(
    variable: &'a str,
    text: &'a str,
) -> impl Iterator<Item = Result<(&'a str, String), SettingError>> + use<'a> {
    text.split(',').map(str::trim).filter(|pair| !pair.is_empty()).map(move |pair| {
        let (name, value) =
            pair.split_once('=').ok_or_else(|| wrong(variable, "holds a part that is not name=value"))?;
        let value = percent_decode_str(value.trim()).decode_utf8();
        let value = value.map_err(|_| wrong(variable, "holds a value whose escapes are not UTF-8"))?;
        Ok((name.trim(), value.into_owned()))
    })
}

fn read_headers(variable: &str, text: &str) -> Result<HeaderMap, SettingError> {
    let mut headers = HeaderMap::new();
    for pair in pairs(variable, text) {
        let (name, value) = pair?;
        let name =
            HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong(variable, "names a header that cannot be"))?;
        let mut value =
            HeaderValue::from_str(&value).map_err(|_| wrong(variable, "holds a value that no header can have"))?;
        value.set_sensitive(true);
        headers.append(name, value);
    }
    Ok(headers)
}

/// Returns the attributes of the resource; `OTEL_SERVICE_NAME` comes before a `service.name` among the others.
fn resource(variables: &Variables<'_>) -> Result<Vec<(String, String)>, SettingError> {
    const NAME: &str = "OTEL_RESOURCE_ATTRIBUTES";
    let mut given = Vec::new();
    for pair in pairs(NAME, variables.get(NAME).unwrap_or_default()) {
        let (name, value) = pair?;
        given.push((name.to_owned(), value));
    }
    let own = given.iter().position(|(name, _)| name == "service.name").map(|at| given.remove(at).1);
    let service = variables.get("OTEL_SERVICE_NAME").map(str::to_owned).or(own).unwrap_or_else(|| "mst".to_owned());
    given.insert(0, ("service.name".to_owned(), service));
    Ok(given)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> Result<Option<ExportSettings>, SettingError> {
        ExportSettings::from_env(&pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect())
    }

    #[test]
    fn an_endpoint_turns_traces_on_and_three_variables_turn_them_off() {
        const BASE: (&str, &str) = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://u:pw@127.0.0.1:4318/base/?k=v");
        for (variables, want) in [
            (vec![], None),
            (vec![("OTEL_EXPORTER_OTLP_ENDPOINT", " ")], None),
            (vec![BASE], Some("http://127.0.0.1:4318/base/v1/traces")),
            (vec![("OTEL_EXPORTER_OTLP_ENDPOINT", "http://h:4318")], Some("http://h:4318/v1/traces")),
            (vec![BASE, ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://h/in")], Some("https://h/in")),
            (vec![BASE, ("OTEL_SDK_DISABLED", "TRUE")], None),
            (vec![BASE, ("OTEL_SDK_DISABLED", "no")], Some("http://127.0.0.1:4318/base/v1/traces")),
            (vec![BASE, ("OTEL_TRACES_EXPORTER", "none")], None),
            (vec![BASE, ("OTEL_TRACES_EXPORTER", "console, otlp")], Some("http://127.0.0.1:4318/base/v1/traces")),
        ] {
            let read = read(&variables).expect("every variable has a meaning");
            assert_eq!(read.map(|settings| settings.shown_endpoint()).as_deref(), want, "{variables:?}");
        }
    }

    #[test]
    fn the_variables_for_traces_alone_come_first_and_services_have_a_name() {
        let read = |variables: &[(&str, &str)]| {
            let base = [("OTEL_EXPORTER_OTLP_ENDPOINT", "http://h")];
            read(&[&base[..], variables].concat()).expect("every variable has a meaning").expect("an endpoint")
        };
        let settings = read(&[
            ("OTEL_EXPORTER_OTLP_HEADERS", "authorization=Basic%20c2VjcmV0, x-a = 1 "),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"),
            ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/protobuf"),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "250"),
            ("OTEL_EXPORTER_OTLP_TRACES_COMPRESSION", "gzip"),
            ("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=ci%2Fnightly,service.name=from-attributes"),
        ]);
        assert_eq!((settings.encoding, settings.gzip), (Encoding::Protobuf, true));
        assert_eq!(settings.timeout, Duration::from_millis(250));
        assert_eq!(settings.headers["authorization"], "Basic c2VjcmV0");
        assert_eq!(settings.headers["x-a"], "1");
        let shown = format!("{settings:?}");
        assert!(!shown.contains("c2VjcmV0") && !shown.contains("Basic"), "{shown}");
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let environment = pair("deployment.environment.name", "ci/nightly");
        assert_eq!(settings.resource, [pair("service.name", "from-attributes"), environment]);
        assert_eq!(read(&[("OTEL_SERVICE_NAME", "evals")]).resource, [pair("service.name", "evals")]);
        assert_eq!(read(&[]).resource, [pair("service.name", "mst")]);
    }

    #[test]
    fn a_variable_without_a_meaning_is_named_and_its_value_is_not() {
        for (name, value) in [
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4317"),
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "secret"),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
            ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "secret"),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "secret"),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "0"),
            ("OTEL_EXPORTER_OTLP_COMPRESSION", "secret"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "secret"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "a b=secret"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "a=%ff"),
            ("OTEL_RESOURCE_ATTRIBUTES", "secret"),
        ] {
            let base = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://h");
            let error = read(&[base, (name, value)]).expect_err(value).to_string();
            assert!(error.starts_with(name) && !error.contains("secret"), "{error}");
        }
    }
}
