//! "Tools may cost so many tokens."

use proptest::prelude::*;
use recto_catalog::{CatalogError, Detail, Level, Options, compile};
use recto_tokens::Tokenizer;

use crate::corpus::servers;

#[test]
fn budgets_are_kept_and_spent() {
    let Some(servers) = servers() else { return };
    for (name, list) in servers {
        for budget in [300, 1_000, 2_000, 8_000, 40_000] {
            let Ok(catalog) = compile(&list.tools, &Options::within(budget)) else {
                panic!("{name} at {budget}")
            };
            let spent = catalog.stats(Tokenizer::O200k).compressed_tokens;
            let plan = catalog.budget().expect("what was chosen is said");
            assert_eq!(plan.spent_tokens, spent, "{name} at {budget}");
            assert!(spent <= budget, "{name}: {spent} of {budget}");
            assert_eq!(plan.lines.len(), catalog.directory().entries().len());
            // A tenth is left over at most, and what any one tool's next step would cost.
            let step = plan.lines.iter().filter_map(|line| line.more_tokens).min();
            let left = budget - spent;
            assert!(
                step.is_none_or(|step| left <= step + budget / 10),
                "{name}: {left} of {budget} are left"
            );
        }
    }
}

#[test]
fn tools_that_are_used_and_pinned_come_first() {
    let Some(servers) = servers() else { return };
    let (_, list) = servers.into_iter().find(|(name, _)| name == "github-toolsnaps").unwrap();
    let options = Options {
        pins: vec!["get_me".to_owned()],
        uses: [("issue_read".to_owned(), 50)].into(),
        ..Options::within(1_200)
    };
    let catalog = compile(&list.tools, &options).unwrap();
    let detail =
        |code: &str| catalog.budget().unwrap().lines.iter().find(|line| line.code == code).unwrap().detail;
    assert_eq!(detail("get_me"), Detail::Native);
    assert!(detail("issue_read") >= Detail::Signature);
    assert!(catalog.budget().unwrap().lines.iter().any(|line| line.detail < Detail::Signature));
    assert!(catalog.stats(Tokenizer::O200k).compressed_tokens <= 1_200);
}

#[test]
fn few_tools_are_all_themselves_and_no_budget_is_an_error() {
    let tools = [super::tool("a", &["x"]), super::tool("b", &[])];
    assert_eq!(compile(&tools, &Options::within(2_000)).unwrap().level(), Level::Native);
    assert!(matches!(
        compile(&tools, &Options::within(20)),
        Err(CatalogError::Budget { budget_tokens: 20, .. })
    ));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn a_budget_is_never_exceeded(names in proptest::collection::btree_set("[a-z]{1,8}(_[a-z]{1,8}){0,2}", 1..60), budget in 200_u64..3_000) {
        let tools: Vec<_> = names.iter().map(|name| super::tool(name, &["owner", "repo"])).collect();
        let first = compile(&tools[..tools.len() / 2], &Options::within(budget)).unwrap();
        prop_assert!(first.stats(Tokenizer::O200k).compressed_tokens <= budget);
        let grown = compile(&tools, &Options { base: Some(first.ledger()), ..Options::default() }).unwrap();
        prop_assert!(grown.stats(Tokenizer::O200k).compressed_tokens <= budget);
        let was_sent_anew = grown.notes().iter().any(|note| note.code.is_empty());
        prop_assert!(was_sent_anew || grown.system_preamble().starts_with(first.system_preamble()));
        // And back: tools that went leave room, or everything is sent anew; codes stay.
        let back = compile(&tools[..tools.len() / 2], &Options { base: Some(grown.ledger()), ..Options::default() }).unwrap();
        prop_assert!(back.stats(Tokenizer::O200k).compressed_tokens <= budget);
        for entry in grown.directory().entries() {
            let now = back.directory().get(entry.code());
            prop_assert!(now.is_none_or(|now| now.tool().name() == entry.tool().name()));
        }
    }
}

#[test]
fn a_budget_offers_no_tool_under_the_name_of_the_maps_own() {
    let mut tools: Vec<_> =
        (0..30).map(|n| super::tool(&format!("list_{n}"), &["owner", "repo", "page"])).collect();
    tools.extend([super::tool("t", &["f"]), super::tool("q", &["s"])]);
    let uses = [("t".to_owned(), 10_000), ("q".to_owned(), 10_000)].into();
    let catalog = compile(&tools, &Options { uses, ..Options::within(700) }).unwrap();
    let own = catalog.tools().iter().filter(|tool| tool.name == "t" || tool.name == "q").count();
    assert_eq!((catalog.level(), own), (Level::Map, 2));
}
