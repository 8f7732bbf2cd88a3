use std::{collections::BTreeMap, process::ExitCode};

use clap::Args;
use recto::{
    archive::{Archive, MemoryArchive},
    pruning::{Made, PruneError, Pruner, Pruning},
    session::policy::{PolicyName, changes, standing},
    tokens::Tokenizer,
    transcript::{Reading, Transcript},
    view::Recall,
};
use serde::Serialize;

use crate::{
    failure::{Failure, Outcome},
    named::{Counting, Written},
    output,
    session::{
        log::{self, StandsIn, Turn},
        open,
        policies::Chosen,
        save::{self, To},
        watch::Watcher,
    },
    settings::Settings,
    store,
};

/// Make a session's old results smaller, with every original kept
///
/// Writes the session anew with views in the place of results that are long, old, said again later or covered by a later read. Calls
/// stay with their results, reasoning stays as it is, and every byte that is not named stays. Each original goes into the archive and
/// comes back by the ref that the view states, or by `recto session recall`. What is never cut (instructions, what was just recalled) is not cut here.
#[derive(Debug, Args)]
#[command(
    override_usage = "\
recto session prune [OPTIONS] [SESSION] --dry-run
       recto session prune [OPTIONS] [SESSION] --output <FILE>
       recto session prune [OPTIONS] SESSION --in-place
       recto session prune [OPTIONS] SESSION --log-only",
    after_help = "\
Examples:
  recto session prune --dry-run                       the newest session: what would be saved, by policy
  recto session prune 3fa2c1 -o smaller.jsonl         a new file, from the session of that id
  recto session prune run.jsonl --in-place            the file itself; a backup stays beside it
  recto session prune run.jsonl --log-only            not the file: the agent's requests, by the extension for Pi or opencode
  recto session prune run.jsonl --policy prune --strategy head-tail -o pruned.jsonl
  recto session prune run.jsonl --older-than 10 --to-tokens 150 --dry-run --json"
)]
pub(crate) struct Arguments {
    /// The session: a file, or an id; the newest one if absent, where nothing of it is changed
    session: Option<String>,

    #[command(flatten)]
    to: To,

    /// Only decide: what is to stand goes into the session's log in the archive, from which the extension for Pi and the plug-in for opencode
    /// put it into the agent's requests; the session's own files stay as they are
    #[arg(long, group = "To")]
    log_only: bool,

    #[command(flatten)]
    chosen: Chosen,

    /// How the reader gets at what is left out: shell, tool, none [default: as configured]
    #[arg(long, value_name = "WAY")]
    recall: Option<Recall>,

    #[command(flatten)]
    counting: Counting,

    /// The way to this record of the session's tree, not to its newest
    #[arg(long, value_name = "ID")]
    leaf: Option<String>,

    #[command(flatten)]
    written: Written,

    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Outcome<ExitCode> {
    let transcript = open::to_write(arguments.session.as_deref(), arguments.written.format, &arguments.to)?;
    let tokenizer = arguments.counting.tokenizer(settings);
    let config = arguments.chosen.prune_config(tokenizer)?;
    let policies = arguments.chosen.policies(&config)?;
    if arguments.log_only && arguments.chosen.has(PolicyName::Arguments) {
        return Err(Failure::usage("--log-only: what calls were given is not replaced in requests")
            .hint("leave the policy `arguments` out, or write a file"));
    }
    let before = save::Stamp::of(&transcript);

    let mut watcher =
        Watcher::new(settings, Some(tokenizer)).map_err(|error| Failure::usage(error.to_string()))?;
    let bar = output::progress(transcript.length(), "reading");
    let reading = transcript.read(arguments.leaf.as_deref(), &mut watcher, &mut |at| bar.set_position(at))?;
    bar.finish_and_clear();
    open::check_leaf(&reading, arguments.leaf.as_deref())?;
    let changes = changes(&reading.history, &policies);
    // As the next request would see it.
    let standing = standing(&changes, reading.history.last_step() + 1);

    let archive: Box<dyn Archive> =
        if arguments.to.is_dry() { Box::new(MemoryArchive::new()) } else { store::open(settings)? };
    // A dry run writes nothing, but it knows what stands already.
    let known = (arguments.to.is_dry() && store::is_there(settings))
        .then(|| store::open_for_reading(settings).ok())
        .flatten();
    let scope = store::scope();
    let pruner = Pruner {
        archive: &*archive,
        known: known.as_deref(),
        scope: &scope,
        recall: arguments.recall.unwrap_or(settings.recall.value),
        config,
        tokenizer,
    };
    let pruning = pruner.prune(&transcript, &reading.history, &standing, &mut |_| {})?;
    if !arguments.to.is_dry() && !pruning.made.is_empty() {
        // What the log says is stored before a file says it; nobody else writes this session meanwhile.
        let turn = Turn::take(&*archive, &scope, log::name(&transcript, &reading.about)?)?;
        if arguments.log_only {
            // What a client writes on meanwhile changes nothing of what was decided: texts are known by their bytes.
            turn.append(&pruning.made, StandsIn::Log)?;
        } else {
            before.check(&transcript)?;
            turn.append(&pruning.made, StandsIn::File)?;
        }
        save::write(&transcript, &pruning.rewrite, &arguments.to, &before)?;
    } else if !arguments.to.is_dry() {
        save::write(&transcript, &pruning.rewrite, &arguments.to, &before)?;
    }
    let report = Report::new(&transcript, &reading, &pruning, tokenizer, arguments.to.is_dry());
    if arguments.json {
        output::json(&report)?;
    } else {
        report.print(&arguments.to, arguments.log_only)?;
    }
    Ok(ExitCode::SUCCESS)
}

impl From<PruneError> for Failure {
    fn from(error: PruneError) -> Self {
        match error {
            PruneError::Transcript(error) => error.into(),
            PruneError::Archive(error) => error.into(),
            PruneError::Compress(error) => error.into(),
            other => Self::job(other.to_string()),
        }
    }
}

/// What was done.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    session: String,
    format: &'static str,
    tokenizer: String,
    dry_run: bool,
    results: u64,
    tokens_before: u64,
    tokens_after: u64,
    saved_percent: f64,
    policies: BTreeMap<&'static str, Part>,
    changes: Vec<Row>,
    left: u64,
}

