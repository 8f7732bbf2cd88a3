use super::{
    Generated, PlantedKind,
    plant::Schedule,
    vocabulary::SERVICES,
    write::{column, hex, number},
};
use crate::Prng;

const PLANTS: &[PlantedKind] = &[PlantedKind::RareValue, PlantedKind::Outlier, PlantedKind::Named];

/// A table in aligned columns, as kubectl prints its pods.
pub(super) fn listing(prng: &mut Prng, min_bytes: usize) -> Generated {
    let mut generated = Generated::with_room(min_bytes);
    let mut schedule = Schedule::new(prng, min_bytes, PLANTS);
    generated.bytes.extend_from_slice(
        b"NAMESPACE   NAME                        READY   STATUS      RESTARTS   AGE     NODE\n",
    );
    while !schedule.is_finished(generated.bytes.len()) {
        let planted = schedule.due(generated.bytes.len());
        write_row(&mut generated, prng, planted);
        generated.bytes.push(b'\n');
    }
    generated
}

fn write_row(generated: &mut Generated, prng: &mut Prng, planted: Option<PlantedKind>) {
    let out = &mut generated.bytes;
    let from = out.len();
    let mut telling = from..from;
    let mut cell = Vec::with_capacity(32);
    column(out, if prng.chance(10) { b"kube-system" } else { b"default" }, 12);
    if planted == Some(PlantedKind::Named) {
        cell.extend_from_slice(b"quartz-lantern-7");
        telling = out.len()..out.len() + cell.len();
    } else {
        cell.extend_from_slice(prng.pick(SERVICES).as_bytes());
        cell.push(b'-');
        hex(&mut cell, prng.next_u64(), 9);
        cell.push(b'-');
        hex(&mut cell, prng.next_u64(), 5);
    }
    column(out, &cell, 28);
    column(out, b"1/1", 8);
    if planted == Some(PlantedKind::RareValue) {
        telling = out.len()..out.len() + b"Evicted".len();
        column(out, b"Evicted", 12);
    } else {
        column(out, b"Running", 12);
    }
    cell.clear();
    number(&mut cell, prng.below(3) + if planted == Some(PlantedKind::Outlier) { 1_480_000 } else { 0 });
    if planted == Some(PlantedKind::Outlier) {
        telling = out.len()..out.len() + cell.len();
    }
    column(out, &cell, 11);
    cell.clear();
    number(&mut cell, prng.within(1..60));
    cell.push(if prng.chance(3) { b'h' } else { b'd' });
    column(out, &cell, 8);
    out.extend_from_slice(b"node-");
    number(out, prng.within(1..13));
    generated.note(planted, from, telling);
}
