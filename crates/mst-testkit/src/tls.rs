//! TLS in front of a fake: a loopback port that decrypts and passes bytes on, with certificates of its own making.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::RootCertStore;
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use rustls::server::WebPkiClientVerifier;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use crate::relay_thread::RelayThread;

/// A TLS port in front of another one. It stops when it is dropped.
#[derive(Debug)]
pub struct TlsFront {
    relay: RelayThread,
    /// The authority that signed everything here, as PEM.
    pub ca: String,
    /// A client's certificate, as PEM.
    pub client_cert: String,
    /// Its key, as PEM.
    pub client_key: String,
}

impl TlsFront {
    /// Serves TLS for `127.0.0.1` and `localhost` in front of an address; with `asks_client` only clients that show a
    /// certificate of the authority are let in.
    ///
    /// # Panics
    /// When a certificate cannot be made or no loopback port can be had.
    pub fn start(backend: SocketAddr, asks_client: bool) -> Self {
        let authority = authority();
        let names = ["127.0.0.1".to_owned(), "localhost".to_owned()];
        let (server_key, server) = signed(&authority, names.to_vec());
        let (client_key, client) = signed(&authority, vec!["client.test".to_owned()]);
        let mut roots = RootCertStore::empty();
        roots.add(authority.der().clone()).expect("the authority was just made");
        let builder = ServerConfig::builder();
        let builder = if asks_client {
            let verifier = WebPkiClientVerifier::builder(Arc::new(roots)).build().expect("there is one authority");
            builder.with_client_cert_verifier(verifier)
        } else {
            builder.with_no_client_auth()
        };
        let key = PrivateKeyDer::try_from(server_key.serialize_der()).expect("the key was just made");
        let config = builder.with_single_cert(vec![server.der().clone()], key).expect("the certificate fits its key");
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let relay = RelayThread::start(move |listener, stop| serve(listener, stop, acceptor, backend))
            .expect("a loopback port can be bound and a thread started");
        Self { relay, ca: authority.pem(), client_cert: client.pem(), client_key: client_key.serialize_pem() }
    }

    /// Returns the port.
    pub fn port(&self) -> u16 {
        self.relay.port()
    }
}

fn authority() -> CertifiedIssuer<'static, KeyPair> {
    let mut params = CertificateParams::new(Vec::new()).expect("no names are fine");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key")).expect("a certificate")
}

fn signed(authority: &CertifiedIssuer<'_, KeyPair>, names: Vec<String>) -> (KeyPair, rcgen::Certificate) {
    let key = KeyPair::generate().expect("a key");
    let params = CertificateParams::new(names).expect("the names are valid");
    let certificate = params.signed_by(&key, authority).expect("a certificate");
    (key, certificate)
}

async fn serve(
    listener: TcpListener,
    stop: CancellationToken,
    acceptor: TlsAcceptor,
    backend: SocketAddr,
) -> io::Result<()> {
    let mut relays = tokio::task::JoinSet::new();
    while let Some(accepted) = stop.run_until_cancelled(listener.accept()).await {
        let (stream, acceptor) = (accepted?.0, acceptor.clone());
        relays.spawn(async move {
            // A client that is not let in, or breaks off, is what tests are about.
            let Ok(mut secure) = acceptor.accept(stream).await else { return };
            let Ok(mut plain) = TcpStream::connect(backend).await else { return };
            copy_bidirectional(&mut secure, &mut plain).await.ok();
        });
    }
    Ok(())
}
