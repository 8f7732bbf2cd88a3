use std::{path::PathBuf, process::ExitCode, thread};

use clap::{Args, ValueEnum};
use recto::{
    CompressError, Issued,
    archive::Archive,
    compress,
    tokens::estimate_from_bytes,
    view::{CompressionResult, Policy, ResultClass, Source, SpanMap, View, ViewError},
    while_hashing,
};
use serde_json::{Value, json};

use crate::{
    commands::budget::ViewOptions,
    explanation::explanation,
    failure::{Failure, OTHER_STORE, Outcome},
    input, output,
    settings::Settings,
    store,
};

/// Show what matters of a tool's output, within a budget
///
/// Reads FILE or stdin and prints a view: pieces of the source, byte for byte, with a short note wherever something is left out.
/// The source is stored, and the first note states the ref that gives the rest back.
///
/// With no budget, sources up to 16 KiB are shown whole and larger ones are cut to 0.45 of their bytes. All three budgets may be
/// given; the tightest binds, and --max-bytes and --max-tokens are never exceeded. If the source cannot be stored it is printed
/// whole and the exit code is 1: nothing is ever lost.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  recto compress build.log --max-tokens 2000
  gh run view --log | recto compress --query 'test_login'
  recto compress pods.json --mode exact --ratio 0.2     still JSON, no notes
  recto compress pods.json --mode table                 each key once, a record a line
  recto compress big.csv --format json | jq .tokens
  recto compress trace.log --explain >/dev/null         why each part is kept")]
pub(crate) struct Arguments {
    /// The source; stdin if absent or `-`
    file: Option<PathBuf>,

    #[command(flatten)]
    options: ViewOptions,

    /// How it is shown: `marked`, each omission is announced by a note; `exact`, the kept bytes and nothing else; `table`, JSON with
    /// arrays of like records as tables, each key once and a record a line (as `marked` where that would not be smaller); `auto`,
    /// `table` where that is clearly smaller, else `marked`
    #[arg(long, value_name = "M")]
    mode: Option<recto::view::Mode>,

    /// What to print
    #[arg(long, value_name = "F", default_value = "text")]
    format: Format,

    /// Print each kept part and why it is kept, to stderr (with `--format json`: as `kept`)
    #[arg(long)]
    explain: bool,

    /// Count tokens exactly, the source's own too, instead of estimating them (text: a line on stderr)
    #[arg(long)]
    count: bool,

    /// Refuse a source that is not valid UTF-8: exit code 2, nothing printed
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
    if policy.budget.max_tokens.is_some() || arguments.count {
        // The vocabulary takes longer to load than most sources take to read and to outline.
        let tokenizer = policy.tokenizer;
        thread::spawn(move || tokenizer.load());
    }
    let bytes = input::read(arguments.file.as_deref())?;
    while_hashing(&bytes, |source| compress_source(arguments, settings, source, &policy))
}

fn compress_source(
    arguments: &Arguments,
    settings: &Settings,
    source: &Source<'_>,
    policy: &Policy,
) -> Outcome<ExitCode> {
    let first_invalid = std::str::from_utf8(source.bytes()).err().map(|error| error.valid_up_to());
    if let Some(at) = first_invalid.filter(|_| arguments.strict) {
        return Err(Failure::usage(format!("the source is not valid UTF-8: the first bad byte is at {at}"))
            .hint(
                "without --strict the view leaves the invalid bytes out, and `recto expand` gives them back",
            ));
    }
    let issued = match issue(arguments, settings, source, policy) {
        Ok(issued) => issued,
        Err(CompressError::View(error)) if is_refusal(&error) => return Err(error.into()),
        Err(error) => {
            // What a view would leave out could not be had back, so there is no view.
            print_whole(arguments, source, policy)?;
            let is_storing = matches!(error, CompressError::Archive(_));
            let failure = Failure::from(error);
            return Err(if is_storing { failure.or_hint(OTHER_STORE) } else { failure });
        }
    };
    if let Some(at) = first_invalid {
        warn_of_invalid(at, !arguments.options.no_store);
    }
    if issued.view.is_empty && !source.bytes().is_empty() {
        output::warn("nothing is shown: the budget is too small for even one line");
    }
    print(arguments, source, policy, &issued)?;
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
            return Ok(None::<store::Store>);
        }
        store::open(settings).map(Some)
    })
}

