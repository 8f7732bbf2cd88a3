//! A source and a policy to a view.

mod tables;

use recto_outline::{BESIDE_FROM_BYTES, ContentType, Encoding, Fuel, Outline, beside, detect, outline_as};

use crate::{
    CompressionResult, Mode, Policy, ResultClass, Stats, ViewError,
    contract::{Elision, SpanMap, VERSION, WireSpan},
    draft::Draft,
    facts::{self, Fact},
    fit::{Fitting, Measure},
    line_ends::LineEnds,
    note::{self, Voice, look_alikes},
    policy::{DEFAULT_RATIO_PPM, WHOLE_BELOW_BYTES},
    rank::{Reason, Words, rank},
    render::render,
    sources::Source,
};

/// A kept unit and why it is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Explained {
    /// The unit's bytes.
    pub span: WireSpan,
    /// Why it is kept.
    pub reason: Reason,
}

/// What is shown of a source under a policy.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// The result, in the form of the wire contract.
    pub result: CompressionResult,
    /// The mode it was made in.
    pub mode: Mode,
    /// The kept units in the order of the ranking, which is the order in which a larger budget adds them.
    pub kept: Vec<Explained>,
    /// Nothing is shown: not even one line fits the budget.
    pub is_empty: bool,
}

impl View {
    /// The span map.
    #[must_use]
    pub fn map(&self) -> Option<&SpanMap> {
        self.result.span_map()
    }

    /// Says whether the view is the source itself, byte for byte.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        matches!(self.result, CompressionResult::Passthrough { .. })
    }

    /// Says whether nothing is left out: the source is shown whole, or as a table of all of it.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.map().is_some_and(|map| map.elisions.is_empty())
    }

    /// The text that a reader sees.
    ///
    /// # Errors
    /// [`ViewError::ForeignSource`] for another source than the view's.
    pub fn render(&self, source: &Source<'_>) -> Result<String, ViewError> {
        render(&self.result, source)
    }
}

/// Makes the view of `source` under `policy`. A pure function: the same arguments give the same bytes, on every machine, for ever.
///
/// `name` is the ref that the notes state (`r:` and digits), if the original is or will be stored under it and the policy
/// names a way of recall. Linear in the source; `fuel` limits the bytes visited.
///
/// # Errors
/// [`ViewError::Outline`]; in mode `exact` also [`ViewError::BudgetTooSmall`] and [`ViewError::NotText`].
///
/// ```
/// use recto_outline::Fuel;
/// use recto_view::{Budget, Mode, Policy, Source, view};
/// let log: String = (0..400).map(|n| format!("line {n} is fine\n")).collect();
/// let source = Source::new(log.as_bytes());
/// let policy = Policy { mode: Mode::Marked, budget: Budget::bytes(600), ..Policy::default() };
/// let view = view(&source, &policy, None, &mut Fuel::unlimited())?;
/// let text = view.render(&source)?;
/// assert!(text.len() <= 600 && text.starts_with("line 0 is fine\n"));
/// assert!(text.contains("lines #1 (source whole, "));
/// # Ok::<(), recto_view::ViewError>(())
/// ```
pub fn view(
    source: &Source<'_>,
    policy: &Policy,
    name: Option<&str>,
    fuel: &mut Fuel,
) -> Result<View, ViewError> {
    let bytes = source.bytes();
    let encoding = Encoding::of(bytes);
    let fixed;
    let mut laid = None;
    let policy = if matches!(policy.mode, Mode::Table | Mode::Auto) {
        laid = tables::laid_out(bytes, policy, encoding, fuel)?;
        let mode = if laid.is_some() { Mode::Table } else { Mode::Marked };
        fixed = Policy { mode, ..policy.clone() };
        &fixed
    } else {
        policy
    };
    let maker = Maker { source, policy, limits: Limits::of(policy, bytes.len() as u64) };
    if let Some((laid, content_type)) = laid {
        return maker.table(laid, content_type, name, fuel);
    }
    if matches!(encoding, Encoding::Utf16 | Encoding::Binary) {
        return maker.no_text(encoding, name);
    }
    if encoding == Encoding::Utf8 && (policy.class == ResultClass::Whole || maker.fits_whole()) {
        let content_type = policy.content_type.unwrap_or_else(|| detect(bytes));
        return Ok(maker.whole(content_type));
    }
    let (outline, found) = beside(
        bytes.len(),
        || outline_as(bytes, policy.content_type, encoding, fuel),
        || Found::of(bytes, policy.mode),
    );
    maker.cut(&outline?, name, &found)
}

