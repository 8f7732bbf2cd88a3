//! A tool in one line.

mod kind;
mod parameters;
mod text;

#[cfg(test)]
mod tests;

use std::fmt::{self, Write as _};

pub(crate) use kind::{array_of, word};
pub(crate) use parameters::{Member, members};
pub(crate) use text::{Cursor, is_plain, quoted};

use crate::tool::Tool;

/// Writes a tool as `name(a,b?:x|y)`: its parameters, the required ones first, each group in the order of the schema.
///
/// `?` marks what may be left out. Behind `:` stands what a value is: the values themselves where they are few, else `int`, `num`,
/// `bool`, `obj`, `any`, `x[]` for lists, and alternatives with `|`. A text has no mark, `str` only among alternatives. Of more than
/// 8 values 7 are shown, then `…`. A name or value that is not made of letters, digits and a few signs is written as a JSON string, so
/// that whatever a server calls its tools, a line is one line and says what it seems to say.
///
/// `name` is what the tool is called here, if not by its own name.
///
/// ```
/// use recto_catalog::{Tool, signature_line};
/// use serde_json::json;
///
/// let tool = Tool::new("get_weather", "", json!({
///     "type": "object",
///     "properties": {"unit": {"enum": ["celsius", "kelvin"]}, "city": {"type": "string"}, "days": {"type": "integer"}},
///     "required": ["city"]
/// }))?;
/// assert_eq!(signature_line(&tool, None), "get_weather(city,unit?:celsius|kelvin,days?:int)");
/// # Ok::<(), recto_catalog::CatalogError>(())
/// ```
#[must_use]
pub fn signature_line(tool: &Tool, name: Option<&str>) -> String {
    Signature::of(tool, name).to_string()
}

/// Writes a tool as `name(a,b)`: the parameters that it requires. Where it requires none there are parentheses only if `explicit`.
pub(crate) fn names_line(tool: &Tool, name: Option<&str>, explicit: bool) -> String {
    let mut line = written(name.unwrap_or_else(|| tool.name())).into_owned();
    let names = parameters::required(tool.input_schema());
    if !names.is_empty() || explicit {
        line.push('(');
        for (place, name) in names.iter().enumerate() {
            if place > 0 {
                line.push(',');
            }
            line.push_str(&written(name));
        }
        line.push(')');
    }
    line
}

/// One parameter of a signature.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) required: bool,
    /// What stands behind `:`; empty for a text.
    pub(crate) kind: String,
}

/// What a signature line says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Signature {
    pub(crate) name: String,
    pub(crate) parameters: Vec<Parameter>,
}

impl Signature {
    pub(crate) fn of(tool: &Tool, name: Option<&str>) -> Self {
        Self {
            name: name.unwrap_or_else(|| tool.name()).to_owned(),
            parameters: parameters::parameters(tool.input_schema()),
        }
    }

    /// Reads a line that [`signature_line`] or [`names_line`] has written.
    #[cfg(test)]
    pub(crate) fn parse(line: &str) -> Option<Self> {
        Self::read(line, |cursor, parameters| {
            parameters.push(Parameter::read(cursor)?);
            Some(())
        })
    }

    /// Reads a line; what stands between its commas is read by `item`.
    pub(crate) fn read(
        line: &str,
        mut item: impl FnMut(&mut Cursor<'_>, &mut Vec<Parameter>) -> Option<()>,
    ) -> Option<Self> {
        let mut cursor = Cursor::new(line);
        let name = cursor.name()?;
        let mut parameters = Vec::new();
        if cursor.take('(') {
            while !cursor.take(')') {
                if !parameters.is_empty() && !cursor.take(',') {
                    return None;
                }
                item(&mut cursor, &mut parameters)?;
            }
        }
        cursor.is_at_end().then_some(Self { name, parameters })
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&written(&self.name))?;
        formatter.write_char('(')?;
        for (place, parameter) in self.parameters.iter().enumerate() {
            if place > 0 {
                formatter.write_char(',')?;
            }
            write!(formatter, "{parameter}")?;
        }
        formatter.write_char(')')
    }
}

impl Parameter {
    /// Reads `name?:kind`.
    pub(crate) fn read(cursor: &mut Cursor<'_>) -> Option<Self> {
        let name = cursor.name()?;
        let required = !cursor.take('?');
        let kind = if cursor.take(':') { cursor.until_any(&[',', ')']).to_owned() } else { String::new() };
        Some(Self { name, required, kind })
    }
}

impl fmt::Display for Parameter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&written(&self.name))?;
        if !self.required {
            formatter.write_char('?')?;
        }
        if !self.kind.is_empty() {
            write!(formatter, ":{}", self.kind)?;
        }
        Ok(())
    }
}

/// Writes a name as it is, or as a JSON string where it could be taken for something else.
pub(crate) fn written(name: &str) -> std::borrow::Cow<'_, str> {
    if is_plain(name) && !text::is_group(name) { name.into() } else { quoted(name).into() }
}
