use proptest::prelude::*;
use recto_archive::{Archive, Digest, MemoryArchive, Ref, Scope, SqliteArchive, Target, block_on};

fn archives() -> (tempfile::TempDir, Vec<Box<dyn Archive>>) {
    let folder = tempfile::tempdir().unwrap();
    let sqlite = SqliteArchive::open(folder.path().join("recto.db")).unwrap();
    (folder, vec![Box::new(MemoryArchive::new()), Box::new(sqlite)])
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// A range of what was put is the slice, whatever the bytes and however they came.
    #[test]
    fn ranges_are_slices(
        pieces in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..30_000), 0..12),
        repeat in 1..90_usize,
        ranges in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 8),
        flushes in any::<u16>(),
    ) {
        let (_folder, archives) = archives();
        let bytes: Vec<u8> = pieces.concat().repeat(repeat);
        for archive in &archives {
            let put = block_on(archive.put(&Scope::local(), &bytes)).unwrap();
            let other = Scope::new("writer").unwrap();
            let mut writer = block_on(archive.begin(&other, "run")).unwrap();
            for (turn, piece) in pieces.iter().cycle().take(pieces.len() * repeat).enumerate() {
                writer.write(piece).unwrap();
                if flushes >> (turn % 16) & 1 == 1 {
                    writer.flush().unwrap();
                }
            }
            prop_assert_eq!(writer.finish().unwrap(), put);
            for scope in [&Scope::local(), &other] {
                prop_assert!(block_on(archive.get(scope, &put, 0..u64::MAX)).unwrap() == bytes);
                for (a, b) in &ranges {
                    let (a, b) = (a.index(bytes.len() + 1), b.index(bytes.len() + 1));
                    let (start, end) = (a.min(b), a.max(b));
                    let got = block_on(archive.get(scope, &put, start as u64..end as u64)).unwrap();
                    prop_assert!(got == bytes[start..end], "{}..{}", start, end);
                }
            }
        }
    }

    /// Whatever is issued resolves to what it was issued for, and no two targets share a name.
    #[test]
    fn names_are_unique_and_permanent(policies in prop::collection::vec(any::<[u8; 32]>(), 1..20)) {
        let (_folder, archives) = archives();
        for archive in &archives {
            let scope = Scope::local();
            let original = block_on(archive.put(&scope, b"bytes")).unwrap();
            let map = block_on(archive.put_map(&scope, b"map")).unwrap();
            let issued: Vec<(Ref, Target)> = policies.iter().map(|policy| {
                let target = Target::View { original, policy: Digest(*policy), map };
                (block_on(archive.issue(&scope, &target)).unwrap(), target)
            }).collect();
            for (name, target) in &issued {
                let resolved = block_on(archive.resolve(&scope, name)).unwrap();
                prop_assert_eq!(resolved.as_ref(), Some(target));
                prop_assert_eq!(&name.to_string().parse::<Ref>().unwrap(), name);
            }
        }
    }
}