/// What is found in a source without an outline.
struct Found {
    /// Only notes tell of them: 0 where there are none.
    look_alikes: u64,
    /// Of a large source, since not all formats ask for them.
    errors: Option<Words>,
}

impl Found {
    fn of(source: &[u8], mode: Mode) -> Self {
        Self {
            look_alikes: if mode == Mode::Marked { look_alikes(source) } else { 0 },
            errors: (source.len() >= BESIDE_FROM_BYTES).then(|| Words::of(source)),
        }
    }
}

/// The limits that a policy comes to for one source.
#[derive(Clone, Copy, Debug)]
struct Limits {
    /// Soft in mode `exact`.
    ratio_bytes: Option<u64>,
    max_bytes: Option<u64>,
    max_tokens: Option<u64>,
}

impl Limits {
    fn of(policy: &Policy, source_bytes: u64) -> Self {
        let budget = policy.budget;
        let share = |ppm: u32| {
            u64::try_from(u128::from(source_bytes) * u128::from(ppm) / 1_000_000).unwrap_or(u64::MAX)
        };
        let mut ratio_bytes = budget.ratio_ppm.map(share);
        if !budget.is_given() {
            ratio_bytes = Some(share(DEFAULT_RATIO_PPM));
            if policy.mode != Mode::Exact && source_bytes <= WHOLE_BELOW_BYTES {
                ratio_bytes = None;
            }
        }
        let mut max_bytes = budget.max_bytes;
        if policy.mode != Mode::Exact {
            // Notes are counted, so the ratio is as hard as any budget.
            max_bytes = max_bytes.into_iter().chain(ratio_bytes.take()).min();
        }
        Self { ratio_bytes, max_bytes, max_tokens: budget.max_tokens }
    }
}

struct Maker<'m, 's> {
    source: &'m Source<'s>,
    policy: &'m Policy,
    limits: Limits,
}

impl Maker<'_, '_> {
    /// Says whether the whole source, which is text, is within all limits.
    fn fits_whole(&self) -> bool {
        self.fits(self.source.bytes())
    }

    /// Says whether a text is.
    fn fits(&self, text: &[u8]) -> bool {
        let length = text.len() as u64;
        let bytes = self.limits.ratio_bytes.into_iter().chain(self.limits.max_bytes).min();
        bytes.is_none_or(|limit| length <= limit)
            && self.limits.max_tokens.is_none_or(|limit| self.tokens_fit(text, limit))
    }

    fn tokens_fit(&self, bytes: &[u8], limit: u64) -> bool {
        // No token of the known vocabularies has more than 128 bytes of ordinary text; runs of blanks are the longest.
        if bytes.len() as u64 / 256 > limit {
            return false;
        }
        let text = String::from_utf8_lossy(bytes);
        self.policy.tokenizer.counter().count_up_to(&text, limit).is_some()
    }

    fn whole(&self, content_type: ContentType) -> View {
        let bytes = self.source.bytes().len() as u64;
        let spans = if bytes == 0 { Vec::new() } else { vec![WireSpan { s: 0, e: bytes }] };
        let span_map = self.map(content_type.name(), spans, Vec::new());
        self.view(CompressionResult::Passthrough { span_map, mode: self.mode_name() }, Vec::new())
    }

    fn cut(&self, outline: &Outline<'_>, name: Option<&str>, found: &Found) -> Result<View, ViewError> {
        let policy = self.policy;
        let bytes = outline.source;
        let voice = (policy.mode == Mode::Marked).then_some(Voice {
            recall: policy.recall,
            name,
            look_alikes: found.look_alikes,
            source_bytes: bytes.len() as u64,
        });
        let ranking = rank(outline, policy.query.as_deref(), found.errors.as_ref());
        let may_tell = voice.is_some() && facts::may_be(outline, &ranking.rows);
        let mut fitting = Fitting { outline, ranking, line_ends: LineEnds::of(outline), voice, may_tell };
        let fitted = match policy.class {
            ResultClass::Whole => Some(fitting.whole()),
            _ => self.fitted(&mut fitting)?,
        };
        let line = || self.line_or_nothing(outline.content_type.name(), voice.as_ref());
        let Some((mut prefix, mut draft)) = fitted else { return Ok(line()) };
        if policy.mode == Mode::Marked && draft.bytes() > bytes.len() as u64 {
            if outline.silent.is_empty() && self.fits_whole() {
                return Ok(self.whole(outline.content_type));
            }
            // Notes made it larger than the source: less of it is shown, whatever the budget allows. By measure and not by bound:
            // the longest prefix below this one that is small enough never shrinks as the budget grows, so views still nest.
            let is_small = |draft: &Draft| draft.bytes() <= bytes.len() as u64 && self.holds(bytes, draft);
            if prefix > 0 {
                let Some(shorter) = fitting.step_back(prefix, is_small) else { return Ok(line()) };
                (prefix, draft) = shorter;
            }
        }
        if policy.mode == Mode::Marked && prefix == 0 && fitting.ranking.pick(0).is_some() {
            return Ok(line());
        }
        if fitting.may_tell {
            let facts = facts::find(outline, &fitting.ranking.rows, &facts::left_out(&draft.tiling));
            draft = self.told(&fitting, draft, facts);
        }
        let kept = fitting
            .ranking
            .picks()
            .iter()
            .take(prefix)
            .map(|pick| {
                let body = outline.unit(pick.unit).body;
                Explained { span: WireSpan { s: body.s.into(), e: body.e.into() }, reason: pick.reason }
            })
            .collect();
        Ok(self.drafted(outline, draft, kept))
    }

