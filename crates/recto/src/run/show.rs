//! What is printed once a command has ended: its output if that is small, else a view of it.

use std::path::{Path, PathBuf};

use recto::{
    CompressError, Issued,
    archive::{Archive, ArchiveError, Digest, Ref, Target, block_on},
    compress,
    view::{Mode, Policy, Recall, Source, WHOLE_BELOW_BYTES},
};
use serde_json::{Value, json};

use super::{
    ending::Ended,
    keeper::{Kept, print},
    process::Stream,
    spill::Spill,
};
use crate::{
    commands::compress::report,
    failure::{OTHER_STORE, Outcome},
    output, store,
};

/// Outputs longer than this are not read back for a view: one line with their ref stands for them. A view takes about three
/// times its source in memory.
pub(crate) const VIEW_LIMIT_BYTES: u64 = 256 << 20;

/// How a command's output is shown.
#[derive(Clone, Copy)]
pub(crate) struct Show<'s> {
    pub(crate) policy: &'s Policy,
    /// Where the output was kept, if it could be.
    pub(crate) archive: Option<&'s dyn Archive>,
    /// Where it goes if the archive takes no view of it.
    pub(crate) spill_folder: &'s Path,
    pub(crate) ended: &'s Ended,
    pub(crate) as_json: bool,
}

/// Where all of an output can be had.
enum Rest {
    /// In the archive.
    Archive(Digest),
    /// In a file, because of `why`.
    File { path: PathBuf, why: String },
    /// In the archive, but under no ref, because of `why`.
    Unnamed { place: String, why: String },
    /// Nowhere, as was asked for.
    Nowhere,
}

impl Show<'_> {
    /// Prints a stream, or a view of it.
    pub(crate) fn stream(&self, kept: Kept, stream: Stream) -> Outcome<()> {
        if matches!(kept, Kept::Printed) {
            return Ok(());
        }
        if kept.bytes() > VIEW_LIMIT_BYTES {
            return self.line(&kept, stream);
        }
        let mut bytes = Vec::with_capacity(usize::try_from(kept.bytes()).unwrap_or(0));
        kept.read(self.archive, &mut |piece| bytes.extend_from_slice(piece))?;
        if !self.as_json && self.fits(&bytes) {
            print(&bytes, stream)?;
            forget(kept);
            return Ok(());
        }
        let source = match &kept {
            Kept::Stored { digest, .. } => Source::with_digest(&bytes, digest.0),
            _ => Source::new(&bytes),
        };
        let rest = rest(&kept);
        let archive = self.archive.filter(|_| matches!(rest, Rest::Archive(_)));
        match compress(&source, self.policy, &store::scope(), || Ok(archive)) {
            Ok(issued) if issued.view.is_complete() => {
                self.view(&source, &issued, &Rest::Nowhere, stream)?;
                forget(kept);
                Ok(())
            }
            Ok(issued) => self.view(&source, &issued, &rest, stream),
            Err(CompressError::Archive(error)) => self.without_archive(&source, &error, stream),
            Err(error) => {
                output::warn(&format!("no view could be made, everything is printed: {error}"));
                print(&bytes, stream)
            }
        }
    }

    /// Tells whether the bytes are printed as they are, whatever they are.
    fn fits(&self, bytes: &[u8]) -> bool {
        // A table is shorter, however small the output.
        if matches!(self.policy.mode, Mode::Table | Mode::Auto) {
            return false;
        }
        let budget = &self.policy.budget;
        let length = bytes.len() as u64;
        // No token is shorter than a byte, and no count is scaled to more than twice the tokens. What may have more is for the view
        // to count.
        let tokens_fit = |most: u64| length <= most / 2;
        if !budget.is_given() {
            return length <= WHOLE_BELOW_BYTES;
        }
        budget.ratio_ppm.is_none()
            && budget.max_bytes.is_none_or(|most| length <= most)
            && budget.max_tokens.is_none_or(tokens_fit)
    }

    /// The archive has the output, but takes no name for a view of it: a file takes all of it, else it is printed.
    fn without_archive(&self, source: &Source<'_>, error: &ArchiveError, stream: Stream) -> Outcome<()> {
        let made = Spill::that_stays(self.spill_folder).and_then(|mut spill| {
            let written = spill.write(source.bytes());
            written.map(|()| spill)
        });
        let path = match &made {
            Ok(spill) => spill.path().map(Path::to_owned).unwrap_or_default(),
            Err(spill_error) => {
                output::warn(&format!("{error}; {spill_error}: everything is printed"));
                return print(source.bytes(), stream);
            }
        };
        let rest = Rest::File { path, why: error.to_string() };
        let unnamed =
            compress::<dyn Archive, store::Store>(source, self.policy, &store::scope(), || Ok(None))?;
        self.view(source, &unnamed, &rest, stream)
    }

    fn view(&self, source: &Source<'_>, issued: &Issued, rest: &Rest, stream: Stream) -> Outcome<()> {
        let view = &issued.view;
        if self.as_json {
            output::json(&self.json(source, issued, rest)?)?;
        } else if view.is_whole() {
            print(source.bytes(), stream)?;
        } else {
            print(view.render(source)?.as_bytes(), stream)?;
        }
        if !view.is_complete() {
            self.say_about(source, issued, rest);
        }
        Ok(())
    }

    /// Says on stderr what the view itself cannot say.
    fn say_about(&self, source: &Source<'_>, issued: &Issued, rest: &Rest) {
        if let Err(error) = std::str::from_utf8(source.bytes()) {
            let at = error.valid_up_to();
            output::warn(&format!(
                "the output is not valid UTF-8 (first at byte {at}): invalid bytes are not shown"
            ));
        }
        if issued.view.is_empty {
            let all = issued
                .name
                .as_ref()
                .map_or_else(String::new, |name| format!("; all of it: recto expand {name}"));
            output::warn(&format!("nothing is shown: the budget is too small for even one line{all}"));
        }
        rest.say();
    }

    fn json(&self, source: &Source<'_>, issued: &Issued, rest: &Rest) -> Outcome<Value> {
        let mut value = report(source, self.policy, issued)?;
        self.add_end(&mut value, rest);
        Ok(value)
    }

    fn add_end(&self, value: &mut Value, rest: &Rest) {
        let Some(object) = value.as_object_mut() else { return };
        object.insert("exitCode".to_owned(), self.ended.code().into());
        object.insert("signal".to_owned(), self.ended.signal().into());
        object.insert("timedOut".to_owned(), self.ended.timed_out.into());
        if let Some(place) = rest.place() {
            object.insert("keptIn".to_owned(), place.into());
        }
    }

    /// Prints the line that stands for an output of which no view is made.
    fn line(&self, kept: &Kept, stream: Stream) -> Outcome<()> {
        let bytes = kept.bytes();
        let mut rest = rest(kept);
        let mut name = None;
        if let Rest::Archive(digest) = rest {
            match self.name(digest) {
                Ok(named) => name = Some(named),
                Err(error) => {
                    let place = format!("the archive, as original {digest} (`recto store export`)");
                    rest = Rest::Unnamed { place, why: error.to_string() };
                }
            }
        }
        let how = match (&name, self.policy.recall) {
            (Some(name), Recall::Shell) => format!("recto expand {name}"),
            (Some(name), Recall::Tool) => format!("recto_expand {name}"),
            _ => "not shown".to_owned(),
        };
        let line = format!("[recto: output, {}, {how}]\n", output::size(bytes));
        if self.as_json {
            let mut value = json!({
                "method": "none", "srcBytes": bytes, "rendered": line, "ref": name.as_ref().map(ToString::to_string),
            });
            self.add_end(&mut value, &rest);
            output::json(&value)?;
        } else if self.allows(&line) {
            print(line.as_bytes(), stream)?;
        } else {
            output::complain(line.trim_end());
        }
        let hint = name.map_or_else(String::new, |name| {
            format!("; look into it: `recto expand {name} --grep RE` or `--lines A:B`")
        });
        output::warn(&format!(
            "the output has more than {}, of which no view is made{hint}",
            output::size(VIEW_LIMIT_BYTES)
        ));
        rest.say();
        Ok(())
    }

    fn name(&self, digest: Digest) -> Result<Ref, ArchiveError> {
        let archive = self.archive.ok_or_else(|| ArchiveError::NotFound { what: digest.to_string() })?;
        block_on(archive.issue(&store::scope(), &Target::Original(digest)))
    }

    fn allows(&self, line: &str) -> bool {
        let budget = &self.policy.budget;
        budget.max_bytes.is_none_or(|most| line.len() as u64 <= most)
            && budget
                .max_tokens
                .is_none_or(|most| self.policy.tokenizer.counter().count_up_to(line, most).is_some())
    }
}

