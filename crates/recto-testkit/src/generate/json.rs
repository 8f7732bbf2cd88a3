use std::ops::Range;

use super::{
    Generated, PlantedKind,
    clock::Clock,
    json_writer::JsonWriter,
    plant::Schedule,
    vocabulary::{REGIONS, REMARKS, SERVICES, STATUSES, TAGS, TEAMS},
    write::{hex, hundredths, number, padded},
};
use crate::Prng;

const PLANTS: &[PlantedKind] =
    &[PlantedKind::RareValue, PlantedKind::Outlier, PlantedKind::Error, PlantedKind::Gap, PlantedKind::Named];

/// How an array of records is laid out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    Compact,
    Indented,
}

/// What goes on from record to record.
struct Records {
    prng: Prng,
    clock: Clock,
    id: u64,
}

impl Records {
    fn new(prng: &mut Prng) -> Self {
        Self { prng: Prng::new(prng.next_u64()), clock: Clock::new(), id: 1_000 + prng.below(9_000) }
    }

    fn advance(&mut self, planted: Option<PlantedKind>) {
        let is_gap = planted == Some(PlantedKind::Gap);
        self.id += if is_gap { 25_000 } else { 1 };
        self.clock.advance_millis(if is_gap { 6 * 3_600_000 } else { self.prng.within(800..1_200) });
    }
}

pub(super) fn flat_records(prng: &mut Prng, min_bytes: usize) -> Generated {
    array(prng, min_bytes, Layout::Compact, flat_record)
}

pub(super) fn nested_records(prng: &mut Prng, min_bytes: usize, layout: Layout) -> Generated {
    array(prng, min_bytes, layout, nested_record)
}

/// One flat record a line.
pub(super) fn lines(prng: &mut Prng, min_bytes: usize) -> Generated {
    let mut generated = Generated::with_room(min_bytes);
    let mut schedule = Schedule::new(prng, min_bytes, PLANTS);
    let mut records = Records::new(prng);
    while !schedule.is_finished(generated.bytes.len()) {
        let planted = schedule.due(generated.bytes.len());
        let from = generated.bytes.len();
        records.advance(planted);
        let telling =
            flat_record(&mut JsonWriter::new(&mut generated.bytes, false, 0), &mut records, planted);
        generated.note(planted, from, telling);
        generated.bytes.push(b'\n');
    }
    generated
}