    /// The draft with as many facts in its notes as the limits leave room for.
    fn told(&self, fitting: &Fitting<'_, '_>, draft: Draft, mut facts: Vec<Fact>) -> Draft {
        let outline = fitting.outline;
        let Some(voice) = fitting.voice.filter(|_| !facts.is_empty()) else { return draft };
        // What each costs is known well enough by itself; all together are measured.
        let [mut bytes, mut tokens] = self.room(outline.source, &draft);
        facts.retain(|fact| {
            let [more_bytes, more_tokens] = self.costs_of(&fact.words);
            let fits = more_bytes <= bytes && more_tokens <= tokens;
            if fits {
                bytes -= more_bytes;
                tokens -= more_tokens;
            }
            fits
        });
        while !facts.is_empty() {
            let told = draft.with_facts(outline, &fitting.line_ends, &voice, &facts);
            if told.bytes() <= self.source.bytes().len() as u64 && self.holds(outline.source, &told) {
                return told;
            }
            facts.pop();
        }
        draft
    }

    /// The bytes and the tokens that the limits leave beside a draft of `text`.
    fn room(&self, text: &[u8], draft: &Draft) -> [u64; 2] {
        let most_bytes = self.limits.max_bytes.unwrap_or(u64::MAX).min(self.source.bytes().len() as u64);
        let tokens = self.limits.max_tokens.map_or(u64::MAX, |limit| {
            let counter = self.policy.tokenizer.counter();
            limit - draft.tokens(text, counter, limit).unwrap_or(limit)
        });
        [most_bytes.saturating_sub(draft.bytes()), tokens]
    }

    /// The bytes and the tokens that a fact adds to a note, about.
    fn costs_of(&self, words: &str) -> [u64; 2] {
        /// What joins it to the words before it.
        const SIGNS: [u64; 2] = [18, 4];
        let tokens = self.limits.max_tokens.map_or(0, |_| self.policy.tokenizer.counter().count(words));
        [words.len() as u64 + SIGNS[0], tokens + SIGNS[1]]
    }

    fn drafted(&self, outline: &Outline<'_>, draft: Draft, kept: Vec<Explained>) -> View {
        let is_whole = draft.tiling.gaps.is_empty();
        let (spans, elisions) = draft.into_wire();
        let span_map = self.map(outline.content_type.name(), spans, elisions);
        let mode = self.mode_name();
        self.view(
            if is_whole {
                CompressionResult::Passthrough { span_map, mode }
            } else {
                CompressionResult::Structural { span_map, mode }
            },
            kept,
        )
    }

