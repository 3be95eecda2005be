//! `gradable lint`: what is wrong with a server's declared tools by rules that need no judge.

use mst_cli::{CliError, Env, ExitClass, Ui, nearest, plural, wait_for};
use mst_model::LintFinding;
use serde_json::json;

use crate::args::LintArgs;
use crate::commands::surface_of;
use crate::ingest::Target;
use crate::lint::{Rule, lint};

/// Lints a surface.
pub(crate) fn run(args: &LintArgs, ui: &Ui, env: &Env) -> ExitClass {
    match stages(args, ui, env) {
        Ok(class) => class,
        Err(error) => {
            if args.json {
                ui.data(&error.to_json());
            }
            ui.error(&error);
            error.class
        }
    }
}

fn stages(args: &LintArgs, ui: &Ui, env: &Env) -> Result<ExitClass, CliError> {
    if args.rules {
        let lines = Rule::ALL.iter().map(|rule| format!("{} {:<22}{}", rule.code(), rule.name(), rule.meaning()));
        ui.text(&lines.collect::<Vec<_>>().join("\n"));
        return Ok(ExitClass::Success);
    }
    let ignored = args.ignore.iter().map(|rule| named(rule)).collect::<Result<Vec<Rule>, CliError>>()?;
    let target = Target::resolve(&args.target, None, env)?;
    let surface = wait_for(|cancel| async move { surface_of(&target, &cancel).await })??;
    let mut findings = lint(&surface);
    findings.retain(|finding| !ignored.iter().any(|rule| rule.code() == finding.code));
    if args.json {
        ui.data(&json!({ "target": surface.name, "tools": surface.tools.len(), "findings": findings }));
    } else {
        ui.text(&told(&surface.name, surface.tools.len(), &findings));
    }
    Ok(if findings.is_empty() { ExitClass::Success } else { ExitClass::Failed })
}

/// Returns the rule of a code or a name.
fn named(text: &str) -> Result<Rule, CliError> {
    let wanted = text.trim();
    let found = Rule::ALL.iter().find(|rule| rule.code().eq_ignore_ascii_case(wanted) || rule.name() == wanted);
    found.copied().ok_or_else(|| {
        let error = CliError::new(ExitClass::Usage, format!("--ignore: there is no rule {wanted:?}"));
        let names = Rule::ALL.iter().flat_map(|rule| [rule.name(), rule.code()]);
        match nearest(wanted, names) {
            Some(near) => error.with_hint(format!("did you mean {near:?}?")),
            None => error.with_hint("docs/lint.md lists the rules"),
        }
    })
}

/// Returns the findings, tool by tool.
fn told(name: &str, tools: usize, findings: &[LintFinding]) -> String {
    let tools = plural(tools, "tool");
    if findings.is_empty() {
        return format!("{name}: {tools}, nothing found.");
    }
    let mut lines = vec![format!("{name}: {tools}, {}.", plural(findings.len(), "finding"))];
    let mut before = None;
    for finding in findings {
        let about = finding.subject.tool.as_deref().unwrap_or("the listing");
        if before != Some(about) {
            lines.push(format!("\n{about}"));
            before = Some(about);
        }
        let place = match finding.subject.pointer.as_str() {
            "" => String::new(),
            pointer => format!(" at {pointer}"),
        };
        lines.push(format!("  {} {}: {}{place}", finding.code, finding.rule, finding.message));
    }
    lines.join("\n")
}
