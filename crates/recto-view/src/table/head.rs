//! The header of a table: written from a plan, read back as columns.

use super::{
    cell::{inside, is_bare_constant, is_bare_name, looks_like_literal},
    census::{Census, Node},
    compact::{push_compact, string_bytes, value_bytes},
    plan::{Column, Part, Plan, affixes, is_plain_template},
};

/// Stands for the keys of the records.
const KEY: &[u8] = b"*";

/// Writes the header of the records at `element`, with the line end.
pub(super) fn write_header(out: &mut Vec<u8>, source: &[u8], census: &Census, plan: &Plan, parts: &[Part]) {
    let mut lists = 0_u32;
    let mut is_first = true;
    for part in parts {
        if matches!(part, Part::Key(_) | Part::Cell(_) | Part::Group(_) | Part::List(_))
            && !std::mem::take(&mut is_first)
        {
            out.push(if lists == 0 { b'\t' } else { b',' });
        }
        match *part {
            Part::Key(_) => out.extend_from_slice(KEY),
            Part::Cell(at) => {
                if let Some(node) = census.node(at) {
                    write_name(out, node, source);
                    write_column(out, node, source, plan.choice(at).column);
                }
            }
            Part::Group(at) => {
                write_key(out, census, at, source);
                out.push(b'{');
                is_first = true;
            }
            Part::GroupEnd(_) => {
                out.push(b'}');
                is_first = false;
            }
            Part::List(at) => {
                write_key(out, census, at, source);
                out.push(b'[');
                lists += 1;
                is_first = true;
            }
            Part::ListEnd(_) => {
                out.push(b']');
                lists -= 1;
                is_first = false;
            }
        }
    }
    out.push(b'\n');
}

fn write_key(out: &mut Vec<u8>, census: &Census, at: u32, source: &[u8]) {
    if let Some(node) = census.node(at) {
        write_name(out, node, source);
    }
}

fn write_name(out: &mut Vec<u8>, node: &Node, source: &[u8]) {
    let key = node.key.of(source);
    out.extend_from_slice(inside(key).filter(|name| is_bare_name(name)).unwrap_or(key));
}

fn write_column(out: &mut Vec<u8>, node: &Node, source: &[u8], column: Column) {
    match column {
        Column::Absent | Column::Plain => {}
        Column::Constant => {
            out.push(b'=');
            let value = node.sample.of(source);
            match inside(value) {
                Some(text) if is_bare_constant(text) => out.extend_from_slice(text),
                _ => push_compact(out, value),
            }
        }
        Column::Template { prefix, suffix } => {
            let (prefix, suffix) = affixes(node, prefix, suffix);
            let (prefix, suffix) = (prefix.of(source), suffix.of(source));
            let quote: &[u8] = if is_plain_template(prefix, suffix) { b"" } else { b"\"" };
            for piece in [b":", quote, prefix, b"*", suffix, quote] {
                out.extend_from_slice(piece);
            }
        }
    }
}

/// A step of reading a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Op {
    /// A cell with the record's own key.
    Key,
    /// A cell: the key with its quotes and a colon.
    Cell(Vec<u8>),
    /// A cell of text between what all texts begin and end with.
    Template(Vec<u8>, Vec<u8>, Vec<u8>),
    /// A value that every record has.
    Constant(Vec<u8>, Vec<u8>),
    /// A nested object begins, or ends.
    Open(Vec<u8>),
    Close,
    /// A cell of tuples, with their schema.
    List(Vec<u8>, usize),
}

/// The columns of a table; the first schema is that of its rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Schemas {
    pub(super) all: Vec<Vec<Op>>,
}

