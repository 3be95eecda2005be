//! TLS and proxies in front of a server.

use mst_mcp::Session;
use mst_model::{HttpServer, ProxySetting, ServerConfig, TlsSetting};
use mst_testkit::mcp::{FakeMcpHttp, Mode};
use mst_testkit::{FakeProxy, TlsFront};

use crate::support::{connect, http, lookup};

async fn call(entry: HttpServer) -> Result<String, String> {
    let session: Session = connect(&ServerConfig::Http(entry)).await.map_err(|error| error.to_string())?;
    let outcome = lookup(&session).await;
    session.close().await;
    Ok(outcome.text)
}

/// A server behind TLS, and a folder with the PEM files of it.
struct Secure {
    _server: FakeMcpHttp,
    front: TlsFront,
    folder: tempfile::TempDir,
}

impl Secure {
    fn start(asks_client: bool) -> Self {
        let server = FakeMcpHttp::start_mode(Mode::Plain);
        let front = TlsFront::start(([127, 0, 0, 1], server.port()).into(), asks_client);
        let folder = tempfile::tempdir().expect("a folder");
        let files = [("ca", &front.ca), ("cert", &front.client_cert), ("key", &front.client_key)];
        for (name, pem) in files {
            fs_err::write(folder.path().join(name), pem).expect("a file");
        }
        fs_err::write(folder.path().join("nothing"), "no PEM").expect("a file");
        Self { _server: server, front, folder }
    }

    fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    fn entry(&self, tls: TlsSetting) -> HttpServer {
        let server_url = format!("https://127.0.0.1:{}/mcp", self.front.port());
        HttpServer { server_url, tls: Some(tls), ..HttpServer::default() }
    }
}

#[tokio::test]
async fn a_server_s_certificate_is_verified_unless_it_is_not_to_be() {
    let secure = Secure::start(false);
    let trusted = TlsSetting { ca: Some(secure.path("ca")), ..TlsSetting::default() };
    assert_eq!(call(secure.entry(trusted)).await.as_deref(), Ok("bin 7"));
    let error = call(secure.entry(TlsSetting::default())).await.unwrap_err();
    assert!(error.starts_with("parts could not be reached for initialize: invalid peer certificate"), "{error}");
    let lax = TlsSetting { reject_unauthorized: Some(false), ..TlsSetting::default() };
    assert_eq!(call(secure.entry(lax)).await.as_deref(), Ok("bin 7"));
}

#[tokio::test]
async fn a_client_s_certificate_is_shown() {
    let secure = Secure::start(true);
    let bare = TlsSetting { ca: Some(secure.path("ca")), ..TlsSetting::default() };
    assert!(call(secure.entry(bare.clone())).await.is_err());
    let shown = TlsSetting { cert: Some(secure.path("cert")), key: Some(secure.path("key")), ..bare };
    assert_eq!(call(secure.entry(shown)).await.as_deref(), Ok("bin 7"));
}

#[tokio::test]
async fn files_that_cannot_be_used_are_named() {
    let secure = Secure::start(false);
    let file = |name: &str| secure.path(name);
    let (cert, key, nothing) = (Some(file("cert")), Some(file("key")), Some(file("nothing")));
    let lead = "parts has a setting that cannot be used: ";
    for (tls, want) in [
        (
            TlsSetting { ca: Some(secure.path("absent")), ..TlsSetting::default() },
            format!("tls.ca ({}) cannot be read: No such file or directory (os error 2)", file("absent")),
        ),
        (
            TlsSetting { ca: nothing.clone(), ..TlsSetting::default() },
            format!("tls.ca ({}) holds no PEM that can be used", file("nothing")),
        ),
        (
            TlsSetting { cert: nothing.clone(), key, ..TlsSetting::default() },
            format!("tls.cert ({}) holds no PEM that can be used", file("nothing")),
        ),
        (
            TlsSetting { cert: cert.clone(), key: nothing, ..TlsSetting::default() },
            format!("tls.key ({}) holds no PEM that can be used", file("nothing")),
        ),
        (
            TlsSetting { cert, ..TlsSetting::default() },
            "tls.cert and tls.key belong together, and only one is given".to_owned(),
        ),
    ] {
        assert_eq!(call(secure.entry(tls)).await, Err(format!("{lead}{want}")));
    }
}

#[tokio::test]
async fn a_proxy_carries_plain_and_secure_requests() {
    let proxy = FakeProxy::start(Some("Basic Ym90OnB3LTE="));
    let setting = |user: &str| Some(ProxySetting { url: format!("http://{user}127.0.0.1:{}", proxy.port()) });
    let plain = FakeMcpHttp::start_mode(Mode::Plain);
    let entry = HttpServer { proxy: setting("bot:pw-1@"), ..http(&plain) };
    assert_eq!(call(entry).await.as_deref(), Ok("bin 7"));
    assert!(proxy.asked()[0].starts_with(&format!("POST {}", plain.url())), "{:?}", proxy.asked());

    let secure = Secure::start(false);
    let trusted = TlsSetting { ca: Some(secure.path("ca")), ..TlsSetting::default() };
    let entry = HttpServer { proxy: setting("bot:pw-1@"), ..secure.entry(trusted.clone()) };
    assert_eq!(call(entry).await.as_deref(), Ok("bin 7"));
    let tunnel = format!("CONNECT 127.0.0.1:{} HTTP/1.1", secure.front.port());
    assert!(proxy.asked().contains(&tunnel), "{:?}", proxy.asked());

    let refused = call(HttpServer { proxy: setting(""), ..secure.entry(trusted) }).await.unwrap_err();
    assert!(refused.starts_with("parts could not be reached for initialize: "), "{refused}");
    assert!(!refused.contains("pw-1"), "{refused}");
}
