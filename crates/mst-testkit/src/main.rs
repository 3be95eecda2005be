//! `mst-fake`: the fakes as a program.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use mst_testkit::mcp::{FakeMcpHttp, HttpOptions, McpOptions, serve_stdio};
use mst_testkit::provider::{FakeProvider, Faults, Script};
use serde_json::json;

/// Fakes for the tests of mst: a model provider and MCP servers, with faults to choose from.
#[derive(Parser)]
#[command(name = "mst-fake")]
struct Command {
    #[command(subcommand)]
    fake: Fake,
}

#[derive(Subcommand)]
enum Fake {
    /// Serves a fake model provider on 127.0.0.1.
    Provider(ProviderArguments),
    /// Serves a fake MCP server on stdin and stdout.
    Mcp(McpOptions),
    /// Serves a fake MCP server over HTTP on 127.0.0.1.
    McpHttp(HttpArguments),
}

/// Options of the fake MCP server over HTTP.
#[derive(Args)]
struct HttpArguments {
    /// Port, 0 for a free one.
    #[arg(long, default_value_t = 0)]
    port: u16,
    #[command(flatten)]
    options: HttpOptions,
    /// Keep serving after stdin has closed.
    #[arg(long)]
    stay: bool,
}

/// Options of the fake provider.
#[derive(Args)]
struct ProviderArguments {
    /// Port, 0 for a free one.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Milliseconds before every answer, besides the script's own.
    #[arg(long, default_value_t = 0)]
    latency_ms: u64,
    /// The share of requests, 0 to 1, that a random fault answers: 429, 503, a reset or cut connection.
    #[arg(long, default_value_t = 0.0)]
    faults: f64,
    /// Where the random numbers of the faults begin.
    #[arg(long, default_value_t = 0)]
    fault_seed: u64,
    /// A JSON script; the automatic model without one.
    #[arg(long)]
    script: Option<PathBuf>,
    /// Keep requests for GET /__requests.
    #[arg(long)]
    record: bool,
    /// Keep serving after stdin has closed.
    #[arg(long)]
    stay: bool,
}

fn main() -> ExitCode {
    let outcome = match Command::parse().fake {
        Fake::Provider(arguments) => provider(&arguments),
        Fake::Mcp(options) => serve_stdio(options),
        Fake::McpHttp(arguments) => mcp_http(arguments),
    };
    match outcome {
        Ok(status) => ExitCode::from(status),
        // A client that has gone is no fault of the fake.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            writeln!(io::stderr(), "mst-fake: {error}").ok();
            ExitCode::FAILURE
        }
    }
}

fn provider(arguments: &ProviderArguments) -> io::Result<u8> {
    let mut script = match &arguments.script {
        Some(path) => serde_json::from_str(&fs_err::read_to_string(path)?)?,
        None => Script::automatic(),
    };
    script.latency_ms += arguments.latency_ms;
    if arguments.faults > 0.0 {
        script.faults = Some(Faults { rate: arguments.faults, seed: arguments.fault_seed });
    }
    let provider = FakeProvider::serve(arguments.port, script, arguments.record)?;
    announce(&json!({
        "port": provider.port(), "url": provider.url(), "anthropic": provider.anthropic_url(), "openai": provider.openai_url(),
        "google": provider.google_url(), "token": provider.token_url(),
    }))?;
    wait(arguments.stay)
}

fn mcp_http(arguments: HttpArguments) -> io::Result<u8> {
    let server = FakeMcpHttp::serve(arguments.port, arguments.options)?;
    announce(&json!({"port": server.port(), "url": server.url()}))?;
    wait(arguments.stay)
}

/// Prints the one line that tells where the fake is.
fn announce(line: &serde_json::Value) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{line}")?;
    stdout.flush()
}

/// Waits until stdin closes; for ever when the fake is to stay. SIGTERM ends the process either way.
fn wait(stay: bool) -> io::Result<u8> {
    if stay {
        loop {
            std::thread::park();
        }
    }
    io::copy(&mut io::stdin().lock(), &mut io::sink())?;
    Ok(0)
}
