//! What `recto session stats` tells, of one session or of many.

pub(crate) mod page;
mod plot;
pub(crate) mod policies;
pub(crate) mod text;

use recto::{
    Weighed,
    session::{
        history::{Observer, Said},
        policy::Sent,
        stats::Stats,
    },
    tokens::Tokenizer,
    transcript::{Reading, Transcript},
    weighed,
    wire::Format,
};
use serde::Serialize;

use self::policies::PolicyRow;
use crate::{
    failure::{Failure, Outcome},
    session::watch::Watcher,
    settings::Settings,
};

/// Sessions with fewer tokens of tool results are left out of medians: there is nothing in them to save.
pub(crate) const FEWEST_RESULT_TOKENS: u64 = 5_000;

/// Longest session that policies are tried on: all the names in it are held in memory.
pub(crate) const MOST_POLICY_BYTES: u64 = 64 << 20;

/// What is told of one session.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Session {
    pub(crate) session: String,
    pub(crate) format: &'static str,
    pub(crate) session_id: Option<String>,
    pub(crate) folder: Option<String>,
    pub(crate) bytes: u64,
    pub(crate) problems: u64,
    pub(crate) result_share: f64,
    #[serde(flatten)]
    pub(crate) stats: Stats,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) policies: Vec<PolicyRow>,
    /// What the default policies would leave of what the results take, by step.
    #[serde(skip)]
    pub(crate) sent: Vec<Sent>,
}

/// What is told of many sessions.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Many {
    pub(crate) sessions: u64,
    pub(crate) bytes: u64,
    pub(crate) problems: u64,
    pub(crate) result_share: f64,
    /// Of the sessions that have enough results.
    pub(crate) median_result_share: Option<f64>,
    /// How many these are.
    pub(crate) sessions_in_medians: u64,
    pub(crate) clients: Vec<Client>,
    #[serde(flatten)]
    pub(crate) stats: Stats,
    pub(crate) largest_sessions: Vec<Large>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) policies: Vec<PolicyRow>,
    /// Sessions that were not read, or on which no policies were tried, and why.
    pub(crate) skipped: Vec<String>,
}

/// A client's sessions.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Client {
    pub(crate) client: &'static str,
    pub(crate) sessions: u64,
    pub(crate) bytes: u64,
    pub(crate) tokens: u64,
    pub(crate) result_tokens: u64,
    pub(crate) result_share: f64,
}

/// One of the largest sessions.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Large {
    pub(crate) session: String,
    pub(crate) tokens: u64,
    pub(crate) result_tokens: u64,
    pub(crate) steps: u64,
}

/// Sees texts and keeps nothing.
struct Nobody;

impl Observer for Nobody {
    fn text(&mut self, _: &Said<'_>) -> u64 {
        0
    }
}

/// Reads one session.
pub(crate) fn one(
    transcript: &Transcript,
    leaf: Option<&str>,
    settings: &Settings,
    tokenizer: Tokenizer,
    with_policies: bool,
    progress: &mut dyn FnMut(u64),
) -> Outcome<Session> {
    let watcher = with_policies.then(|| Watcher::new(settings, None)).transpose();
    let mut watcher = watcher.map_err(|error| Failure::usage(error.to_string()))?.map(Watcher::with_names);
    let observer: &mut dyn Observer = match &mut watcher {
        Some(watcher) => watcher,
        None => &mut Nobody,
    };
    let Weighed { reading, base64 } = weighed(transcript, leaf, tokenizer, observer, progress)?;
    crate::session::open::check_leaf(&reading, leaf)?;
    let stats = Stats::of(&reading.history, &base64, tokenizer);
    let names = watcher.and_then(|watcher| watcher.names);
    let (policies, sent) = match names {
        Some(names) => policies::of(transcript, &reading.history, &names, settings, tokenizer)?,
        None => Default::default(),
    };
    let Reading { history, about, bytes, .. } = reading;
    Ok(Session {
        session: transcript.path().display().to_string(),
        format: transcript.format().name(),
        session_id: about.id,
        folder: about.folder,
        bytes,
        problems: history.problems.len() as u64,
        result_share: share(stats.path.result_tokens, stats.path.tokens),
        stats,
        policies,
        sent,
    })
}

/// Adds sessions up, one after another; nothing of them but sums stays.
#[derive(Default)]
pub(crate) struct Adding {
    many: Many,
    shares: Vec<f64>,
    policies: Vec<Vec<PolicyRow>>,
}

impl Adding {
    pub(crate) fn add(&mut self, format: Format, session: Session) {
        let many = &mut self.many;
        let path = session.stats.path;
        many.sessions += 1;
        many.bytes += session.bytes;
        many.problems += session.problems;
        let at = many.clients.iter().position(|client| client.client == format.name()).unwrap_or_else(|| {
            many.clients.push(Client { client: format.name(), ..Client::default() });
            many.clients.len() - 1
        });
        if let Some(client) = many.clients.get_mut(at) {
            client.sessions += 1;
            client.bytes += session.bytes;
            client.tokens += path.tokens;
            client.result_tokens += path.result_tokens;
        }
        if path.result_tokens >= FEWEST_RESULT_TOKENS {
            self.shares.push(session.result_share);
        }
        many.stats.add(&session.stats);
        many.largest_sessions.push(Large {
            session: session.session,
            tokens: path.tokens,
            result_tokens: path.result_tokens,
            steps: session.stats.steps,
        });
        many.largest_sessions.sort_by(|one, other| {
            other.tokens.cmp(&one.tokens).then_with(|| one.session.cmp(&other.session))
        });
        many.largest_sessions.truncate(recto::session::stats::MOST_LARGEST);
        if !session.policies.is_empty() {
            self.policies.push(session.policies);
        }
    }

    pub(crate) fn skip(&mut self, why: String) {
        self.many.skipped.push(why);
    }

    pub(crate) fn finish(mut self) -> Many {
        for client in &mut self.many.clients {
            client.result_share = share(client.result_tokens, client.tokens);
        }
        let by_name = |client: &Client| (std::cmp::Reverse(client.tokens), client.client);
        self.many.clients.sort_by_key(by_name);
        self.many.result_share = share(self.many.stats.path.result_tokens, self.many.stats.path.tokens);
        self.many.sessions_in_medians = self.shares.len() as u64;
        self.many.median_result_share = median(self.shares);
        self.many.policies = policies::together(&self.policies);
        self.many
    }
}

/// A share in per cent, to a tenth.
pub(crate) fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        return 0.0;
    }
    #[expect(clippy::cast_precision_loss, reason = "a share for people")]
    let share = part as f64 * 100.0 / whole as f64;
    (share * 10.0).round() / 10.0
}

/// The middle one; of an even number the mean of both, to a tenth.
pub(crate) fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    let upper = *values.get(middle)?;
    let median = if values.len().is_multiple_of(2) { values.get(middle - 1)?.midpoint(upper) } else { upper };
    Some((median * 10.0).round() / 10.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_and_shares_are_to_a_tenth() {
        assert_eq!(median(vec![]), None);
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![1.0, 2.5, 0.0, 4.0]), Some(1.8));
        assert_eq!((share(1, 3), share(5, 0)), (33.3, 0.0));
    }
}
