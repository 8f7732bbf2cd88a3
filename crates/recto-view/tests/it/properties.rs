//! The laws of views over generated inputs, whole and broken.

use std::thread;

use proptest::prelude::*;
use recto_outline::{ContentType, Fuel};
use recto_testkit::strategies;
use recto_view::{Budget, Mode, Policy, Recall, Source, view};

use crate::{
    facts, forms,
    laws::{self, Shown},
};

/// Mode `auto` is one of these, by what it finds; `tables` has cases of its own for it.
pub(crate) const MODES: [Mode; 3] = [Mode::Exact, Mode::Marked, Mode::Table];
/// In ascending order, as [`RATIOS_PPM`]: neighbours are compared.
pub(crate) const LIMITS: [u64; 6] = [0, 1, 10, 100, 1_000, 10_000];
pub(crate) const RATIOS_PPM: [u32; 6] = [50_000, 100_000, 250_000, 450_000, 700_000, 1_000_000];
pub(crate) const REFERENCE: &str = "r:271828182845904";

/// The budgets of each kind, each kind in ascending order.
pub(crate) fn budgets() -> [Vec<Budget>; 3] {
    [
        LIMITS.map(Budget::tokens).to_vec(),
        LIMITS.map(Budget::bytes).to_vec(),
        RATIOS_PPM.map(|ppm| Budget { ratio_ppm: Some(ppm), ..Budget::default() }).to_vec(),
    ]
}

/// Checks one view: the laws, the format's form, and what the notes say.
pub(crate) fn check(name: &dyn std::fmt::Display, source: &Source<'_>, policy: &Policy) -> Option<Shown> {
    let shown = laws::check(name, source, policy, Some(REFERENCE))?;
    let case = laws::Case { name, policy };
    forms::check(&case, source, policy.mode, &shown);
    facts::check(&case, source, policy.mode, &shown);
    Some(shown)
}

/// Checks the views of ascending budgets, each with the one before it; the views that there are.
pub(crate) fn check_ascending(
    name: &dyn std::fmt::Display,
    source: &Source<'_>,
    policy: &Policy,
    budgets: &[Budget],
) {
    let mut before: Option<Shown> = None;
    for budget in budgets {
        let policy = Policy { budget: *budget, ..policy.clone() };
        let shown = check(name, source, &policy);
        if let (Some(before), Some(shown)) = (&before, &shown) {
            laws::check_nested(&laws::Case { name, policy: &policy }, &before.map, &shown.map);
        }
        // What fits a smaller budget fits a larger one.
        assert!(before.is_none() || shown.is_some(), "{name}: no view at {budget:?}, but one below it");
        before = shown.or(before);
    }
}

fn policy(mode: Mode, query: Option<&str>) -> Policy {
    Policy { mode, query: query.map(str::to_owned), recall: Recall::Shell, ..Policy::default() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn generated_inputs(input in strategies::input(8_000), queried in any::<bool>(), kind in 0..3_usize) {
        let source = Source::new(&input.bytes);
        for mode in MODES {
            let policy = policy(mode, queried.then_some("quartz-lantern-7 evicted"));
            check_ascending(&input.kind.name(), &source, &policy, &budgets()[kind]);
        }
    }

    #[test]
    fn well_formed_inputs(input in strategies::well_formed(8_000), tokens in 0..2_000_u64, bytes in 0..8_000_u64, ppm in 1..=1_000_000_u32) {
        let source = Source::new(&input.bytes);
        for mode in MODES {
            for budget in [
                Budget::tokens(tokens),
                Budget::bytes(bytes),
                Budget { ratio_ppm: Some(ppm), ..Budget::default() },
                Budget { ratio_ppm: Some(ppm), max_bytes: Some(bytes), max_tokens: Some(tokens) },
            ] {
                check(&input.kind.name(), &source, &Policy { budget, ..policy(mode, None) });
            }
        }
    }

    #[test]
    fn neighbouring_budgets_nest(input in strategies::input(4_000), from in 0..1_500_u64) {
        let source = Source::new(&input.bytes);
        for mode in MODES {
            let bytes: Vec<Budget> = (from..from + 40).step_by(3).map(Budget::bytes).collect();
            check_ascending(&input.kind.name(), &source, &policy(mode, None), &bytes);
            let tokens: Vec<Budget> = (from / 4..from / 4 + 12).map(Budget::tokens).collect();
            check_ascending(&input.kind.name(), &source, &policy(mode, None), &tokens);
        }
    }

    #[test]
    fn any_bytes_as_any_type(bytes in strategies::hostile_bytes(600), content_type in prop::sample::select(&ContentType::ALL[..])) {
        let source = Source::new(&bytes);
        for mode in MODES {
            let policy = Policy { content_type: Some(content_type), ..policy(mode, Some("null")) };
            for budgets in budgets() {
                check_ascending(&content_type, &source, &policy, &budgets);
            }
        }
    }

    #[test]
    fn generated_inputs_as_any_type(input in strategies::input(3_000), content_type in prop::sample::select(&ContentType::ALL[..])) {
        let source = Source::new(&input.bytes);
        for mode in MODES {
            let policy = Policy { content_type: Some(content_type), ..policy(mode, None) };
            check_ascending(&format!("{} as {content_type}", input.kind.name()), &source, &policy, &[200, 600, 1_800].map(Budget::bytes));
        }
    }

    #[test]
    fn any_json_stays_json(text in strategies::json_text()) {
        let source = Source::new(text.as_bytes());
        for mode in MODES {
            for budgets in budgets() {
                check_ascending(&"json", &source, &Policy { content_type: Some(ContentType::Json), ..policy(mode, None) }, &budgets);
            }
        }
    }

    #[test]
    fn any_csv_keeps_its_head((_, text) in strategies::csv_text()) {
        let source = Source::new(text.as_bytes());
        for mode in MODES {
            for budgets in budgets() {
                check_ascending(&"csv", &source, &Policy { content_type: Some(ContentType::Csv), ..policy(mode, None) }, &budgets);
            }
        }
    }

    #[test]
    fn equal_in_every_thread(input in strategies::input(6_000), tokens in 50..1_000_u64) {
        for mode in MODES {
            let policy = Policy { budget: Budget::tokens(tokens), ..policy(mode, Some("evicted")) };
            let make = || {
                let source = Source::new(&input.bytes);
                view(&source, &policy, Some(REFERENCE), &mut Fuel::unlimited())
            };
            let first = make();
            thread::scope(|scope| {
                let threads: Vec<_> = (0..4).map(|_| scope.spawn(make)).collect();
                for thread in threads {
                    assert_eq!(thread.join().expect("no panic"), first);
                }
            });
        }
    }

    #[test]
    fn a_view_of_a_view_is_harmless(input in strategies::input(6_000), bytes in 200..3_000_u64) {
        for mode in MODES {
            let policy = Policy { budget: Budget::bytes(bytes), ..policy(mode, None) };
            let Some(first) = check(&input.kind.name(), &Source::new(&input.bytes), &policy) else { continue };
            // Within the same budget it is shown as it is; within a smaller one it is a source like any other.
            let again = check(&"again", &Source::new(first.text.as_bytes()), &policy).expect("it fits");
            // A view that is JSON can be a table like any other JSON; `check` has read it back.
            prop_assert!(again.is_table || again.text == first.text, "{}\n{}", first.text, again.text);
            let smaller = Policy { budget: Budget::bytes(bytes / 2), ..policy };
            check(&"once more", &Source::new(first.text.as_bytes()), &smaller);
        }
    }
}
