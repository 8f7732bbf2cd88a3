use super::{
    Generated, PlantedKind,
    plant::{Schedule, room_for},
    prose::sentence,
    source::CodeLines,
    vocabulary::{ADJECTIVES, NOUNS, REGIONS, SERVICES, STATUSES},
    write::number,
};
use crate::Prng;

const PLANTS: &[PlantedKind] = &[PlantedKind::RareValue, PlantedKind::Outlier, PlantedKind::Named];

/// Sections with paragraphs, lists, fenced code and small tables.
pub(super) fn document(prng: &mut Prng, min_bytes: usize) -> Vec<u8> {
    let mut out = room_for(min_bytes);
    out.extend_from_slice(b"# Handbook\n\n");
    let mut section = 0;
    while out.len() < min_bytes {
        section += 1;
        out.extend_from_slice(if section % 4 == 1 { b"## " } else { b"### " });
        out.extend_from_slice(prng.pick(ADJECTIVES).as_bytes());
        out.push(b' ');
        out.extend_from_slice(prng.pick(NOUNS).as_bytes());
        out.extend_from_slice(b"\n\n");
        paragraph(&mut out, prng);
        match section % 3 {
            0 => list(&mut out, prng),
            1 => fenced_code(&mut out, prng),
            _ => {
                table_head(&mut out);
                for row in 0..prng.within(2..8) {
                    table_row(&mut out, prng, row, None);
                    out.push(b'\n');
                }
                out.push(b'\n');
            }
        }
    }
    out
}

/// One table, with anomalies in some of its rows.
pub(super) fn table(prng: &mut Prng, min_bytes: usize) -> Generated {
    let mut generated = Generated::with_room(min_bytes);
    let mut schedule = Schedule::new(prng, min_bytes, PLANTS);
    table_head(&mut generated.bytes);
    let mut row = 0;
    while !schedule.is_finished(generated.bytes.len()) {
        row += 1;
        let planted = schedule.due(generated.bytes.len());
        let from = generated.bytes.len();
        let telling = table_row(&mut generated.bytes, prng, row, planted);
        generated.note(planted, from, telling);
        generated.bytes.push(b'\n');
    }
    generated
}

fn paragraph(out: &mut Vec<u8>, prng: &mut Prng) {
    for _ in 0..prng.within(2..5) {
        sentence(out, prng);
        out.push(b'\n');
    }
    out.push(b'\n');
}

fn list(out: &mut Vec<u8>, prng: &mut Prng) {
    for _ in 0..prng.within(2..6) {
        out.extend_from_slice(b"- **");
        out.extend_from_slice(prng.pick(NOUNS).as_bytes());
        out.extend_from_slice(b"**: ");
        sentence(out, prng);
        out.push(b'\n');
    }
    out.push(b'\n');
}

fn fenced_code(out: &mut Vec<u8>, prng: &mut Prng) {
    out.extend_from_slice(b"```rust\n");
    let mut lines = CodeLines::default();
    for _ in 0..prng.within(4..12) {
        lines.write(out, prng);
        out.push(b'\n');
    }
    out.extend_from_slice(b"```\n\n");
}

fn table_head(out: &mut Vec<u8>) {
    out.extend_from_slice(
        b"| row | service | region | status | items |\n| ---: | --- | --- | :---: | ---: |\n",
    );
}

/// Writes a row without its line end and returns the telling range.
fn table_row(
    out: &mut Vec<u8>,
    prng: &mut Prng,
    row: u64,
    planted: Option<PlantedKind>,
) -> std::ops::Range<usize> {
    let mut telling = out.len()..out.len();
    let is = |kind| planted == Some(kind);
    out.extend_from_slice(b"| ");
    number(out, row);
    out.extend_from_slice(b" | ");
    let cell = out.len();
    out.extend_from_slice(if is(PlantedKind::Named) {
        b"quartz-lantern-7"
    } else {
        prng.pick(SERVICES).as_bytes()
    });
    if is(PlantedKind::Named) {
        telling = cell..out.len();
    }
    out.extend_from_slice(b" | ");
    out.extend_from_slice(prng.pick(REGIONS).as_bytes());
    out.extend_from_slice(b" | ");
    let cell = out.len();
    out.extend_from_slice(if is(PlantedKind::RareValue) {
        b"evicted"
    } else {
        prng.pick(STATUSES).as_bytes()
    });
    if is(PlantedKind::RareValue) {
        telling = cell..out.len();
    }
    out.extend_from_slice(b" | ");
    let cell = out.len();
    number(out, prng.within(100..999) + if is(PlantedKind::Outlier) { 770_000_000 } else { 0 });
    if is(PlantedKind::Outlier) {
        telling = cell..out.len();
    }
    out.extend_from_slice(b" |");
    telling
}
