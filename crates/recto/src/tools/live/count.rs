//! Tokens of tools by the provider's own counter: what is counted with them less what is counted without.

use recto_catalog::{Level, MapStyle, Options, Tool, ToolList, compile};
use serde::Serialize;

use super::{
    bench,
    dialect::{Counting, Offer},
    http::Client,
    provider::Counter,
};
use crate::{
    failure::{Failure, Outcome},
    output,
    usage::text::plain,
};

/// Tokens of all servers together; nothing at a level at which the provider did not count one of them.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Counted {
    pub(crate) provider: &'static str,
    pub(crate) model: String,
    pub(crate) original: Option<u64>,
    pub(crate) level1: Option<u64>,
    pub(crate) level2: Option<u64>,
    pub(crate) level3: Option<u64>,
    pub(crate) level3_signatures: Option<u64>,
}

/// What stands behind the tools: some APIs count no request without.
const PROMPT: &str = "Hello";

/// Has each list's tools counted at each level.
pub(crate) fn count(counter: Counter, model: &str, lists: &[(String, ToolList)]) -> Outcome<Counted> {
    let client = Client::new(&counter.place())?;
    let asked = Asked { client: &client, dialect: counter.dialect(), model };
    let without = asked.count(&Offer::default())?.map_err(Failure::job)?;
    let ways = [
        (Level::Passthrough, None),
        (Level::Native, None),
        (Level::Namespaces, None),
        (Level::Map, None),
        (Level::Map, Some(MapStyle::Signature)),
    ];
    let bar = bench::bar((lists.len() * ways.len()) as u64);
    let mut sums = [Some(0_u64); 5];
    for (name, list) in lists {
        for ((level, map_style), sum) in ways.iter().zip(&mut sums) {
            let options = Options { map_style: *map_style, ..Options::at(*level) };
            match asked.tools(&list.tools, &options)? {
                Ok(with) => *sum = sum.map(|sum| sum + with.saturating_sub(without)),
                Err(message) => {
                    *sum = None;
                    bar.suspend(|| {
                        output::complain(&plain(&format!("{name}: not counted at level {level}: {message}")));
                    });
                }
            }
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    let [original, level1, level2, level3, level3_signatures] = sums;
    let (provider, model) = (counter.name(), model.to_owned());
    Ok(Counted { provider, model, original, level1, level2, level3, level3_signatures })
}

struct Asked<'a> {
    client: &'a Client,
    dialect: &'a dyn Counting,
    model: &'a str,
}

impl Asked<'_> {
    fn tools(&self, tools: &[Tool], options: &Options) -> Outcome<Result<u64, String>> {
        let catalog = compile(tools, options).map_err(|error| Failure::usage(plain(&error.to_string())))?;
        self.count(&self.dialect.offer(&catalog, None))
    }

    /// The number, or why this one was not counted; an error where no other would be either.
    fn count(&self, offer: &Offer) -> Outcome<Result<u64, String>> {
        let history = [self.dialect.prompt(PROMPT)];
        let body = self.dialect.counting_body(self.model, offer, &history);
        match self.client.post(&self.dialect.counting_path(self.model), &body) {
            Ok(answer) => {
                Ok(self.dialect.counted(&answer).ok_or_else(|| "the answer holds no number".to_owned()))
            }
            Err(refusal) if refusal.is_final => Err(Failure::job(refusal.message)),
            Err(refusal) => Ok(Err(refusal.message)),
        }
    }
}
