//! How a name is chosen when it is bound: the one algorithm that all stores share.

use crate::{ArchiveError, Ref, Target};

/// What a name is bound to.
pub(crate) struct Bound {
    pub(crate) target: Target,
    /// The name is longer than the one the view was rendered with, so the map is not the one that will be shown yet.
    pub(crate) reserved: bool,
}

/// What has to be written for a name to stand.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Binding {
    /// Nothing: it is bound already.
    Stands(Ref),
    /// A new row.
    New { name: Ref, reserved: bool },
    /// The map of a view that was rendered again with its longer name.
    SettleMap(Ref),
}

/// Chooses the first candidate that is free or the target's own.
pub(crate) fn choose(
    target: &Target,
    mut lookup: impl FnMut(&Ref) -> Result<Option<Bound>, ArchiveError>,
) -> Result<Binding, ArchiveError> {
    for name in Ref::candidates(target) {
        match lookup(&name)? {
            None => {
                let longer = name.digits().len() > Ref::MIN_DIGITS;
                let reserved = longer && matches!(target, Target::View { .. });
                return Ok(Binding::New { name, reserved });
            }
            Some(bound) if bound.target.same_name(target) => {
                let settles = bound.reserved && bound.target != *target;
                return Ok(if settles { Binding::SettleMap(name) } else { Binding::Stands(name) });
            }
            Some(_) => {}
        }
    }
    let why = match target {
        Target::Gone { .. } => "the target is gone",
        _ => "all its names are bound to other targets",
    };
    Err(ArchiveError::NoName { why })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Digest;

    fn view(policy: &str, map: &str) -> Target {
        let of = |text: &str| Digest::of(text.as_bytes());
        Target::View { original: of("o"), policy: of(policy), map: of(map) }
    }

    #[test]
    fn names_grow_past_every_taken_one_and_end() {
        for taken in 0..=8 {
            let mut asked = 0;
            let chosen = choose(&view("p", "m"), |_| {
                asked += 1;
                let other = Bound { target: view("other", "m"), reserved: false };
                Ok((asked <= taken).then_some(other))
            });
            match Ref::candidates(&view("p", "m")).nth(taken) {
                Some(name) => assert_eq!(chosen.unwrap(), Binding::New { name, reserved: taken > 0 }),
                None => assert!(matches!(chosen, Err(ArchiveError::NoName { .. }))),
            }
        }
    }

    #[test]
    fn only_a_reserved_name_takes_another_map() {
        let name = Ref::candidates(&view("p", "m")).next().unwrap();
        let ask = |map: &str, reserved: bool| {
            choose(&view("p", map), |_| Ok(Some(Bound { target: view("p", "m"), reserved }))).unwrap()
        };
        assert_eq!(ask("m", true), Binding::Stands(name.clone()));
        assert_eq!(ask("n", true), Binding::SettleMap(name.clone()));
        assert_eq!(ask("n", false), Binding::Stands(name));
    }

    #[test]
    fn what_is_gone_gets_no_name() {
        let gone = Target::Gone { why: "x".to_owned() };
        assert!(matches!(choose(&gone, |_| Ok(None)), Err(ArchiveError::NoName { .. })));
    }
}
