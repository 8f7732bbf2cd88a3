//! Bodies as agents and SDKs write them, by hand, and what is read of them.

use recto_wire::{DataUrl, Format, Link, Piece, Record, RecordKind, Slot, WireError, unquote};

use crate::body_laws::check;

/// What is read, a line for each piece: the slot, the text or the ids, and how it stands.
fn shown(format: Format, body: &str) -> String {
    for chosen in 0..12 {
        check(format, body.as_bytes(), chosen);
    }
    let records = format.document(body.as_bytes()).unwrap();
    records.iter().map(|record| shown_record(record, body.as_bytes())).collect()
}

fn shown_record(record: &Record, body: &[u8]) -> String {
    let kind = match record.kind {
        RecordKind::Message(role) => format!("{role:?}"),
        kind => format!("{kind:?}"),
    };
    let pieces: String = record.pieces.iter().map(|piece| shown_piece(piece, body)).collect();
    format!("{kind}\n{pieces}")
}

fn shown_piece(piece: &Piece, body: &[u8]) -> String {
    let raw = |span: recto_wire::Span| String::from_utf8_lossy(span.of(body)).into_owned();
    let what = match piece.slot {
        Slot::Text => format!("text {}", raw(piece.raw)),
        Slot::ToolCall { id, name, arguments } => {
            format!("call {} {} {}", raw(id), raw(name), raw(arguments))
        }
        Slot::ToolResult { call, is_error } => {
            format!("result of {}{}", raw(call), if is_error { ", failed" } else { "" })
        }
        Slot::Image { media_type } => format!("image {} {}", raw(media_type), raw(piece.raw)),
        slot => format!("{} {} bytes", format!("{slot:?}").to_lowercase(), piece.raw.len()),
    };
    let indent = if piece.parent.is_some() { "    " } else { "  " };
    format!("{indent}{what}{}\n", if piece.frozen { " (frozen)" } else { "" })
}

fn lines(text: &str) -> String {
    text.lines().map(|line| line.strip_prefix("        ").unwrap_or(line)).collect::<Vec<_>>().join("\n")
        + "\n"
}

macro_rules! reads {
    ($name:ident, $format:ident, $body:literal, $expected:literal) => {
        #[test]
        fn $name() {
            let found = shown(Format::$format, $body);
            assert_eq!(found.trim(), lines($expected).trim(), "\n{found}");
        }
    };
}

