//! The providers: where they are, and the variables that say so.

use clap::ValueEnum;

use super::{
    anthropic::Messages,
    chat::Chat,
    dialect::{Counting, Dialect},
    gemini::Gemini,
    responses::Responses,
};
use crate::environment::{API_KEYS, BASE_URLS};

/// A provider's API that holds a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Provider {
    Anthropic,
    /// Chat Completions; xAI, local servers and others too
    Openai,
    OpenaiResponses,
    Gemini,
}

/// A provider's API that counts tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Counter {
    Anthropic,
    OpenaiResponses,
    Gemini,
}

/// Where a provider is, and what it is asked with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) url_variable: &'static str,
    pub(super) key_variable: &'static str,
    /// The address where the variable names none.
    pub(super) default_url: &'static str,
    /// What a base address ends with; added to one that has no path.
    pub(super) version: &'static str,
    /// The header that holds the key, up to the key.
    pub(super) key_header: &'static str,
    /// Headers besides.
    pub(super) headers: &'static [&'static str],
}

const ANTHROPIC: Place = Place {
    url_variable: BASE_URLS[0],
    key_variable: API_KEYS[0],
    default_url: "https://api.anthropic.com",
    version: "v1",
    key_header: "x-api-key: ",
    headers: &["anthropic-version: 2023-06-01"],
};

const OPENAI: Place = Place {
    url_variable: BASE_URLS[1],
    key_variable: API_KEYS[1],
    default_url: "https://api.openai.com/v1",
    version: "v1",
    key_header: "authorization: Bearer ",
    headers: &[],
};

const GEMINI: Place = Place {
    url_variable: BASE_URLS[2],
    key_variable: API_KEYS[2],
    default_url: "https://generativelanguage.googleapis.com",
    version: "v1beta",
    key_header: "x-goog-api-key: ",
    headers: &[],
};

impl Provider {
    pub(super) fn dialect(self) -> &'static dyn Dialect {
        match self {
            Self::Anthropic => &Messages,
            Self::Openai => &Chat,
            Self::OpenaiResponses => &Responses,
            Self::Gemini => &Gemini,
        }
    }

    pub(super) const fn place(self) -> Place {
        match self {
            Self::Anthropic => ANTHROPIC,
            Self::Openai | Self::OpenaiResponses => OPENAI,
            Self::Gemini => GEMINI,
        }
    }
}

impl Counter {
    pub(super) fn dialect(self) -> &'static dyn Counting {
        match self {
            Self::Anthropic => &Messages,
            Self::OpenaiResponses => &Responses,
            Self::Gemini => &Gemini,
        }
    }

    pub(super) const fn place(self) -> Place {
        match self {
            Self::Anthropic => ANTHROPIC,
            Self::OpenaiResponses => OPENAI,
            Self::Gemini => GEMINI,
        }
    }

    /// Its name on the command line.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenaiResponses => "openai-responses",
            Self::Gemini => "gemini",
        }
    }
}
