//! What is asked of a model, and the call that would be right.

use std::path::Path;

use recto_catalog::Tool;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{
    failure::{Failure, Outcome},
    input,
    usage::text::plain,
};

/// One line of a file of scenarios.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Scenario {
    /// What it is called; unset, its line.
    #[serde(default)]
    pub(super) name: String,
    pub(super) prompt: String,
    pub(super) expect: Expected,
    /// What stands in the system prompt, before the map.
    #[serde(default)]
    pub(super) system: Option<String>,
    /// The tools that are offered, by name; unset, all.
    #[serde(default)]
    tools: Option<Vec<String>>,
}

/// The call that would be right.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Expected {
    pub(super) tool: String,
    /// What the arguments must hold; they may hold more.
    #[serde(default)]
    pub(super) args: Map<String, Value>,
}

impl Scenario {
    /// The tools that are offered.
    pub(super) fn offered(&self, tools: &[Tool]) -> Vec<Tool> {
        let is_offered =
            |tool: &&Tool| self.names().is_none_or(|names| names.iter().any(|name| name == tool.name()));
        tools.iter().filter(is_offered).cloned().collect()
    }

    fn names(&self) -> Option<&[String]> {
        self.tools.as_deref()
    }

    /// Says what is wrong with it, before anything is asked.
    fn wrong(&self, tools: &[Tool]) -> Option<String> {
        let is_there = |name: &str| tools.iter().any(|tool| tool.name() == name);
        if self.prompt.trim().is_empty() {
            return Some("the prompt is empty".to_owned());
        }
        if let Some(missing) = self.names().unwrap_or_default().iter().find(|name| !is_there(name)) {
            return Some(format!("there is no tool {missing:?}"));
        }
        if !self.offered(tools).iter().any(|tool| tool.name() == self.expect.tool) {
            return Some(format!("the expected tool {:?} is not offered", self.expect.tool));
        }
        None
    }
}

/// Reads scenarios, all or none of them.
pub(super) fn read(path: &Path, tools: &[Tool]) -> Outcome<Vec<Scenario>> {
    let text = input::read(Some(path))?;
    let mut scenarios = Vec::new();
    for (index, line) in text.split(|byte| *byte == b'\n').enumerate() {
        if line.trim_ascii().is_empty() {
            continue;
        }
        let wrong = |why: String| {
            Failure::usage(format!("{}, line {}: {}", path.display(), index + 1, plain(&why))).hint(
                "a line is {\"prompt\": \"what is wanted\", \"expect\": {\"tool\": \"its name\", \"args\": {...}}}, with \"name\", \"system\" and \"tools\" if need be",
            )
        };
        let mut scenario: Scenario =
            serde_json::from_slice(line).map_err(|error| wrong(error.to_string()))?;
        if let Some(why) = scenario.wrong(tools) {
            return Err(wrong(why));
        }
        if scenario.name.is_empty() {
            scenario.name = format!("line {}", index + 1);
        }
        scenarios.push(scenario);
    }
    if scenarios.is_empty() {
        return Err(Failure::usage(format!("{} holds no scenario", path.display())));
    }
    Ok(scenarios)
}
