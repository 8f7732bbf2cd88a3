use super::{
    Generated, PlantedKind,
    plant::{Schedule, room_for},
    vocabulary::{ADJECTIVES, NOUNS, VERBS},
};
use crate::Prng;

const PLANTS: &[PlantedKind] = &[PlantedKind::Named];

/// Paragraphs of sentences, one of which names something that the others do not.
pub(super) fn prose(prng: &mut Prng, min_bytes: usize) -> Generated {
    let mut generated = Generated::with_room(min_bytes);
    let mut schedule = Schedule::new(prng, min_bytes, PLANTS);
    while !schedule.is_finished(generated.bytes.len()) {
        for _ in 0..prng.within(3..9) {
            let from = generated.bytes.len();
            if let Some(planted) = schedule.due(from) {
                generated.bytes.extend_from_slice(b"The seal of the ");
                let name = generated.bytes.len();
                generated.bytes.extend_from_slice(b"quartz lantern");
                let telling = name..generated.bytes.len();
                generated.bytes.extend_from_slice(b" carries the number 4418.");
                generated.note(Some(planted), from, telling);
            } else {
                sentence(&mut generated.bytes, prng);
            }
            generated.bytes.push(b' ');
        }
        generated.bytes.pop();
        generated.bytes.extend_from_slice(b"\n\n");
    }
    generated
}

/// Words between spaces, without a line end.
pub(super) fn long_line(prng: &mut Prng, min_bytes: usize) -> Vec<u8> {
    let mut out = room_for(min_bytes);
    while out.len() < min_bytes {
        sentence(&mut out, prng);
        out.push(b' ');
    }
    out
}

/// Writes one sentence with its full stop.
pub(super) fn sentence(out: &mut Vec<u8>, prng: &mut Prng) {
    out.extend_from_slice(if prng.chance(2) { b"The " } else { b"One " });
    out.extend_from_slice(prng.pick(ADJECTIVES).as_bytes());
    out.push(b' ');
    out.extend_from_slice(prng.pick(NOUNS).as_bytes());
    out.push(b' ');
    out.extend_from_slice(prng.pick(VERBS).as_bytes());
    out.extend_from_slice(b" the ");
    out.extend_from_slice(prng.pick(NOUNS).as_bytes());
    if prng.chance(3) {
        out.extend_from_slice(b", and the ");
        out.extend_from_slice(prng.pick(NOUNS).as_bytes());
        out.push(b' ');
        out.extend_from_slice(prng.pick(VERBS).as_bytes());
        out.extend_from_slice(" it — without a ".as_bytes());
        out.extend_from_slice(prng.pick(NOUNS).as_bytes());
    }
    out.push(b'.');
}
