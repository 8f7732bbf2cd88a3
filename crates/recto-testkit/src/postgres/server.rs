//! Talking to a server: the little that making databases needs.

use std::path::Path;
use std::time::Duration;

use tokio_postgres::config::Host;
use tokio_postgres::{Config, NoTls, SimpleQueryMessage};

/// The database that every server has.
pub(super) const MAINTENANCE: &str = "postgres";

#[derive(Clone)]
pub(super) struct Server {
    config: Config,
    /// Between the scheme and the database's name, and after it.
    authority: String,
    parameters: String,
}

impl Server {
    pub(super) fn in_folder(folder: &Path) -> Self {
        let mut config = Config::new();
        config.host_path(folder).user("recto");
        let parameters = format!("?host={}", folder.display());
        Self { config, authority: "recto@".to_owned(), parameters }
    }

    /// The same server for another user.
    pub(super) fn of(&self, user: &str) -> Self {
        let mut other = self.clone();
        other.config.user(user);
        other.authority = format!("{user}@");
        other
    }

    pub(super) fn at(url: &str) -> Result<Self, String> {
        let wrong = "it has to be postgresql://user@host/database";
        let config: Config = url.parse().map_err(|_| wrong)?;
        let rest =
            url.strip_prefix("postgresql://").or_else(|| url.strip_prefix("postgres://")).ok_or(wrong)?;
        let (place, parameters) = rest
            .split_once('?')
            .map_or((rest, String::new()), |(place, parameters)| (place, format!("?{parameters}")));
        let authority = place.split_once('/').map_or(place, |(authority, _)| authority).to_owned();
        match config.get_hosts() {
            [Host::Tcp(_) | Host::Unix(_)] => Ok(Self { config, authority, parameters }),
            _ => Err(wrong.to_owned()),
        }
    }

    pub(super) fn url(&self, database: &str) -> String {
        format!("postgresql://{}/{database}{}", self.authority, self.parameters)
    }

    pub(super) fn execute(&self, database: &str, statements: &str) -> Result<(), String> {
        self.query(database, statements).map(drop)
    }

    pub(super) fn value(&self, database: &str, query: &str) -> Result<Option<String>, String> {
        let messages = self.query(database, query)?;
        Ok(messages.iter().find_map(|message| match message {
            SimpleQueryMessage::Row(row) => {
                Some(row.try_get(0).ok().flatten().unwrap_or_default().to_owned())
            }
            _ => None,
        }))
    }

    /// On a thread of its own: the caller may be inside a runtime.
    fn query(&self, database: &str, statements: &str) -> Result<Vec<SimpleQueryMessage>, String> {
        let mut config = self.config.clone();
        config.dbname(database).connect_timeout(Duration::from_secs(10));
        let answer = std::thread::scope(|threads| {
            let work = || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
                let runtime = runtime.map_err(|error| error.to_string())?;
                runtime.block_on(async {
                    let (client, connection) = config.connect(NoTls).await.map_err(explain)?;
                    tokio::pin! { let talk = async { client.simple_query(statements).await }; }
                    tokio::select! {
                        answer = &mut talk => answer.map_err(explain),
                        ended = connection => Err(format!("the connection ended: {ended:?}")),
                    }
                })
            };
            threads.spawn(work).join()
        });
        answer.unwrap_or_else(|_| Err("the thread that asked has panicked".to_owned()))
    }
}

fn explain(error: tokio_postgres::Error) -> String {
    let source = std::error::Error::source(&error).map(|source| format!(": {source}")).unwrap_or_default();
    format!("{error}{source}")
}
