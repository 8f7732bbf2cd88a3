use std::{path::Path, process::ExitCode};

use clap::Args;
use recto::{
    archive::{Archive, MemoryArchive},
    session::history::ProblemKind,
    wire::Layout,
};
use serde::Serialize;

use crate::{
    failure::Outcome,
    named::Written,
    output::{self, table},
    session::{
        log::{self, Turn},
        open,
        repair::{self, Fix, Keeper, Limits},
        save::{self, Stamp, To, Work},
        watch,
    },
    settings::Settings,
    store,
};

/// What was done has as many columns at least.
const FEWEST_COLUMNS: usize = 24;

/// Make a session valid again, and say what was done
///
/// Takes out what is not JSON, records that stand twice, results without a call and second results; lets records follow the one before
/// where what they follow is not there or where they follow themselves; gives calls that others follow and that have no result one that says so;
/// puts a text in the place of images that are too large or cannot be decoded. What is taken out goes into the archive first, and the
/// report has its ref. Reasoning, the newest answer and all that is not named stay byte for byte. A session that is in order stays as it is.
#[derive(Debug, Args)]
#[command(
    override_usage = "\
recto session repair [OPTIONS] [SESSION] --dry-run
       recto session repair [OPTIONS] [SESSION] --output <FILE>
       recto session repair [OPTIONS] SESSION --in-place",
    after_help = "\
Examples:
  recto session repair --dry-run                      the newest session: what is wrong with it
  recto session repair 3fa2c1 -o repaired.jsonl
  recto session repair run.jsonl --in-place           the file itself; a backup stays beside it"
)]
pub(crate) struct Arguments {
    /// The session: a file, or an id; the newest one if absent, where nothing of it is changed
    session: Option<String>,

    #[command(flatten)]
    to: To,

    /// Images of more bytes are taken out
    #[arg(long, value_name = "N", default_value_t = 5 << 20)]
    max_image_bytes: u64,

    /// Images of more pixels in width or height are taken out
    #[arg(long, value_name = "N", default_value_t = 8000)]
    max_image_pixels: u32,

    #[command(flatten)]
    written: Written,

    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    session: String,
    format: &'static str,
    dry_run: bool,
    done: Vec<Fix>,
    left: Vec<Fix>,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Outcome<ExitCode> {
    let transcript = open::to_write(arguments.session.as_deref(), arguments.written.format, &arguments.to)?;
    let before = Stamp::of(&transcript);
    let reading = watch::silently(&transcript)?;
    let name = log::name(&transcript, &reading.about)?;
    let is_truncated = reading.history.problems.iter().any(|problem| problem.kind == ProblemKind::Truncated);
    let archive: Box<dyn Archive> =
        if arguments.to.is_dry() { Box::new(MemoryArchive::new()) } else { store::open(settings)? };
    let scope = store::scope();
    let keeper = Keeper { archive: &*archive, scope: &scope, kept: Default::default() };
    let limits = Limits { image_bytes: arguments.max_image_bytes, image_pixels: arguments.max_image_pixels };
    let repaired = repair::repair(&transcript, reading, &keeper, limits)?;
    if !arguments.to.is_dry() && (!repaired.done.is_empty() || arguments.to.is_file()) {
        let _turn = Turn::take(&*archive, &scope, name)?;
        let files = match transcript.layout() {
            Layout::Files => repaired.rewrite.files(),
            _ => [0].into(),
        };
        let fill = |number: u32, to: &mut dyn std::io::Write| {
            repaired.rewrite.write(&repaired.transcript, number, to)
        };
        save::do_work(&Work { transcript: &transcript, files, fill: &fill }, &arguments.to, &before)?;
    }
    let report = Report {
        session: transcript.path().display().to_string(),
        format: transcript.format().name(),
        dry_run: arguments.to.is_dry(),
        done: repaired.done,
        left: repaired.left,
    };
    if arguments.json {
        output::json(&report)?;
    } else {
        let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        report.print(&arguments.to, &transcript.paths().map(name).collect::<Vec<_>>())?;
    }
    if is_truncated {
        output::complain("the last line has no end: if the client is still running, let it finish first");
    }
    Ok(ExitCode::SUCCESS)
}

impl Report {
    /// `names` are those of the session's files.
    fn print(&self, to: &To, names: &[String]) -> Outcome<()> {
        let fixes = || self.done.iter().chain(&self.left);
        let place = |fix: &Fix| match names.get(fix.file as usize).filter(|_| names.len() > 1) {
            Some(name) => name.clone(),
            None => fix.line.to_string(),
        };
        let is_files = names.len() > 1;
        let widest = |cell: &dyn Fn(&Fix) -> usize| fixes().map(cell).max().unwrap_or_default();
        let taken = widest(&|fix| place(fix).chars().count()).max(4)
            + widest(&|fix| fix.problem.chars().count()).max(14)
            + widest(&|fix| fix.reference.as_ref().map_or(3, String::len))
            + 6;
        let room =
            output::columns().map_or(usize::MAX, |columns| columns.saturating_sub(taken).max(FEWEST_COLUMNS));
        let mut rows: Vec<Vec<String>> = Vec::new();
        for fix in fixes() {
            let mut cells = [place(fix), fix.problem.to_owned()];
            let mut reference = fix.reference.clone().unwrap_or_default();
            for line in table::wrapped(&fix.did, room) {
                let [place, problem] = std::mem::take(&mut cells);
                rows.push(vec![place, problem, line, std::mem::take(&mut reference)]);
            }
        }
        if !rows.is_empty() {
            let headings = [if is_files { "file" } else { "line" }, "what was wrong", "what was done", "ref"];
            let right: &[usize] = if is_files { &[] } else { &[0] };
            output::data(output::table(&headings, &rows, right).as_bytes())?;
        }
        output::complain(&match (self.done.is_empty(), self.dry_run) {
            (true, _) if self.left.is_empty() => "nothing to repair".to_owned(),
            (true, _) => "nothing was repaired; why is said above".to_owned(),
            (false, true) => "nothing was written: a dry run".to_owned(),
            (false, false) => {
                format!("written: {}; what was taken out is in the archive", to.said(&self.session))
            }
        });
        Ok(())
    }
}
