//! Views in mode `table`.

use recto_outline::{ContentType, Encoding, Fuel, Span, beside, detect, outline_as};

use super::{Explained, Found, Maker, View};
use crate::{
    CompressionResult, Mode, Policy, ResultClass, ViewError,
    contract::{Elision, WireSpan},
    draft::Draft,
    facts::{self, LeftOut},
    fit::Fitting,
    line_ends::LineEnds,
    note::Voice,
    rank::{Ranking, rank},
    table::{Laid, Shown},
};

/// The source as tables, if its policy's mode takes them for it. No budget matters here: the mode is fixed before.
pub(super) fn laid_out(
    bytes: &[u8],
    policy: &Policy,
    encoding: Encoding,
    fuel: &mut Fuel,
) -> Result<Option<(Laid, ContentType)>, ViewError> {
    if encoding != Encoding::Utf8 || policy.class == ResultClass::Whole {
        return Ok(None);
    }
    let content_type = policy.content_type.unwrap_or_else(|| detect(bytes));
    let is_lines = match content_type {
        ContentType::Json => false,
        ContentType::Jsonl => true,
        _ => return Ok(None),
    };
    fuel.burn(bytes.len())?;
    let laid = Laid::of(bytes, is_lines);
    let is_taken = |laid: &Laid| policy.mode == Mode::Table || laid.is_clear_gain();
    Ok(laid.filter(is_taken).map(|laid| (laid, content_type)))
}

/// More bytes than a token of ordinary text ever has, and some more for what budgets look ahead.
const MOST_TOKEN_BYTES: u64 = 64;
const AHEAD_BYTES: u64 = 65_536;

impl Maker<'_, '_> {
    /// More of a text than the hard limits allow.
    fn enough_bytes(&self) -> u64 {
        let by_tokens = self.limits.max_tokens.map(|tokens| tokens.saturating_mul(MOST_TOKEN_BYTES));
        let least = self.limits.max_bytes.into_iter().chain(by_tokens).min().unwrap_or(u64::MAX);
        least.saturating_add(AHEAD_BYTES)
    }

    /// A view in mode `table`: the whole text, or the rows and members that the ranking of the source takes first.
    pub(super) fn table(
        &self,
        laid: Laid,
        content_type: ContentType,
        name: Option<&str>,
        fuel: &mut Fuel,
    ) -> Result<View, ViewError> {
        let bytes = self.source.bytes();
        let source_bytes = bytes.len() as u64;
        let shown_as = |text, layout, spans, elisions, kept| {
            let span_map = self.map(content_type.name(), spans, elisions);
            self.view(CompressionResult::Table { text, span_map, layout, mode: self.mode_name() }, kept)
        };
        if self.fits(laid.text()) {
            let everything = vec![WireSpan { s: 0, e: source_bytes }];
            let (text, layout) = laid.into_text();
            return Ok(shown_as(text, layout, everything, Vec::new(), Vec::new()));
        }
        let (outline, found) = beside(
            bytes.len(),
            || outline_as(bytes, Some(content_type), Encoding::Utf8, fuel),
            || Found::of(bytes, Mode::Marked),
        );
        let outline = outline?;
        let mut picks = rank(&outline, self.policy.query.as_deref(), found.errors.as_ref());
        let shown = Shown::new(&laid, content_type);
        let voice = Voice { recall: self.policy.recall, name, look_alikes: found.look_alikes, source_bytes };
        let mut fitting = Fitting {
            outline: &shown.outline,
            ranking: Ranking::of(&shown.outline, &shown.order(&mut picks, self.enough_bytes())),
            line_ends: LineEnds::of(&shown.outline),
            voice: Some(voice),
            may_tell: facts::may_be(&outline, &picks.rows),
        };
        let line = || self.line_or_nothing(content_type.name(), Some(&voice));
        let Some((mut prefix, mut draft)) = self.fitted(&mut fitting)? else { return Ok(line()) };
        if draft.bytes() > source_bytes {
            let is_small = |draft: &Draft| draft.bytes() <= source_bytes && self.holds(laid.text(), draft);
            let Some(shorter) = fitting.step_back(prefix, is_small) else { return Ok(line()) };
            (prefix, draft) = shorter;
        }
        let Some((spans, elisions)) = shown.wire(&draft, source_bytes).filter(|_| prefix > 0) else {
            return Ok(line());
        };
        let facts = facts::find(&outline, &picks.rows, &left_out(&spans, &elisions));
        let draft = self.told(&fitting, draft, facts);
        let elisions = shown.wire(&draft, source_bytes).map_or(elisions, |(_, elisions)| elisions);
        let picks = fitting.ranking.picks().iter().take(prefix);
        let kept =
            picks.map(|pick| Explained { span: shown.source_of(pick.unit), reason: pick.reason }).collect();
        Ok(shown_as(draft.render(laid.text()), laid.layout.clone(), spans, elisions, kept))
    }
}

/// The runs of the source that are left out.
fn left_out(spans: &[WireSpan], elisions: &[Elision]) -> Vec<LeftOut> {
    let runs = elisions.iter().enumerate().map(|(gap, elision)| {
        let before = usize::try_from(elision.after).ok().and_then(|after| spans.get(after));
        let start = before.map_or(0, |span| span.e);
        let offset = |at: u64| u32::try_from(at).unwrap_or(u32::MAX);
        LeftOut { gap, span: Span { s: offset(start), e: offset(start + elision.bytes) } }
    });
    runs.collect()
}
