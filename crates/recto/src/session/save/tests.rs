use std::{cell::Cell, os::unix::fs::PermissionsExt as _};

use super::*;

const MESSAGES: usize = 3;

/// A session of opencode in a folder.
fn session(folder: &Path) -> Transcript {
    let storage = folder.join("storage");
    let write = |name: String, text: String| {
        let path = storage.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write(
        "session/p/ses_1.json".into(),
        r#"{"id":"ses_1","projectID":"p","directory":"/w","title":"t"}"#.into(),
    );
    for number in 0..MESSAGES {
        write(
            format!("message/ses_1/msg_{number}.json"),
            format!(r#"{{"id":"msg_{number}","sessionID":"ses_1","role":"user"}}"#),
        );
        write(
            format!("part/msg_{number}/prt_{number}.json"),
            format!(r#"{{"id":"prt_{number}","messageID":"msg_{number}","type":"text","text":"old"}}"#),
        );
    }
    Transcript::open(&storage.join("session/p/ses_1.json"), None).unwrap()
}

/// The parts are changed.
fn work<'w>(transcript: &'w Transcript, fill: &'w Fill) -> Work<'w> {
    let is_part = |path: &Path| path.components().any(|name| name.as_os_str() == "part");
    let files = transcript.paths().zip(0..).filter(|(path, _)| is_part(path)).map(|(_, number)| number);
    Work { transcript, files: files.collect(), fill }
}

type Fill = dyn Fn(u32, &mut dyn Write) -> Result<(), TranscriptError>;

fn fill(number: u32, to: &mut dyn Write) -> Result<(), TranscriptError> {
    to.write_all(format!("new {number}").as_bytes()).unwrap();
    Ok(())
}

/// The texts of the parts, in their order.
fn parts(transcript: &Transcript) -> Vec<String> {
    let own = work(transcript, &fill).files;
    let paths = transcript.paths().zip(0..).filter(|(_, number)| own.contains(number));
    paths.map(|(path, _)| fs::read_to_string(path).unwrap()).collect()
}

/// All names below a folder.
fn names(folder: &Path) -> Vec<String> {
    let (mut open, mut names) = (vec![folder.to_owned()], Vec::new());
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                names.push(path.strip_prefix("/").unwrap().display().to_string());
            }
        }
    }
    names.sort();
    names
}

/// Ends the work at one step, as a kill would: nothing is undone.
fn killed_at(step: usize) -> impl Fn(&'static str) -> Outcome<()> {
    let left = Cell::new(step);
    move |_| match left.get() {
        0 => Err(Failure::job("killed")),
        more => {
            left.set(more - 1);
            Ok(())
        }
    }
}

#[test]
fn after_a_kill_at_any_step_the_next_one_finishes_or_undoes_it() {
    let (mut undone, mut finished) = (0, 0);
    for step in 0.. {
        let folder = tempfile::tempdir().unwrap();
        let transcript = session(folder.path());
        let (before, clean) = (parts(&transcript), names(folder.path()));
        let stamp = Stamp::of(&transcript);
        let ended = in_place(&work(&transcript, &fill), &stamp, &killed_at(step));
        let is_killed = ended.is_err();
        let after = journal::end_earlier(&transcript).unwrap();
        let now = parts(&transcript);
        let left = names(folder.path());
        let is_new = now.iter().all(|text| text.starts_with("new "));
        if is_new {
            // Every file that was changed has its backup, and nothing else is left.
            let backups: Vec<&String> =
                left.iter().filter(|name| name.ends_with(".recto-backup-1")).collect();
            assert_eq!(
                (backups.len(), left.len()),
                (MESSAGES, clean.len() + MESSAGES),
                "step {step}: {left:?}"
            );
            for (name, old) in backups.iter().zip(&before) {
                assert_eq!(fs::read_to_string(Path::new("/").join(name)).unwrap(), *old);
            }
            assert_eq!(is_killed, after == Ended::Finished(Vec::new()), "step {step}: {after:?}");
            finished += usize::from(is_killed);
        } else {
            assert_eq!((now, left), (before, clean), "step {step}: {after:?}");
            assert_eq!(after, Ended::Undone, "step {step}");
            undone += 1;
        }
        assert_eq!(journal::end_earlier(&transcript).unwrap(), Ended::Nothing);
        if !is_killed {
            // Locked and planned; three steps for each file made ready; ready; two for each changed, all changed.
            assert_eq!(
                (undone, finished, step),
                (2 + 3 * MESSAGES, 2 * MESSAGES + 2, 4 * MESSAGES + MESSAGES + 4)
            );
            return;
        }
    }
}

