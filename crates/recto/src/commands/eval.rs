use std::{fs, path::PathBuf, process::ExitCode, thread, time::Duration};

use clap::Args;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use recto::view::Mode;
use recto_eval::{
    Baseline, EvalError, Generation, Method, Peer, Plan, Report, Set, SetReport, Sizes, TokenBudget,
    generate, layouts, log_templates, log_templates_of_folder, read_corpus, read_transcripts, run as score,
};

use crate::{
    failure::{Failure, Outcome},
    output,
    settings::quantity,
};

/// Measure how much of the evidence views keep, beside simple baselines and other commands
///
/// Reads DIR/questions.jsonl and the files beside it, makes a view of each file at each budget with no query, with each question's
/// query and with a wrong one, and says of how many questions the answer is still there. No model is needed. The questions of a
/// corpus are objects, one a line, with `file`, `question` and `answer_substring`; also `kind`, `needs_query`, `query_terms` and
/// `bind`, a text that has to stand beside the answer in one record.
///
/// A question counts at a budget if its answer and 24 tokens fit into it. Scores are the same on every machine; speeds are not.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  recto eval corpus                                recto and all baselines, as tables
  recto eval corpus --methods recto --failures     what recto lost, question by question
  recto eval corpus --html report.html             curves, as a page of their own
  recto eval --generated --seed 7                  made sources, whose needles are known
  recto eval --transcripts ~/.claude/projects      what agents came back to
  recto eval --layouts corpus                      tokens of whole JSON files, as tables and otherwise
  recto eval corpus --peer 'top=head -c $(({budget} * 3))'
                                                   any command: source on stdin, result on stdout")]
pub(crate) struct Arguments {
    /// A folder with questions.jsonl and the files that it asks of
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,

    /// Generate sources and questions whose answers are known to the byte, in fourteen classes
    #[arg(long)]
    generated: bool,

    /// A folder with sessions of agents (JSON or JSON lines): of each tool result, how much of what the agent used later is kept?
    #[arg(long, value_name = "DIR")]
    transcripts: Option<PathBuf>,

    /// A folder with JSON files: what does each cost in mode `table`, as JSON with blanks and without, and as each peer lays it
    /// out (JSON without blanks on stdin)? Nothing else is scored
    #[arg(long, value_name = "DIR", conflicts_with_all = ["folder", "generated", "transcripts", "html"])]
    layouts: Option<PathBuf>,

    /// How many sources to generate
    #[arg(long, value_name = "N", default_value_t = 112, requires = "generated")]
    count: usize,

    /// What is scored: recto, head, tail, head+tail, random, grep, bm25 [default: all of them]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    methods: Option<Vec<String>>,

    /// Another command to score: `{budget}`, `{query}` and `{file}` in it are filled in, quoted for the shell; may be repeated
    #[arg(long, value_name = "NAME=COMMAND")]
    peer: Vec<String>,

