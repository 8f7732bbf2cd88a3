//! One conversation: until the model calls a tool, answers without, or has had its turns.

use recto_catalog::{Catalog, Outcome as Resolved};

use super::{
    dialect::{Answer, Dialect, Offer, Reply, Usage},
    grade::{Grade, grade},
    http::{Client, Refusal},
    report::Outcome,
    scenario::Scenario,
};
use crate::usage::text::capped;

/// Who is asked.
pub(super) struct Conversation<'a> {
    pub(super) client: &'a Client,
    pub(super) dialect: &'a dyn Dialect,
    pub(super) model: &'a str,
    /// How many answers a model has for one scenario.
    pub(super) max_turns: u32,
}

/// How a conversation went.
#[derive(Debug, Default)]
pub(super) struct Course {
    pub(super) turns: u32,
    pub(super) look_ups: u32,
    pub(super) errors: u32,
    pub(super) repairs: usize,
    pub(super) usage: Usage,
    /// The tool that was called.
    pub(super) tool: Option<String>,
    pub(super) message: Option<String>,
    /// Whether no other conversation would go better: a wrong key, no curl.
    pub(super) is_final: bool,
}

/// The longest piece of a text that is reported.
const MAX_TEXT_BYTES: usize = 300;

impl Conversation<'_> {
    pub(super) fn hold(&self, catalog: &Catalog, scenario: &Scenario) -> (Outcome, Course) {
        let mut course = Course::default();
        let offer = self.dialect.offer(catalog, scenario.system.as_deref());
        let mut history = vec![self.dialect.prompt(&scenario.prompt)];
        while course.turns < self.max_turns {
            let answer = match self.ask(&offer, &history) {
                Ok(answer) => answer,
                Err(refusal) => {
                    course.is_final = refusal.is_final;
                    course.message = Some(refusal.message);
                    return (Outcome::Failed, course);
                }
            };
            course.turns += 1;
            course.add(answer.usage);
            if answer.calls.is_empty() {
                course.message = said(&answer.text);
                return (Outcome::NoCall, course);
            }
            history.extend(answer.said);
            let mut replies = Vec::new();
            for call in answer.calls {
                let (text, is_error) = match catalog.resolve(&call.name, call.arguments.clone()) {
                    Resolved::Call { name, arguments, repairs, .. } => {
                        course.repairs = repairs.len();
                        let outcome = match grade(&name, &arguments, &scenario.expect) {
                            Grade::Right => Outcome::Right,
                            Grade::WrongTool => Outcome::WrongTool,
                            Grade::WrongArguments(difference) => {
                                course.message = said(&difference);
                                Outcome::WrongArguments
                            }
                        };
                        course.tool = Some(name);
                        return (outcome, course);
                    }
                    Resolved::Meta { result, .. } => {
                        course.look_ups += 1;
                        (result, false)
                    }
                    Resolved::Error { message, .. } => {
                        course.errors += 1;
                        course.message = said(&message);
                        (message, true)
                    }
                    _ => (String::new(), true),
                };
                replies.push(Reply { call, text, is_error });
            }
            history.extend(self.dialect.replies(&replies));
        }
        (Outcome::Turns, course)
    }

    fn ask(&self, offer: &Offer, history: &[serde_json::Value]) -> Result<Answer, Refusal> {
        let path = self.dialect.path(self.model);
        let mut body = self.dialect.body(self.model, offer, history);
        let answer = match self.client.post(&path, &body) {
            Err(refusal)
                if refusal.status == Some(400) && self.dialect.mended(&mut body, &refusal.message) =>
            {
                self.client.post(&path, &body)?
            }
            other => other?,
        };
        self.dialect.read(&answer).ok_or_else(|| Refusal {
            message: "the answer is none of this API's".to_owned(),
            status: None,
            is_final: false,
        })
    }
}

impl Course {
    fn add(&mut self, usage: Usage) {
        self.usage.input += usage.input;
        self.usage.cached += usage.cached;
        self.usage.output += usage.output;
    }
}

fn said(text: &str) -> Option<String> {
    let text = text.trim();
    (!text.is_empty()).then(|| capped(text, MAX_TEXT_BYTES).into_owned())
}
