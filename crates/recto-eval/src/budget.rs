//! How much a view may show, and what it is asked.

use std::{fmt, str::FromStr};

use serde::{Serialize, Serializer};

/// A limit on the tokens of a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TokenBudget {
    /// A share of the source's own tokens, in thousandths.
    SharePerMille(u32),
    /// A number of tokens.
    Tokens(u64),
}

impl TokenBudget {
    /// The budgets of a run where none are named.
    pub const DEFAULT: [Self; 10] = [
        Self::SharePerMille(10),
        Self::SharePerMille(20),
        Self::SharePerMille(50),
        Self::SharePerMille(100),
        Self::SharePerMille(250),
        Self::SharePerMille(450),
        Self::Tokens(400),
        Self::Tokens(1_500),
        Self::Tokens(2_000),
        Self::Tokens(8_000),
    ];

    /// The limit for a source of `source_tokens`: shares are rounded down, and are at least one token.
    ///
    /// ```
    /// use recto_eval::TokenBudget;
    /// assert_eq!(TokenBudget::SharePerMille(20).tokens(1_999), 39);
    /// assert_eq!(TokenBudget::Tokens(400).tokens(1_999), 400);
    /// ```
    #[must_use]
    pub fn tokens(self, source_tokens: u64) -> u64 {
        match self {
            Self::SharePerMille(share) => (source_tokens.saturating_mul(share.into()) / 1_000).max(1),
            Self::Tokens(tokens) => tokens,
        }
    }
}

impl fmt::Display for TokenBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SharePerMille(share) if share % 10 == 0 => write!(f, "{}%", share / 10),
            Self::SharePerMille(share) => write!(f, "{}.{}%", share / 10, share % 10),
            Self::Tokens(tokens) => write!(f, "{tokens}"),
        }
    }
}

impl FromStr for TokenBudget {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || {
            format!(
                "{text:?} is no budget: write a share from 0.1% to 100%, such as 5%, or a number of tokens from 1 on"
            )
        };
        let Some(share) = text.strip_suffix('%') else {
            let tokens = text.replace(['_', ','], "").parse().ok().filter(|tokens| *tokens > 0);
            return tokens.map(Self::Tokens).ok_or_else(wrong);
        };
        let (percent, tenth) = share.split_once('.').unwrap_or((share, "0"));
        let per_mille = percent
            .parse::<u32>()
            .ok()
            .and_then(|percent| percent.checked_mul(10))
            .zip(tenth.parse::<u32>().ok().filter(|_| tenth.len() == 1))
            .map(|(whole, tenth)| whole.saturating_add(tenth));
        per_mille.filter(|share| (1..=1_000).contains(share)).map(Self::SharePerMille).ok_or_else(wrong)
    }
}

impl Serialize for TokenBudget {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// What a view is made with besides its budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Condition {
    /// No query.
    NoQuery,
    /// The question's own query.
    Query,
    /// The query of a question on another source.
    WrongQuery,
}

impl Condition {
    /// All conditions, in the order of a report.
    pub const ALL: [Self; 3] = [Self::NoQuery, Self::Query, Self::WrongQuery];

    /// What a report calls it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NoQuery => "no query",
            Self::Query => "with the query",
            Self::WrongQuery => "a wrong query",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_read_as_they_are_written() {
        for budget in TokenBudget::DEFAULT.into_iter().chain([TokenBudget::SharePerMille(25)]) {
            assert_eq!(budget.to_string().parse(), Ok(budget));
        }
        assert_eq!("2,000".parse(), Ok(TokenBudget::Tokens(2_000)));
        for wrong in ["0", "0%", "", "%", "101%", "-1", "1.25%", "many", "5 %"] {
            assert!(wrong.parse::<TokenBudget>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_share_is_never_nothing() {
        assert_eq!(TokenBudget::SharePerMille(10).tokens(3), 1);
        assert_eq!(TokenBudget::SharePerMille(450).tokens(1_001), 450);
    }
}