fn array(
    prng: &mut Prng,
    min_bytes: usize,
    layout: Layout,
    record: fn(&mut JsonWriter<'_>, &mut Records, Option<PlantedKind>) -> Range<usize>,
) -> Generated {
    let mut generated = Generated::with_room(min_bytes);
    let mut schedule = Schedule::new(prng, min_bytes, PLANTS);
    let mut records = Records::new(prng);
    let indented = layout == Layout::Indented;
    generated.bytes.push(b'[');
    while !schedule.is_finished(generated.bytes.len()) {
        let planted = schedule.due(generated.bytes.len());
        if generated.bytes.len() > 1 {
            generated.bytes.push(b',');
        }
        if indented {
            generated.bytes.extend_from_slice(b"\n  ");
        }
        let from = generated.bytes.len();
        records.advance(planted);
        let telling = record(&mut JsonWriter::new(&mut generated.bytes, indented, 1), &mut records, planted);
        generated.note(planted, from, telling);
    }
    generated.bytes.extend_from_slice(if indented { b"\n]\n" } else { b"]" });
    generated
}

fn flat_record(
    json: &mut JsonWriter<'_>,
    records: &mut Records,
    planted: Option<PlantedKind>,
) -> Range<usize> {
    let Records { prng, clock, id } = records;
    let mut telling = Telling::new(planted);
    json.open(b'{');
    telling.watch(PlantedKind::Gap, json, |json| {
        json.key("id");
        json.number(*id);
    });
    json.key("service");
    json.plain(prng.pick(SERVICES));
    telling.watch(PlantedKind::Named, json, |json| {
        json.key("host");
        write_host(json.out, prng, planted);
    });
    telling.watch(PlantedKind::RareValue, json, |json| {
        json.key("status");
        json.plain(if planted == Some(PlantedKind::RareValue) { "evicted" } else { prng.pick(STATUSES) });
    });
    json.key("region");
    json.plain(prng.pick(REGIONS));
    telling.watch(PlantedKind::Outlier, json, |json| {
        json.key("latencyMs");
        write_latency(json.out, prng, planted);
    });
    json.key("healthy");
    json.boolean(!prng.chance(50));
    json.key("updatedAt");
    json.out.push(b'"');
    clock.write_seconds(json.out);
    json.out.push(b'"');
    if prng.chance(12) {
        json.key("remark");
        json.text(prng.pick(REMARKS));
    }
    write_error(json, planted, *id, &mut telling);
    json.close(b'}');
    telling.found
}

fn nested_record(
    json: &mut JsonWriter<'_>,
    records: &mut Records,
    planted: Option<PlantedKind>,
) -> Range<usize> {
    let Records { prng, clock, id } = records;
    let mut telling = Telling::new(planted);
    json.open(b'{');
    json.key("kind");
    json.plain("Instance");
    json.key("metadata");
    json.open(b'{');
    telling.watch(PlantedKind::Gap, json, |json| {
        json.key("uid");
        json.number(*id);
    });
    telling.watch(PlantedKind::Named, json, |json| {
        json.key("name");
        write_host(json.out, prng, planted);
    });
    json.key("labels");
    json.open(b'{');
    json.key("app");
    json.plain(prng.pick(SERVICES));
    json.key("team");
    json.plain(prng.pick(TEAMS));
    json.close(b'}');
    json.key("createdAt");
    json.out.push(b'"');
    clock.write_seconds(json.out);
    json.out.push(b'"');
    json.close(b'}');
    json.key("spec");
    json.open(b'{');
    json.key("tags");
    json.open(b'[');
    for _ in 0..prng.below(4) {
        json.element();
        json.plain(prng.pick(TAGS));
    }
    json.close(b']');
    json.key("limits");
    json.open(b'{');
    json.key("cpu");
    hundredths(json.out, 25 * prng.within(1..17));
    json.key("memoryBytes");
    json.number(prng.within(1..9) << 28);
    json.close(b'}');
    json.key("remark");
    if prng.chance(8) {
        json.text(prng.pick(REMARKS))
    } else {
        json.out.extend_from_slice(b"null")
    }
    json.close(b'}');
    json.key("status");
    json.open(b'{');
    telling.watch(PlantedKind::RareValue, json, |json| {
        json.key("phase");
        json.plain(if planted == Some(PlantedKind::RareValue) { "Evicted" } else { "Running" });
    });
    telling.watch(PlantedKind::Outlier, json, |json| {
        json.key("latencyMs");
        write_latency(json.out, prng, planted);
    });
    write_error(json, planted, *id, &mut telling);
    json.close(b'}');
    json.close(b'}');
    telling.found
}

/// Finds the range that the writing of the one telling member takes.
struct Telling {
    wanted: Option<PlantedKind>,
    found: Range<usize>,
}

impl Telling {
    fn new(wanted: Option<PlantedKind>) -> Self {
        Self { wanted, found: 0..0 }
    }

    /// Writes a member and keeps its range, from its key on, if it is the wanted one.
    fn watch(
        &mut self,
        kind: PlantedKind,
        json: &mut JsonWriter<'_>,
        write: impl FnOnce(&mut JsonWriter<'_>),
    ) {
        let from = json.out.len();
        write(json);
        if self.wanted == Some(kind) {
            let key = json.out[from..].iter().position(|&byte| byte == b'"').unwrap_or(0);
            self.found = from + key..json.out.len();
        }
    }
}

fn write_host(out: &mut Vec<u8>, prng: &mut Prng, planted: Option<PlantedKind>) {
    if planted == Some(PlantedKind::Named) {
        out.extend_from_slice(b"\"quartz-lantern-7\"");
        return;
    }
    out.extend_from_slice(b"\"node-");
    hex(out, prng.next_u64(), 5);
    out.push(b'"');
}

fn write_latency(out: &mut Vec<u8>, prng: &mut Prng, planted: Option<PlantedKind>) {
    let usual = prng.within(20..90);
    number(out, if planted == Some(PlantedKind::Outlier) { 48_000 + usual } else { usual });
}

fn write_error(json: &mut JsonWriter<'_>, planted: Option<PlantedKind>, id: u64, telling: &mut Telling) {
    if planted == Some(PlantedKind::Error) {
        telling.watch(PlantedKind::Error, json, |json| {
            json.key("error");
            json.out.extend_from_slice(b"\"connection refused by shard ");
            padded(json.out, id % 100, 2, b'0');
            json.out.extend_from_slice(b" after 3 attempts\"");
        });
    }
}
