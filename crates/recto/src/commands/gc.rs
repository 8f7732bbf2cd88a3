use std::{process::ExitCode, time::Duration};

use clap::Args;
use recto::archive::{Archive, Digest, GcReport, Retention, SqliteArchive, Target, block_on};
use serde_json::json;

use crate::{
    failure::{Failure, Outcome},
    output,
    settings::{self, Settings},
    store,
    usage::{Needed, Sessions, Usage},
};

/// Remove originals that were not used for long, and say which
///
/// A ref whose original is removed still answers: it says when and by which rule. Storing the same bytes again brings it back.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  recto gc --dry-run                        what would go, by which rule
  recto gc                                  by the rules of the configuration
  recto gc --max-age 7d --max-bytes 1GB
  recto gc --dry-run --json | jq .freedBytes

Without rules on the command line those of the configuration hold: `recto config show`. What was stored in the last ten
minutes is never removed, nor what a hook left out of a session whose file is still there, nor what a log keeps.")]
pub(crate) struct Arguments {
    /// Remove what was not used for this long: 12h, 30d
    #[arg(long, value_name = "D", value_parser = settings::duration)]
    max_age: Option<Duration>,

    /// Remove the least recently used until the rest takes no more than this: 500MB, 5GB
    #[arg(long, value_name = "SIZE", value_parser = settings::bytes)]
    max_bytes: Option<u64>,

    /// Only say what would be removed
    #[arg(long)]
    dry_run: bool,

    /// Print as JSON
    #[arg(long)]
    json: bool,
}

/// The originals of views in sessions whose files are still there: the sessions hold nothing but the views.
fn originals(archive: &SqliteArchive, needed: &Needed) -> Outcome<Vec<Digest>> {
    let mut kept = Vec::new();
    for name in &needed.refs {
        if let Some(Target::View { original, .. }) = block_on(archive.resolve(&store::scope(), name))? {
            kept.push(original);
        }
    }
    Ok(kept)
}

/// What sessions still need. Where that is not known nothing is removed.
fn needed(settings: &Settings) -> Outcome<Needed> {
    let usage = Usage::of(settings);
    let sessions = usage.sessions().map_err(|error| Failure::job(error.to_string()))?;
    sessions.needed().map_err(|damaged| {
        let hint = format!(
            "nothing was removed. What the file's session was shown is protected by it alone; to give that up, delete {}",
            damaged.path.display()
        );
        Failure::job(damaged.to_string()).hint(hint)
    })
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Outcome<ExitCode> {
    let is_asked = arguments.max_age.is_some() || arguments.max_bytes.is_some();
    let mut rules = Retention {
        max_age: if is_asked { arguments.max_age } else { settings.max_age.value },
        max_bytes: if is_asked { arguments.max_bytes } else { settings.max_bytes.value },
        ..Retention::default()
    };
    let report = if store::path(settings).exists() {
        let archive = store::open_existing(settings)?;
        let needed = needed(settings)?;
        rules.keep = originals(&archive, &needed)?;
        // A dry run changes nothing.
        if !arguments.dry_run {
            super::store::adopt_all(&archive);
        }
        let report = block_on(archive.gc(&rules, arguments.dry_run))?;
        if !arguments.dry_run {
            Sessions::forget(&needed);
        }
        report
    } else {
        // Nothing was ever stored: nothing is removed, and no archive made to say so.
        GcReport::default()
    };
    if arguments.json {
        let removed: Vec<_> = report
            .removed
            .iter()
            .map(|removed| json!({"sha256": removed.digest.to_string(), "bytes": removed.bytes, "why": removed.why}))
            .collect();
        let runs: Vec<_> = report.removed_runs.iter().map(ToString::to_string).collect();
        output::json(&json!({
            "dryRun": arguments.dry_run, "removed": removed, "removedRuns": runs, "freedBytes": report.freed_bytes,
            "keptBytes": report.kept_bytes,
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let rows: Vec<Vec<String>> = report
        .removed
        .iter()
        .map(|removed| {
            let digest: String = removed.digest.to_string().chars().take(16).collect();
            vec![digest, output::size(removed.bytes), removed.why.clone()]
        })
        .collect();
    if !rows.is_empty() {
        output::data(output::table(&["original", "size", "rule"], &rows, &[1]).as_bytes())?;
    }
    let verb = if arguments.dry_run { "would be removed" } else { "removed" };
    output::line(&format!(
        "{} {verb}, {} freed, {} kept",
        output::count(rows.len() as u64, "original"),
        output::size(report.freed_bytes),
        output::size(report.kept_bytes)
    ))?;
    Ok(ExitCode::SUCCESS)
}
