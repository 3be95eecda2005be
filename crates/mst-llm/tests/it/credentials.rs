//! Which credential is sent, how tokens are made and renewed, and what is reported as a secret.

use mst_llm::{LlmError, LlmSettings, check};
use mst_model::Provider;
use mst_testkit::TestEnv;
use mst_testkit::provider::{FakeProvider, Reply, Script};
use serde_json::json;

use crate::setup::{Env, ask, connect, env, fake_env, request, settings};

fn with(mut env: Env, more: &[(&str, &str)]) -> Env {
    env.extend(more.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
    env
}

/// An authorization header, or the key's own header.
async fn sent(provider: Provider, env: Env, change: impl Fn(&mut LlmSettings)) -> (String, Vec<String>) {
    let fake = FakeProvider::start(Script::strict().always("bin", Reply::text("ok"))).await;
    let mut settings = settings(provider, with(fake_env(&fake), &[]).into_iter().chain(env).collect());
    if matches!(provider, Provider::OpenAiCompatible) {
        settings.base_url = Some(fake.openai_url());
    }
    change(&mut settings);
    let llm = connect(settings).expect("the settings are whole");
    ask(&llm, &request(provider, "Which bin?")).await.expect("a reply");
    let request = fake.last_request();
    let names = ["authorization", "x-api-key", "x-goog-api-key", "api-key"];
    let headers = names.iter().filter_map(|name| Some(format!("{name}: {}", request.header(name)?)));
    (headers.collect::<Vec<_>>().join(", "), llm.secrets())
}

#[tokio::test]
async fn each_provider_gets_its_own_credential() {
    let no_env: [(&str, &str); 0] = [];
    for (provider, more, want, secrets) in [
        (Provider::Anthropic, &no_env[..], "x-api-key: sk-ant", vec!["sk-ant"]),
        (Provider::Anthropic, &[("ANTHROPIC_AUTH_TOKEN", "gate")], "authorization: Bearer gate", vec!["gate"]),
        (
            Provider::Anthropic,
            &[("ANTHROPIC_AUTH_TOKEN", "gate"), ("MST_LLM_AUTH_COMMAND", "/bin/echo made")],
            "authorization: Bearer made",
            vec!["made"],
        ),
        (Provider::OpenAi, &no_env, "authorization: Bearer sk-oai", vec!["sk-oai"]),
        (
            Provider::OpenAi,
            &[("MST_LLM_AUTH_COMMAND", "echo $OPENAI_API_KEY-2")],
            "authorization: Bearer sk-oai-2",
            vec!["sk-oai-2"],
        ),
        (Provider::Google, &no_env, "x-goog-api-key: sk-goo", vec!["sk-goo"]),
        (Provider::Google, &[("GOOGLE_GENERATIVE_AI_API_KEY", "first")], "x-goog-api-key: first", vec!["first"]),
        (Provider::Mistral, &[("MST_LLM_AUTH_COMMAND", "echo no")], "authorization: Bearer sk-mis", vec!["sk-mis"]),
        (Provider::OpenAiCompatible, &no_env, "", vec![]),
    ] {
        let got = sent(provider, env(more), |_| {}).await;
        assert_eq!(got, (want.to_owned(), secrets.into_iter().map(str::to_owned).collect()), "{provider} {more:?}");
    }
    let named = sent(Provider::Anthropic, env(&[("MINE", "own"), ("MST_LLM_AUTH_COMMAND", "echo no")]), |settings| {
        settings.api_key_env_var = Some("MINE".into());
    });
    assert_eq!(named.await, ("x-api-key: own".to_owned(), vec!["own".to_owned()]));
}

#[tokio::test]
async fn a_commands_token_is_shared_and_made_once_more_when_it_is_refused() {
    let test = TestEnv::new();
    let count = test.write("count", "0");
    let count = count.to_str().expect("a UTF-8 path");
    let command = format!("n=$(($(cat {count})+1)); echo $n > {count}; echo token-$n");
    let replies = [
        Reply::text("one"),
        Reply::status(401, "old"),
        Reply::text("two"),
        Reply::status(401, "no"),
        Reply::status(401, "no"),
    ];
    let fake = FakeProvider::start(Script::strict().on("bin", replies)).await;
    let path = [("MST_LLM_AUTH_COMMAND", command.as_str()), ("PATH", "/usr/bin:/bin")];
    let llm = connect(settings(Provider::OpenAi, with(fake_env(&fake), &path))).expect("the settings are whole");
    for want in ["one", "two"] {
        assert_eq!(ask(&llm, &request(Provider::OpenAi, "bin")).await.expect("a reply").text(), want);
    }
    let error = ask(&llm, &request(Provider::OpenAi, "bin")).await.expect_err("refused twice");
    assert!(matches!(error, LlmError::Auth { .. }), "{error}");
    let tokens: Vec<_> =
        fake.requests().iter().filter_map(|request| request.header("authorization").map(str::to_owned)).collect();
    assert_eq!(tokens, [1, 1, 2, 2, 3].map(|number| format!("Bearer token-{number}")));
    assert_eq!(llm.secrets(), ["token-1", "token-2", "token-3"]);
}

#[tokio::test]
async fn a_command_that_fails_never_shows_its_output() {
    for (command, want) in [
        ("echo s3cret; exit 3", "openai got no usable credentials (MST_LLM_AUTH_COMMAND ended with exit status: 3)"),
        ("echo s3cret >&2", "openai got no usable credentials (MST_LLM_AUTH_COMMAND printed no token)"),
        ("printf 'a\\001b'", "openai got no usable credentials (the credential holds characters no header can carry)"),
    ] {
        let fake = FakeProvider::start(Script::strict()).await;
        let llm = connect(settings(Provider::OpenAi, with(fake_env(&fake), &[("MST_LLM_AUTH_COMMAND", command)])));
        let error =
            ask(&llm.expect("the settings are whole"), &request(Provider::OpenAi, "bin")).await.expect_err("no token");
        assert_eq!(error.to_string(), want);
        assert!(fake.requests().is_empty());
    }
}

#[tokio::test]
async fn vertex_signs_for_a_service_account_and_refreshes_for_a_user() {
    let key = aws_lc_rs::rsa::KeyPair::generate(aws_lc_rs::rsa::KeySize::Rsa2048).expect("a key");
    let der = aws_lc_rs::encoding::AsDer::<aws_lc_rs::encoding::Pkcs8V1Der<'_>>::as_der(&key).expect("its bytes");
    let pem = base64::Engine::encode(&base64::engine::general_purpose::STANDARD, der.as_ref());
    let pem = format!("-----BEGIN PRIVATE KEY-----\n{pem}\n-----END PRIVATE KEY-----\n");
    let test = TestEnv::new();
    let fake = FakeProvider::start(Script::strict().always("bin", Reply::text("bin 7"))).await;
    let account = json!({"type": "service_account", "project_id": "proj", "client_email": "a@b", "private_key": pem, "private_key_id": "k", "token_uri": fake.token_url()});
    let user = json!({"type": "authorized_user", "client_id": "id", "client_secret": "cs-1", "refresh_token": "rt-1", "quota_project_id": "quota", "token_uri": fake.token_url()});
    for (name, file, project, grant) in [
        ("account.json", account, "proj", "jwt-bearer&assertion=eyJ"),
        ("user.json", user, "quota", "grant_type=refresh_token&client_id=id&client_secret=cs-1&refresh_token=rt-1"),
    ] {
        fake.forget();
        let path = test.write_json(name, &file);
        let env = env(&[
            ("GOOGLE_APPLICATION_CREDENTIALS", path.to_str().expect("a UTF-8 path")),
            ("GOOGLE_VERTEX_BASE_URL", &fake.url()),
        ]);
        let llm = connect(settings(Provider::VertexAnthropic, env)).expect("the settings are whole");
        for _ in 0..2 {
            let reply = ask(&llm, &request(Provider::VertexAnthropic, "bin")).await.expect("a reply");
            assert_eq!(reply.text(), "bin 7");
        }
        let all = fake.all_requests();
        assert_eq!(all.len(), 3, "one token for two calls");
        assert!(all[0].text().contains(grant), "{}", all[0].text());
        let last = fake.last_request();
        assert_eq!(
            last.path,
            format!("/v1/projects/{project}/locations/us-east5/publishers/anthropic/models/claude-x:streamRawPredict")
        );
        assert_eq!(last.header("authorization"), Some("Bearer fake-access-token"));
        assert!(last.body.get("model").is_none() && last.body["anthropic_version"] == "vertex-2023-10-16");
        assert!(llm.secrets().contains(&"fake-access-token".to_owned()) && llm.secrets().len() > 1);
    }
}

#[test]
fn what_is_missing_is_named_before_any_call() {
    for (provider, pairs, want) in [
        (Provider::Anthropic, vec![], "anthropic got no usable credentials (ANTHROPIC_API_KEY is not set)"),
        (
            Provider::Anthropic,
            vec![("ANTHROPIC_API_KEY", " ")],
            "anthropic got no usable credentials (ANTHROPIC_API_KEY is not set)",
        ),
        (
            Provider::Anthropic,
            vec![("MST_LLM_AUTH_COMMAND", "x")],
            "anthropic got no usable credentials (ANTHROPIC_API_KEY is not set)",
        ),
        (Provider::Google, vec![], "google got no usable credentials (GOOGLE_GENERATIVE_AI_API_KEY is not set)"),
        (Provider::OpenAiCompatible, vec![], "provider openai-compatible needs clientOptions.baseUrl"),
        (
            Provider::VertexAnthropic,
            vec![("GOOGLE_VERTEX_PROJECT", "p"), ("HOME", "/nowhere")],
            "vertex-anthropic got no usable credentials (the credentials file /nowhere/.config/gcloud/application_default_credentials.json cannot be read (entity not found))",
        ),
        (Provider::Ollama, vec![], "ok"),
        (Provider::Offline, vec![], "ok"),
    ] {
        let settings = settings(provider, env(&pairs));
        let got = check(&settings).map_or_else(|error| error.to_string(), |()| "ok".to_owned());
        assert_eq!(got, want);
        assert_eq!(connect(settings).is_ok(), want == "ok");
    }
    let other = LlmSettings { model: "lexical-2".into(), ..settings(Provider::Offline, Env::new()) };
    assert_eq!(check(&other).expect_err("unknown").to_string(), "the offline provider has one model, lexical-1");
}
