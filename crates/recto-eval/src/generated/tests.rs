use std::collections::BTreeSet;

use super::*;

fn small(count: usize) -> Set {
    generate(Generation { count, max_bytes: 40_000, ..Generation::default() }).unwrap()
}

fn text<'s>(set: &'s Set, item: &Item, range: &Range<usize>) -> &'s str {
    str::from_utf8(&set.samples[item.sample].bytes[range.clone()]).unwrap()
}

#[test]
fn every_needle_lies_in_its_record_and_says_something() {
    let set = small(14 * 14);
    for item in &set.items {
        let name = &set.samples[item.sample].name;
        match &item.evidence {
            Evidence::Records(needles) => {
                assert!(!needles.is_empty(), "{name}: {}", item.class);
                for needle in needles {
                    for part in [&needle.id, &needle.value] {
                        assert!(!text(&set, item, part).is_empty(), "{name}");
                        let is_inside = part.start >= needle.record.start && part.end <= needle.record.end;
                        assert!(is_inside, "{name}: {}: {:?}", item.class, text(&set, item, part));
                    }
                    assert!(!text(&set, item, &needle.id).contains([' ', '"', '\n']), "{name}");
                }
            }
            Evidence::Absent(absent) => {
                let source = String::from_utf8_lossy(&set.samples[item.sample].bytes);
                assert!(!source.contains(absent), "{name}");
            }
            other => panic!("{name}: {other:?}"),
        }
    }
}

#[test]
fn every_class_meets_every_format() {
    let set = small(14 * 7);
    let met: BTreeSet<(&str, &str)> = set
        .items
        .iter()
        .map(|item| (item.class.as_str(), set.samples[item.sample].name.split(' ').nth(1).unwrap()))
        .collect();
    assert_eq!(met.len(), 14 * 7);
}

#[test]
fn json_is_json_and_csv_has_one_width() {
    let set = small(14 * 7);
    for sample in &set.samples {
        let source = str::from_utf8(&sample.bytes).unwrap();
        match sample.name.split(' ').nth(1).unwrap() {
            "json" | "json-pretty" | "json-nested" => {
                serde_json::from_str::<serde_json::Value>(source).unwrap();
            }
            "jsonl" => {
                for line in source.lines() {
                    serde_json::from_str::<serde_json::Value>(line).unwrap();
                }
            }
            "csv" => {
                let width = source.lines().next().unwrap().split(',').count();
                let fifth = source.lines().skip(5).find(|line| !line.contains('"')).unwrap();
                assert_eq!(fifth.split(',').count(), width, "{fifth}");
            }
            _ => assert!(source.lines().count() > 12, "{}", sample.name),
        }
    }
}

#[test]
fn what_is_rare_is_there_once() {
    let set = small(14 * 14);
    for item in
        set.items.iter().filter(|item| ["minority value", "rare template"].contains(&item.class.as_str()))
    {
        let Evidence::Records(needles) = &item.evidence else { panic!() };
        let value = text(&set, item, &needles[0].value);
        let source = str::from_utf8(&set.samples[item.sample].bytes).unwrap();
        assert_eq!(source.matches(value).count(), 1, "{}: {value}", set.samples[item.sample].name);
    }
}

#[test]
fn a_mistyped_name_is_not_in_the_source() {
    let set = small(14 * 14);
    for item in set.items.iter().filter(|item| item.class == "named row, typo") {
        let source = str::from_utf8(&set.samples[item.sample].bytes).unwrap();
        assert!(!source.contains(item.query.as_deref().unwrap()), "{:?}", item.query);
    }
}

#[test]
fn a_seed_makes_one_set_and_sizes_are_spread() {
    assert_eq!(
        small(20).samples.iter().map(|sample| &sample.bytes).collect::<Vec<_>>(),
        small(20).samples.iter().map(|sample| &sample.bytes).collect::<Vec<_>>()
    );
    let mut prng = Prng::new(1);
    let sizes: Vec<u64> = (0..4_000).map(|_| size(&mut prng, 2_000, 2_000_000)).collect();
    assert!(sizes.iter().all(|size| (2_000..=2_000_000).contains(size)));
    let below = sizes.iter().filter(|size| **size < 63_246).count();
    assert!((1_850..2_150).contains(&below), "{below} of 4,000 below the geometric mean");
}
