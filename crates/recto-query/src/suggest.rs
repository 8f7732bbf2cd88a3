//! The name that was meant.

/// The name nearest to `name` by edits, letters of either case alike; none if all are too far.
pub(crate) fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    /// Longer names are not compared: the time grows with the product of both lengths.
    const MOST_BYTES: usize = 200;
    let name = name.get(..name.floor_char_boundary(MOST_BYTES)).unwrap_or_default().to_lowercase();
    let mut best: Option<(usize, &str)> = None;
    for candidate in known.filter(|candidate| candidate.len() <= MOST_BYTES) {
        let lower = candidate.to_lowercase();
        let last = |text: &str| text.rsplit(['.', '_', '-']).next().unwrap_or_default().to_owned();
        let mut distance = strsim::osa_distance(&name, &lower);
        // The last part of a path alone is a usual slip.
        if last(&lower) == name || last(&name) == lower {
            distance = distance.min(2);
        }
        if best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    let (distance, candidate) = best?;
    (distance <= 1 + name.chars().count() / 3).then_some(candidate)
}

/// ` Did you mean ...?` for the nearest name, or nothing.
pub(crate) fn did_you_mean<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> String {
    nearest(name, known).map(|name| format!(" Did you mean {name:?}?")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_seen_and_strangers_are_not() {
        let known = ["status", "restarts", "metadata.name"];
        for (name, expected) in [
            ("Status", Some("status")),
            ("xstatus", Some("status")),
            ("restart", Some("restarts")),
            ("name", Some("metadata.name")),
            ("colour", None),
        ] {
            assert_eq!(nearest(name, known.into_iter()), expected, "{name}");
        }
    }
}
