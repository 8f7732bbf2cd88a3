//! A row back to a record.

use super::{
    cell::{RAW, inside, looks_like_literal},
    compact::{Sink, value_bytes},
    head::{Op, Schemas},
};

/// Reads rows; its memory is used again.
#[derive(Debug)]
pub(super) struct Reader<'o> {
    schemas: &'o Schemas,
    /// The open objects, outermost first; a nested one is written with its first member.
    levels: Vec<Level<'o>>,
    /// How many of them are written.
    written: usize,
    records: Vec<Record>,
}

#[derive(Clone, Copy, Debug)]
struct Level<'o> {
    key: &'o [u8],
    has_members: bool,
}

/// A record that is being read: a row, or a tuple in it.
#[derive(Clone, Copy, Debug)]
struct Record {
    schema: usize,
    op: usize,
    /// Cells read.
    cells: usize,
    is_row: bool,
}

impl Record {
    fn new(schema: usize, is_row: bool) -> Self {
        Self { schema, op: 0, cells: 0, is_row }
    }

    /// Goes to the next cell; says whether there is anything in it.
    fn begin_cell(&mut self, rest: &mut &[u8]) -> bool {
        let parts = if self.is_row { b'\t' } else { b',' };
        if self.cells > 0 {
            let Some(behind) = rest.strip_prefix(&[parts]) else { return false };
            *rest = behind;
        }
        self.cells += 1;
        match rest.first() {
            None | Some(b'\t') => false,
            Some(b',' | b']') => self.is_row,
            Some(_) => true,
        }
    }

    /// Takes what is in the cell.
    fn cell<'t>(&self, rest: &mut &'t [u8]) -> Result<&'t [u8], &'static str> {
        let length = if self.is_row {
            memchr::memchr(b'\t', rest).unwrap_or(rest.len())
        } else {
            value_bytes(rest).ok_or("a value in a list does not end")?
        };
        let (cell, behind) = rest.split_at(length);
        *rest = behind;
        Ok(cell)
    }

    /// Takes the text in the cell, without its quotes.
    fn text<'t>(&self, rest: &mut &'t [u8]) -> Result<&'t [u8], &'static str> {
        let cell = self.cell(rest)?;
        match cell.first() {
            Some(b'"') => inside(cell).ok_or("a quoted cell is not closed"),
            _ if self.is_row => Ok(cell),
            _ => Err("a text in a list has no quotes"),
        }
    }
}

impl<'o> Reader<'o> {
    pub(super) fn new(schemas: &'o Schemas) -> Self {
        Self { schemas, levels: Vec::new(), written: 0, records: Vec::new() }
    }

