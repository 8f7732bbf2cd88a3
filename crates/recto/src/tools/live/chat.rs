//! OpenAI Chat Completions, which xAI and most local servers speak too.

use recto_catalog::{Catalog, for_openai};
use serde_json::{Value, json};

use super::dialect::{
    Answer, Call, Dialect, Offer, Reply, Usage, arguments, list, number, one_text, set, text,
};

pub(super) struct Chat;

impl Dialect for Chat {
    fn path(&self, _: &str) -> String {
        "chat/completions".to_owned()
    }

    fn offer(&self, catalog: &Catalog, system: Option<&str>) -> Offer {
        let adapted = for_openai(catalog);
        Offer { tools: adapted.tools, system: one_text(system, &adapted.system_preamble) }
    }

    fn prompt(&self, text: &str) -> Value {
        json!({"role": "user", "content": text})
    }

    fn body(&self, model: &str, offer: &Offer, history: &[Value]) -> Value {
        let mut body = json!({"model": model});
        set(&mut body, "tools", offer.tools.clone().into());
        let system = (!offer.system.is_null()).then(|| json!({"role": "system", "content": offer.system}));
        let messages: Vec<Value> = system.into_iter().chain(history.iter().cloned()).collect();
        set(&mut body, "messages", messages.into());
        body
    }

    fn read(&self, answer: &Value) -> Option<Answer> {
        let message = answer.pointer("/choices/0/message")?;
        let calls = list(message, "tool_calls").iter().map(|call| {
            let function = call.get("function").unwrap_or(&Value::Null);
            Call {
                id: text(call, "id").to_owned(),
                name: text(function, "name").to_owned(),
                arguments: arguments(text(function, "arguments")),
            }
        });
        Some(Answer {
            said: vec![message.clone()],
            calls: calls.collect(),
            text: text(message, "content").to_owned(),
            usage: Usage {
                input: number(answer, "/usage/prompt_tokens"),
                cached: number(answer, "/usage/prompt_tokens_details/cached_tokens"),
                output: number(answer, "/usage/completion_tokens"),
            },
        })
    }

    fn replies(&self, replies: &[Reply]) -> Vec<Value> {
        let message =
            |reply: &Reply| json!({"role": "tool", "tool_call_id": reply.call.id, "content": reply.text});
        replies.iter().map(message).collect()
    }
}