reads!(
    anthropic_reads_results_of_all_kinds,
    AnthropicMessages,
    r#"{"model":"claude","max_tokens":9,
 "messages":[
  {"role":"user","content":"fix it"},
  {"role":"assistant","content":[
    {"type":"thinking","thinking":"hm","signature":"EqQB"},{"type":"redacted_thinking","data":"Zm9v"},
    {"type":"text","text":"I look","cache_control":{"type":"ephemeral","ttl":"1h"}},
    {"type":"tool_use","id":"toolu_1","name":"Read","input":{"file_path":"/a"}},
    {"type":"tool_use","id":"toolu_2","name":"Bash","input":{"a":{"x":1,"x":2}}}]},
  {"role":"user","content":[
    {"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"one"},
      {"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}},
      {"type":"tool_reference","tool_name":"Edit"},
      {"type":"search_result","source":"s","title":"t","content":[{"type":"text","text":"found"}]}]},
    {"type":"tool_result","tool_use_id":"toolu_2","is_error":true,"content":"exit 1"},
    {"type":"document","source":{"type":"text","media_type":"text/plain","data":"a plain text"},"title":"x"},
    {"type":"document","source":{"type":"content","content":[{"type":"text","text":"a part"}]}},
    {"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"JVBE"}},
    {"type":"image","source":{"type":"url","url":"https://example.com/a.png"}},
    {"type":"container_upload","file_id":"file_1"}]},
  {"role":"assistant","content":[
    {"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"q"}},
    {"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"type":"web_search_result","url":"u","encrypted_content":"Ev"}]},
    {"type":"server_tool_use","id":"srvtoolu_2","name":"web_fetch","input":{}},
    {"type":"web_fetch_tool_result","tool_use_id":"srvtoolu_2","content":{"type":"web_fetch_tool_result_error","error_code":"url_not_accessible"}}]},
  {"role":"system","content":"the clock says noon"},
  {"role":"critic","content":"who?"}],
 "tools":[{"name":"Read","input_schema":{"type":"object"}},{"type":"web_search_20250305","name":"web_search","name":"x"}],
 "system":[{"type":"text","text":"You are an agent.","cache_control":{"type":"ephemeral"}},{"type":"text","text":"half \ud800"}]}"#,
    r#"Tools
          tools 112 bytes
          tool 48 bytes
          tool 61 bytes (frozen)
        System
          text "You are an agent."
          text "half \ud800" (frozen)
        User
          text "fix it"
        Assistant
          thinking 54 bytes
          thinking 42 bytes
          text "I look"
          call "toolu_1" "Read" {"file_path":"/a"}
          call "toolu_2" "Bash" {"a":{"x":1,"x":2}} (frozen)
        User
          result of "toolu_1"
            text "one"
            image "image/png" "aGk="
            opaque 44 bytes
            text "found"
          result of "toolu_2", failed
            text "exit 1"
          text "a plain text"
          text "a part"
          image "application/pdf" "JVBE"
          image  "https://example.com/a.png"
          image  {"type":"container_upload","file_id":"file_1"}
        Assistant
          call "srvtoolu_1" "web_search" {"query":"q"}
          result of "srvtoolu_1"
            opaque 63 bytes
          call "srvtoolu_2" "web_fetch" {}
          result of "srvtoolu_2", failed
            opaque 72 bytes
        System
          text "the clock says noon"
        Unknown
          opaque 34 bytes"#
);

reads!(
    chat_reads_calls_old_and_new,
    OpenAiChat,
    r#"{"model":"m","messages":[
  {"role":"developer","content":"Be brief."},
  {"role":"user","content":[{"type":"text","text":"what is it"},
    {"type":"image_url","image_url":{"url":"data:image/png;base64,aGk=","detail":"low"}},
    {"type":"input_audio","input_audio":{"data":"UklG","format":"wav"}},
    {"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,JVBE"}},
    {"type":"file","file":{"file_id":"file_1"}}]},
  {"role":"assistant","content":null,"reasoning_content":"let me see","tool_calls":[
    {"id":"call_1","type":"function","function":{"name":"read","arguments":"{\"path\":\"a\"}"}},
    {"id":"call_2","type":"custom","custom":{"name":"exec","input":"ls()"}},
    {"id":"call_3","type":"function","function":{"name":"a","name":"b","arguments":"{}"}},
    {"id":"call_4","type":"function","function":{"name":"s","arguments":"{}"},"extra_content":{"google":{"thought_signature":"x"}}}]},
  {"role":"tool","tool_call_id":"call_1","content":"line 1\nline 2"},
  {"role":"tool","tool_call_id":"call_2","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},
  {"role":"assistant","refusal":"I will not.","content":[{"type":"refusal","refusal":"No."},{"type":"new"}]},
  {"role":"assistant","content":null,"function_call":{"name":"old","arguments":"{}"}},
  {"role":"function","name":"old","content":"42"},
  {"role":"user","content":"one","content":"two"}],
 "functions":[{"name":"old"}],"tools":[]}"#,
    r#"Tools
          tools 2 bytes
        Tools
          tools 16 bytes
          tool 14 bytes
        System
          text "Be brief."
        User
          text "what is it"
          image  "data:image/png;base64,aGk="
          image  "UklG"
          image  "data:application/pdf;base64,JVBE"
          image  {"type":"file","file":{"file_id":"file_1"}}
        Assistant
          thinking 12 bytes
          call "call_1" "read" "{\"path\":\"a\"}"
          call "call_2" "exec" "ls()"
          call "call_3" "b" "{}" (frozen)
          call "call_4" "s" "{}" (frozen)
        Tool
          result of "call_1"
            text "line 1\nline 2"
        Tool
          result of "call_2"
            text "a"
            text "b"
        Assistant
          text "I will not."
          text "No."
          opaque 14 bytes
        Assistant
          call "old" "old" "{}"
        Tool
          result of "old"
            text "42"
        User
          text "one" (frozen)
          text "two" (frozen)"#
);

