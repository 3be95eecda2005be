//! Google's Application Default Credentials, from files: a service account or an authorized user.

use std::fmt;
use std::path::PathBuf;

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::KeyPair;
use aws_lc_rs::signature::RSA_PKCS1_SHA256;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use mst_model::{Clock, Provider};
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use serde_json::{Value, json};

use super::token::{Made, TokenCell};
use crate::chat::LlmError;
use crate::failure::Failure;
use crate::http_clients::HttpClients;
use crate::settings::LlmSettings;

const SCOPE: &str = "https://www.googleapis.com/auth/cloud-platform";
const TOKEN_URL: &str = "https://oauth2.googleapis.com/token";

/// A token is renewed this long before Google says it ends.
const MARGIN_MS: u64 = 60_000;

/// A credentials file.
#[derive(Clone, Debug)]
pub(crate) struct AdcFile {
    pub(crate) path: PathBuf,
    grant: Grant,
    project: Option<String>,
    quota_project: Option<String>,
}

/// What the file lets us ask a token with.
#[derive(Clone, Debug)]
enum Grant {
    ServiceAccount { email: String, key_id: Option<String>, private_key: SecretString, token_url: String },
    AuthorizedUser { client_id: String, client_secret: SecretString, refresh_token: SecretString, token_url: String },
}

/// The file's fields, of every kind that is read here.
#[derive(Deserialize)]
struct Fields {
    #[serde(rename = "type")]
    kind: String,
    project_id: Option<String>,
    quota_project_id: Option<String>,
    client_email: Option<String>,
    private_key: Option<String>,
    private_key_id: Option<String>,
    client_id: Option<String>,
    client_secret: Option<String>,
    refresh_token: Option<String>,
    token_uri: Option<String>,
}

impl AdcFile {
    /// Reads the file that `GOOGLE_APPLICATION_CREDENTIALS` names, or the one that gcloud keeps.
    pub(crate) fn load(settings: &LlmSettings) -> Result<Self, LlmError> {
        let path = location(settings).ok_or_else(|| {
            auth(
                "neither GOOGLE_APPLICATION_CREDENTIALS nor HOME is set, so there are no default credentials"
                    .to_owned(),
            )
        })?;
        let refused = |why: &dyn std::fmt::Display| {
            auth(format!("the credentials file {} cannot be read ({why})", path.display()))
        };
        // Opening a pipe would wait for its other end.
        if fs_err::metadata(&path).is_ok_and(|found| !found.is_file()) {
            return Err(refused(&"it is no plain file"));
        }
        let text = fs_err::read_to_string(&path).map_err(|error| refused(&error.kind()))?;
        let unreadable = |what: &str| auth(format!("the credentials file {} {what}", path.display()));
        let fields: Fields = serde_json::from_str(&text).map_err(|_| unreadable("is not a credentials file"))?;
        let token_url = fields.token_uri.unwrap_or_else(|| TOKEN_URL.to_owned());
        let grant = match (fields.kind.as_str(), fields.client_email, fields.private_key) {
            ("service_account", Some(email), Some(key)) => Grant::ServiceAccount {
                email,
                key_id: fields.private_key_id,
                private_key: SecretString::from(key),
                token_url,
            },
            ("service_account", _, _) => return Err(unreadable("has no client_email or no private_key")),
            ("authorized_user", _, _) => match (fields.client_id, fields.client_secret, fields.refresh_token) {
                (Some(client_id), Some(secret), Some(refresh)) => Grant::AuthorizedUser {
                    client_id,
                    client_secret: SecretString::from(secret),
                    refresh_token: SecretString::from(refresh),
                    token_url,
                },
                _ => return Err(unreadable("has no client_id, client_secret or refresh_token")),
            },
            _ => return Err(unreadable("is neither a service account's nor an authorized user's")),
        };
        Ok(Self { path, grant, project: fields.project_id, quota_project: fields.quota_project_id })
    }
}

/// Returns the project that the credentials file names.
pub(crate) fn project(settings: &LlmSettings) -> Result<String, LlmError> {
    let file = AdcFile::load(settings)?;
    file.project.or(file.quota_project).ok_or_else(|| auth("GOOGLE_VERTEX_PROJECT is not set".to_owned()))
}

fn location(settings: &LlmSettings) -> Option<PathBuf> {
    if let Some(path) = settings.var("GOOGLE_APPLICATION_CREDENTIALS") {
        return Some(PathBuf::from(path));
    }
    let folder = match settings.var("CLOUDSDK_CONFIG") {
        Some(folder) => PathBuf::from(folder),
        None => PathBuf::from(settings.var("HOME")?).join(".config/gcloud"),
    };
    Some(folder.join("application_default_credentials.json"))
}

