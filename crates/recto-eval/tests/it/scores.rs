//! Runs with methods whose scores follow from what they do.

use recto_eval::{
    Baseline, Condition, Evidence, Item, Method, Peer, Plan, Report, Retention, Sample, Set, SetReport,
    TokenBudget, run,
};
use recto_view::Mode;

fn set() -> Set {
    let text = |name: &str| -> String {
        (0..200)
            .map(|n| format!("{name} {n} is as it was\n"))
            .chain([format!("{name} 200 is odd\n")])
            .collect()
    };
    let samples = ["ant", "bee"].map(|name| Sample::new(name.to_owned(), text(name).into_bytes(), None));
    let item = |sample: usize, answer: &str, needs_query: bool| Item {
        sample,
        class: "lookup".to_owned(),
        question: format!("Where is {answer}?"),
        query: Some(answer.to_owned()),
        needs_query,
        evidence: Evidence::Text { answer: answer.to_owned(), bind: None },
    };
    let items = vec![
        item(0, "ant 200 is odd", false),
        item(0, "ant 77 is as", true),
        item(1, "bee 200 is odd", false),
        item(1, "bee 3 is as it was\nbee 4 is as it was\n", true),
    ];
    Set { name: "tiny".to_owned(), samples: samples.into(), items, ..Set::default() }
}

fn peer(name: &str, command: &str) -> Method {
    Method::Peer(Peer::parse(&format!("{name}={command}"), recto_eval::PEER_TIMEOUT).unwrap())
}

fn plan(methods: Vec<Method>, budgets: &[TokenBudget], threads: usize) -> Plan {
    Plan { methods, budgets: budgets.to_vec(), seed: 1, threads }
}

fn report(set: &Set, plan: &Plan) -> SetReport {
    SetReport::new(set, plan, &run(set, plan, &|_| {}), true)
}

fn all<'r>(report: &'r SetReport, method: &str, condition: Condition) -> &'r Retention {
    let is_wanted = |line: &&Retention| {
        line.method == method
            && line.condition == condition
            && line.questions == recto_eval::Questions::All
            && line.budget == TokenBudget::Tokens(60)
    };
    report.retention.iter().find(is_wanted).unwrap()
}

#[test]
fn everything_scores_one_and_nothing_scores_nothing() {
    let set = set();
    let methods = vec![peer("all", "cat"), peer("none", "true"), peer("broken", "exit 4")];
    let report = report(&set, &plan(methods, &[TokenBudget::Tokens(60)], 2));
    for condition in Condition::ALL {
        assert_eq!(all(&report, "all", condition).retention, Some(1.0));
        assert_eq!(all(&report, "none", condition).retention, Some(0.0));
        assert_eq!(all(&report, "all", condition).over_budget, 1.0);
        assert_eq!(all(&report, "none", condition).over_budget, 0.0);
        assert_eq!(all(&report, "broken", condition).retention, Some(0.0));
    }
    let cost = |method: &str| report.costs.iter().find(|cost| cost.method == method).unwrap();
    // Two sources; no query is looked at, so each is run once.
    assert_eq!((cost("all").outputs, cost("all").over_budget, cost("all").failed), (2, 2, 0));
    assert_eq!((cost("none").outputs, cost("none").over_budget, cost("none").failed), (2, 0, 0));
    assert_eq!((cost("broken").outputs, cost("broken").failed), (0, 2));
    assert_eq!(Report::new(vec![report.clone()], 1).failed_methods(), ["broken"]);
    assert_eq!(report.failures.len(), 1);
    assert!(report.failures[0].2.contains("it said nothing"), "{:?}", report.failures);
}

#[test]
fn baselines_keep_what_they_are_made_for_and_hold_the_budget() {
    let set = set();
    let methods = Baseline::ALL.map(Method::Baseline).into();
    let report = report(&set, &plan(methods, &[TokenBudget::Tokens(60)], 1));
    // 60 tokens are some seven lines: tail has the last one, head the fourth and the fifth.
    assert_eq!(all(&report, "tail", Condition::NoQuery).retention, Some(0.5));
    assert_eq!(all(&report, "head", Condition::NoQuery).retention, Some(0.25));
    assert_eq!(all(&report, "grep", Condition::NoQuery).retention, Some(0.0));
    assert!(all(&report, "bm25", Condition::Query).retention >= Some(0.75));
    assert!(report.costs.iter().all(|cost| cost.over_budget == 0 && cost.failed == 0));
}

