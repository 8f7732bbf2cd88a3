//! Listings whose lines stand in blocks: trees, folders, expanded records, metrics; and flat ones.

use std::iter::Peekable;

use super::line;
use crate::{
    Builder, Kind, LINE_NOTES, Layout, Role, UnitId,
    gap::Gap,
    lines::{self, Line, Lines},
    parser::Context,
};

/// Adds a line behind the blank lines before it. Frames are never cut.
fn add(builder: &mut Builder<'_>, gap: &mut Gap, line: Line, role: Role, kind: Kind) {
    let lead = gap.lead(builder);
    if role == Role::Frame {
        builder.leaf(lead, line.start, line.end, role, kind);
    } else {
        lines::add_line(builder, lead, line, role, kind);
    }
    gap.close(line.end);
}

/// Opens a block at a line.
fn open(builder: &mut Builder<'_>, gap: &mut Gap, line: Line, role: Role, kind: Kind) {
    let lead = gap.lead(builder);
    builder.open(lead, line.start, role, kind, LINE_NOTES);
    gap.close(line.start);
}

/// Lines that are all alike. In a grid they have columns, and `is_row` tells them from other lines.
pub(super) fn flat(builder: &mut Builder<'_>, start: usize, end: usize, is_row: Option<fn(&[u8]) -> bool>) {
    let source = builder.source();
    let mut gap = Gap::new(start);
    for line in Lines::new(source, start, end) {
        let text = line.of(source);
        if line::is_blank(text) {
            gap.pass(line);
        } else if is_row.is_some() && line::is_summary(text) {
            add(builder, &mut gap, line, Role::Line, Kind::Summary);
        } else if is_row.is_some_and(|is_row| !is_row(text)) {
            add(builder, &mut gap, line, Role::Line, Kind::Plain);
        } else {
            add(builder, &mut gap, line, Role::Record, Kind::Row);
        }
    }
    gap.finish(builder);
    if is_row.is_some() {
        builder.table(None, Layout::Blanks);
    }
}

/// `ls -l`, `ls -R`: a block a folder that is named.
pub(super) fn folders(builder: &mut Builder<'_>, start: usize, end: usize) {
    let source = builder.source();
    let mut gap = Gap::new(start);
    let mut is_open = false;
    let mut has_modes = false;
    let mut after_blank = true;
    for line in Lines::new(source, start, end) {
        let text = line.of(source);
        if line::is_blank(text) {
            gap.pass(line);
            after_blank = true;
            continue;
        }
        if after_blank && line::is_folder_head(text) {
            if is_open {
                builder.close(gap.last_end());
            }
            open(builder, &mut gap, line, Role::Block, Kind::Section);
            is_open = true;
            add(builder, &mut gap, line, Role::Frame, Kind::Heading);
        } else if line::is_summary(text) {
            add(builder, &mut gap, line, Role::Line, Kind::Summary);
        } else {
            has_modes |= line::is_mode(text);
            add(builder, &mut gap, line, Role::Record, Kind::Row);
        }
        after_blank = false;
    }
    if is_open {
        builder.close(gap.last_end());
    } else if has_modes {
        builder.table(None, Layout::Blanks);
    }
    gap.finish(builder);
}

/// psql's and MySQL's expanded output: a record a row, a field a line.
pub(super) fn expanded(builder: &mut Builder<'_>, start: usize, end: usize, context: Context) {
    let source = builder.source();
    let mut gap = Gap::new(start);
    let mut is_open = false;
    for line in Lines::new(source, start, end) {
        let text = line.of(source);
        if line::is_blank(text) {
            gap.pass(line);
        } else if line::is_record_head(text) {
            if is_open {
                builder.close_atom(gap.last_end(), context.atom_bytes);
            }
            open(builder, &mut gap, line, Role::Record, Kind::Row);
            is_open = true;
            add(builder, &mut gap, line, Role::Frame, Kind::Header);
        } else if line::is_summary(text) {
            if std::mem::take(&mut is_open) {
                builder.close_atom(gap.last_end(), context.atom_bytes);
            }
            add(builder, &mut gap, line, Role::Line, Kind::Summary);
        } else {
            add(builder, &mut gap, line, Role::Field, Kind::Plain);
        }
    }
    if is_open {
        builder.close_atom(gap.last_end(), context.atom_bytes);
    }
    gap.finish(builder);
}

/// Prometheus metrics: what a metric means and its samples.
pub(super) fn metrics(builder: &mut Builder<'_>, start: usize, end: usize) {
    let source = builder.source();
    let mut gap = Gap::new(start);
    let mut metric: Option<&[u8]> = None;
    for line in Lines::new(source, start, end) {
        let text = line.of(source);
        if line::is_blank(text) {
            gap.pass(line);
        } else if let Some(name) = metric_name(text) {
            if metric != Some(name) {
                if metric.is_some() {
                    builder.close(gap.last_end());
                }
                open(builder, &mut gap, line, Role::Block, Kind::Section);
                metric = Some(name);
            }
            add(builder, &mut gap, line, Role::Frame, Kind::Header);
        } else if text.starts_with(b"#") {
            add(builder, &mut gap, line, Role::Line, Kind::Comment);
        } else {
            add(builder, &mut gap, line, Role::Record, Kind::Row);
        }
    }
    if metric.is_some() {
        builder.close(gap.last_end());
    }
    gap.finish(builder);
}

/// The metric that a `# HELP` or `# TYPE` line is about.
fn metric_name(text: &[u8]) -> Option<&[u8]> {
    let rest = text.strip_prefix(b"# ")?;
    let rest = [&b"HELP "[..], b"TYPE ", b"UNIT "].iter().find_map(|word| rest.strip_prefix(*word))?;
    Some(line::first_word(rest).0)
}

/// `tree`: an entry with entries below it is a block, so that each is shown with the folders it stands in.
pub(super) fn tree(builder: &mut Builder<'_>, start: usize, end: usize) {
    let source = builder.source();
    let mut gap = Gap::new(start);
    let mut lines: Peekable<Lines<'_>> = Lines::new(source, start, end).peekable();
    // The depth of each open entry; a line without a branch is at 0, one with a branch at its column + 1.
    let mut depths: Vec<usize> = Vec::new();
    let mut is_first = builder.current() == UnitId::ROOT;
    while let Some(line) = lines.next() {
        let text = line.of(source);
        if line::is_blank(text) {
            gap.pass(line);
            continue;
        }
        let depth = depth_of(text);
        while depths.last().is_some_and(|open| *open >= depth) {
            depths.pop();
            builder.close(gap.last_end());
        }
        let below = lines.peek().map(|next| next.of(source)).filter(|text| !line::is_blank(text));
        if below.is_some_and(|below| depth_of(below) > depth) {
            let role = if std::mem::take(&mut is_first) { Role::Frame } else { Role::Block };
            open(builder, &mut gap, line, role, Kind::Section);
            depths.push(depth);
            add(builder, &mut gap, line, Role::Frame, Kind::Heading);
        } else {
            let is_total = depth == 0 && line::is_summary(text);
            let (role, kind) = if is_total { (Role::Line, Kind::Summary) } else { (Role::Record, Kind::Row) };
            add(builder, &mut gap, line, role, kind);
        }
    }
    while depths.pop().is_some() {
        builder.close(gap.last_end());
    }
    gap.finish(builder);
}

fn depth_of(text: &[u8]) -> usize {
    line::branch_column(text).map_or(0, |column| column + 1)
}
