//! A server that an eval could be made of.

use std::path::PathBuf;

use mst_cli::{CliError, ExitClass, Target, shown_url};
use mst_config::Diagnostics;
use mst_config::discover::{FoundServer, Launch, Surroundings, launch_given};
use mst_model::ServerConfig;

use crate::commands::one_line::one_line;

/// A server with where it was found.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) server: FoundServer,
    /// The files that list it, the first one found first; none when it was given by hand.
    pub(crate) files: Vec<PathBuf>,
    /// Whose file it is.
    pub(crate) program: String,
    /// The file's format, by name.
    pub(crate) format: &'static str,
    /// The bundle that has to be unpacked first.
    pub(crate) bundle: Option<PathBuf>,
    /// What is wrong with a server that was given by hand.
    fault: Option<String>,
}

impl Candidate {
    /// A server that a file lists.
    pub(crate) fn listed(server: FoundServer, file: PathBuf, program: &str, format: &'static str) -> Self {
        Self { server, files: vec![file], program: program.to_owned(), format, bundle: None, fault: None }
    }

    /// A server that was given on the command line, with the names of variables that it gets beside its own.
    pub(crate) fn given(target: &Target, passed: Vec<String>, around: &Surroundings) -> Self {
        let label = target.label.to_string();
        let launched = launch_given(&label, &target.config, passed, around);
        let fault = launched.as_ref().err().cloned();
        // Only a launch or a fault is ever asked for; a given server has no file to point into.
        let launch = launched.unwrap_or_else(|_| Launch {
            connect: target.config.clone(),
            written: target.config.clone(),
            variables: Vec::new(),
            notes: Vec::new(),
        });
        let server = FoundServer { name: label.clone(), label, disabled: false, launch: Ok(Box::new(launch)) };
        Self { server, files: vec![], program: "command line".to_owned(), format: "given", bundle: None, fault }
    }

    /// Returns how the server is reached.
    pub(crate) fn launch(&self) -> Result<&Launch, CliError> {
        if let Some(fault) = &self.fault {
            return Err(CliError::new(ExitClass::Usage, format!("the server cannot be used: {fault}")));
        }
        self.server
            .launch
            .as_deref()
            .map_err(|wrong| CliError::diagnostics(Diagnostics::from_iter([wrong.as_ref().clone()])))
    }

    /// Returns the command or the URL on one line, without secrets.
    pub(crate) fn way(&self) -> String {
        match &self.server.launch {
            Err(wrong) => one_line(&wrong.message, 200),
            Ok(launch) => match &launch.written {
                ServerConfig::Http(http) => shown_url(&http.server_url),
                ServerConfig::Stdio(stdio) => {
                    let words: Vec<&str> =
                        std::iter::once(&stdio.command).chain(&stdio.args).map(String::as_str).collect();
                    one_line(&words.join(" "), 120)
                }
            },
        }
    }
}
