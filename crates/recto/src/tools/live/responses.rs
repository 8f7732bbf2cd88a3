//! OpenAI Responses. Nothing is kept at the provider: reasoning comes encrypted and goes back as it came.

use recto_catalog::{Catalog, for_openai_responses};
use serde_json::{Value, json};

use super::dialect::{
    Answer, Call, Counting, Dialect, Offer, Reply, Usage, arguments, list, number, one_text, set, text,
};

pub(super) struct Responses;

/// What a model without reasoning refuses to be asked for.
const INCLUDE: &str = "include";

impl Dialect for Responses {
    fn path(&self, _: &str) -> String {
        "responses".to_owned()
    }

    fn offer(&self, catalog: &Catalog, system: Option<&str>) -> Offer {
        let adapted = for_openai_responses(catalog, None);
        Offer { tools: adapted.tools, system: one_text(system, &adapted.system_preamble) }
    }

    fn prompt(&self, text: &str) -> Value {
        json!({"type": "message", "role": "user", "content": text})
    }

    fn body(&self, model: &str, offer: &Offer, history: &[Value]) -> Value {
        let mut body = self.counting_body(model, offer, history);
        set(&mut body, "store", false.into());
        set(&mut body, INCLUDE, json!(["reasoning.encrypted_content"]));
        body
    }

    fn read(&self, answer: &Value) -> Option<Answer> {
        let output = answer.get("output")?.as_array()?;
        let mut read = Answer {
            said: output.clone(),
            calls: Vec::new(),
            text: String::new(),
            usage: Usage {
                input: number(answer, "/usage/input_tokens"),
                cached: number(answer, "/usage/input_tokens_details/cached_tokens"),
                output: number(answer, "/usage/output_tokens"),
            },
        };
        for item in output {
            match text(item, "type") {
                "message" => {
                    list(item, "content").iter().for_each(|part| read.text.push_str(text(part, "text")))
                }
                "function_call" => read.calls.push(Call {
                    id: text(item, "call_id").to_owned(),
                    name: text(item, "name").to_owned(),
                    arguments: arguments(text(item, "arguments")),
                }),
                _ => {}
            }
        }
        Some(read)
    }

    fn replies(&self, replies: &[Reply]) -> Vec<Value> {
        let item = |reply: &Reply| json!({"type": "function_call_output", "call_id": reply.call.id, "output": reply.text});
        replies.iter().map(item).collect()
    }

    fn mended(&self, body: &mut Value, message: &str) -> bool {
        let is_about_it = message.to_ascii_lowercase().contains("encrypted content");
        is_about_it && body.as_object_mut().is_some_and(|members| members.shift_remove(INCLUDE).is_some())
    }
}

impl Counting for Responses {
    fn counting_path(&self, _: &str) -> String {
        "responses/input_tokens".to_owned()
    }

    fn counting_body(&self, model: &str, offer: &Offer, history: &[Value]) -> Value {
        let mut body = json!({"model": model});
        set(&mut body, "tools", offer.tools.clone().into());
        set(&mut body, "instructions", offer.system.clone());
        set(&mut body, "input", history.into());
        body
    }

    fn counted(&self, answer: &Value) -> Option<u64> {
        answer.get("input_tokens")?.as_u64()
    }
}
