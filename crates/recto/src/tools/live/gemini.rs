//! Gemini.

use recto_catalog::{Catalog, for_gemini};
use serde_json::{Value, json};

use super::dialect::{
    Answer, Call, Counting, Dialect, Offer, Reply, Usage, list, number, one_text, set, text,
};

pub(super) struct Gemini;

impl Dialect for Gemini {
    fn path(&self, model: &str) -> String {
        format!("{}:generateContent", resource(model))
    }

    fn offer(&self, catalog: &Catalog, system: Option<&str>) -> Offer {
        let adapted = for_gemini(catalog);
        let system = match one_text(system, &adapted.system_preamble) {
            Value::Null => Value::Null,
            text => json!({"parts": [{"text": text}]}),
        };
        Offer { tools: adapted.tools, system }
    }

    fn prompt(&self, text: &str) -> Value {
        json!({"role": "user", "parts": [{"text": text}]})
    }

    fn body(&self, _: &str, offer: &Offer, history: &[Value]) -> Value {
        let mut body = json!({});
        set(&mut body, "tools", offer.tools.clone().into());
        set(&mut body, "systemInstruction", offer.system.clone());
        set(&mut body, "contents", history.into());
        body
    }

    fn read(&self, answer: &Value) -> Option<Answer> {
        let candidate = answer.pointer("/candidates/0")?;
        let content = candidate.get("content").unwrap_or(&Value::Null);
        let mut read = Answer {
            said: vec![content.clone()],
            calls: Vec::new(),
            text: String::new(),
            usage: Usage {
                input: number(answer, "/usageMetadata/promptTokenCount"),
                cached: number(answer, "/usageMetadata/cachedContentTokenCount"),
                output: number(answer, "/usageMetadata/candidatesTokenCount")
                    + number(answer, "/usageMetadata/thoughtsTokenCount"),
            },
        };
        for part in list(content, "parts") {
            if let Some(call) = part.get("functionCall") {
                read.calls.push(Call {
                    id: text(call, "id").to_owned(),
                    name: text(call, "name").to_owned(),
                    arguments: call.get("args").cloned().unwrap_or_default(),
                });
            } else if part.get("thought") != Some(&Value::Bool(true)) {
                read.text.push_str(text(part, "text"));
            }
        }
        // MALFORMED_FUNCTION_CALL and others come without a word.
        if read.calls.is_empty() && read.text.is_empty() {
            read.text = text(candidate, "finishReason").to_owned();
        }
        Some(read)
    }

    fn replies(&self, replies: &[Reply]) -> Vec<Value> {
        let parts = replies.iter().map(|reply| {
            let key = if reply.is_error { "error" } else { "result" };
            let mut response = json!({"name": reply.call.name, "response": {key: reply.text}});
            if !reply.call.id.is_empty() {
                set(&mut response, "id", reply.call.id.as_str().into());
            }
            json!({"functionResponse": response})
        });
        vec![json!({"role": "user", "parts": parts.collect::<Vec<_>>()})]
    }
}

impl Counting for Gemini {
    fn counting_path(&self, model: &str) -> String {
        format!("{}:countTokens", resource(model))
    }

    fn counting_body(&self, model: &str, offer: &Offer, history: &[Value]) -> Value {
        let mut request = self.body(model, offer, history);
        set(&mut request, "model", resource(model).into());
        json!({"generateContentRequest": request})
    }

    fn counted(&self, answer: &Value) -> Option<u64> {
        answer.get("totalTokens")?.as_u64()
    }
}

/// The model as a path has it.
fn resource(model: &str) -> String {
    let mut path = "models/".to_owned();
    for byte in model.strip_prefix("models/").unwrap_or(model).bytes() {
        if byte.is_ascii_alphanumeric() || b"-._".contains(&byte) {
            path.push(char::from(byte));
        } else {
            path.push_str(&format!("%{byte:02X}"));
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Gemini, resource};
    use crate::tools::live::dialect::{Call, Dialect as _, Reply, Usage};

    #[test]
    fn an_answer_goes_back_as_it_came() {
        let content = json!({"role": "model", "parts": [
            {"text": "I look it up.", "thought": true},
            {"functionCall": {"name": "q", "args": {"s": "rain"}}, "thoughtSignature": "c2ln"},
        ]});
        let usage = json!({"promptTokenCount": 90, "cachedContentTokenCount": 50, "candidatesTokenCount": 7, "thoughtsTokenCount": 3});
        let answer =
            json!({"candidates": [{"content": content, "finishReason": "STOP"}], "usageMetadata": usage});
        let read = Gemini.read(&answer).unwrap();
        assert_eq!(read.said, [content]);
        assert_eq!(read.usage, Usage { input: 90, cached: 50, output: 10 });
        let call = Call { id: String::new(), name: "q".to_owned(), arguments: json!({"s": "rain"}) };
        assert_eq!((read.text.as_str(), &read.calls), ("", &vec![call.clone()]));
        let replies = Gemini.replies(&[Reply { call, text: "weather(city)".to_owned(), is_error: false }]);
        let response = json!({"name": "q", "response": {"result": "weather(city)"}});
        assert_eq!(replies, [json!({"role": "user", "parts": [{"functionResponse": response}]})]);
        assert_eq!(Gemini.read(&json!({"promptFeedback": {}})), None);
        let silent = json!({"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL"}]});
        assert_eq!(Gemini.read(&silent).unwrap().text, "MALFORMED_FUNCTION_CALL");
    }

    #[test]
    fn a_model_is_one_step_of_a_path() {
        assert_eq!(resource("gemini-2.5-pro"), "models/gemini-2.5-pro");
        assert_eq!(resource("models/a/../b?c"), "models/a%2F..%2Fb%3Fc");
    }
}