    /// How long a peer may take for one output
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = quantity::duration)]
    peer_timeout: Duration,

    /// Shares of the source's tokens, or numbers of tokens [default: 1%,2%,5%,10%,25%,45%,400,1500,2000,8000]
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    budgets: Option<Vec<TokenBudget>>,

    /// The mode of recto's views: marked, exact, table, auto
    #[arg(long, value_name = "M", default_value = "marked")]
    mode: Vec<Mode>,

    /// Which files, or of what size to generate: from MIN to MAX bytes [default: files of at least 600 tokens and at most 300kB;
    /// generated sources from 2kB to 10MB]
    #[arg(long, value_name = "MIN-MAX", value_parser = sizes, conflicts_with = "all")]
    sizes: Option<(u64, u64)>,

    /// Score every file, of any size
    #[arg(long)]
    all: bool,

    /// The seed of all that is chosen by chance
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Threads; speeds are truest with one [default: one a processor]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=256))]
    threads: Option<u64>,

    /// List what the first method lost: file, budgets, question, answer
    #[arg(long)]
    failures: bool,

    /// Write the report as a page with plots, which needs nothing else
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome<ExitCode> {
    if let Some(folder) = &arguments.layouts {
        let report = layouts(folder, &peers(arguments)?)?;
        if arguments.json {
            output::json(&report)?;
        } else {
            output::data(report.text().as_bytes())?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let plan = plan(arguments)?;
    let mut reports = Vec::new();
    if let Some(folder) = &arguments.folder {
        let sizes = sizes_asked(arguments);
        reports.push(scored(read_corpus(folder, sizes)?, &plan, arguments));
        reports.extend(log_templates_of_folder(folder, sizes)?.map(|set| scored(set, &plan, arguments)));
    }
    if arguments.generated {
        let generation = Generation { seed: arguments.seed, count: arguments.count, ..Generation::default() };
        let set = generate(match arguments.sizes {
            Some((min_bytes, max_bytes)) => Generation { min_bytes, max_bytes, ..generation },
            None => generation,
        })?;
        let logs = log_templates(&set);
        reports.push(scored(set, &plan, arguments));
        reports.extend(logs.map(|set| scored(set, &plan, arguments)));
    }
    if let Some(folder) = &arguments.transcripts {
        // Results in a session are seldom large; those that are count most.
        let sizes = match arguments.sizes {
            None => Sizes { max_bytes: u64::MAX, ..sizes_asked(arguments) },
            Some(_) => sizes_asked(arguments),
        };
        reports.push(scored(read_transcripts(folder, sizes)?, &plan, arguments));
    }
    if reports.is_empty() {
        return Err(Failure::usage("there is nothing to score")
            .hint("name a folder that holds questions.jsonl, or give --generated or --transcripts"));
    }
    let report = Report::new(reports, plan.seed);
    if arguments.json {
        output::json(&report)?;
    } else {
        output::data(report.text().as_bytes())?;
    }
    if let Some(path) = &arguments.html {
        fs::write(path, report.html()).map_err(|error| Failure::writing(path, &error))?;
    }
    match report.failed_methods().first() {
        None => Ok(ExitCode::SUCCESS),
        Some(method) => Err(Failure::job(format!("{method} failed every time"))
            .hint("the report says what it said; try the command by itself")),
    }
}

fn peers(arguments: &Arguments) -> Outcome<Vec<Peer>> {
    let peers = arguments.peer.iter().map(|peer| Peer::parse(peer, arguments.peer_timeout));
    Ok(peers.collect::<Result<_, EvalError>>()?)
}

fn sizes_asked(arguments: &Arguments) -> Sizes {
    match arguments.sizes {
        Some((min_bytes, max_bytes)) => Sizes { min_bytes, max_bytes, ..Sizes::ALL },
        None if arguments.all => Sizes::ALL,
        None => Sizes::default(),
    }
}

fn plan(arguments: &Arguments) -> Outcome<Plan> {
    let mut methods = Vec::new();
    let recto = || arguments.mode.iter().map(|mode| Method::Recto(*mode));
    match &arguments.methods {
        None => {
            methods.extend(recto());
            methods.extend(Baseline::ALL.map(Method::Baseline));
        }
        Some(names) => {
            for name in names {
                match Baseline::ALL.into_iter().find(|baseline| baseline.name() == name) {
                    Some(baseline) => methods.push(Method::Baseline(baseline)),
                    None if name == "recto" => methods.extend(recto()),
                    None => {
                        return Err(Failure::usage(format!("there is no method {name:?}"))
                            .hint("known are recto, head, tail, head+tail, random, grep, bm25"));
                    }
                }
            }
        }
    }
    methods.extend(peers(arguments)?.into_iter().map(Method::Peer));
    let mut names: Vec<String> = methods.iter().map(Method::name).collect();
    names.sort_unstable();
    if let Some(twice) = names.windows(2).find(|pair| pair.first() == pair.last()).and_then(<[_]>::first) {
        return Err(Failure::usage(format!("two methods are called {twice}"))
            .hint("give each peer a name of its own"));
    }
    let threads = arguments.threads.and_then(|threads| usize::try_from(threads).ok());
    Ok(Plan {
        methods,
        budgets: arguments.budgets.clone().unwrap_or_else(|| TokenBudget::DEFAULT.to_vec()),
        seed: arguments.seed,
        threads: threads.or_else(|| thread::available_parallelism().ok().map(Into::into)).unwrap_or(1),
    })
}

fn scored(mut set: Set, plan: &Plan, arguments: &Arguments) -> SetReport {
    if arguments.budgets.is_some() {
        set.budgets = None;
    }
    let set = &set;
    let bar = bar(set);
    let scores = score(set, plan, &|sample| {
        bar.inc(set.samples.get(sample).map_or(0, |sample| sample.bytes.len() as u64));
    });
    bar.finish_and_clear();
    SetReport::new(set, plan, &scores, arguments.failures)
}

/// On a terminal only.
fn bar(set: &Set) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(set.bytes()), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{msg} [{bar:30}] {bytes}/{total_bytes}, {eta}");
    if let Ok(style) = style {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(500));
    bar.with_message("scoring")
}

fn sizes(text: &str) -> Result<(u64, u64), String> {
    let wrong = || format!("{text:?} is no range of sizes: write MIN-MAX, such as 2KiB-10MB");
    let (min, max) = text.split_once('-').ok_or_else(wrong)?;
    let (min, max) = (quantity::bytes(min)?, quantity::bytes(max)?);
    if min > max { Err(wrong()) } else { Ok((min, max)) }
}

impl From<EvalError> for Failure {
    fn from(error: EvalError) -> Self {
        Self::usage(error.to_string())
    }
}
