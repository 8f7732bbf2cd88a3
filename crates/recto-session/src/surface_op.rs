//! What an event does to the nodes before it.

use crate::error::SessionError;
use crate::json;

/// One range of nodes that an event stands in for: the contiguous run of **positions** from one node to another.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReplacedRange {
    /// The seq of the run's first node.
    pub start: u64,
    /// The seq of the run's last node.
    pub end: u64,
    /// The name of the block that stands in for the run, such as `c0001`.
    pub block: Option<Box<str>>,
    /// Which block of `start` is meant, if that event stands in several places.
    pub start_block: Option<Box<str>>,
    /// Which block of `end` is meant, if that event stands in several places.
    pub end_block: Option<Box<str>>,
}

impl ReplacedRange {
    /// The run from one node to another, both included.
    #[must_use]
    pub const fn new(start: u64, end: u64) -> Self {
        Self { start, end, block: None, start_block: None, end_block: None }
    }

    /// Names the block that stands in for the run.
    #[must_use]
    pub fn with_block(mut self, block: &str) -> Self {
        self.block = Some(block.into());
        self
    }

    fn parse(object: &str) -> Result<Self, SessionError> {
        let number = |name: &'static str, field| {
            let value = json::value(object, name);
            value
                .and_then(json::integer)
                .ok_or_else(|| SessionError::field(field, "the seq of a node", value))
        };
        let text = |name: &'static str, field| match json::value(object, name) {
            None | Some("null") => Ok(None),
            Some(value) => json::string(value)
                .map(|text| Some(text.into()))
                .ok_or_else(|| SessionError::field(field, "a block's name", Some(value))),
        };
        Ok(Self {
            start: number("start", "surfaceOp.start")?,
            end: number("end", "surfaceOp.end")?,
            block: text("block", "surfaceOp.ranges[].block")?,
            start_block: text("startBlock", "surfaceOp.ranges[].startBlock")?,
            end_block: text("endBlock", "surfaceOp.ranges[].endBlock")?,
        })
    }

    fn write(&self, json: &mut String) {
        json.push_str(&format!(r#""start":{},"end":{}"#, self.start, self.end));
        let names =
            [("block", &self.block), ("startBlock", &self.start_block), ("endBlock", &self.end_block)];
        for (key, name) in names {
            if let Some(name) = name {
                json.push_str(&format!(r#","{key}":{}"#, json::quoted(name)));
            }
        }
    }
}

/// What an event does to the nodes before it, beside appending one of its own: its field `surfaceOp`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SurfaceOp {
    /// Stands in for one or more runs of nodes: `{"op":"replace","start":3,"end":5}`, or with `ranges`.
    Replace(Vec<ReplacedRange>),
    /// Takes a commit back: `{"op":"restore","commitSeq":9}`.
    Restore {
        /// The commit's seq.
        commit: u64,
    },
}

impl SurfaceOp {
    /// Stands in for the run of nodes from one to another.
    #[must_use]
    pub fn replace(start: u64, end: u64) -> Self {
        Self::Replace(vec![ReplacedRange::new(start, end)])
    }

    pub(crate) fn parse(value: &str) -> Result<Self, SessionError> {
        const EXPECTED: &str =
            r#"{"op":"replace"} with start and end or with ranges, or {"op":"restore","commitSeq":N}"#;
        let wrong = || SessionError::field("surfaceOp", EXPECTED, Some(value));
        match json::value(value, "op").and_then(json::string).as_deref() {
            Some("replace") => {
                let has_ends = json::value(value, "start").is_some() || json::value(value, "end").is_some();
                match json::value(value, "ranges") {
                    None => Ok(Self::Replace(vec![ReplacedRange::parse(value)?])),
                    Some(ranges) if !has_ends => {
                        let ranges: Vec<_> = json::elements(ranges)
                            .into_iter()
                            .map(|range| ReplacedRange::parse(ranges.get(range).unwrap_or_default()))
                            .collect::<Result<_, _>>()?;
                        if ranges.is_empty() { Err(wrong()) } else { Ok(Self::Replace(ranges)) }
                    }
                    Some(_) => Err(wrong()),
                }
            }
            Some("restore") => {
                let commit = json::value(value, "commitSeq");
                let found = commit.and_then(json::integer);
                found.map(|commit| Self::Restore { commit }).ok_or_else(|| {
                    SessionError::field("surfaceOp.commitSeq", "the seq of a compaction/commit", commit)
                })
            }
            _ => Err(wrong()),
        }
    }

    pub(crate) fn to_json(&self) -> String {
        match self {
            Self::Restore { commit } => format!(r#"{{"op":"restore","commitSeq":{commit}}}"#),
            Self::Replace(ranges) => {
                let mut json = r#"{"op":"replace","#.to_owned();
                match ranges.as_slice() {
                    [range] if range.block.is_none() => range.write(&mut json),
                    ranges => {
                        json.push_str(r#""ranges":["#);
                        for (number, range) in ranges.iter().enumerate() {
                            json.push_str(if number == 0 { "{" } else { ",{" });
                            range.write(&mut json);
                            json.push('}');
                        }
                        json.push(']');
                    }
                }
                json.push('}');
                json
            }
        }
    }
}
