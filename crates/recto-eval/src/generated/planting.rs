//! Ordinary records, and the one thing in them that is not.

use crate::{
    generated::{
        domains::{COMPLAINT_SUBJECTS, COMPLAINT_VERBS, Column, Domain, Values},
        layout::{Cell, Format, Records},
    },
    prng::Prng,
};

/// What is to be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Error,
    Minority,
    Outlier,
    ChangePoint,
    Gap,
    QueryExact,
    QueryTypo,
    First,
    Last,
    Aggregate,
    Duplicate,
    RareTemplate,
    ManyErrors,
    Absent,
}

impl Class {
    pub(super) const ALL: [Self; 14] = [
        Self::Error,
        Self::Minority,
        Self::Outlier,
        Self::ChangePoint,
        Self::Gap,
        Self::QueryExact,
        Self::QueryTypo,
        Self::First,
        Self::Last,
        Self::Aggregate,
        Self::Duplicate,
        Self::RareTemplate,
        Self::ManyErrors,
        Self::Absent,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Minority => "minority value",
            Self::Outlier => "outlier",
            Self::ChangePoint => "change point",
            Self::Gap => "gap",
            Self::QueryExact => "named row, exact",
            Self::QueryTypo => "named row, typo",
            Self::First => "first",
            Self::Last => "last",
            Self::Aggregate => "aggregate",
            Self::Duplicate => "duplicate",
            Self::RareTemplate => "rare template",
            Self::ManyErrors => "many errors",
            Self::Absent => "absent fact",
        }
    }

    pub(super) fn needs_query(self) -> bool {
        matches!(self, Self::QueryExact | Self::QueryTypo | Self::Absent)
    }
}

/// A value to be found: by row and column; where `telling` is not empty, only that part of the cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) row: usize,
    pub(super) column: usize,
    pub(super) telling: String,
    /// The id is looked for in the cell itself, behind the telling part.
    pub(super) id_in_cell: bool,
}

/// What was planted.
#[derive(Clone, Debug, Default)]
pub(super) struct Planted {
    pub(super) targets: Vec<Target>,
    pub(super) question: String,
    pub(super) query: String,
}

/// The columns that every record has: before the domain's own, and behind them.
const ID: usize = 0;
const TIME: usize = 1;
const OWN: usize = 2;

/// Makes records of one domain.
pub(super) struct Maker<'d> {
    pub(super) domain: &'d Domain,
    pub(super) format: Format,
    pub(super) prng: Prng,
    start_s: u64,
    step_s: u64,
}

impl<'d> Maker<'d> {
    pub(super) fn new(domain: &'d Domain, format: Format, mut prng: Prng) -> Self {
        let start_s = prng.within(0..86_400 * 200);
        let step_s = prng.pick(&[1, 5, 10, 30, 60]);
        Self { domain, format, prng, start_s, step_s }
    }

    /// Ordinary records, at least 12 and about as many as make `bytes`.
    pub(super) fn ordinary(&mut self, bytes: u64) -> Records {
        const PROBES: u64 = 24;
        const LEAST_ROWS: u64 = 12;
        let keys = [self.domain.id_key, if self.format == Format::Log { "time" } else { "at" }]
            .into_iter()
            .chain(self.domain.columns.iter().map(|column| column.name))
            .chain(["message"])
            .map(str::to_owned)
            .collect();
        let mut records = Records { keys, rows: Vec::new(), total: None };
        records.rows = (0..PROBES).map(|index| self.row(index)).collect();
        let probe = records.lay(self.format).text.len() as u64;
        let rows = (bytes * PROBES / probe.max(1)).max(LEAST_ROWS);
        records.rows.truncate(usize::try_from(rows).unwrap_or(usize::MAX));
        records.rows.extend((PROBES..rows).map(|index| self.row(index)));
        records
    }

    fn row(&mut self, index: u64) -> Vec<Cell> {
        let mut row = vec![text(self.id(index)), text(self.time(index))];
        row.extend(self.domain.columns.iter().map(|column| ordinary_cell(*column, &mut self.prng)));
        let message = self.prng.pick(self.domain.messages);
        row.push(text(self.numbered(message)));
        row
    }

