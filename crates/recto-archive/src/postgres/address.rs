//! The address of a database: what it may say, and what of it may be shown.

use std::net::IpAddr;
use std::path::Path;

use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};

use crate::ArchiveError;

/// Where a server's socket lies if the address does not say: Debian's folder, then the one of PostgreSQL itself.
const SOCKET_FOLDERS: [&str; 3] = ["/run/postgresql", "/var/run/postgresql", "/tmp"];
const PORT: u16 = 5432;

/// Parameters that an address may have, those of libpq that tokio-postgres understands.
const PARAMETERS: [&str; 18] = [
    "application_name",
    "channel_binding",
    "connect_timeout",
    "dbname",
    "host",
    "hostaddr",
    "keepalives",
    "keepalives_idle",
    "keepalives_interval",
    "keepalives_retries",
    "load_balance_hosts",
    "options",
    "password",
    "port",
    "sslmode",
    "target_session_attrs",
    "tcp_user_timeout",
    "user",
];

/// A database and how to reach it.
#[derive(Clone)]
pub(super) struct Address {
    pub(super) config: Config,
    /// The address without the password, for errors and descriptions.
    pub(super) place: String,
}

impl Address {
    pub(super) fn parse(url: &str, password: Option<&str>) -> Result<Self, ArchiveError> {
        let invalid = |why: String| ArchiveError::InvalidAddress { why };
        let rest = ["postgresql://", "postgres://"].iter().find_map(|scheme| url.strip_prefix(scheme));
        let rest = rest.ok_or_else(|| invalid("it has to begin with postgresql://".to_owned()))?;
        check_parameters(rest)?;
        // The parser's own words may hold a part of the password.
        let mut config: Config = url.parse().map_err(|_| {
            invalid(
                "it has to be postgresql://user@host:port/database, with ?host=/folder for a socket; \
                 write other characters than letters and digits of a name or password as %XX"
                    .to_owned(),
            )
        })?;
        if config.get_password().is_none()
            && let Some(password) = password
        {
            config.password(password);
        }
        if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
            config.host_path(socket_folder(&config).ok_or_else(|| {
                let folders = SOCKET_FOLDERS.join(", ");
                invalid(format!(
                    "it names no host, and there is no server's socket in {folders}; write ?host=/folder"
                ))
            })?);
        }
        if config.get_application_name().is_none() {
            config.application_name("recto");
        }
        let place = place(&config);
        settle_encryption(&mut config, &place)?;
        Ok(Self { config, place })
    }
}

fn check_parameters(rest: &str) -> Result<(), ArchiveError> {
    let Some((before, parameters)) = rest.split_once('?') else { return Ok(()) };
    for parameter in parameters.split('&').filter(|parameter| !parameter.is_empty()) {
        let name = parameter.split_once('=').map_or(parameter, |(name, _)| name);
        if PARAMETERS.contains(&name) {
            continue;
        }
        // Where the host has been, no password can follow: else the question mark may be one of its characters.
        let is_shown = before.contains('@') || before.starts_with('/') || !parameters.contains('@');
        let why = if is_shown {
            format!("it has an unknown parameter {name:?}; known are {}", PARAMETERS.join(", "))
        } else {
            "it has a question mark before its host; write those of a password as %3F".to_owned()
        };
        return Err(ArchiveError::InvalidAddress { why });
    }
    Ok(())
}

fn socket_folder(config: &Config) -> Option<&'static str> {
    let port = config.get_ports().first().copied().unwrap_or(PORT);
    SOCKET_FOLDERS.into_iter().find(|folder| Path::new(folder).join(format!(".s.PGSQL.{port}")).exists())
}

