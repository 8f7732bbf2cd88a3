use super::{
    Generated, PlantedKind,
    plant::Schedule,
    source::{CodeLines, path},
    write::number,
};
use crate::Prng;

const PLANTS: &[PlantedKind] = &[PlantedKind::Named];

/// Matches grouped by file, `path:line:text`; one line names something that the others do not.
pub(super) fn search(prng: &mut Prng, min_bytes: usize) -> Generated {
    let mut generated = Generated::with_room(min_bytes);
    let mut schedule = Schedule::new(prng, min_bytes, PLANTS);
    let mut code = CodeLines::default();
    let mut name = Vec::new();
    while !schedule.is_finished(generated.bytes.len()) {
        name.clear();
        path(&mut name, prng);
        let mut line = prng.within(1..50);
        // Most files have a few matches, some have very many.
        let matches = if prng.chance(20) { prng.within(40..120) } else { prng.within(1..8) };
        for _ in 0..matches {
            let out = &mut generated.bytes;
            let planted = schedule.due(out.len());
            let from = out.len();
            out.extend_from_slice(&name);
            out.push(b':');
            number(out, line);
            out.push(b':');
            let text = out.len();
            if planted.is_some() {
                out.extend_from_slice(b"    let quartz_lantern = 7;");
            } else {
                code.write(out, prng);
            }
            let telling = text..out.len();
            generated.note(planted, from, telling);
            generated.bytes.push(b'\n');
            line += prng.within(1..30);
        }
    }
    generated
}