    /// Two words and a number that is this record's alone.
    fn id(&mut self, index: u64) -> String {
        const PRIME: u64 = 48_271;
        const SPACE: u64 = 0x100_0000;
        let [one, other] = self.domain.id_words;
        let (one, other) = (self.prng.pick(one), self.prng.pick(other));
        // The prime is odd, so no two of the numbers are equal.
        format!("{one}-{other}-{:06x}", (index + 7).wrapping_mul(PRIME) % SPACE)
    }

    fn time(&self, index: u64) -> String {
        let seconds = self.start_s + index * self.step_s;
        let (day, second) = (seconds / 86_400, seconds % 86_400);
        format!(
            "2026-{:02}-{:02}T{:02}:{:02}:{:02}Z",
            day / 28 % 12 + 1,
            day % 28 + 1,
            second / 3_600,
            second / 60 % 60,
            second % 60
        )
    }

    fn numbered(&mut self, template: &str) -> String {
        let mut message = String::with_capacity(template.len() + 8);
        for character in template.chars() {
            if character == '#' {
                message.push_str(&self.prng.within(2..990).to_string());
            } else {
                message.push(character);
            }
        }
        message
    }

    /// The position of a column of the domain's own, of a kind.
    fn column(&mut self, is_wanted: impl Fn(&Values) -> bool) -> Option<(usize, &'d Column)> {
        let wanted: Vec<usize> = (0..self.domain.columns.len())
            .filter(|at| self.domain.columns.get(*at).is_some_and(|column| is_wanted(&column.values)))
            .collect();
        let at = self.prng.pick(&wanted);
        self.domain.columns.get(at).map(|column| (at + OWN, column))
    }

    fn place(&mut self, rows: usize) -> usize {
        let margin = (rows / 20).max(2);
        margin + self.prng.index(rows.saturating_sub(2 * margin).max(1))
    }

    /// Plants what a class looks for.
    pub(super) fn plant(&mut self, class: Class, records: &mut Records) -> Planted {
        let noun = self.domain.noun;
        let at = self.place(records.rows.len());
        let message = records.keys.len().saturating_sub(1);
        match class {
            Class::Error => {
                let target = self.plant_error(records, at);
                planted(vec![target], format!("Which {noun} went wrong, and how?"), format!("failed {noun}"))
            }
            Class::Minority => self.plant_minority(records, at),
            Class::Outlier => self.plant_outlier(records, at),
            Class::ChangePoint => self.plant_change(records, at),
            Class::Gap => self.plant_gap(records, at),
            Class::QueryExact | Class::QueryTypo | Class::First | Class::Last => {
                let row = match class {
                    Class::First => 0,
                    Class::Last => records.rows.len().saturating_sub(1),
                    _ => at,
                };
                let id = cell_text(records, row, ID);
                let (question, query) = match class {
                    Class::First => (format!("Which {noun} is the first?"), format!("first {noun}")),
                    Class::Last => (format!("Which {noun} is the last?"), format!("last {noun}")),
                    Class::QueryTypo => (format!("When was {noun} {id}?"), self.mistyped(&id)),
                    _ => (format!("When was {noun} {id}?"), id),
                };
                planted(vec![Target { row, column: TIME, ..Target::default() }], question, query)
            }
            Class::Aggregate => {
                let label = format!("total_{}s", self.prng.pick(&["open", "billed", "seen", "kept"]));
                // Different from any count that could be made of the rows.
                let number = (7_000_000 + self.prng.below(2_000_000)).to_string();
                let question = format!("What is {label}?");
                records.total = Some((label, number));
                planted(Vec::new(), question, "total".to_owned())
            }
            Class::Duplicate => {
                let other = self.place(records.rows.len());
                let other = if other == at { at + 1 } else { other };
                let id = cell_text(records, at, ID);
                set_cell(records, other, ID, text(id));
                let target = |row| Target { row, column: TIME, ..Target::default() };
                let (first, second) = (at.min(other), at.max(other));
                planted(
                    vec![target(first), target(second)],
                    format!("Which {noun} is there twice, and when?"),
                    format!("duplicate {noun}"),
                )
            }
            Class::RareTemplate => {
                let rare = self.prng.pick(self.domain.rare_messages);
                let said = self.numbered(rare);
                set_cell(records, at, message, text(said.clone()));
                planted(
                    vec![Target { row: at, column: message, telling: said, ..Target::default() }],
                    format!("What was said once only, and of which {noun}?"),
                    format!("unusual {noun}"),
                )
            }
            Class::ManyErrors => self.plant_many(records, message),
            Class::Absent => {
                let [one, other] = self.domain.id_words;
                // No letter of it is a digit of a real id's number.
                let absent = format!("{}-{}-zq{}x", self.prng.pick(one), self.prng.pick(other), at + 31);
                planted(Vec::new(), format!("When was {noun} {absent}?"), absent)
            }
        }
    }

