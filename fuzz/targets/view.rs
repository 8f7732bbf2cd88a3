//! Any bytes under any policy: views tile their source, hold a hard budget, and give every elision back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use recto_outline::Fuel;
use recto_view::{Budget, Mode, Policy, Source, ViewError, expand, verify, view};

fuzz_target!(|input: &[u8]| {
    let Some((&[selector, size], bytes)) = input.split_first_chunk::<2>() else { return };
    let source = Source::new(bytes);
    let limit = u64::from(size) * 8;
    let policy = Policy {
        mode: if selector & 1 == 0 { Mode::Marked } else { Mode::Exact },
        budget: if selector & 2 == 0 { Budget::bytes(limit) } else { Budget::tokens(limit / 4) },
        query: (selector & 4 == 0).then(|| "error id".to_owned()),
        ..Policy::default()
    };
    let view = match view(&source, &policy, None, &mut Fuel::unlimited()) {
        Ok(view) => view,
        Err(ViewError::BudgetTooSmall { .. } | ViewError::NotText { .. }) if policy.mode == Mode::Exact => {
            return;
        }
        Err(error) => panic!("{policy:?}: {error}"),
    };
    let text = view.render(&source).expect("a view renders from its own source");
    assert!(text.len() <= bytes.len(), "{} bytes shown of {}", text.len(), bytes.len());
    if let Some(max_bytes) = policy.budget.max_bytes {
        assert!(text.len() as u64 <= max_bytes, "{} bytes for {max_bytes}", text.len());
    }
    let map = view.map().expect("structural");
    verify(&source, map).expect("a view's map is its source's");
    assert_eq!(expand(&source, map, None).expect("the whole"), bytes);
    let kept: u64 = map.spans.iter().map(|span| span.bytes()).sum();
    let ordinals = 1..=map.elisions.len() as u64;
    let dropped: usize = ordinals.map(|n| expand(&source, map, Some(n)).expect("each elision").len()).sum();
    assert_eq!(kept + dropped as u64, bytes.len() as u64);
});
