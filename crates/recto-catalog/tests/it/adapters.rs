//! Catalogues as providers take them.

use recto_catalog::{
    AnthropicOptions, CacheLifetime, Catalog, Level, Options, Outcome, ToolList, compile, for_anthropic,
    for_gemini, for_mcp, for_openai, for_openai_responses,
};
use serde_json::{Value, json};

fn catalog(level: Level, tools: Value) -> Catalog {
    compile(&ToolList::from_value(tools).unwrap().tools, &Options::at(level)).unwrap()
}

fn two(level: Level) -> Catalog {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]});
    catalog(
        level,
        json!([
            {"name": "one", "description": "Does one.", "inputSchema": schema, "annotations": {"readOnlyHint": true}},
            {"name": "two", "description": "Does two.", "inputSchema": {"type": "object"}},
        ]),
    )
}

/// How many breakpoints there are.
fn marks(value: &impl serde::Serialize) -> usize {
    serde_json::to_string(value).unwrap().matches("cache_control").count()
}

#[test]
fn each_provider_gets_its_shape() {
    for (name, level) in [("1", Level::Native), ("3", Level::Map)] {
        let catalog = two(level);
        let text = [
            serde_json::to_string(&for_anthropic(&catalog, AnthropicOptions::default())).unwrap(),
            serde_json::to_string(&for_openai(&catalog)).unwrap(),
            serde_json::to_string(&for_openai_responses(&catalog, None)).unwrap(),
            serde_json::to_string(&for_gemini(&catalog)).unwrap(),
            serde_json::to_string(&for_mcp(&catalog)).unwrap(),
        ];
        insta::assert_snapshot!(format!("level_{name}"), text.join("\n"));
    }
}

#[test]
fn breakpoints_are_one_on_the_tools_and_one_behind_the_map() {
    for (level, expected) in
        [(Level::Passthrough, 1), (Level::Native, 1), (Level::Namespaces, 1), (Level::Map, 2)]
    {
        let adapted = for_anthropic(&two(level), AnthropicOptions::default());
        assert_eq!((marks(&adapted.tools), marks(&adapted)), (1, expected), "{level}");
        assert!(adapted.tools.last().unwrap().get("cache_control").is_some());
    }
    let hour = AnthropicOptions { lifetime: CacheLifetime::OneHour, ..AnthropicOptions::default() };
    assert_eq!(
        for_anthropic(&two(Level::Native), hour).tools[1]["cache_control"],
        json!({"type": "ephemeral", "ttl": "1h"})
    );
    let none = AnthropicOptions { cache: false, ..AnthropicOptions::default() };
    assert_eq!(marks(&for_anthropic(&two(Level::Map), none)), 0);
}

#[test]
fn a_clients_own_breakpoints_do_not_add_up_and_deferred_tools_have_none() {
    let given = json!([
        {"name": "a", "input_schema": {"type": "object"}, "cache_control": {"type": "ephemeral"}},
        {"name": "b", "input_schema": {"type": "object"}, "cache_control": {"type": "ephemeral", "ttl": "1h"}},
        {"name": "c", "input_schema": {"type": "object"}, "defer_loading": true},
    ]);
    for level in [Level::Passthrough, Level::Native] {
        let adapted = for_anthropic(&catalog(level, given.clone()), AnthropicOptions::default());
        assert_eq!(marks(&adapted), 1);
        assert!(adapted.tools[1].get("cache_control").is_some(), "the last that is not deferred");
        assert_eq!(adapted.tools[2]["defer_loading"], true);
    }
    let all = json!([{"name": "c", "input_schema": {"type": "object"}, "defer_loading": true}]);
    assert_eq!(marks(&for_anthropic(&catalog(Level::Native, all), AnthropicOptions::default())), 0);
}

#[test]
fn native_search_comes_first_and_one_tool_stays() {
    let search = |after| AnthropicOptions { native_search_after: Some(after), ..AnthropicOptions::default() };
    for after in [0, 1] {
        let tools = for_anthropic(&two(Level::Native), search(after)).tools;
        assert_eq!(tools[0]["name"], "tool_search_tool_bm25");
        assert_eq!((tools[1].get("defer_loading"), &tools[2]["defer_loading"]), (None, &json!(true)));
        assert!(tools[1].get("cache_control").is_some());
    }
    let tools = for_openai_responses(&two(Level::Native), Some(1)).tools;
    assert_eq!((&tools[0]["type"], &tools[2]["defer_loading"]), (&json!("tool_search"), &json!(true)));
}

#[test]
fn level_0_is_what_was_given() {
    let given = json!([{"name": "a", "zeta": 1, "input_schema": {"type": "object", "x-y": [1.0]}, "description": "d"}]);
    let none = AnthropicOptions { cache: false, ..AnthropicOptions::default() };
    let adapted = for_anthropic(&catalog(Level::Passthrough, given.clone()), none);
    assert_eq!(serde_json::to_string(&adapted.tools).unwrap(), given.to_string());
    let mcp = json!([{"name": "a", "title": "A", "inputSchema": {"type": "object"}, "_meta": {"k": "v"}}]);
    assert_eq!(Value::from(for_mcp(&catalog(Level::Passthrough, mcp.clone())).tools), mcp);
    assert_eq!(for_mcp(&catalog(Level::Native, mcp)).tools[0]["_meta"], json!({"k": "v"}));
}

#[test]
fn gemini_takes_names_that_begin_with_a_letter() {
    let catalog = catalog(Level::Native, json!([{"name": "2fa-check", "inputSchema": {"type": "object"}}]));
    let adapted = for_gemini(&catalog);
    let name = adapted.tools[0]["functionDeclarations"][0]["name"].as_str().unwrap();
    assert_eq!(name, "_2fa-check");
    let outcome = catalog.resolve(name, json!({}));
    assert!(matches!(&outcome, Outcome::Call { name, .. } if name == "2fa-check"), "{outcome:?}");
}

#[test]
fn every_schema_says_that_it_is_an_object() {
    for level in [Level::Passthrough, Level::Native] {
        let catalog =
            catalog(level, json!([{"name": "a", "inputSchema": {"properties": {"b": {"type": "string"}}}}]));
        assert_eq!(
            for_anthropic(&catalog, AnthropicOptions::default()).tools[0]["input_schema"]["type"],
            "object"
        );
        assert_eq!(for_openai(&catalog).tools[0]["function"]["parameters"]["type"], "object");
        assert_eq!(for_openai_responses(&catalog, None).tools[0]["parameters"]["type"], "object");
    }
}

#[test]
fn a_map_that_grows_is_a_block_more_for_anthropic() {
    let tools = |names: &[&str]| -> Vec<_> { names.iter().map(|name| super::tool(name, &["id"])).collect() };
    let first = compile(&tools(&["b"]), &Options::at(Level::Map)).unwrap();
    let second =
        compile(&tools(&["a", "b"]), &Options { base: Some(first.ledger()), ..Options::default() }).unwrap();
    let blocks = |catalog: &Catalog| for_anthropic(catalog, AnthropicOptions::default()).system;
    let (before, after) = (blocks(&first), blocks(&second));
    assert_eq!((before.len(), after.len()), (1, 2));
    assert_eq!(before[0]["text"], after[0]["text"]);
    assert!(after[0].get("cache_control").is_none() && after[1].get("cache_control").is_some());
    // The same tools again: the same blocks.
    let third =
        compile(&tools(&["a", "b"]), &Options { base: Some(second.ledger()), ..Options::default() }).unwrap();
    assert_eq!(blocks(&third), after);
}