#[test]
fn what_cannot_fit_is_not_held_against_anybody() {
    let mut set = set();
    set.items.truncate(2);
    set.items[1].evidence =
        Evidence::Text { answer: format!("ant 77 is as it was\n{}", "x ".repeat(60)), bind: None };
    let report = report(&set, &plan(vec![peer("all", "cat")], &[TokenBudget::Tokens(60)], 1));
    let line = all(&report, "all", Condition::NoQuery);
    assert_eq!((line.items, line.feasible, line.retention, line.raw_retention), (2, 1, Some(1.0), 0.5));
    let small = super::scores::report(&set, &plan(vec![peer("all", "cat")], &[TokenBudget::Tokens(3)], 1));
    assert!(small.retention.iter().all(|line| line.feasible == 0 && line.retention.is_none()));
}

#[test]
fn scores_do_not_depend_on_threads() {
    let set = set();
    let scores = |threads| {
        let methods = vec![Method::Recto(Mode::Marked), Method::Baseline(Baseline::Random)];
        let scores = run(&set, &plan(methods, &TokenBudget::DEFAULT, threads), &|_| {});
        let tokens: Vec<u64> = scores.made.iter().map(|made| made.tokens).collect();
        (scores.trials, tokens)
    };
    assert_eq!(scores(1), scores(4));
}

#[test]
fn recto_holds_every_budget_and_shows_all_that_fits() {
    let set = set();
    let budgets = [TokenBudget::Tokens(60), TokenBudget::Tokens(100_000)];
    let report = report(&set, &plan(vec![Method::Recto(Mode::Marked)], &budgets, 1));
    assert!(report.costs.iter().all(|cost| cost.over_budget == 0 && cost.failed == 0));
    let whole = report.retention.iter().filter(|line| line.budget == TokenBudget::Tokens(100_000));
    assert!(whole.clone().all(|line| line.whole == line.items) && whole.clone().count() > 0);
    assert!(whole.clone().all(|line| line.retention == Some(1.0)));
}

#[test]
fn a_mode_that_refuses_is_counted_as_failed() {
    let rows = (0..300).map(|n| format!("{n},row {n},{}\n", n * 3));
    let csv: String = std::iter::once("number,name,amount\n".to_owned()).chain(rows).collect();
    let samples = vec![Sample::new("a.csv".to_owned(), csv.into_bytes(), None)];
    let evidence = Evidence::Text { answer: "row 7,21".to_owned(), bind: None };
    let item = Item {
        sample: 0,
        class: "lookup".to_owned(),
        question: "?".to_owned(),
        query: None,
        needs_query: false,
        evidence,
    };
    let set = Set { samples, items: vec![item], ..Set::default() };
    let report = report(&set, &plan(vec![Method::Recto(Mode::Exact)], &[TokenBudget::Tokens(2)], 1));
    assert_eq!(Report::new(vec![report], 1).failed_methods(), ["recto:exact"]);
}

#[test]
fn what_is_lost_is_listed_once_with_its_budgets() {
    let set = set();
    let budgets = [TokenBudget::Tokens(60), TokenBudget::Tokens(80)];
    let report = report(&set, &plan(vec![peer("none", "true")], &budgets, 1));
    let lost = report.lost.as_ref().unwrap();
    // Without a query the two that need none; with it all four.
    assert_eq!(lost.len(), 6);
    assert!(lost.iter().all(|lost| lost.budgets == budgets));
    assert!(
        lost.iter()
            .any(|lost| lost.query.as_deref() == Some("ant 77 is as") && lost.answer == "ant 77 is as")
    );
}

#[test]
fn the_page_stands_alone_and_escapes_what_it_quotes() {
    let mut set = set();
    set.items[0].question = "Is <script>alert(1)</script> \"here\" & there?".to_owned();
    let plan =
        plan(vec![peer("none", "true")], &[TokenBudget::Tokens(60), TokenBudget::SharePerMille(50)], 1);
    let page = Report::new(vec![report(&set, &plan)], 1).html();
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    for outside in ["<script", "http:", "https:", "src=", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert_eq!(page.matches("<svg").count(), page.matches("</svg>").count());
    // A plot of shares and one of tokens for each condition, and the legend.
    assert_eq!(page.matches("<figure>").count(), 6);
}