#[test]
fn an_error_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let transcript = session(folder.path());
    let (before, clean) = (parts(&transcript), names(folder.path()));
    let full = |number: u32, to: &mut dyn Write| -> Result<(), TranscriptError> {
        if number > 3 {
            let source = std::io::Error::from(std::io::ErrorKind::StorageFull);
            return Err(TranscriptError::Io { action: "copy", path: PathBuf::new(), source });
        }
        fill(number, to)
    };
    let stamp = Stamp::of(&transcript);
    in_place(&work(&transcript, &full), &stamp, &|_| Ok(())).unwrap_err();
    assert_eq!((parts(&transcript), names(folder.path())), (before, clean));
}

#[test]
fn what_a_client_changed_after_the_kill_stays() {
    let folder = tempfile::tempdir().unwrap();
    let transcript = session(folder.path());
    let stamp = Stamp::of(&transcript);
    // After the first file is changed.
    in_place(&work(&transcript, &fill), &stamp, &killed_at(3 + 3 * MESSAGES + 1)).unwrap_err();
    let second = transcript.paths().find(|path| path.ends_with("prt_1.json")).unwrap().to_owned();
    fs::write(&second, "of the client").unwrap();
    let Ended::Finished(changed) = journal::end_earlier(&transcript).unwrap() else { panic!("not finished") };
    assert_eq!(changed, [second.canonicalize().unwrap()]);
    let now = parts(&transcript);
    assert_eq!(now[1], "of the client");
    assert!(now[0].starts_with("new ") && now[2].starts_with("new "), "{now:?}");
    assert!(
        !names(folder.path()).iter().any(|name| name.contains(".recto-journal") || name.contains("/.recto-"))
    );
}

#[test]
fn a_journal_of_somebody_else_is_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let transcript = session(folder.path());
    let victim = folder.path().join("victim");
    fs::write(&victim, "whole").unwrap();
    let journal = transcript.path().canonicalize().unwrap();
    let journal = PathBuf::from(format!("{}.recto-journal", journal.display()));
    let unix = |path: &Path| format!("{{\"Unix\":{:?}}}", path.as_os_str().as_encoded_bytes());
    let mark = r#"{"bytes":5,"seconds":0,"nanoseconds":0,"inode":0}"#;
    for text in [
        format!(
            "{{\"version\":1,\"files\":[{{\"target\":{},\"fresh\":{},\"mark\":{mark}}}]}}\n",
            unix(transcript.path()),
            unix(&victim)
        ),
        "what is this?\n".to_owned(),
    ] {
        fs::write(&journal, text).unwrap();
        let failure = journal::end_earlier(&transcript).unwrap_err();
        assert!(failure.message().contains("no journal of this session"), "{}", failure.message());
        assert_eq!(fs::read_to_string(&victim).unwrap(), "whole");
    }
}

#[test]
fn while_another_is_at_work_nothing_is_ended() {
    let folder = tempfile::tempdir().unwrap();
    let transcript = session(folder.path());
    let stamp = Stamp::of(&transcript);
    let seen = Cell::new(0);
    for path in transcript.paths() {
        fs::set_permissions(path, fs::Permissions::from_mode(0o640)).unwrap();
    }
    let look = |_: &'static str| {
        let failure = journal::end_earlier(&transcript).unwrap_err();
        assert!(failure.message().contains("another recto is writing this session"));
        seen.set(seen.get() + 1);
        Ok(())
    };
    in_place(&work(&transcript, &fill), &stamp, &look).unwrap();
    assert!(seen.get() > MESSAGES);
    let changed = transcript.paths().find(|path| path.ends_with("prt_1.json")).unwrap();
    assert_eq!(changed.metadata().unwrap().permissions().mode() & 0o777, 0o640);
}
