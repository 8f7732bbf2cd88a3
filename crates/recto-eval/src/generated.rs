//! Questions that were made with their sources, so that the answer's place is known to the byte.
//!
//! Fourteen classes of what a reader could be after, in seven formats, about eight subjects; the words are the subjects' own and
//! follow no list of signal words. A failure shows by its words, its status, its level, its exit code or its stack trace.

mod domains;
mod layout;
mod planting;
#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::{
    error::EvalError,
    evidence::{Evidence, Needle},
    generated::{
        domains::DOMAINS,
        layout::{Format, Laid, Records},
        planting::{Class, Maker, Planted, Target},
    },
    prng::Prng,
    source::{Item, Sample, Set},
};

/// What is generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Generation {
    /// The seed: the same one makes the same set.
    pub seed: u64,
    /// Sources, each with one question; the classes take turns.
    pub count: usize,
    /// Least size of a source. Sizes are spread evenly over orders of magnitude.
    pub min_bytes: u64,
    /// Largest size of a source, about.
    pub max_bytes: u64,
}

impl Default for Generation {
    /// Eight sources for each of the fourteen classes, from 2 kB to 10 MB.
    fn default() -> Self {
        Self { seed: 1, count: 112, min_bytes: 2_000, max_bytes: 10_000_000 }
    }
}

/// Makes a set.
///
/// # Errors
/// [`EvalError::Nothing`] for a count of 0.
///
/// ```
/// use recto_eval::{Generation, generate};
/// let set = generate(Generation { count: 14, max_bytes: 20_000, ..Generation::default() })?;
/// assert_eq!((set.samples.len(), set.items.len()), (14, 14));
/// # Ok::<(), recto_eval::EvalError>(())
/// ```
pub fn generate(generation: Generation) -> Result<Set, EvalError> {
    let mut set = Set { name: "generated".to_owned(), ..Set::default() };
    set.remarks.push(format!(
        "seed {}, {} sources, {} to {}",
        generation.seed,
        generation.count,
        recto_view::size_text(generation.min_bytes),
        recto_view::size_text(generation.max_bytes)
    ));
    for index in 0..generation.count {
        let (sample, item) = made(generation, index);
        set.samples.push(sample);
        set.items.push(item);
    }
    if set.items.is_empty() {
        return Err(EvalError::Nothing { what: "--count 0".to_owned(), skipped: 0 });
    }
    Ok(set)
}

fn made(generation: Generation, index: usize) -> (Sample, Item) {
    let mut prng = Prng::named(generation.seed, &index.to_string());
    let class = Class::ALL.get(index % Class::ALL.len()).copied().unwrap_or(Class::Error);
    // Every class meets the formats in turn, from another one on.
    let round = index / Class::ALL.len() + index % Class::ALL.len();
    let format = Format::ALL.get(round % Format::ALL.len()).copied().unwrap_or(Format::Json);
    let bytes = size(&mut prng, generation.min_bytes, generation.max_bytes);
    let domain = DOMAINS.get(prng.index(DOMAINS.len())).unwrap_or(&DOMAINS[0]);
    let mut maker = Maker::new(domain, format, prng);
    let mut records = maker.ordinary(bytes);
    let planted = maker.plant(class, &mut records);
    let laid = records.lay(format);
    let evidence = evidence(class, &planted, &records, &laid);
    let size = recto_view::size_text(laid.text.len() as u64);
    let name = format!("{index:03} {} of {}s, {size}", format.name(), domain.noun);
    let item = Item {
        sample: index,
        class: class.name().to_owned(),
        question: planted.question,
        query: Some(planted.query),
        needs_query: class.needs_query(),
        evidence,
    };
    (Sample::new(name, laid.text.into_bytes(), None), item)
}

fn evidence(class: Class, planted: &Planted, records: &Records, laid: &Laid) -> Evidence {
    if class == Class::Absent {
        return Evidence::Absent(planted.query.clone());
    }
    if let Some((label, number)) = &laid.total {
        let record = label.start..number.end;
        return Evidence::Records(vec![Needle { record, id: label.clone(), value: number.clone() }]);
    }
    Evidence::Records(planted.targets.iter().filter_map(|target| needle(target, records, laid)).collect())
}

fn needle(target: &Target, records: &Records, laid: &Laid) -> Option<Needle> {
    let cells = laid.cells.get(target.row)?;
    let cell = cells.get(target.column)?;
    let mut id = cells.first()?.clone();
    let mut value = cell.clone();
    if !target.telling.is_empty() {
        // Cells are escaped where the format says so.
        let telling = target.telling.as_str();
        let escaped = telling.replace('\\', "\\\\").replace('"', "\\\"");
        value = [telling, &escaped].into_iter().find_map(|telling| found(&laid.text, cell, telling))?;
    }
    if target.id_in_cell {
        let name = &records.rows.get(target.row)?.first()?.text;
        id = found(&laid.text, &(value.end..cell.end), name)?;
    }
    Some(Needle { record: laid.records.get(target.row)?.clone(), id, value })
}

fn found(text: &str, within: &Range<usize>, sought: &str) -> Option<Range<usize>> {
    let at = within.start + text.get(within.clone())?.find(sought)?;
    Some(at..at + sought.len())
}

/// A size between two others; every doubling is as likely. By halving, as logarithms differ between machines.
fn size(prng: &mut Prng, min_bytes: u64, max_bytes: u64) -> u64 {
    let (mut low, mut high) = (min_bytes.max(1), max_bytes.max(min_bytes).max(1));
    while high - low > 1 + low / 64 {
        let middle = u64::try_from((u128::from(low) * u128::from(high)).isqrt()).unwrap_or(high);
        if middle <= low || middle >= high {
            break;
        }
        if prng.chance(2) {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}
