//! What a model read at each step, as two areas, one over the other.

use std::{collections::BTreeMap, fmt::Write as _};

use recto::session::{policy::Sent, stats::Context};

use crate::output;

/// Points that are drawn; of more steps the largest of each run stands for it.
const MOST_POINTS: usize = 400;
/// The picture's own units; it is stretched to the page.
const WIDTH: u64 = 1_000;
const HEIGHT: u64 = 1_000;

/// A step as it is drawn.
#[derive(Clone, Copy, Default)]
struct Point {
    step: u32,
    tokens: u64,
    left: u64,
    is_after_compaction: bool,
}

/// Draws the steps; `sent` is empty where no policies were tried. Nothing is drawn of fewer than two steps.
pub(super) fn timeline(page: &mut String, contexts: &[Context], sent: &[Sent]) {
    let points = points(contexts, sent);
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return };
    let most = points.iter().map(|point| point.tokens).max().unwrap_or_default();
    if points.len() < 2 || most == 0 {
        return;
    }
    let has_policies = !sent.is_empty();
    page.push_str(
        "<h2>What the model read at each step</h2>\n<figure>\n<div class=\"up\" aria-hidden=\"true\">",
    );
    for tokens in [most, most / 2, 0] {
        let _ = write!(page, "<span>{}</span>", output::thousands(tokens));
    }
    let described =
        if has_policies { "; in front of it what the default policies would have left" } else { "" };
    let _ = writeln!(
        page,
        "</div>\n<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" preserveAspectRatio=\"none\" role=\"img\" \
         aria-label=\"Tokens that stood before each of the model's messages, at most {}{described}\">",
        output::thousands(most)
    );
    let _ = writeln!(page, "<path class=\"all\" d=\"{}\"/>", area(&points, most, |point| point.tokens));
    if has_policies {
        let _ = writeln!(page, "<path class=\"left\" d=\"{}\"/>", area(&points, most, |point| point.left));
    }
    for (at, _) in points.iter().enumerate().filter(|(_, point)| point.is_after_compaction) {
        let _ = writeln!(page, "<path class=\"compaction\" d=\"M{} 0V{HEIGHT}\"/>", across(at, points.len()));
    }
    let _ = writeln!(
        page,
        "</svg>\n<div class=\"along\" aria-hidden=\"true\"><span>step {}</span><span>step {}</span></div>",
        first.step, last.step
    );
    page.push_str("<figcaption><span><i class=\"all\"></i>tokens as they were</span>");
    if has_policies {
        page.push_str("<span><i class=\"left\"></i>with the default policies</span>");
    }
    if points.iter().any(|point| point.is_after_compaction) {
        page.push_str("<span><i class=\"compaction\"></i>the client's compaction</span>");
    }
    page.push_str("</figcaption>\n</figure>\n");
}

fn points(contexts: &[Context], sent: &[Sent]) -> Vec<Point> {
    let saved: BTreeMap<u32, u64> =
        sent.iter().map(|sent| (sent.step, sent.tokens.saturating_sub(sent.left_tokens))).collect();
    let run = contexts.len().div_ceil(MOST_POINTS).max(1);
    let drawn = contexts.chunks(run).map(|run| {
        let largest = run.iter().max_by_key(|context| context.tokens).copied().unwrap_or_default();
        let saved = saved.get(&largest.step).copied().unwrap_or_default();
        Point {
            step: run.first().map_or(0, |context| context.step),
            tokens: largest.tokens,
            left: largest.tokens.saturating_sub(saved),
            is_after_compaction: run.iter().any(|context| context.is_after_compaction),
        }
    });
    drawn.collect()
}

fn across(at: usize, count: usize) -> u64 {
    at as u64 * WIDTH / (count.max(2) as u64 - 1)
}

fn area(points: &[Point], most: u64, of: impl Fn(&Point) -> u64) -> String {
    let mut path = format!("M0 {HEIGHT}");
    for (at, point) in points.iter().enumerate() {
        let up = u128::from(of(point)) * u128::from(HEIGHT) / u128::from(most.max(1));
        let _ =
            write!(path, "L{} {}", across(at, points.len()), u128::from(HEIGHT) - up.min(u128::from(HEIGHT)));
    }
    let _ = write!(path, "V{HEIGHT}Z");
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_steps_are_drawn_by_their_largest() {
        let contexts: Vec<Context> = (1..=1000)
            .map(|step| Context { step, tokens: u64::from(step), is_after_compaction: step == 500 })
            .collect();
        let sent = [Sent { step: 999, tokens: 50, left_tokens: 20 }];
        let points = points(&contexts, &sent);
        assert_eq!(points.len(), 334);
        assert_eq!((points[0].step, points[0].tokens), (1, 3));
        assert_eq!(points.iter().filter(|point| point.is_after_compaction).count(), 1);
        assert_eq!((points[332].tokens, points[332].left), (999, 969));
        assert_eq!(area(&points[..2], 6, |point| point.tokens), "M0 1000L0 500L1000 0V1000Z");
    }

    #[test]
    fn nothing_is_drawn_of_nothing() {
        let mut page = String::new();
        timeline(&mut page, &[], &[]);
        timeline(&mut page, &[Context { step: 1, tokens: 9, is_after_compaction: false }], &[]);
        assert_eq!(page, "");
    }
}
