//! Addresses that a key may be sent to.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::provider::Place;
use crate::{
    environment,
    failure::{Failure, Outcome},
};

/// The base address of a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address {
    /// With the version, without a slash at the end.
    pub(super) url: String,
    /// Whether it is this machine: plain HTTP is allowed, and no key is needed.
    pub(super) is_loopback: bool,
}

impl Address {
    /// The address that the environment names, else the provider's own.
    pub(super) fn of(place: &Place) -> Outcome<Self> {
        let url = environment::base_url(place.url_variable);
        Self::read(url.as_deref().unwrap_or(place.default_url), place.version).map_err(|why| {
            Failure::usage(format!("{} {why}", place.url_variable)).hint(
                "name an https:// address, such as https://example.com; plain http:// only of this machine",
            )
        })
    }

    /// Reads a base address. One without a path gets the version.
    fn read(url: &str, version: &str) -> Result<Self, String> {
        let url = url.trim_end_matches('/');
        // What readers of addresses may take differently, so that what is checked here is what is asked.
        if url.bytes().any(|byte| !byte.is_ascii_graphic() || b"\\\"@?#{}<>^`|".contains(&byte)) {
            return Err("has characters that no base address needs".to_owned());
        }
        let (is_plain, rest) = match (url.strip_prefix("https://"), url.strip_prefix("http://")) {
            (Some(rest), _) => (false, rest),
            (_, Some(rest)) => (true, rest),
            _ => return Err("is no https:// address".to_owned()),
        };
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let host = match authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((host, _)) => host,
            None => authority.split(':').next().unwrap_or_default(),
        };
        if host.is_empty() {
            return Err("names no host".to_owned());
        }
        let is_loopback = host == "localhost"
            || host.parse::<Ipv4Addr>().is_ok_and(|host| host.is_loopback())
            || host.parse::<Ipv6Addr>().is_ok_and(|host| host.is_loopback());
        if is_plain && !is_loopback {
            return Err(format!("would send the key to {host} in plain text"));
        }
        let url = if path.is_empty() { format!("{url}/{version}") } else { url.to_owned() };
        Ok(Self { url, is_loopback })
    }
}

#[cfg(test)]
mod tests {
    use super::Address;

    #[test]
    fn keys_go_to_safe_addresses_only() {
        let read = |url: &str| Address::read(url, "v1").map(|address| (address.url, address.is_loopback));
        assert_eq!(read("https://example.com"), Ok(("https://example.com/v1".to_owned(), false)));
        assert_eq!(read("https://example.com/v1/"), Ok(("https://example.com/v1".to_owned(), false)));
        assert_eq!(
            read("https://example.com/openai/v2"),
            Ok(("https://example.com/openai/v2".to_owned(), false))
        );
        for here in ["http://127.0.0.1:9", "http://localhost:9", "http://[::1]:9", "http://127.3.2.1"] {
            assert_eq!(read(here), Ok((format!("{here}/v1"), true)));
        }
        for wrong in [
            "http://example.com",
            "http://localhost.example.com",
            "http://localhost@example.com",
            "http://127.0.0.1.example.com",
            "http://127.0.0.1\\@example.com",
            "https://example.com?x",
            "https://example.com\nheader",
            "ftp://example.com",
            "https://",
            "example.com",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
