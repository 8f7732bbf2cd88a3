//! A provider asked, again where it says that it cannot answer now. The key is in no message.

use std::{thread, time::Duration};

use serde_json::Value;

use super::{
    address::Address,
    curl::{self, CurlError, Request, Response},
    provider::Place,
};
use crate::{
    environment,
    failure::{Failure, Outcome},
    usage::text::{capped, plain},
};

/// A provider that can be asked.
pub(super) struct Client {
    address: Address,
    headers: Vec<String>,
    key: Option<String>,
    key_variable: &'static str,
}

/// Why a provider gave no answer that can be used.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) message: String,
    /// The status, where there was an answer.
    pub(super) status: Option<u16>,
    /// Whether nothing else that is asked would be answered either.
    pub(super) is_final: bool,
}

/// How often one request is sent.
const ATTEMPTS: u32 = 4;
/// The wait before the second time; each further one is twice as long.
const FIRST_WAIT: Duration = Duration::from_millis(500);
/// The longest wait that a provider may ask for.
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// The longest message that is passed on.
const MAX_MESSAGE_BYTES: usize = 300;

impl Client {
    /// Reads address and key from the environment.
    pub(super) fn new(place: &Place) -> Outcome<Self> {
        let address = Address::of(place)?;
        let key = environment::api_key(place.key_variable);
        if key.is_none() && !address.is_loopback {
            return Err(Failure::usage(format!("{} is not set", place.key_variable))
                .hint("set it to your key of that provider; what is asked is at your expense"));
        }
        let is_odd = |key: &String| key.bytes().any(|byte| !byte.is_ascii_graphic());
        if key.as_ref().is_some_and(is_odd) {
            return Err(Failure::usage(format!("{} holds characters that no key has", place.key_variable)));
        }
        let mut headers: Vec<String> = place.headers.iter().map(|header| (*header).to_owned()).collect();
        headers.extend(key.iter().map(|key| format!("{}{key}", place.key_header)));
        Ok(Self { address, headers, key, key_variable: place.key_variable })
    }

    /// Posts a body to a path below the base address.
    pub(super) fn post(&self, path: &str, body: &Value) -> Result<Value, Refusal> {
        let url = format!("{}/{path}", self.address.url);
        let body = body.to_string();
        let request = Request {
            url: &url,
            is_loopback: self.address.is_loopback,
            headers: &self.headers,
            body: body.as_bytes(),
        };
        let mut wait = FIRST_WAIT;
        let mut attempt = 1;
        loop {
            let (refusal, asked_wait) = match curl::ask(&request) {
                Ok(response) if (200..300).contains(&response.status) => return self.read(&response),
                Ok(response) => {
                    let refusal = self.refused(&response);
                    if !matches!(response.status, 429 | 500..) {
                        return Err(refusal);
                    }
                    (refusal, response.retry_after_seconds.map(Duration::from_secs))
                }
                Err(CurlError::Unusable(message)) => {
                    return Err(Refusal { message: self.safe(&message), status: None, is_final: true });
                }
                Err(CurlError::Unreachable(message)) => {
                    (Refusal { message: self.safe(&message), status: None, is_final: false }, None)
                }
            };
            if attempt == ATTEMPTS {
                return Err(refusal);
            }
            thread::sleep(asked_wait.unwrap_or(wait).min(LONGEST_WAIT));
            wait *= 2;
            attempt += 1;
        }
    }

    fn read(&self, response: &Response) -> Result<Value, Refusal> {
        serde_json::from_slice(&response.body).map_err(|error| Refusal {
            message: self.safe(&format!("the answer is no JSON: {error}")),
            status: Some(response.status),
            is_final: false,
        })
    }

    fn refused(&self, response: &Response) -> Refusal {
        let status = response.status;
        if status == 401 {
            // What a provider says of a wrong key may hold pieces of it.
            let message = format!("401: the provider does not take the key in {}", self.key_variable);
            return Refusal { message, status: Some(status), is_final: true };
        }
        let body: Value = serde_json::from_slice(&response.body).unwrap_or_default();
        let error = body.get("error").or_else(|| body.pointer("/0/error")).unwrap_or(&Value::Null);
        let said = error.get("message").and_then(Value::as_str).or_else(|| error.as_str());
        let said = said.map_or_else(|| String::from_utf8_lossy(&response.body).into_owned(), str::to_owned);
        let message = self.safe(&format!("{status}: {}", said.trim()));
        Refusal { message, status: Some(status), is_final: matches!(status, 403 | 404) }
    }

    /// A text without the key and without what a terminal would obey.
    fn safe(&self, text: &str) -> String {
        let text = match &self.key {
            Some(key) => text.replace(key, "[key]"),
            None => text.to_owned(),
        };
        capped(&plain(&text), MAX_MESSAGE_BYTES).into_owned()
    }
}