fn auth(detail: String) -> LlmError {
    LlmError::Auth { provider: Provider::VertexAnthropic, detail }
}

/// A token that Google gives for a credentials file.
pub(crate) struct GoogleToken {
    file: AdcFile,
    token: TokenCell,
}

impl GoogleToken {
    pub(crate) fn new(file: AdcFile) -> Self {
        Self { file, token: TokenCell::default() }
    }

    pub(crate) fn is(&self, file: &AdcFile) -> bool {
        self.file.path == file.path
    }

    pub(super) fn quota_project(&self) -> Option<&str> {
        self.file.quota_project.as_deref()
    }

    pub(super) async fn token(&self, http: &HttpClients, clock: &dyn Clock) -> Result<String, Failure> {
        self.token.get(clock, self.fetch(http, clock)).await
    }

    pub(super) async fn forget(&self) {
        self.token.forget().await;
    }

    pub(super) fn secrets(&self) -> Vec<String> {
        let mut secrets = self.token.seen();
        match &self.file.grant {
            Grant::ServiceAccount { private_key, .. } => secrets.push(private_key.expose_secret().to_owned()),
            Grant::AuthorizedUser { client_secret, refresh_token, .. } => {
                secrets.extend([client_secret, refresh_token].map(|secret| secret.expose_secret().to_owned()));
            }
        }
        secrets
    }

    async fn fetch(&self, http: &HttpClients, clock: &dyn Clock) -> Result<Made, Failure> {
        let now = clock.now();
        let (url, form) = match &self.file.grant {
            Grant::ServiceAccount { email, key_id, private_key, token_url } => {
                let claims = json!({
                    "iss": email, "scope": SCOPE, "aud": token_url,
                    "iat": now.as_millis() / 1000, "exp": now.as_millis() / 1000 + 3600,
                });
                let assertion = signed(&claims, key_id.as_deref(), private_key)?;
                let grant_type = "urn:ietf:params:oauth:grant-type:jwt-bearer".to_owned();
                (token_url, vec![("grant_type", grant_type), ("assertion", assertion)])
            }
            Grant::AuthorizedUser { client_id, client_secret, refresh_token, token_url } => (
                token_url,
                vec![
                    ("grant_type", "refresh_token".to_owned()),
                    ("client_id", client_id.clone()),
                    ("client_secret", client_secret.expose_secret().to_owned()),
                    ("refresh_token", refresh_token.expose_secret().to_owned()),
                ],
            ),
        };
        let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(form).finish();
        let answer = http.post_form(url, body, now).await.map_err(refused)?;
        let token = answer
            .get("access_token")
            .and_then(Value::as_str)
            .ok_or_else(|| Failure::Auth { detail: "the token endpoint gave no access token".to_owned() })?;
        let lives_ms = answer.get("expires_in").and_then(Value::as_u64).unwrap_or(3600).saturating_mul(1000);
        Ok(Made { value: token.to_owned(), lives_ms: lives_ms.saturating_sub(MARGIN_MS) })
    }
}

/// A token endpoint's refusal is one of the credentials, whatever its status; its text may hold them and is dropped.
fn refused(failure: Failure) -> Failure {
    match failure {
        Failure::BadRequest { status, .. } => Failure::Auth { detail: format!("the token endpoint answered {status}") },
        other => other,
    }
}

/// Signs claims as a JWT with RS256.
fn signed(claims: &Value, key_id: Option<&str>, private_key: &SecretString) -> Result<String, Failure> {
    let unusable = || Failure::Auth { detail: "the service account's private key cannot be used".to_owned() };
    let mut header = json!({"alg": "RS256", "typ": "JWT"});
    if let Some(key_id) = key_id {
        header["kid"] = json!(key_id);
    }
    let encode = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let message = format!("{}.{}", encode(&header), encode(claims));
    let der: String =
        private_key.expose_secret().lines().map(str::trim).filter(|line| !line.starts_with("-----")).collect();
    let der = STANDARD.decode(der).map_err(|_| unusable())?;
    let key = KeyPair::from_pkcs8(&der).map_err(|_| unusable())?;
    let mut signature = vec![0; key.public_modulus_len()];
    key.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), message.as_bytes(), &mut signature).map_err(|_| unusable())?;
    Ok(format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature)))
}

impl fmt::Debug for GoogleToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GoogleToken").field("path", &self.file.path).finish_non_exhaustive()
    }
}
