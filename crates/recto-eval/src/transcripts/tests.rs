use super::*;

fn quoted(session: &str) -> Vec<(String, Vec<String>)> {
    came_back_to(&turns(session)).into_iter().map(|(_, text, quoted)| (text, quoted)).collect()
}

/// The same story, as different agents write it down.
const SESSIONS: [&str; 5] = [
    // Claude Code
    r#"{"type":"user","message":{"role":"user","content":"look at order-17 please"}}
{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"cat orders.txt"}}]}}
{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"order-17 is with cart_4711 in src/cart.rs"}]}]},"toolUseResult":{"stdout":"order-17 is with cart_4711 in src/cart.rs"}}
not json at all
{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"It is cart_4711 of order-17."}]}}"#,
    // Codex
    r#"{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"look at order-17 please"}]}}
{"type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"cat\",\"orders.txt\"]}","call_id":"call_9"}}
{"type":"response_item","payload":{"type":"function_call_output","call_id":"call_9","output":"order-17 is with cart_4711 in src/cart.rs"}}
{"type":"event_msg","payload":{"type":"agent_message","message":"src/cart.rs"}}
{"type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"grep\",\"cart_4711\"]}","call_id":"call_10"}}"#,
    // Pi
    r#"{"type":"message","message":{"role":"user","content":"look at order-17 please"}}
{"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","id":"t1","name":"bash","arguments":{"command":"cat orders.txt"}}]}}
{"type":"message","message":{"role":"toolResult","toolCallId":"t1","toolName":"bash","content":[{"type":"text","text":"order-17 is with cart_4711 in src/cart.rs"}]}}
{"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","id":"t2","name":"bash","arguments":{"command":"grep cart_4711"}}]}}"#,
    // Gemini CLI
    r#"{"messages":[{"type":"user","content":"look at order-17 please"},
{"type":"gemini","content":"","toolCalls":[{"name":"shell","args":{"command":"cat orders.txt"},"result":[{"functionResponse":{"response":{"output":"order-17 is with cart_4711 in src/cart.rs"}}}]}]},
{"type":"gemini","content":"It is cart_4711."}]}"#,
    // Chat completions
    r#"[{"role":"user","content":"look at order-17 please"},
{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"sh","arguments":"cat orders.txt"}}]},
{"role":"tool","tool_call_id":"c","content":"order-17 is with cart_4711 in src/cart.rs"},
{"role":"assistant","content":"It is cart_4711."}]"#,
];

#[test]
fn what_is_new_in_a_result_and_used_later_is_a_reference() {
    for session in SESSIONS {
        let expected =
            vec![("order-17 is with cart_4711 in src/cart.rs".to_owned(), vec!["cart_4711".to_owned()])];
        assert_eq!(quoted(session), expected, "{session}");
    }
}

#[test]
fn what_was_known_before_is_none() {
    let session = r#"[{"role":"assistant","content":"see cart_4711"},{"role":"tool","content":"cart_4711"},{"role":"assistant","content":"cart_4711"}]"#;
    assert_eq!(quoted(session), []);
}

#[test]
fn names_are_more_than_words() {
    let found: Vec<&str> =
        names("The order-17 (at src/main.rs:12), 4711, 12, HashMap, and/or e.g. words.").collect();
    assert_eq!(found, ["order-17", "src/main.rs:12", "4711", "HashMap", "and/or"]);
}
