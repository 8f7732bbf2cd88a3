//! What is read from a prompt cache while tools come and go.

use recto::tokens::Counter;
use recto_catalog::{
    AnthropicOptions, Catalog, CatalogError, Ledger, Level, Options, Tool, compile, for_anthropic,
};
use serde::Serialize;

/// How many turns are played.
const TURNS: usize = 20;

/// How much of what is sent of the tools is read from the cache.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CacheHits {
    pub(crate) level: Level,
    /// Of 1,000 tokens sent after the first turn, with each turn's tools compiled anew, sorted by name.
    pub(crate) sorted_per_mille: u64,
    /// The same with a ledger, which only ever grows.
    pub(crate) ledger_per_mille: u64,
}

/// Plays a session in which every second turn a tool comes or goes, and compares what two turns in a row have in common from the
/// start: what a provider's cache holds of it.
pub(crate) fn play(tools: &[Tool], level: Level, counter: &dyn Counter) -> Result<CacheHits, CatalogError> {
    let turns = turns(tools);
    let mut hits = CacheHits { level, sorted_per_mille: 0, ledger_per_mille: 0 };
    for with_ledger in [false, true] {
        let (mut before, mut ledger): (Option<String>, Option<Ledger>) = (None, None);
        let (mut read, mut sent) = (0, 0);
        for tools in &turns {
            let options = Options { base: ledger.filter(|_| with_ledger), ..Options::at(level) };
            let catalog = compile(tools, &options)?;
            let now = prefix(&catalog);
            if let Some(before) = &before {
                sent += counter.count(&now);
                let common = before.bytes().zip(now.bytes()).take_while(|(one, other)| one == other).count();
                read += counter.count(now.get(..now.floor_char_boundary(common)).unwrap_or_default());
            }
            ledger = Some(catalog.ledger());
            before = Some(now);
        }
        let per_mille = (read * 1_000).checked_div(sent).unwrap_or(1_000);
        if with_ledger { hits.ledger_per_mille = per_mille } else { hits.sorted_per_mille = per_mille }
    }
    Ok(hits)
}

/// What is sent, in the order in which it is cached: tools, then the system prompt.
fn prefix(catalog: &Catalog) -> String {
    let adapted = for_anthropic(catalog, AnthropicOptions { cache: false, ..AnthropicOptions::default() });
    let tools: Vec<String> = adapted.tools.iter().map(ToString::to_string).collect();
    format!("{}\n{}", tools.join("\n"), catalog.system_preamble())
}

/// The tools of each turn. At the start a fifth of them are not there yet; then they come and others go, in an order that depends
/// on their number alone.
fn turns(tools: &[Tool]) -> Vec<Vec<Tool>> {
    let mut state = tools.len() as u64 | 1;
    let mut next = |limit: usize| {
        // Knuth's MMIX constants; the high bits are the good ones.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap_or(0) % limit.max(1)
    };
    let mut absent: Vec<Tool> = Vec::new();
    let mut present = tools.to_vec();
    for _ in 0..tools.len() / 5 {
        absent.push(present.remove(next(present.len())));
    }
    let mut turns = vec![present.clone()];
    for turn in 1..TURNS {
        if turn % 2 == 0 {
            if turn % 4 == 0 && present.len() > 1 {
                absent.push(present.remove(next(present.len())));
            } else if !absent.is_empty() {
                present.push(absent.remove(next(absent.len())));
            }
        }
        turns.push(present.clone());
    }
    turns
}