    /// One of five ways: words, a status, a level or exit code, a stack trace.
    fn plant_error(&mut self, records: &mut Records, at: usize) -> Target {
        let message = records.keys.len().saturating_sub(1);
        let id = cell_text(records, at, ID);
        match self.prng.below(4) {
            // By the outcome's own column alone.
            0 => {
                let Some((column, Column { values: Values::Outcome(_, bad, is_number), .. })) =
                    self.column(|values| matches!(values, Values::Outcome(..)))
                else {
                    return Target::default();
                };
                let bad = self.prng.pick(bad).to_owned();
                set_cell(records, at, column, Cell { text: bad, is_number: *is_number });
                Target { row: at, column, ..Target::default() }
            }
            1 => {
                let exception = self.prng.pick(self.domain.exceptions);
                let telling = self.numbered(exception);
                let trace = if matches!(self.format, Format::Csv | Format::Table) {
                    format!("{telling} ({id})")
                } else {
                    let line = self.prng.within(11..480);
                    format!(
                        "stopped\n  at step.run (app/step:{line})\n  at queue.next (app/queue:{})\n{telling} ({id})",
                        line + 9
                    )
                };
                set_cell(records, at, message, text(trace));
                Target { row: at, column: message, telling, id_in_cell: true }
            }
            _ => {
                let bad = self.prng.pick(self.domain.bad_messages);
                let telling = self.numbered(bad);
                set_cell(records, at, message, text(telling.clone()));
                Target { row: at, column: message, telling, ..Target::default() }
            }
        }
    }

    fn plant_minority(&mut self, records: &mut Records, at: usize) -> Planted {
        let Some((column, found)) = self.column(|values| matches!(values, Values::Choice(..))) else {
            return Planted::default();
        };
        if let Values::Choice(_, rare) = found.values {
            set_cell(records, at, column, text(rare.to_owned()));
        }
        let noun = self.domain.noun;
        planted(
            vec![Target { row: at, column, ..Target::default() }],
            format!("Which {noun} has another {} than all others?", found.name),
            found.name.to_owned(),
        )
    }

    fn plant_outlier(&mut self, records: &mut Records, at: usize) -> Planted {
        let Some((column, found)) = self.column(|values| matches!(values, Values::Number(..))) else {
            return Planted::default();
        };
        if let Values::Number(_, high) = found.values {
            let far = high * self.prng.within(20..90) + self.prng.within(1..9);
            set_cell(records, at, column, number(far));
        }
        let noun = self.domain.noun;
        planted(
            vec![Target { row: at, column, ..Target::default() }],
            format!("Which {noun} has by far the most {}?", found.name),
            format!("highest {}", found.name),
        )
    }

    /// From one record on a number has another level, or a value is another.
    fn plant_change(&mut self, records: &mut Records, at: usize) -> Planted {
        let by_number = self.prng.chance(2);
        let is_wanted = |values: &Values| matches!(values, Values::Number(..)) == by_number;
        let Some((column, found)) =
            self.column(|values| is_wanted(values) && !matches!(values, Values::Outcome(..)))
        else {
            return Planted::default();
        };
        for row in 0..records.rows.len() {
            match found.values {
                Values::Number(_, high) if row >= at => {
                    let level = high * 3 + self.prng.within(0..(high / 9).max(2));
                    set_cell(records, row, column, number(level));
                }
                Values::Choice(values, rare) => {
                    let value = if row < at { values.first().copied().unwrap_or_default() } else { rare };
                    set_cell(records, row, column, text(value.to_owned()));
                }
                _ => {}
            }
        }
        let noun = self.domain.noun;
        planted(
            vec![Target { row: at, column, ..Target::default() }],
            format!("From which {noun} on is {} another?", found.name),
            format!("{} change", found.name),
        )
    }