#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Part {
    changes: u64,
    tokens_before: u64,
    tokens_after: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    line: u32,
    step: u32,
    tool: String,
    call_id: String,
    policy: &'static str,
    refs: Vec<String>,
    tokens_before: u64,
    tokens_after: u64,
    chars_before: u64,
    chars_after: u64,
}

impl Row {
    fn of(made: &Made) -> Self {
        Self {
            line: made.place.line,
            step: made.step,
            tool: made.tool.clone(),
            call_id: made.call_id.clone(),
            policy: made.change.policy.name(),
            refs: made.refs.iter().map(ToString::to_string).collect(),
            tokens_before: made.tokens,
            tokens_after: made.left_tokens,
            chars_before: made.chars,
            chars_after: made.left_chars,
        }
    }
}

fn percent(before: u64, after: u64) -> f64 {
    ((before - after.min(before)) * 1000).checked_div(before).unwrap_or_default() as f64 / 10.0
}

impl Report {
    fn new(
        transcript: &Transcript,
        reading: &Reading,
        pruning: &Pruning,
        tokenizer: Tokenizer,
        dry_run: bool,
    ) -> Self {
        let mut policies: BTreeMap<&'static str, Part> = BTreeMap::new();
        for made in &pruning.made {
            let part = policies.entry(made.change.policy.name()).or_default();
            part.changes += 1;
            part.tokens_before += made.tokens;
            part.tokens_after += made.left_tokens;
        }
        let history = &reading.history;
        let on_path = history
            .results
            .iter()
            .filter(|result| history.node_of(result.item).is_some_and(|node| node.is_on_path));
        let (mut results, mut tokens_before) = (0, 0);
        for result in on_path {
            results += 1;
            tokens_before += u64::from(result.tokens);
        }
        let of_results = pruning.made.iter().filter(|made| made.change.policy != PolicyName::Arguments);
        let saved: u64 = of_results.map(|made| made.tokens - made.left_tokens).sum();
        let tokens_after = tokens_before.saturating_sub(saved);
        Self {
            session: transcript.path().display().to_string(),
            format: transcript.format().name(),
            tokenizer: tokenizer.name().to_owned(),
            dry_run,
            results,
            tokens_before,
            tokens_after,
            saved_percent: percent(tokens_before, tokens_after),
            policies,
            changes: pruning.made.iter().map(Row::of).collect(),
            left: pruning.left.len() as u64,
        }
    }

    fn print(&self, to: &To, log_only: bool) -> Outcome<()> {
        let number = |number: u64| output::thousands(number);
        let mut rows: Vec<Vec<String>> = PolicyName::ALL
            .iter()
            .filter_map(|policy| Some((policy.name(), self.policies.get(policy.name())?)))
            .map(|(name, part)| {
                vec![
                    name.to_owned(),
                    number(part.changes),
                    number(part.tokens_before),
                    number(part.tokens_after),
                    format!("{:.1} %", percent(part.tokens_before, part.tokens_after)),
                ]
            })
            .collect();
        let changed = self.changes.iter().filter(|row| row.policy != "arguments").count() as u64;
        rows.push(vec![
            "all tool results".to_owned(),
            format!("{} of {}", number(changed), number(self.results)),
            number(self.tokens_before),
            number(self.tokens_after),
            format!("{:.1} %", self.saved_percent),
        ]);
        let headings = ["policy", "changed", "tokens before", "after", "saved"];
        output::data(output::table(&headings, &rows, &[1, 2, 3, 4]).as_bytes())?;
        let done = match (self.changes.is_empty(), self.dry_run) {
            (true, true) => "nothing to change".to_owned(),
            (true, false) => format!("nothing to change{}", to.said_of_copy()),
            (false, true) => "nothing was written: a dry run".to_owned(),
            (false, false) if log_only => {
                format!("decided: {} stays as it is; what stands in requests is in the archive", self.session)
            }
            (false, false) => format!("written: {}; originals are in the archive", to.said(&self.session)),
        };
        output::complain(&done);
        Ok(())
    }
}
