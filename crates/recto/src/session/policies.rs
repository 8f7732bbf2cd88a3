//! Which policies are on, and with which numbers.

use clap::Args;
use recto::{
    session::{
        PruneConfig, Strategy,
        policy::{Decay, Policies, PolicyName},
    },
    tokens::Tokenizer,
};

use crate::{
    failure::{Failure, Outcome},
    named,
};

/// Steps after which a result is old: by then an agent has nearly always used what it will use of it (docs/sessions.md has the figures).
const OLD_STEPS: u32 = 30;
/// Results of fewer tokens are left as they are.
const SMALL_TOKENS: u32 = 400;
/// What an old result may still take.
const DECAYED_TOKENS: u32 = 300;
/// Steps for which code that was read stands whole.
const FRESH_STEPS: u32 = 30;
/// Steps after which a read of a file that was changed since is no longer worked from.
const SETTLE_STEPS: u32 = 4;

/// How old results are made smaller.
#[derive(Clone, Debug, Args)]
pub(crate) struct Chosen {
    /// Only these policies: prune, decay, supersession, overlap, arguments [default: all but arguments]
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = named::policy(), hide_possible_values = true, help_heading = "Policies")]
    policy: Vec<PolicyName>,

    /// All policies but these
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = named::policy(), hide_possible_values = true, conflicts_with = "policy", help_heading = "Policies")]
    no_policy: Vec<PolicyName>,

    /// prune: `view`, or `head-tail`: beginning, marker, end
    #[arg(long, value_name = "NAME", default_value = "view", value_parser = strategy, help_heading = "Policies")]
    strategy: Strategy,

    /// prune: the pruner's settings as JSON, as in {"thresholdChars":8192,"headChars":4096,"tailChars":1024}
    #[arg(long, value_name = "JSON", help_heading = "Policies")]
    prune_config: Option<String>,

    /// prune: code that was read stands whole for this many steps
    #[arg(long, value_name = "N", default_value_t = FRESH_STEPS, help_heading = "Policies")]
    fresh_steps: u32,

    /// decay, arguments: older than this many steps
    #[arg(long, value_name = "N", default_value_t = OLD_STEPS, help_heading = "Policies")]
    older_than: u32,

    /// decay, arguments: of more than this many tokens
    #[arg(long, value_name = "N", default_value_t = SMALL_TOKENS, help_heading = "Policies")]
    above_tokens: u32,

    /// decay, arguments: to at most this many tokens, notes included
    #[arg(long, value_name = "N", default_value_t = DECAYED_TOKENS, help_heading = "Policies")]
    to_tokens: u32,
}

impl Default for Chosen {
    fn default() -> Self {
        Self {
            policy: Vec::new(),
            no_policy: Vec::new(),
            strategy: Strategy::View,
            prune_config: None,
            fresh_steps: FRESH_STEPS,
            older_than: OLD_STEPS,
            above_tokens: SMALL_TOKENS,
            to_tokens: DECAYED_TOKENS,
        }
    }
}

impl Chosen {
    /// The pruner's settings.
    pub(crate) fn prune_config(&self, tokenizer: Tokenizer) -> Outcome<PruneConfig> {
        let wrong = |error: recto::session::SessionError| Failure::usage(format!("--prune-config: {error}"));
        match &self.prune_config {
            // What the settings say of the strategy goes before the flag's default.
            Some(json) if json.contains("strategy") => PruneConfig::from_json(json).map_err(wrong),
            Some(json) => {
                PruneConfig::from_json(json).map(|config| config.with_strategy(self.strategy)).map_err(wrong)
            }
            None => {
                PruneConfig::default().with_strategy(self.strategy).with_tokenizer(tokenizer).map_err(wrong)
            }
        }
    }

    /// Whether a policy is on.
    pub(crate) fn has(&self, policy: PolicyName) -> bool {
        if self.policy.is_empty() {
            policy != PolicyName::Arguments && !self.no_policy.contains(&policy)
        } else {
            self.policy.contains(&policy)
        }
    }

    /// The policies that are on.
    pub(crate) fn policies(&self, config: &PruneConfig) -> Outcome<Policies> {
        self.only(config, |policy| self.has(policy))
    }

    /// These policies, with the numbers chosen.
    pub(crate) fn only(&self, config: &PruneConfig, has: impl Fn(PolicyName) -> bool) -> Outcome<Policies> {
        if self.to_tokens >= self.above_tokens {
            return Err(Failure::usage(format!(
                "--to-tokens: {} is not below --above-tokens, {}: nothing would become smaller",
                self.to_tokens, self.above_tokens
            )));
        }
        let decay = Decay {
            older_than_steps: self.older_than,
            above_tokens: self.above_tokens,
            to_tokens: self.to_tokens,
        };
        let mut policies = Policies::NONE;
        policies.prune = has(PolicyName::Prune).then(|| config.clone());
        policies.fresh_steps = self.fresh_steps;
        policies.decay = has(PolicyName::Decay).then_some(decay);
        policies.supersession = has(PolicyName::Supersession);
        policies.edited = decay;
        policies.settle_steps = SETTLE_STEPS;
        policies.overlap = has(PolicyName::Overlap);
        policies.arguments = has(PolicyName::Arguments).then_some(decay);
        Ok(policies)
    }
}

fn strategy(name: &str) -> Result<Strategy, String> {
    match name {
        "view" => Ok(Strategy::View),
        "head-tail" | "headTail" => Ok(Strategy::HeadTail),
        _ => Err("known are view, head-tail".to_owned()),
    }
}
