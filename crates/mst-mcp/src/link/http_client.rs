//! Where an HTTP server is, what every request to it carries, and the client that sends them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderName, HeaderValue};
use mst_model::{HttpServer, TlsSetting};
use reqwest::{Certificate, Client, Identity, Proxy, Url, redirect};
use rmcp::transport::common::http_header::{HEADER_LAST_EVENT_ID, HEADER_MCP_PROTOCOL_VERSION, HEADER_SESSION_ID};

use crate::options::{CLIENT_NAME, ConnectOptions};

/// How long the TCP and TLS handshakes of one connection may take; the phase's own deadline may come first.
const CONNECT: Duration = Duration::from_secs(20);

/// A setting of an HTTP entry that cannot be used. Never holds the setting's value.
#[derive(Debug, thiserror::Error)]
pub(crate) enum HttpSetting {
    #[error("serverUrl is not an http or https URL")]
    Url,
    #[error("the header {0:?} is not a valid header")]
    Header(String),
    #[error("the token is not a valid header value")]
    Token,
    #[error("proxy.url is not a URL")]
    Proxy,
    #[error("tls.{key} ({path}) cannot be read: {detail}", path = path.display())]
    TlsFile { key: &'static str, path: PathBuf, detail: String },
    #[error("tls.{key} ({path}) holds no PEM that can be used", path = path.display())]
    TlsContent { key: &'static str, path: PathBuf },
    #[error("tls.cert and tls.key belong together, and only one is given")]
    TlsPair,
    #[error("the HTTP client could not be made: {0}")]
    Client(String),
}

/// A server's URL and the headers of every request to it.
#[derive(Clone, Debug)]
pub(crate) struct Endpoint {
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
}

impl Endpoint {
    /// Reads an entry. A bearer token comes before an `Authorization` header, and that before the URL's user-info.
    pub(crate) fn new(server: &HttpServer, bearer: Option<&str>) -> Result<Self, HttpSetting> {
        let mut url = Url::parse(&server.server_url).map_err(|_| HttpSetting::Url)?;
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err(HttpSetting::Url);
        }
        url.set_fragment(None);
        let mut headers = HeaderMap::new();
        for (name, value) in &server.headers {
            let invalid = || HttpSetting::Header(name.clone());
            let header = HeaderName::try_from(name).map_err(|_| invalid())?;
            let mut value = HeaderValue::try_from(value).map_err(|_| invalid())?;
            value.set_sensitive(true);
            if !is_reserved(&header) {
                headers.insert(header, value);
            }
        }
        if let Some(token) = bearer {
            let mut value = HeaderValue::try_from(format!("Bearer {token}")).map_err(|_| HttpSetting::Token)?;
            value.set_sensitive(true);
            headers.insert(AUTHORIZATION, value);
        }
        if headers.contains_key(AUTHORIZATION) {
            // The client would add a second header for the user-info. Both setters fail only without a host.
            url.set_username("").ok();
            url.set_password(None).ok();
        }
        Ok(Self { url, headers })
    }
}

/// Returns whether the protocol itself sets a header.
fn is_reserved(header: &HeaderName) -> bool {
    let name = header.as_str();
    matches!(name, "accept" | "content-type" | "content-length" | "host" | "transfer-encoding" | "connection")
        || [HEADER_SESSION_ID, HEADER_MCP_PROTOCOL_VERSION, HEADER_LAST_EVENT_ID]
            .iter()
            .any(|reserved| reserved.eq_ignore_ascii_case(name))
}

/// Makes the client for a server.
pub(crate) async fn http_client(server: &HttpServer, options: &ConnectOptions) -> Result<Client, HttpSetting> {
    let folder = options.default_cwd.as_deref();
    let mut builder = Client::builder()
        .user_agent(format!("{CLIENT_NAME}/{}", options.client_version))
        .connect_timeout(CONNECT)
        // A redirect to another origin would carry the entry's headers there.
        .redirect(redirect::Policy::custom(|attempt| {
            let same = attempt.previous().last().is_some_and(|from| from.origin() == attempt.url().origin());
            if same && attempt.previous().len() < 5 { attempt.follow() } else { attempt.stop() }
        }));
    // Only the entry's own proxy: what is measured must not depend on variables of the machine.
    builder = builder.no_proxy();
    if let Some(proxy) = &server.proxy {
        builder = builder.proxy(Proxy::all(&proxy.url).map_err(|_| HttpSetting::Proxy)?);
    }
    if let Some(tls) = &server.tls {
        if let Some(ca) = &tls.ca {
            let (path, pem) = read(folder, "ca", ca).await?;
            let certificates = Certificate::from_pem_bundle(&pem).ok().filter(|certificates| !certificates.is_empty());
            let certificates = certificates.ok_or(HttpSetting::TlsContent { key: "ca", path })?;
            builder = builder.tls_certs_merge(certificates);
        }
        if let Some(identity) = identity(tls, folder).await? {
            builder = builder.identity(identity);
        }
        builder = builder.tls_danger_accept_invalid_certs(tls.reject_unauthorized == Some(false));
    }
    builder.build().map_err(|error| HttpSetting::Client(error.without_url().to_string()))
}

async fn identity(tls: &TlsSetting, folder: Option<&Path>) -> Result<Option<Identity>, HttpSetting> {
    let (cert, key) = match (&tls.cert, &tls.key) {
        (Some(cert), Some(key)) => (cert, key),
        (None, None) => return Ok(None),
        _ => return Err(HttpSetting::TlsPair),
    };
    let (key_path, mut pem) = read(folder, "key", key).await?;
    let (cert_path, certificates) = read(folder, "cert", cert).await?;
    let holds = |pem: &[u8], what: &[u8]| pem.windows(what.len()).any(|window| window == what);
    if !holds(&pem, b"PRIVATE KEY-----") {
        return Err(HttpSetting::TlsContent { key: "key", path: key_path });
    }
    pem.push(b'\n');
    pem.extend(certificates);
    Identity::from_pem(&pem).map(Some).map_err(|_| HttpSetting::TlsContent { key: "cert", path: cert_path })
}

async fn read(folder: Option<&Path>, key: &'static str, path: &str) -> Result<(PathBuf, Vec<u8>), HttpSetting> {
    let path = folder.map_or_else(|| PathBuf::from(path), |folder| folder.join(path));
    let read = async {
        // Opening a pipe would wait for its other end.
        if !tokio::fs::metadata(&path).await?.is_file() {
            return Err(std::io::Error::other("it is no plain file"));
        }
        tokio::fs::read(&path).await
    };
    match read.await {
        Ok(pem) => Ok((path, pem)),
        Err(error) => Err(HttpSetting::TlsFile { key, path, detail: error.to_string() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(url: &str, headers: &[(&str, &str)]) -> HttpServer {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        HttpServer { server_url: url.to_owned(), headers, ..HttpServer::default() }
    }

    #[test]
    fn one_authorization_is_sent() {
        let plain = Endpoint::new(&server("http://bot:pw@127.0.0.1/mcp#top", &[]), None).unwrap();
        assert_eq!(plain.url.as_str(), "http://bot:pw@127.0.0.1/mcp");
        let bearer =
            Endpoint::new(&server("http://bot:pw@127.0.0.1/mcp", &[("authorization", "Basic eA==")]), Some("t"))
                .unwrap();
        assert_eq!(bearer.url.as_str(), "http://127.0.0.1/mcp");
        assert_eq!(bearer.headers[AUTHORIZATION], "Bearer t");
        assert!(bearer.headers[AUTHORIZATION].is_sensitive());
    }

    #[test]
    fn settings_that_cannot_be_used_are_named_without_their_value() {
        for (url, headers, bearer, want) in [
            ("ftp://x/", &[][..], None, "serverUrl is not an http or https URL"),
            ("http://x/", &[("a b", "secret")], None, r#"the header "a b" is not a valid header"#),
            ("http://x/", &[("a", "sec\nret")], None, r#"the header "a" is not a valid header"#),
            ("http://x/", &[], Some("to\nken"), "the token is not a valid header value"),
        ] {
            let error = Endpoint::new(&server(url, headers), bearer).map(|endpoint| endpoint.url).unwrap_err();
            assert_eq!(error.to_string(), want);
        }
    }

    #[test]
    fn the_protocol_s_own_headers_cannot_be_replaced() {
        let endpoint = Endpoint::new(&server("http://x/", &[("Mcp-Session-Id", "1"), ("X-Team", "a")]), None).unwrap();
        assert_eq!(endpoint.headers.keys().map(HeaderName::as_str).collect::<Vec<_>>(), ["x-team"]);
    }
}