    /// The prefix that all limits allow, and its draft; `None` where a hard one allows not even the least.
    fn fitted(&self, fitting: &mut Fitting<'_, '_>) -> Result<Option<(usize, Draft)>, ViewError> {
        let least = fitting.least();
        let counter = self.limits.max_tokens.map(|_| self.policy.tokenizer.counter());
        let hard = [
            self.limits.max_bytes.map(|limit| (Measure::Bytes, limit, "bytes")),
            self.limits
                .max_tokens
                .zip(counter)
                .map(|(limit, counter)| (Measure::Tokens(counter), limit, "tokens")),
        ];
        let mut fitted = self.limits.ratio_bytes.map(|limit| {
            let longest = fitting.longest(Measure::Bytes, limit);
            longest.unwrap_or_else(|| (least, fitting.draft(least)))
        });
        let mut limits = usize::from(fitted.is_some());
        for (measure, limit, unit) in hard.into_iter().flatten() {
            limits += 1;
            let longest = fitting.longest(measure, limit - kept_back(fitting, limit, unit));
            match longest {
                Some(longest) => {
                    fitted = Some(match fitted {
                        Some(tighter) if tighter.0 <= longest.0 => tighter,
                        _ => longest,
                    });
                }
                None if self.policy.mode == Mode::Exact => {
                    return Err(ViewError::BudgetTooSmall {
                        least: fitting.least_cost(measure),
                        unit,
                        content_type: fitting.outline.content_type.name(),
                    });
                }
                None => return Ok(None),
            }
        }
        let (prefix, draft) = fitted.unwrap_or_else(|| fitting.whole());
        // Of several limits each holds at its own longest prefix; a shorter one can cost more, where it opens gaps that a
        // longer one closes.
        let text = fitting.outline.source;
        if limits > 1 && !self.holds(text, &draft) {
            return Ok(fitting.step_back(prefix, |draft| self.holds(text, draft)));
        }
        Ok(Some((prefix, draft)))
    }

    /// Says whether a draft of `text` is within the hard limits.
    fn holds(&self, text: &[u8], draft: &Draft) -> bool {
        self.limits.max_bytes.is_none_or(|limit| draft.bytes() <= limit)
            && self
                .limits
                .max_tokens
                .is_none_or(|limit| draft.tokens(text, self.policy.tokenizer.counter(), limit).is_some())
    }

    /// A source that is no text: one line about it, in mode `marked`.
    fn no_text(&self, encoding: Encoding, name: Option<&str>) -> Result<View, ViewError> {
        let what = if encoding == Encoding::Utf16 { "UTF-16 text" } else { "binary" };
        match self.policy.mode {
            Mode::Exact => Err(ViewError::NotText { encoding: what }),
            Mode::Marked | Mode::Table | Mode::Auto => {
                let source_bytes = self.source.bytes().len() as u64;
                let voice = Voice { recall: self.policy.recall, name, look_alikes: 0, source_bytes };
                Ok(self.line_or_nothing(what, Some(&voice)))
            }
        }
    }

    /// One line that stands for everything; nothing at all if even that does not fit or would be longer than the source.
    fn line_or_nothing(&self, what: &str, voice: Option<&Voice<'_>>) -> View {
        let bytes = self.source.bytes();
        let fits = |line: &str| {
            line.len() <= bytes.len()
                && self.limits.max_bytes.is_none_or(|limit| line.len() as u64 <= limit)
                && self
                    .limits
                    .max_tokens
                    .is_none_or(|limit| self.policy.tokenizer.counter().count_up_to(line, limit).is_some())
        };
        let note =
            voice.and_then(|voice| note::one_lines(bytes, what, voice).into_iter().find(|line| fits(line)));
        let is_empty = note.is_none();
        let elisions = if bytes.is_empty() {
            Vec::new()
        } else {
            vec![Elision { after: -1, bytes: bytes.len() as u64, note }]
        };
        let is_type =
            self.policy.content_type.is_some() || ContentType::ALL.iter().any(|known| known.name() == what);
        let span_map = self.map(if is_type { what } else { "unknown" }, Vec::new(), elisions);
        View {
            is_empty,
            ..self.view(CompressionResult::Structural { span_map, mode: self.mode_name() }, Vec::new())
        }
    }

    fn map(&self, content_type: &str, spans: Vec<WireSpan>, elisions: Vec<Elision>) -> SpanMap {
        let src_bytes = self.source.bytes().len() as u64;
        let kept = spans.iter().map(|span| span.bytes()).sum();
        SpanMap {
            version: VERSION,
            src_bytes,
            src_sha256: self.source.hex(),
            content_type: content_type.to_owned(),
            spans,
            elisions,
            stats: Stats::new(kept, src_bytes),
        }
    }

    fn mode_name(&self) -> Option<String> {
        (self.policy.mode != Mode::Exact).then(|| self.policy.mode.name().to_owned())
    }

    fn view(&self, result: CompressionResult, kept: Vec<Explained>) -> View {
        View { result, mode: self.policy.mode, kept, is_empty: false }
    }
}

/// How much of a limit is kept back for facts: a constant share, so that views nest.
fn kept_back(fitting: &Fitting<'_, '_>, limit: u64, unit: &str) -> u64 {
    /// One part of so many.
    const SHARE: u64 = 24;
    let (least, most) = if unit == "tokens" { (240, 48) } else { (960, 192) };
    if fitting.may_tell { (limit.saturating_sub(least) / SHARE).min(most) } else { 0 }
}