/// What is asked for cannot be had of this source, whatever is stored.
fn is_refusal(error: &ViewError) -> bool {
    matches!(
        error,
        ViewError::BudgetTooSmall { .. } | ViewError::NotText { .. } | ViewError::RatioOutOfRange { .. }
    )
}

/// Says that a view leaves out what is no text.
fn warn_of_invalid(first_invalid: usize, is_stored: bool) {
    let rest = if is_stored { "; `recto expand` gives them back" } else { "" };
    output::warn(&format!(
        "the source is not valid UTF-8 (first at byte {first_invalid}): invalid bytes are not shown{rest}"
    ));
}

fn print(arguments: &Arguments, source: &Source<'_>, policy: &Policy, issued: &Issued) -> Outcome<()> {
    let view = &issued.view;
    if arguments.explain && arguments.format != Format::Json {
        output::complain(explanation(view, source.bytes()).trim_end());
    }
    match arguments.format {
        Format::Text => {
            let rendered = view.render(source)?;
            output::data(rendered.as_bytes())?;
            if arguments.count {
                let tokens = tokens(source, policy, &rendered, true);
                output::complain(&format!(
                    "tokens: {} of {} ({})",
                    tokens["rendered"], tokens["original"], policy.tokenizer
                ));
            }
            Ok(())
        }
        Format::Map => output::json(map_of(view)?),
        Format::Json => {
            let mut report = report(source, policy, issued)?;
            if arguments.count
                && let Some(rendered) = report["rendered"].as_str()
            {
                report["tokens"] = tokens(source, policy, rendered, true);
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

/// Prints a source of which there is no view: its bytes, or as JSON a result that leaves nothing out.
fn print_whole(arguments: &Arguments, source: &Source<'_>, policy: &Policy) -> Outcome<()> {
    if arguments.format != Format::Text {
        let policy = Policy { class: ResultClass::Whole, ..policy.clone() };
        let whole = compress::<dyn Archive, store::Store>(source, &policy, &store::scope(), || Ok(None));
        if let Ok(issued) = whole
            && issued.view.is_whole()
        {
            return print(arguments, source, &policy, &issued);
        }
    }
    output::data(source.bytes())
}

fn map_of(view: &View) -> Outcome<&SpanMap> {
    view.map().ok_or_else(|| Failure::job("the view has no span map"))
}

/// What `--format json` prints. Tokens are counted if a budget counted them anyway, else estimated.
pub(crate) fn report(source: &Source<'_>, policy: &Policy, issued: &Issued) -> Outcome<Value> {
    let view = &issued.view;
    let map = map_of(view)?;
    let rendered = view.render(source)?;
    let mut report = json!({
        "method": view.result.method(),
        "spanMap": map,
        "tokens": tokens(source, policy, &rendered, false),
        "rendered": rendered,
        "ref": issued.name.as_ref().map(ToString::to_string),
        "contentType": map.content_type,
        "mode": view.mode.name(),
    });
    if let CompressionResult::Table { layout, .. } = &view.result {
        report["layout"] = json!(layout);
    }
    Ok(report)
}

/// Counts are numbers; estimates are texts that begin with `~`.
fn tokens(source: &Source<'_>, policy: &Policy, rendered: &str, is_exact: bool) -> Value {
    let estimate = |bytes: usize| Value::from(format!("~{}", estimate_from_bytes(bytes as u64)));
    let count = |text: &str| Value::from(policy.tokenizer.counter().count(text));
    let is_counted = is_exact || policy.budget.max_tokens.is_some();
    json!({
        "original": if is_exact { count(&String::from_utf8_lossy(source.bytes())) } else { estimate(source.bytes().len()) },
        "rendered": if is_counted { count(rendered) } else { estimate(rendered.len()) },
        "tokenizer": policy.tokenizer.name(),
    })
}