/// Spells out where the database is: user, hosts, ports and name.
fn place(config: &Config) -> String {
    let ports = config.get_ports();
    let host = |(number, host): (usize, &Host)| {
        let port = match ports {
            [one] => *one,
            ports => ports.get(number).copied().unwrap_or(PORT),
        };
        let host = match host {
            Host::Tcp(name) if name.contains(':') => format!("[{name}]"),
            Host::Tcp(name) => name.clone(),
            Host::Unix(folder) => folder.display().to_string(),
        };
        if port == PORT { host } else { format!("{host}:{port}") }
    };
    let hosts: Vec<String> = match config.get_hosts() {
        [] => config.get_hostaddrs().iter().map(IpAddr::to_string).collect(),
        hosts => hosts.iter().enumerate().map(host).collect(),
    };
    let user = config.get_user().map(|user| format!("{user}@")).unwrap_or_default();
    let database = config.get_dbname().map(|name| format!("/{name}")).unwrap_or_default();
    format!("postgresql://{user}{}{database}", hosts.join(","))
}

/// Connections are not encrypted: that is nobody's business on one machine, and has to be asked for beyond it.
fn settle_encryption(config: &mut Config, place: &str) -> Result<(), ArchiveError> {
    let is_near = config.get_hosts().iter().all(|host| match host {
        Host::Unix(_) => true,
        Host::Tcp(name) => {
            name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
        }
    }) && config.get_hostaddrs().iter().all(IpAddr::is_loopback);
    match config.get_ssl_mode() {
        SslMode::Disable => Ok(()),
        SslMode::Prefer if is_near => {
            config.ssl_mode(SslMode::Disable);
            Ok(())
        }
        SslMode::Prefer => Err(ArchiveError::InvalidAddress {
            why: format!(
                "{place} is another machine, and this recto does not encrypt connections: use a tunnel to this machine, \
                 or write sslmode=disable if the network between may see all that is stored"
            ),
        }),
        _ => Err(ArchiveError::InvalidAddress {
            why: format!(
                "{place} asks for an encrypted connection, which this recto does not make: use a tunnel to this machine"
            ),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(url: &str) -> String {
        match Address::parse(url, None) {
            Ok(address) => address.place,
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn places_are_shown_without_passwords() {
        for (url, shown) in [
            ("postgres://me:secret@localhost/team", "postgresql://me@localhost/team"),
            ("postgresql://me:secret@[::1]:5433/team", "postgresql://me@[::1]:5433/team"),
            ("postgresql:///team?host=/tmp/x&user=me&password=secret", "postgresql://me@/tmp/x/team"),
            ("postgresql://me@%2Ftmp%2Fx:99/team", "postgresql://me@/tmp/x:99/team"),
            ("postgresql://db.example/team?sslmode=disable", "postgresql://db.example/team"),
            ("postgresql://127.0.0.1,localhost:6000/a", "postgresql://127.0.0.1,localhost:6000/a"),
        ] {
            assert_eq!(place(url), shown);
        }
    }

    #[test]
    fn errors_say_why_and_never_the_password() {
        for (url, why) in [
            ("mysql://me:secret@localhost/team", "begin with postgresql://"),
            ("me:secret@localhost", "begin with postgresql://"),
            ("postgresql://me:secret@db.example/team", "sslmode=disable"),
            ("postgresql://me:secret@db.example/team?sslmode=require", "does not make"),
            ("postgresql://me:secret@localhost/team?sslmode=verify-full", "it has to be"),
            ("postgresql://me:secret@localhost/team?colour=red", "unknown parameter \"colour\""),
            ("postgresql://me:?secret@localhost/team", "%3F"),
            ("postgresql://me:secret@localhost:notaport/team", "it has to be"),
            ("postgresql://me:%secret@localhost:5432:secret/team", "it has to be"),
            ("postgresql://me:secret@localhost,8.8.8.8/team", "another machine"),
        ] {
            let error = place(url);
            assert!(error.contains(why) && !error.contains("secret"), "{url}: {error}");
        }
    }

    #[test]
    fn a_password_of_ones_own_comes_second() {
        let password = |url| {
            let address = Address::parse(url, Some("given")).unwrap();
            String::from_utf8(address.config.get_password().unwrap().to_vec()).unwrap()
        };
        assert_eq!(password("postgresql://me@localhost/team"), "given");
        assert_eq!(password("postgresql://me:other@localhost/team"), "other");
    }
}
