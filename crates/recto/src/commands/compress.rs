use std::{path::PathBuf, process::ExitCode};

use clap::{Args, ValueEnum};
use recto::{
    CompressError, Issued,
    archive::SqliteArchive,
    compress,
    tokens::estimate_from_bytes,
    view::{Elision, Mode, Policy, Source, SpanMap, View, WireSpan},
};
use serde_json::{Value, json};

use crate::{
    commands::budget::ViewOptions,
    failure::{Failure, Outcome},
    input, output,
    settings::Settings,
    store,
};

/// Show what matters of a tool's output, within a budget
///
/// Reads FILE or stdin and prints a view: pieces of the source, byte for byte, with a short note wherever something is left out.
/// The source is stored, and the first note states the ref that gives the rest back.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  recto compress build.log --max-tokens 2000
  gh run view --log | recto compress --query 'test_login'
  recto compress pods.json --mode exact --ratio 0.2     still JSON, no notes
  recto compress big.csv --format json | jq .tokens
  recto compress trace.log --explain >/dev/null         why each part is kept

With no budget, sources up to 16 KiB are shown whole and larger ones cut to 0.45 of their bytes. Of several budgets the
tightest binds. If the source cannot be stored it is printed whole: nothing is ever lost.")]
pub(crate) struct Arguments {
    /// The source; stdin if absent or `-`
    file: Option<PathBuf>,

    #[command(flatten)]
    options: ViewOptions,

    /// marked: each omission is announced by a note; exact: the kept bytes and nothing else
    #[arg(long, value_name = "M")]
    mode: Option<Mode>,

    /// What to print
    #[arg(long, value_name = "F", default_value = "text")]
    format: Format,

    /// Print each kept part and why it is kept, to stderr (with `--format json`: as `kept`)
    #[arg(long)]
    explain: bool,

    /// Count the source's own tokens too, instead of estimating them
    #[arg(long)]
    count: bool,

    /// Refuse a source that is not valid UTF-8
    #[arg(long)]
    strict: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// The view
    Text,
    /// The view, its span map, ref and token counts
    Json,
    /// The span map
    Map,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Outcome<ExitCode> {
    let mode = arguments.mode.unwrap_or(settings.mode.value);
    let policy = arguments.options.policy(settings, mode)?;
    let bytes = input::read(arguments.file.as_ref())?;
    check_text(&bytes, arguments.strict)?;
    let source = Source::new(&bytes);
    let issued = match issue(arguments, settings, &source, &policy) {
        Ok(issued) => issued,
        Err(CompressError::Archive(error)) => {
            // What a view would leave out could not be had back, so there is no view.
            output::data(&bytes)?;
            return Err(Failure::from(error));
        }
        Err(error) => return Err(error.into()),
    };
    if issued.view.is_empty && !bytes.is_empty() {
        output::warn("nothing is shown: the budget is too small for even one line");
    }
    print(arguments, &source, &policy, &issued)?;
    Ok(ExitCode::SUCCESS)
}

/// Makes the view and stores what it leaves out.
fn issue(
    arguments: &Arguments,
    settings: &Settings,
    source: &Source<'_>,
    policy: &Policy,
) -> Result<Issued, CompressError> {
    compress(source, policy, &store::scope(), || {
        if arguments.options.no_store {
            return Ok(None::<Box<SqliteArchive>>);
        }
        store::open(settings).map(|archive| Some(Box::new(archive)))
    })
}

fn check_text(bytes: &[u8], strict: bool) -> Outcome<()> {
    let Err(error) = std::str::from_utf8(bytes) else { return Ok(()) };
    let at = error.valid_up_to();
    if strict {
        return Err(Failure::usage(format!("the source is not valid UTF-8: see byte {at}"))
            .hint("without --strict the invalid bytes are left out of the view, and kept in the archive"));
    }
    output::warn(&format!(
        "the source is not valid UTF-8 (first at byte {at}): invalid bytes are not shown; `expand` gives them back"
    ));
    Ok(())
}

fn print(arguments: &Arguments, source: &Source<'_>, policy: &Policy, issued: &Issued) -> Outcome<()> {
    let view = &issued.view;
    if arguments.explain && arguments.format != Format::Json {
        output::complain(explanation(view, source.bytes()).trim_end());
    }
    match arguments.format {
        Format::Text => output::data(view.render(source)?.as_bytes()),
        Format::Map => output::json(map_of(view)?),
        Format::Json => {
            let mut report = report(source, policy, issued)?;
            if arguments.count {
                report["tokens"]["original"] =
                    policy.tokenizer.counter().count(&String::from_utf8_lossy(source.bytes())).into();
            }
            if arguments.explain {
                let kept = view
                    .kept
                    .iter()
                    .map(|kept| json!({"s": kept.span.s, "e": kept.span.e, "reason": kept.reason.name()}));
                report["kept"] = kept.collect();
            }
            output::json(&report)
        }
    }
}

fn map_of(view: &View) -> Outcome<&SpanMap> {
    view.map().ok_or_else(|| Failure::job("the view has no span map"))
}

/// What `--format json` prints. The source's own tokens are an estimate, marked `~`.
pub(crate) fn report(source: &Source<'_>, policy: &Policy, issued: &Issued) -> Outcome<Value> {
    let view = &issued.view;
    let map = map_of(view)?;
    let rendered = view.render(source)?;
    let tokens = json!({
        "original": format!("~{}", estimate_from_bytes(source.bytes().len() as u64)),
        "rendered": policy.tokenizer.counter().count(&rendered),
        "tokenizer": policy.tokenizer.name(),
    });
    Ok(json!({
        "method": view.result.method(),
        "spanMap": map,
        "rendered": rendered,
        "ref": issued.name.as_ref().map(ToString::to_string),
        "contentType": map.content_type,
        "mode": view.mode.name(),
        "tokens": tokens,
    }))
}

/// The kept parts and their reasons, then what is left out, as a table.
fn explanation(view: &View, source: &[u8]) -> String {
    let excerpt = |span: WireSpan| {
        let range =
            usize::try_from(span.s).unwrap_or(usize::MAX)..usize::try_from(span.e).unwrap_or(usize::MAX);
        let text = String::from_utf8_lossy(source.get(range).unwrap_or_default()).escape_debug().to_string();
        let short: String = text.chars().take(60).collect();
        if short.len() < text.len() { format!("{short}\u{2026}") } else { short }
    };
    let rows: Vec<Vec<String>> = view
        .kept
        .iter()
        .map(|kept| {
            vec![
                kept.span.s.to_string(),
                kept.span.e.to_string(),
                kept.reason.name().to_owned(),
                excerpt(kept.span),
            ]
        })
        .collect();
    let mut out = output::table(&["from", "to", "reason", "text"], &rows, &[0, 1]);
    if let Some(map) = view.map() {
        let dropped: u64 = map.elisions.iter().map(|elision: &Elision| elision.bytes).sum();
        out.push_str(&format!(
            "{} parts kept, {} left out in {} places\n",
            rows.len(),
            output::size(dropped),
            map.elisions.len()
        ));
    }
    out
}