/// Reads a header, without its line end; says what is wrong with it.
pub(super) fn read_header(header: &[u8]) -> Result<Schemas, &'static str> {
    let mut schemas = Schemas { all: vec![Vec::new()] };
    // The open lists' schemas, and for each bracket that is open what closes it.
    let mut open = vec![0_usize];
    let mut closing: Vec<u8> = Vec::new();
    let mut rest = header;
    let mut expects_name = true;
    while let Some((first, behind)) = rest.split_first() {
        let schema = open.last().copied().unwrap_or(0);
        let inner = schemas.all.len();
        let Some(ops) = schemas.all.get_mut(schema) else { return Err("it has a list that is not open") };
        match first {
            b'}' | b']' if !expects_name || matches!(ops.last(), None | Some(Op::Open(_))) => {
                if closing.pop() != Some(*first) {
                    return Err("its brackets do not match");
                }
                if *first == b'}' {
                    ops.push(Op::Close);
                } else {
                    open.pop();
                }
                rest = behind;
                expects_name = false;
            }
            b'\t' | b',' if !expects_name => {
                rest = behind;
                expects_name = true;
            }
            _ if expects_name => {
                let (key, after) = read_name(rest)?;
                expects_name = false;
                if rest.strip_suffix(after) == Some(KEY) {
                    ops.push(Op::Key);
                    rest = after;
                    continue;
                }
                rest = match after.split_first() {
                    Some((b'{', after)) => {
                        ops.push(Op::Open(key));
                        closing.push(b'}');
                        expects_name = true;
                        after
                    }
                    Some((b'[', after)) => {
                        ops.push(Op::List(key, inner));
                        schemas.all.push(Vec::new());
                        open.push(inner);
                        closing.push(b']');
                        expects_name = true;
                        after
                    }
                    Some((b'=', after)) => {
                        let (value, after) = read_constant(after)?;
                        ops.push(Op::Constant(key, value));
                        after
                    }
                    Some((b':', after)) => {
                        let (prefix, suffix, after) = read_template(after)?;
                        ops.push(Op::Template(key, prefix, suffix));
                        after
                    }
                    _ => {
                        ops.push(Op::Cell(key));
                        after
                    }
                };
            }
            _ => return Err("a tab or a comma is missing between two names"),
        }
    }
    if closing.is_empty() { Ok(schemas) } else { Err("a bracket in it is not closed") }
}

/// A name as a key with its colon, and what follows it.
fn read_name(text: &[u8]) -> Result<(Vec<u8>, &[u8]), &'static str> {
    let mut key = Vec::new();
    let length = if text.first() == Some(&b'"') {
        let length = string_bytes(text);
        key.extend_from_slice(text.get(..length).unwrap_or_default());
        if length < 2 || key.last() != Some(&b'"') {
            return Err("a quoted name is not closed");
        }
        length
    } else {
        let ends = |byte: &u8| matches!(byte, b'\t' | b',' | b'=' | b':' | b'{' | b'}' | b'[' | b']' | b'"');
        let length = text.iter().position(ends).unwrap_or(text.len());
        if length == 0 {
            return Err("a name is missing");
        }
        key.push(b'"');
        key.extend_from_slice(text.get(..length).unwrap_or_default());
        key.push(b'"');
        length
    };
    key.push(b':');
    Ok((key, text.get(length..).unwrap_or_default()))
}

fn read_constant(text: &[u8]) -> Result<(Vec<u8>, &[u8]), &'static str> {
    if matches!(text.first(), Some(b'"' | b'{' | b'[')) {
        let length = value_bytes(text).ok_or("the value of a constant does not end")?;
        let (value, after) = text.split_at(length);
        return Ok((value.to_vec(), after));
    }
    let (bare, after) = until_part(text);
    if bare.is_empty() {
        return Err("the value of a constant is missing");
    }
    let value = if looks_like_literal(bare) { bare.to_vec() } else { [b"\"", bare, b"\""].concat() };
    Ok((value, after))
}

type Affixes<'t> = (Vec<u8>, Vec<u8>, &'t [u8]);

fn read_template(text: &[u8]) -> Result<Affixes<'_>, &'static str> {
    let (template, after) = if text.first() == Some(&b'"') {
        let (quoted, after) = text.split_at(string_bytes(text));
        (inside(quoted).ok_or("a template is not closed")?, after)
    } else {
        until_part(text)
    };
    let star = memchr::memchr(b'*', template).ok_or("a template has no `*`")?;
    let (prefix, suffix) = template.split_at(star);
    Ok((prefix.to_vec(), suffix.get(1..).unwrap_or_default().to_vec(), after))
}

/// The text up to the end of this part of the header.
fn until_part(text: &[u8]) -> (&[u8], &[u8]) {
    let ends = |byte: &u8| matches!(byte, b'\t' | b',' | b'}' | b']');
    text.split_at(text.iter().position(ends).unwrap_or(text.len()))
}
