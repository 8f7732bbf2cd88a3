//! Whatever makes a shorter text of a source: recto, a baseline, another command.

use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
    time::{Duration, Instant},
};

use recto_outline::Fuel;
use recto_view::{Budget, CompressionResult, Mode, Policy, Recall, Source, SpanMap, chunks, view};

use crate::{baseline::Baseline, peer::Peer, pieces::Pieces, source::Sample};

/// The ref in the notes of scored views: as long as every ref is, so that it costs what it costs in use.
const NAME: &str = "r:123456789012345";

/// A way to make a shorter text.
#[derive(Debug)]
pub enum Method {
    /// recto's own views, in a mode, with a ref in the first note.
    Recto(Mode),
    /// A simple choice of lines.
    Baseline(Baseline),
    /// Another command.
    Peer(Peer),
}

/// What a method made.
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// The text.
    pub text: String,
    /// The source's bytes that a table stands for, with its notes: what its cells say under which keys, as the source says it. Evidence is
    /// looked for in it; tokens are those of the text.
    pub stands_for: Option<String>,
    /// Which bytes of the source it shows, if the method can tell.
    pub map: Option<SpanMap>,
    /// Why there is no text.
    pub failure: Option<String>,
    /// How long it took.
    pub took: Duration,
}

impl Method {
    /// The name in a report.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Recto(Mode::Marked) => "recto".to_owned(),
            Self::Recto(mode) => format!("recto:{mode}"),
            Self::Baseline(baseline) => baseline.name().to_owned(),
            Self::Peer(peer) => peer.name().to_owned(),
        }
    }

    /// Says whether a query changes what it makes.
    #[must_use]
    pub fn uses_query(&self) -> bool {
        match self {
            Self::Recto(_) => true,
            Self::Baseline(baseline) => baseline.uses_query(),
            Self::Peer(peer) => peer.uses_query(),
        }
    }
}

/// One source, prepared for all methods: its digest, its lines and their tokens are found once.
pub(crate) struct Bench<'s> {
    sample: &'s Sample,
    source: Source<'s>,
    text: &'s str,
    seed: u64,
    lines: Option<Pieces<'s>>,
    cut: BTreeMap<u64, Option<Pieces<'s>>>,
    orders: BTreeMap<OrderKey, Vec<usize>>,
}

/// A budget that cuts lines, or 0; a baseline; a query.
type OrderKey = (u64, Baseline, Option<String>);

impl<'s> Bench<'s> {
    /// `text` is the sample's bytes with invalid UTF-8 replaced.
    pub(crate) fn new(sample: &'s Sample, text: &'s str, seed: u64) -> Self {
        let source = Source::new(&sample.bytes);
        Self { sample, source, text, seed, lines: None, cut: BTreeMap::new(), orders: BTreeMap::new() }
    }

    pub(crate) fn make(&mut self, method: &Method, budget_tokens: u64, query: Option<&str>) -> Output {
        let begun = Instant::now();
        match method {
            Method::Recto(mode) => self.view(*mode, budget_tokens, query, begun),
            Method::Baseline(baseline) => {
                let text = self.chosen(*baseline, budget_tokens, query);
                Output { text, took: begun.elapsed(), ..Output::default() }
            }
            Method::Peer(peer) => match peer.run(self.sample, budget_tokens, query.unwrap_or_default()) {
                Ok(text) => Output { text, took: begun.elapsed(), ..Output::default() },
                Err(failure) => Output { failure: Some(failure), took: begun.elapsed(), ..Output::default() },
            },
        }
    }

    fn view(&self, mode: Mode, budget_tokens: u64, query: Option<&str>, begun: Instant) -> Output {
        let policy = Policy {
            mode,
            budget: Budget::tokens(budget_tokens),
            query: query.map(str::to_owned),
            recall: Recall::Shell,
            ..Policy::default()
        };
        let made = catch_unwind(AssertUnwindSafe(|| {
            let made = view(&self.source, &policy, Some(NAME), &mut Fuel::unlimited())?;
            let text = made.render(&self.source)?;
            let map = made.map().cloned();
            let is_table = matches!(made.result, CompressionResult::Table { .. });
            let stands_for = map.as_ref().filter(|_| is_table).map(|map| {
                let bytes = chunks(map, self.source.bytes()).collect::<Vec<_>>().concat();
                String::from_utf8_lossy(&bytes).into_owned()
            });
            Ok::<_, recto_view::ViewError>((text, stands_for, map))
        }));
        let took = begun.elapsed();
        match made {
            Ok(Ok((text, stands_for, map))) => Output { text, stands_for, map, took, failure: None },
            Ok(Err(error)) => Output { failure: Some(error.to_string()), took, ..Output::default() },
            Err(_) => Output { failure: Some("it panicked".to_owned()), took, ..Output::default() },
        }
    }

    fn chosen(&mut self, baseline: Baseline, budget_tokens: u64, query: Option<&str>) -> String {
        let text = self.text;
        let lines = &*self.lines.get_or_insert_with(|| Pieces::lines(text));
        let cut = self.cut.entry(budget_tokens).or_insert_with(|| lines.cut(budget_tokens));
        let (pieces, cut_by) = cut.as_ref().map_or((lines, 0), |cut| (cut, budget_tokens));
        let query = query.filter(|_| baseline.uses_query());
        let order = self
            .orders
            .entry((cut_by, baseline, query.map(str::to_owned)))
            .or_insert_with(|| baseline.order(pieces, query, self.seed, &self.sample.name));
        pieces.fill(order, budget_tokens)
    }
}
