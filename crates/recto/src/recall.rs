//! What a ref means, in words for the person at the terminal where it means nothing.

pub(crate) mod give;

use recto::archive::{Archive, ArchiveError, Scope};
use recto_recall::{Asked, Found, RecallError};

use crate::{
    failure::{Failure, Outcome},
    settings::Settings,
    store::{self, Store},
};

/// The archive, for reading.
pub(crate) fn archive(settings: &Settings) -> Outcome<Store> {
    store::check_is_there(settings)?;
    store::open_existing(settings).map_err(|error| searched(error.into(), settings))
}

/// What a ref means.
pub(crate) fn by_ref<'a>(
    archive: &'a dyn Archive,
    scope: &'a Scope,
    asked: &Asked,
    settings: &Settings,
) -> Outcome<Found<'a>> {
    Found::by_ref(archive, scope, asked).map_err(|error| match error {
        RecallError::Missing { .. } => {
            let advice = error.advice().unwrap_or_default();
            Failure::job(format!("{error} from {}", store::said(settings))).hint(advice)
        }
        RecallError::NoElisions { ref name, .. } => {
            let hint = format!("take all of it, or a part: recto expand {name} --lines 1:100");
            Failure::from(error).hint(hint)
        }
        error => searched(error, settings),
    })
}

fn searched(error: RecallError, settings: &Settings) -> Failure {
    let is_unknown = matches!(error, RecallError::Archive(ArchiveError::NotFound { .. }));
    let failure = Failure::from(error);
    if is_unknown {
        failure
            .hint(format!("searched {}; another store is named with `--store PATH`", store::said(settings)))
    } else {
        failure
    }
}