    /// The records' times, or numbers in sequence, leave something out.
    fn plant_gap(&mut self, records: &mut Records, at: usize) -> Planted {
        let noun = self.domain.noun;
        let missing = self.prng.within(40..400);
        let column = if self.prng.chance(2) {
            for row in at..records.rows.len() {
                let time = self.time(row as u64 + missing * 10);
                set_cell(records, row, TIME, text(time));
            }
            TIME
        } else {
            let first = self.prng.within(100..90_000);
            records.keys.insert(OWN, "seq".to_owned());
            for (row, cells) in records.rows.iter_mut().enumerate() {
                let skipped = if row < at { 0 } else { missing };
                cells.insert(OWN, number(first + row as u64 + skipped));
            }
            OWN
        };
        let target = |row| Target { row, column, ..Target::default() };
        planted(
            vec![target(at.saturating_sub(1)), target(at)],
            format!("Between which two of the {noun}s is something missing?"),
            "missing gap".to_owned(),
        )
    }

    /// Up to 200 complaints, no two alike, in so few of the records that a tenth of the text may hold them all.
    fn plant_many(&mut self, records: &mut Records, message: usize) -> Planted {
        let mut complaints: Vec<String> = COMPLAINT_SUBJECTS
            .iter()
            .flat_map(|subject| COMPLAINT_VERBS.iter().map(move |verb| format!("{subject} {verb}")))
            .collect();
        self.prng.shuffle(&mut complaints);
        let mut rows: Vec<usize> = (0..records.rows.len()).collect();
        self.prng.shuffle(&mut rows);
        rows.truncate((records.rows.len() / 20).max(2));
        let outcome = self.column(|values| matches!(values, Values::Outcome(..)));
        let mut targets = Vec::new();
        for (row, complaint) in rows.into_iter().zip(complaints) {
            set_cell(records, row, message, text(complaint.clone()));
            if let Some((column, Column { values: Values::Outcome(_, bad, is_number), .. })) = outcome {
                let bad = self.prng.pick(bad).to_owned();
                set_cell(records, row, column, Cell { text: bad, is_number: *is_number });
            }
            targets.push(Target { row, column: message, telling: complaint, ..Target::default() });
        }
        targets.sort_by_key(|target| target.row);
        let question = format!("What are the {} kinds of failure?", targets.len());
        planted(targets, question, "failures".to_owned())
    }

    /// One slip of the finger: two neighbours swapped, a letter dropped or doubled.
    fn mistyped(&mut self, id: &str) -> String {
        let mut characters: Vec<char> = id.chars().collect();
        // In the words, not in the number, whose neighbours are other records' numbers.
        let letters: Vec<usize> = (1..characters.len().saturating_sub(8))
            .filter(|at| {
                let is_letter = |at: usize| characters.get(at).is_some_and(char::is_ascii_alphabetic);
                is_letter(*at) && is_letter(*at - 1) && characters.get(*at) != characters.get(*at - 1)
            })
            .collect();
        let at = self.prng.pick(&letters);
        match self.prng.below(3) {
            _ if at == 0 => {}
            0 => characters.swap(at, at - 1),
            1 => drop(characters.remove(at)),
            _ => {
                let doubled = characters.get(at).copied().unwrap_or('x');
                characters.insert(at, doubled);
            }
        }
        characters.into_iter().collect()
    }
}

fn planted(targets: Vec<Target>, question: String, query: String) -> Planted {
    Planted { targets, question, query }
}

fn ordinary_cell(column: Column, prng: &mut Prng) -> Cell {
    match column.values {
        Values::Choice(values, _) => text(prng.pick(values).to_owned()),
        Values::Outcome(good, _, is_number) => Cell { text: prng.pick(good).to_owned(), is_number },
        Values::Number(low, high) => {
            // The mean of two draws lies in the middle more often than at the ends.
            let draw = |prng: &mut Prng| prng.within(low..high + 1);
            number(u64::midpoint(draw(prng), draw(prng)))
        }
    }
}

fn text(text: String) -> Cell {
    Cell { text, is_number: false }
}

fn number(number: u64) -> Cell {
    Cell { text: number.to_string(), is_number: true }
}

fn cell_text(records: &Records, row: usize, column: usize) -> String {
    records.rows.get(row).and_then(|row| row.get(column)).map(|cell| cell.text.clone()).unwrap_or_default()
}

fn set_cell(records: &mut Records, row: usize, column: usize, cell: Cell) {
    if let Some(place) = records.rows.get_mut(row).and_then(|row| row.get_mut(column)) {
        *place = cell;
    }
}