/// Spells a text as one word of a shell's line.
fn shell_word(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+,:@%=".contains(&byte) || byte >= 0x80;
    if !text.is_empty() && text.bytes().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

fn rest(kept: &Kept) -> Rest {
    match kept {
        Kept::Stored { digest, .. } => Rest::Archive(*digest),
        Kept::Journal { id, why, .. } => Rest::Unnamed {
            place: format!("the archive, as run {id} (`recto store adopt {id}`)"),
            why: why.clone(),
        },
        Kept::Spilled { spill, why: Some(why) } => {
            Rest::File { path: spill.path().map(Path::to_owned).unwrap_or_default(), why: why.clone() }
        }
        Kept::Spilled { .. } | Kept::Nothing | Kept::Printed => Rest::Nowhere,
    }
}

/// Takes away the file of an output that was shown whole. That nothing could be stored is said nevertheless: the next output may
/// be longer.
fn forget(kept: Kept) {
    match kept {
        Kept::Spilled { spill, why } => {
            spill.remove();
            if let Some(why) = why {
                output::warn(&format!("nothing is stored: {why}"));
            }
        }
        Kept::Journal { id, why, .. } => {
            output::warn(&format!("the output is kept as run {id}, but is no original yet: {why}"));
        }
        _ => {}
    }
}

impl Rest {
    /// Where it is, unless it has a ref.
    fn place(&self) -> Option<String> {
        match self {
            Self::File { path, .. } => Some(path.display().to_string()),
            Self::Unnamed { place, .. } => Some(place.clone()),
            Self::Archive(_) | Self::Nowhere => None,
        }
    }

    /// Says where what was left out can be had, unless the view does.
    fn say(&self) {
        match self {
            Self::Archive(_) => {}
            Self::File { path, why } => {
                output::warn(&format!("{why}; the whole output is in {}", path.display()));
                let file = shell_word(&path.to_string_lossy());
                output::complain(&format!(
                    "hint: look into it: `recto expand --source {file} --grep RE` or `--lines A:B`; next time \
                     {OTHER_STORE}"
                ));
            }
            Self::Unnamed { place, why } => {
                output::warn(&format!("{why}; the whole output is in {place}"));
                output::complain(&format!("hint: {OTHER_STORE}"));
            }
            Self::Nowhere => output::warn(
                "nothing was stored (--no-store): what is left out can be had only by running the command again",
            ),
        }
    }
}
