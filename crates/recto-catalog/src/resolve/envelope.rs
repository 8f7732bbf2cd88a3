//! The call within a call: which tool a tool that calls others is to call, and with what.

use serde_json::{Map, Value};

use super::{
    arguments::{NAMERS, WRAPPERS, object},
    outcome::Repair,
    text::{listed, quoted},
    validator::Validator,
};

/// How a tool that calls others takes what it is to call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Envelope<'a> {
    /// The tool.
    pub(super) tool: &'a str,
    /// The member that names what is called.
    pub(super) code: &'static str,
    /// The member that holds the arguments.
    pub(super) arguments: &'static str,
}

/// Names beside the offered one under which models write what is to be called.
const OTHER_NAMERS: [&str; 5] = ["operation", "method", "action", "operation_name", "fn"];

/// How deep the whole call may stand in a member of itself.
const MAX_LAYERS: usize = 3;

impl Envelope<'_> {
    /// How the call is written.
    pub(super) fn form(&self) -> String {
        format!("{} {{\"{}\": name, \"{}\": {{arguments}}}}", self.tool, self.code, self.arguments)
    }

    /// Takes out what is to be called. `is_code` tells whether a text could be that, where it stands under another name.
    pub(super) fn open(
        &self,
        written: Value,
        is_code: &dyn Fn(&str) -> bool,
        repairs: &mut Vec<Repair>,
    ) -> Result<(String, Map<String, Value>), String> {
        let mut members = object(written, repairs).map_err(|error| {
            error.told(|found| format!("{} got {found}: write {}.", self.tool, self.form()))
        })?;
        // Its own arguments are never missing: what was null or empty had nothing to call.
        repairs.retain(|repair| *repair != Repair::NoArguments);
        for _ in 0..MAX_LAYERS {
            match members.shift_remove(self.code) {
                Some(Value::String(code)) => return Ok((code, members)),
                Some(other) => {
                    return Err(format!(
                        "{} in {} must be the name of a tool as a string, not {}: write {}.",
                        quoted(self.code),
                        self.tool,
                        crate::tool::kind(&other),
                        self.form()
                    ));
                }
                None => {}
            }
            let named = NAMERS
                .iter()
                .chain(&OTHER_NAMERS)
                .find(|name| members.get(**name).and_then(Value::as_str).is_some_and(is_code));
            if let Some(name) = named
                && let Some(Value::String(code)) = members.shift_remove(*name)
            {
                repairs.push(Repair::Misnamed { written: (*name).to_owned(), offered: self.code.to_owned() });
                return Ok((code, members));
            }
            let Some(inner) = self.whole_call_inside(&members, is_code) else { break };
            repairs.push(Repair::Nested { through: self.tool.to_owned() });
            members = inner;
        }
        Err(format!("{} does not say which tool to call: write {}.", self.tool, self.form()))
    }

    /// The whole call, where it stands in the member for the arguments.
    fn whole_call_inside(
        &self,
        members: &Map<String, Value>,
        is_code: &dyn Fn(&str) -> bool,
    ) -> Option<Map<String, Value>> {
        let (name, value) = members.iter().next().filter(|_| members.len() == 1)?;
        if name != self.arguments && !WRAPPERS.contains(&name.as_str()) && name != self.tool {
            return None;
        }
        let inner = object(value.clone(), &mut Vec::new()).ok()?;
        let says = |name: &str| inner.get(name).and_then(Value::as_str).is_some_and(is_code);
        (says(self.code)
            || NAMERS.iter().chain(&OTHER_NAMERS).any(|name| says(name))
            || inner.contains_key(self.arguments))
        .then_some(inner)
    }

    /// Takes the arguments of the tool that is called out of what stands beside its name.
    pub(super) fn arguments(
        &self,
        mut beside: Map<String, Value>,
        validator: &Validator,
        repairs: &mut Vec<Repair>,
    ) -> Result<Value, String> {
        let flat = || Repair::Flat { member: self.arguments.to_owned() };
        let Some(inside) = beside.shift_remove(self.arguments) else {
            if beside.is_empty() {
                return Ok(Value::Null);
            }
            let only = beside.iter().next().filter(|_| beside.len() == 1);
            if let Some((name, value)) = only
                && WRAPPERS.contains(&name.as_str())
                && !validator.declares(name)
                && (value.is_object() || value.is_string() || value.is_null())
            {
                repairs.push(Repair::Misnamed { written: name.clone(), offered: self.arguments.to_owned() });
                return Ok(value.clone());
            }
            repairs.push(flat());
            return Ok(Value::Object(beside));
        };
        let is_scalar = matches!(inside, Value::Number(_) | Value::Bool(_))
            || inside.as_str().is_some_and(|text| {
                !text.trim().is_empty() && !text.trim_start().starts_with(['{', '[', '"', '`'])
            });
        if is_scalar && validator.declares(self.arguments) {
            beside.insert(self.arguments.to_owned(), inside);
            repairs.push(flat());
            return Ok(Value::Object(beside));
        }
        if beside.is_empty() {
            return Ok(inside);
        }
        let is_empty = match &inside {
            Value::Null => true,
            Value::Object(members) => members.is_empty(),
            Value::String(text) => text.trim().is_empty(),
            _ => false,
        };
        if is_empty {
            repairs.push(flat());
            return Ok(Value::Object(beside));
        }
        if let Value::Object(mut members) = inside
            && beside.keys().all(|name| validator.declares(name) && !members.contains_key(name))
        {
            members.extend(beside);
            repairs.push(flat());
            return Ok(Value::Object(members));
        }
        Err(format!(
            "{} {} beside {} in {}: put all arguments of the tool into {}.",
            listed(beside.keys().map(|name| quoted(name))),
            if beside.len() == 1 { "stands" } else { "stand" },
            quoted(self.arguments),
            self.tool,
            quoted(self.arguments)
        ))
    }
}