reads!(
    responses_read_a_body_without_tools,
    OpenAiResponses,
    r#"{"model":"m","prompt_cache_key":"k","instructions":"Be an agent.","input":[
  {"type":"additional_tools","role":"developer","tools":[{"type":"namespace","name":"functions","tools":[{"type":"custom","name":"exec"},{"type":"function","name":"wait"}]},{"type":"web_search"}]},
  {"type":"message","role":"user","content":[{"type":"input_text","text":"go"},{"type":"input_image","image_url":"data:image/png;base64,aGk="}]},
  {"role":"user","content":"without a type"},
  {"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAA"},
  {"type":"custom_tool_call","call_id":"call_1","name":"exec","input":"run()"},
  {"type":"custom_tool_call_output","call_id":"call_1","output":[{"type":"input_text","text":"Script completed\n"},{"type":"input_text","text":"{\"exit_code\":0,\"output\":\"log\"}"}]},
  {"type":"function_call","call_id":"call_2","name":"shell","namespace":"n","arguments":"{}"},
  {"type":"function_call_output","call_id":"call_2","output":"plain"},
  {"type":"configuration_update","settings":{"a":1}},
  {"type":"local_shell_call","id":"lsh","call_id":"call_3","status":"completed","action":{"type":"exec","command":["ls"]}},
  {"type":"local_shell_call_output","id":"call_3","output":"a b"},
  {"type":"computer_call","call_id":"call_4","action":{"type":"screenshot"}},
  {"type":"computer_call_output","call_id":"call_4","output":{"type":"computer_screenshot","image_url":"data:image/png;base64,aGk="}},
  {"type":"shell_call","call_id":"call_5","action":{"commands":["ls"]}},
  {"type":"shell_call_output","call_id":"call_5","output":[{"stdout":"out","stderr":"","outcome":{"type":"exit","exit_code":0}}]},
  {"type":"web_search_call","id":"ws","status":"completed"},
  {"type":"mcp_call","id":"mcp_1","name":"find","arguments":"{}","output":"found","error":null,"server_label":"s"},
  {"type":"mcp_list_tools","id":"l","tools":[]},
  {"type":"image_generation_call","id":"ig","result":"iVBO"},
  {"type":"compaction","encrypted_content":"gAAA"},
  {"type":"message","role":"assistant","id":"msg_1","content":[{"type":"output_text","text":"done","annotations":[]},{"type":"refusal","refusal":"no"}]},
  "what"]}"#,
    r#"System
          text "Be an agent."
        Tools
          tools 139 bytes
          tools 67 bytes
          tool 31 bytes
          tool 33 bytes
          tool 21 bytes
        User
          text "go"
          image  "data:image/png;base64,aGk="
        User
          text "without a type"
        Assistant
          thinking 72 bytes
        Assistant
          call "call_1" "exec" "run()"
        Tool
          result of "call_1"
            text "Script completed\n"
            text "{\"exit_code\":0,\"output\":\"log\"}"
        Assistant
          call "call_2" "shell" "{}"
        Tool
          result of "call_2"
            text "plain"
        Unknown
          opaque 50 bytes
        Assistant
          call "call_3" "local_shell_call" {"type":"exec","command":["ls"]}
        Tool
          result of "call_3"
            text "a b"
        Assistant
          call "call_4" "computer_call" {"type":"screenshot"}
        Tool
          result of "call_4"
            image  "data:image/png;base64,aGk="
        Assistant
          call "call_5" "shell_call" {"commands":["ls"]}
        Tool
          result of "call_5"
            text "out"
            text ""
        Assistant
          opaque 57 bytes
        Assistant
          call "mcp_1" "find" "{}"
          result of "mcp_1"
            text "found"
        Assistant
          opaque 45 bytes
        Assistant
          image  "iVBO"
        Summary
          opaque 48 bytes
        Assistant
          text "done"
          text "no"
        Malformed { at: 2132 }"#
);

