//! All scenarios at all levels, so many times.

use std::{path::PathBuf, process::ExitCode, time::Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use recto_catalog::{Catalog, CodeStyle, Level, MapStyle, Options, Tool, compile};

use super::{
    conversation::Conversation,
    http::Client,
    provider::Provider,
    report::{Line, Summary},
    scenario::{self, Scenario},
};
use crate::{
    failure::{Failure, Outcome},
    output,
    usage::text::plain,
};

/// What is to be tried.
pub(crate) struct Plan {
    pub(crate) provider: Provider,
    pub(crate) model: String,
    pub(crate) scenarios: PathBuf,
    pub(crate) reps: u32,
    pub(crate) levels: Vec<Level>,
    pub(crate) map_style: Option<MapStyle>,
    pub(crate) code_style: Option<CodeStyle>,
    pub(crate) max_turns: u32,
}

/// Tries a model with tools: prints a line of JSON a run, and the table of levels on stderr. The exit code is 1 if a run failed.
pub(crate) fn run(plan: &Plan, tools: &[Tool]) -> Outcome<ExitCode> {
    let scenarios = scenario::read(&plan.scenarios, tools)?;
    // Everything is compiled before the first question: what is wrong with it costs nothing.
    let mut rounds = Vec::new();
    for scenario in &scenarios {
        for level in &plan.levels {
            rounds.push((scenario, plan.catalog(&scenario.offered(tools), *level)?));
        }
    }
    let client = Client::new(&plan.provider.place())?;
    let conversation = Conversation {
        client: &client,
        dialect: plan.provider.dialect(),
        model: &plan.model,
        max_turns: plan.max_turns,
    };
    let bar = bar(rounds.len() as u64 * u64::from(plan.reps));
    let mut summary = Summary::default();
    for (scenario, catalog) in &rounds {
        for rep in 1..=plan.reps {
            let (line, is_final) = once(&conversation, scenario, catalog, rep);
            summary.add(&line);
            bar.suspend(|| output::json(&line))?;
            bar.inc(1);
            if is_final {
                bar.finish_and_clear();
                let why = line.message.unwrap_or_default();
                return Err(Failure::job(why).hint("nothing more was asked"));
            }
        }
    }
    bar.finish_and_clear();
    output::complain(summary.table().trim_end());
    Ok(if summary.failed() > 0 { ExitCode::from(1) } else { ExitCode::SUCCESS })
}

fn once<'a>(
    conversation: &Conversation<'a>,
    scenario: &'a Scenario,
    catalog: &Catalog,
    rep: u32,
) -> (Line<'a>, bool) {
    let began = Instant::now();
    let (outcome, course) = conversation.hold(catalog, scenario);
    let line = Line {
        scenario: &scenario.name,
        level: catalog.level(),
        map_style: (catalog.level() == Level::Map).then(|| catalog.map_choice().map_style),
        model: conversation.model,
        rep,
        outcome,
        tool: course.tool,
        turns: course.turns,
        look_ups: course.look_ups,
        errors: course.errors,
        repairs: course.repairs,
        input_tokens: course.usage.input,
        cached_tokens: course.usage.cached,
        output_tokens: course.usage.output,
        millis: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
        message: course.message,
    };
    (line, course.is_final)
}

impl Plan {
    fn catalog(&self, tools: &[Tool], level: Level) -> Outcome<Catalog> {
        let options = Options {
            map_style: self.map_style,
            code_style: self.code_style,
            model: Some(self.model.clone()),
            ..Options::at(level)
        };
        compile(tools, &options).map_err(|error| Failure::usage(plain(&error.to_string())))
    }
}

pub(super) fn bar(runs: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(runs), ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{msg} [{bar:30}] {pos}/{len}, {eta}") {
        bar.set_style(style);
    }
    bar.with_message("asking")
}
