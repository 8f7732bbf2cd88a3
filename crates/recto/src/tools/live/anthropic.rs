//! Anthropic Messages.

use recto_catalog::{AnthropicOptions, Catalog, for_anthropic};
use serde_json::{Value, json};

use super::dialect::{Answer, Call, Counting, Dialect, Offer, Reply, Usage, list, number, set, text};

pub(super) struct Messages;

/// The most that a model may write in one answer, which the API wants to be told.
const MAX_TOKENS: u32 = 4_096;

impl Dialect for Messages {
    fn path(&self, _: &str) -> String {
        "messages".to_owned()
    }

    fn offer(&self, catalog: &Catalog, system: Option<&str>) -> Offer {
        let adapted = for_anthropic(catalog, AnthropicOptions::default());
        let own = system.filter(|text| !text.is_empty()).map(|text| json!({"type": "text", "text": text}));
        let system: Vec<Value> = own.into_iter().chain(adapted.system).collect();
        Offer { tools: adapted.tools, system: system.into() }
    }

    fn prompt(&self, text: &str) -> Value {
        json!({"role": "user", "content": text})
    }

    fn body(&self, model: &str, offer: &Offer, history: &[Value]) -> Value {
        let mut body = self.counting_body(model, offer, history);
        set(&mut body, "max_tokens", MAX_TOKENS.into());
        body
    }

    fn read(&self, answer: &Value) -> Option<Answer> {
        let content = answer.get("content")?.as_array()?;
        let mut read = Answer {
            said: vec![json!({"role": "assistant", "content": content})],
            calls: Vec::new(),
            text: String::new(),
            usage: Usage {
                input: number(answer, "/usage/input_tokens")
                    + number(answer, "/usage/cache_creation_input_tokens")
                    + number(answer, "/usage/cache_read_input_tokens"),
                cached: number(answer, "/usage/cache_read_input_tokens"),
                output: number(answer, "/usage/output_tokens"),
            },
        };
        for block in list(answer, "content") {
            match text(block, "type") {
                "text" => read.text.push_str(text(block, "text")),
                "tool_use" => read.calls.push(Call {
                    id: text(block, "id").to_owned(),
                    name: text(block, "name").to_owned(),
                    arguments: block.get("input").cloned().unwrap_or_default(),
                }),
                _ => {}
            }
        }
        Some(read)
    }

    fn replies(&self, replies: &[Reply]) -> Vec<Value> {
        let blocks = replies.iter().map(|reply| {
            let mut block =
                json!({"type": "tool_result", "tool_use_id": reply.call.id, "content": reply.text});
            if reply.is_error {
                set(&mut block, "is_error", true.into());
            }
            block
        });
        vec![json!({"role": "user", "content": blocks.collect::<Vec<_>>()})]
    }
}

impl Counting for Messages {
    fn counting_path(&self, _: &str) -> String {
        "messages/count_tokens".to_owned()
    }

    fn counting_body(&self, model: &str, offer: &Offer, history: &[Value]) -> Value {
        let mut body = json!({"model": model});
        set(&mut body, "tools", offer.tools.clone().into());
        set(&mut body, "system", offer.system.clone());
        set(&mut body, "messages", history.into());
        body
    }

    fn counted(&self, answer: &Value) -> Option<u64> {
        answer.get("input_tokens")?.as_u64()
    }
}