reads!(
    gemini_reads_both_spellings,
    GeminiContents,
    r#"{"system_instruction":{"parts":[{"text":"Be brief."}]},
 "tools":[{"functionDeclarations":[{"name":"read"},{"name":"list"}]},{"googleSearch":{}}],
 "contents":[
  {"role":"user","parts":[{"text":"look"},{"inlineData":{"mimeType":"image/png","data":"aGk="}},{"file_data":{"mime_type":"video/mp4","file_uri":"https://example.com/v"}}]},
  {"role":"model","parts":[{"text":"I think","thought":true,"thoughtSignature":"c2ln"},
    {"functionCall":{"name":"read","args":{"p":"a"}},"thoughtSignature":"c2ln"},
    {"function_call":{"id":"c2","name":"list","args":{}}},
    {"text":"signed","thoughtSignature":"c2ln"},
    {"executableCode":{"language":"PYTHON","code":"1"}},{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"1"}}]},
  {"role":"user","parts":[
    {"functionResponse":{"name":"read","response":{"output":"a text","exitCode":0}}},
    {"functionResponse":{"id":"c2","name":"list","response":{"error":"no such file"},"parts":[{"inlineData":{"mimeType":"image/png","data":"aGk="}}]}},
    {"functionResponse":{"name":"mcp","response":{"content":[{"type":"text","text":"of a server"}]}}},
    {"functionResponse":{"name":"read","response":{"output":"x","output":"y"}}},
    {"text":"hint","inlineData":null}]},
  {"parts":[{"text":"no role"}]}]}"#,
    r#"Tools
          tools 80 bytes
          tools 33 bytes
          tool 15 bytes
          tool 15 bytes
          tool 19 bytes
        System
          text "Be brief."
        User
          text "look"
          image "image/png" "aGk="
          image "video/mp4" "https://example.com/v"
        Assistant
          thinking 59 bytes
          call "read" "read" {"p":"a"} (frozen)
          call "c2" "list" {}
          text "signed" (frozen)
          opaque 51 bytes
          opaque 61 bytes
        User
          result of "read"
            text "a text"
            opaque 1 bytes
          result of "c2", failed
            text "no such file"
            image "image/png" "aGk="
          result of "mcp"
            text "of a server"
          result of "read"
            text "x" (frozen)
            text "y" (frozen)
          text "hint"
        User
          text "no role""#
);

reads!(
    the_ai_sdk_is_read_in_both_versions,
    AiSdk,
    r#"{"system":"Be brief.","messages":[
  {"role":"user","content":[{"type":"text","text":"see","providerOptions":{"anthropic":{"cacheControl":{"type":"ephemeral"}}}},
    {"type":"image","image":"aGk=","mediaType":"image/png"},{"type":"file","data":{"0":1},"mediaType":"application/pdf"}]},
  {"role":"assistant","content":[{"type":"reasoning","text":"hm","providerOptions":{"anthropic":{"signature":"s"}}},
    {"type":"tool-call","toolCallId":"c1","toolName":"read","input":{"p":1}},
    {"type":"tool-call","toolCallId":"c2","toolName":"read","args":{"p":2},"providerOptions":{"google":{"thoughtSignature":"s"}}},
    {"type":"tool-approval-request","approvalId":"a1","toolCallId":"c1"}]},
  {"role":"tool","content":[
    {"type":"tool-result","toolCallId":"c1","toolName":"read","output":{"type":"text","value":"one"}},
    {"type":"tool-result","toolCallId":"c2","toolName":"read","output":{"type":"json","value":{"a":1}}},
    {"type":"tool-result","toolCallId":"c3","toolName":"read","output":{"type":"error-text","value":"bad"}},
    {"type":"tool-result","toolCallId":"c4","toolName":"read","output":{"type":"content","value":[{"type":"text","text":"t"},{"type":"media","data":"aGk=","mediaType":"image/png"}]}},
    {"type":"tool-result","toolCallId":"c5","toolName":"read","result":"old","isError":true},
    {"type":"tool-result","toolCallId":"c6","toolName":"read","output":{"type":"execution-denied","reason":"no"}},
    {"type":"tool-approval-response","approvalId":"a1","approved":true}]}],
 "tools":{"read":{"inputSchema":{}}}}"#,
    r#"Tools
          tools 27 bytes
          tool 18 bytes
        System
          text "Be brief."
        User
          text "see"
          image "image/png" "aGk="
          image "application/pdf" {"type":"file","data":{"0":1},"mediaType":"application/pdf"}
        Assistant
          thinking 82 bytes (frozen)
          call "c1" "read" {"p":1}
          call "c2" "read" {"p":2} (frozen)
          opaque 68 bytes
        Tool
          result of "c1"
            text "one"
          result of "c2"
            opaque 7 bytes
          result of "c3", failed
            text "bad"
          result of "c4"
            text "t"
            image "image/png" "aGk="
          result of "c5", failed
            text "old"
          result of "c6", failed
            text "no"
          opaque 67 bytes"#
);