    /// Reads one row; says what is wrong with it.
    pub(super) fn row(&mut self, row: &[u8], sink: &mut impl Sink) -> Result<(), &'static str> {
        let schemas = self.schemas;
        let mut rest = row;
        self.levels.clear();
        self.records.clear();
        self.open(0, true, sink);
        loop {
            let Some(record) = self.records.last_mut() else { return Err("it ends before it begins") };
            let Some(op) = schemas.all.get(record.schema).and_then(|ops| ops.get(record.op)) else {
                let is_row = record.is_row;
                sink.sign(b'}');
                self.levels.pop();
                self.written = self.levels.len();
                self.records.pop();
                if is_row {
                    let is_whole = rest.is_empty();
                    return if is_whole { Ok(()) } else { Err("it has more cells than there are columns") };
                }
                rest = rest.strip_prefix(b"]").ok_or("a tuple has more cells than there are columns")?;
                let schema = self.list_schema().ok_or("a list is not open")?;
                self.elements(&mut rest, schema, false, sink)?;
                continue;
            };
            record.op += 1;
            match op {
                Op::Key => {
                    if record.cells > 0 || !record.begin_cell(&mut rest) {
                        return Err("the key of a record is missing");
                    }
                    let record = *record;
                    sink.string([b"", record.text(&mut rest)?, b""]);
                    sink.sign(b':');
                    sink.sign(b'{');
                }
                Op::Open(key) => self.levels.push(Level { key, has_members: false }),
                Op::Close => {
                    if self.written == self.levels.len() {
                        self.written -= 1;
                        sink.sign(b'}');
                    }
                    self.levels.pop();
                }
                Op::Constant(key, value) => {
                    self.member(key, sink);
                    sink.put(value);
                }
                Op::Cell(key) => {
                    if !record.begin_cell(&mut rest) {
                        continue;
                    }
                    let record = *record;
                    self.member(key, sink);
                    let cell = record.cell(&mut rest)?;
                    let is_json = !record.is_row
                        || matches!(cell.first(), Some(b'"' | b'{' | b'['))
                        || looks_like_literal(cell);
                    if is_json { sink.put(cell) } else { sink.string([b"", cell, b""]) }
                }
                Op::Template(key, prefix, suffix) => {
                    if !record.begin_cell(&mut rest) {
                        continue;
                    }
                    let record = *record;
                    self.member(key, sink);
                    sink.string([prefix, record.text(&mut rest)?, suffix]);
                }
                Op::List(key, schema) => {
                    if !record.begin_cell(&mut rest) {
                        continue;
                    }
                    self.member(key, sink);
                    rest = rest.strip_prefix(b"[").ok_or("a cell is no list")?;
                    sink.sign(if self.is_map(*schema) { b'{' } else { b'[' });
                    self.elements(&mut rest, *schema, true, sink)?;
                }
            }
        }
    }

    /// The schema of the list that the open record is reading.
    fn list_schema(&self) -> Option<usize> {
        let record = self.records.last()?;
        match self.schemas.all.get(record.schema)?.get(record.op.checked_sub(1)?)? {
            Op::List(_, schema) => Some(*schema),
            _ => None,
        }
    }

    fn open(&mut self, schema: usize, is_row: bool, sink: &mut impl Sink) {
        self.records.push(Record::new(schema, is_row));
        self.levels.push(Level { key: b"", has_members: false });
        self.written = self.levels.len();
        // A key is written first.
        if !self.is_map(schema) {
            sink.sign(b'{');
        }
    }

    /// Says whether the records of a schema are the members of an object.
    fn is_map(&self, schema: usize) -> bool {
        self.schemas.all.get(schema).is_some_and(|ops| ops.first() == Some(&Op::Key))
    }

    /// Goes on in a list, at its beginning or behind an element, up to the next tuple or the list's end.
    fn elements(
        &mut self,
        rest: &mut &[u8],
        schema: usize,
        is_first: bool,
        sink: &mut impl Sink,
    ) -> Result<(), &'static str> {
        let mut is_first = is_first;
        loop {
            match rest.split_first() {
                Some((b']', behind)) => {
                    *rest = behind;
                    sink.sign(if self.is_map(schema) { b'}' } else { b']' });
                    return Ok(());
                }
                Some((b',', behind)) if !is_first => {
                    *rest = behind;
                    sink.sign(b',');
                }
                _ if is_first => {}
                _ => return Err("a list does not end"),
            }
            is_first = false;
            match rest.split_first() {
                Some((b'[', behind)) => {
                    *rest = behind;
                    self.open(schema, false, sink);
                    return Ok(());
                }
                Some((&RAW, behind)) => *rest = behind,
                _ => {}
            }
            let mut length = value_bytes(rest).ok_or("an element of a list is missing")?;
            if self.is_map(schema) {
                let value = rest.get(length..).and_then(|rest| rest.strip_prefix(b":"));
                length += 1 + value.and_then(value_bytes).ok_or("a member of a list has no value")?;
            }
            let (value, behind) = rest.split_at(length);
            sink.put(value);
            *rest = behind;
        }
    }

    /// Begins a member: the objects that it stands in are written, then its key.
    fn member(&mut self, key: &[u8], sink: &mut impl Sink) {
        loop {
            let Some(level) = self.written.checked_sub(1).and_then(|last| self.levels.get_mut(last)) else {
                return;
            };
            if std::mem::replace(&mut level.has_members, true) {
                sink.sign(b',');
            }
            let Some(next) = self.levels.get(self.written) else { break };
            sink.put(next.key);
            sink.sign(b'{');
            self.written += 1;
        }
        sink.put(key);
    }
}
