//! What a ref means, in words for the person at the terminal where it means nothing.

pub(crate) mod give;

use std::path::Path;

use recto::archive::{ArchiveError, Scope, SqliteArchive};
use recto_recall::{Asked, Found, RecallError};

use crate::{
    failure::{Failure, Outcome},
    settings::Settings,
    store,
};

/// The archive, for reading.
pub(crate) fn archive(settings: &Settings) -> Outcome<SqliteArchive> {
    let path = store::path(settings);
    if !path.exists() {
        return Err(Failure::job(format!("there is no archive at {}", path.display()))
            .hint("name another one with `--store PATH`"));
    }
    store::open_existing(settings).map_err(|error| searched(error.into(), &path))
}

/// What a ref means.
pub(crate) fn by_ref<'a>(
    archive: &'a SqliteArchive,
    scope: &'a Scope,
    asked: &Asked,
    settings: &Settings,
) -> Outcome<Found<'a>> {
    let path = store::path(settings);
    Found::by_ref(archive, scope, asked).map_err(|error| match error {
        RecallError::Missing { .. } => {
            let advice = error.advice().unwrap_or_default();
            Failure::job(format!("{error} from {}", path.display())).hint(advice)
        }
        RecallError::NoElisions { ref name, .. } => {
            let hint = format!("take all of it, or a part: recto expand {name} --lines 1:100");
            Failure::from(error).hint(hint)
        }
        error => searched(error, &path),
    })
}

fn searched(error: RecallError, path: &Path) -> Failure {
    let is_unknown = matches!(error, RecallError::Archive(ArchiveError::NotFound { .. }));
    let failure = Failure::from(error);
    if is_unknown {
        failure.hint(format!("searched {}; another store is named with `--store PATH`", path.display()))
    } else {
        failure
    }
}