#[test]
fn what_came_before_at_the_provider_is_a_link() {
    let body = br#"{"model":"m","previous_response_id":"resp_1","input":"go on","tools":[]}"#;
    let records = Format::OpenAiResponses.document(body).unwrap();
    let Link::Id(id) = records[1].parent else { panic!("{records:?}") };
    assert_eq!(unquote(id.of(body)).unwrap(), "resp_1");
    assert_eq!(unquote(records[1].pieces[0].raw.of(body)).unwrap(), "go on");
    assert_eq!(records[0].parent, Link::Previous);
}

#[test]
fn messages_alike_in_three_forms_are_told_by_the_rest() {
    let alike = r#""messages":[{"role":"user","content":"hi"},{"role":"assistant","content":[{"type":"text","text":"ho"}]}]"#;
    for (rest, expected) in [
        ("", Format::OpenAiChat),
        (r#","system":"s""#, Format::AnthropicMessages),
        (r#","tools":[{"name":"a","input_schema":{}}]"#, Format::AnthropicMessages),
        (r#","tools":[{"type":"function","function":{"name":"a"}}]"#, Format::OpenAiChat),
        (r#","tools":[{"name":"a","inputSchema":{}}]"#, Format::AiSdk),
    ] {
        let body = format!("{{{alike}{rest}}}");
        assert_eq!(Format::detect(body.as_bytes()), Some(expected), "{body}");
    }
}

#[test]
fn what_is_of_no_api_is_not_detected() {
    for other in [
        r#"{"input":"x"}"#,
        r#"[{"id":1,"name":"a"},{"id":2,"name":"b"}]"#,
        r#"{"type":"function","name":"a"}"#,
        "[]",
        "1",
        r#"{"messages":"none"}"#,
        r#"{"role":"user","time":1}"#,
        r#"{"type":"session","version":3}"#,
    ] {
        assert_eq!(Format::detect(other.as_bytes()), None, "{other}");
    }
}

#[test]
fn an_envelope_is_looked_into() {
    let body = r#"{"model":"m","request":{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}}"#;
    assert_eq!(Format::detect(body.as_bytes()), Some(Format::GeminiContents));
    assert_eq!(shown(Format::GeminiContents, body), "User\n  text \"hi\"\n");
}

#[test]
fn what_is_no_body_is_refused() {
    let read = |bytes: &[u8]| Format::OpenAiChat.document(bytes);
    assert!(matches!(read(b"{\"a\":1}"), Err(WireError::NotThis { format: "openai-chat", .. })));
    assert!(matches!(read(b"{\"messages\":1}"), Err(WireError::NotThis { .. })));
    assert!(matches!(read(b"{\"messages\":["), Err(WireError::NotJson { at: 12, .. })));
    assert!(matches!(read(b"no\nno"), Err(WireError::NotJson { at: 1, .. })));
}

#[test]
fn damaged_lines_stay_where_they_are() {
    let lines =
        b"{\"role\":\"user\",\"content\":\"a\"}\n{\"role\n\n{\"role\":\"assistant\",\"content\":\"b\"}\n";
    let records = check(Format::OpenAiChat, lines, 1);
    let kinds: Vec<&str> = records
        .iter()
        .map(|record| match record.kind {
            RecordKind::Message(_) => "message",
            RecordKind::Malformed { at } => {
                assert!((30..=36).contains(&at), "{at}");
                "malformed"
            }
            RecordKind::Blank => "blank",
            _ => "other",
        })
        .collect();
    assert_eq!(kinds, ["message", "malformed", "blank", "message"]);
    assert_eq!(unquote(records[3].pieces[0].raw.of(lines)).unwrap(), "b");
}

#[test]
fn a_data_url_says_its_type_and_payload() {
    let source = br#""data:image/svg+xml;charset=utf-8;base64,PHN2Zz4=""#;
    let whole = recto_wire::Span::new(0, source.len());
    let url = DataUrl::parse(source, whole).unwrap();
    assert_eq!(
        (url.media_type.of(source), url.payload.of(source)),
        (&b"image/svg+xml"[..], &b"PHN2Zz4="[..])
    );
    for other in [&br#""data:text/plain,hello""#[..], br#""data:""#, br#""""#, b"12"] {
        assert_eq!(DataUrl::parse(other, recto_wire::Span::new(0, other.len())), None);
    }
}
