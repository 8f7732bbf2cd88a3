use std::ops::Range;

use super::{
    Generated, PlantedKind,
    clock::Clock,
    plant::Schedule,
    trace,
    vocabulary::{REGIONS, SERVICES},
    write::{hex, hundredths, number},
};
use crate::Prng;

const PLANTS: &[PlantedKind] =
    &[PlantedKind::RareShape, PlantedKind::Trace, PlantedKind::Gap, PlantedKind::Error, PlantedKind::Named];

/// How a line begins; one for a whole log.
#[derive(Clone, Copy)]
enum Style {
    /// `2026-01-01T00:00:00.000Z INFO  [billing] message`
    Bracketed,
    /// `ts=... level=info service=billing msg="message"`
    KeyValue,
    /// `Jan  1 00:00:00 host billing[123]: INFO message`
    Syslog,
}

struct Lines {
    prng: Prng,
    clock: Clock,
    style: Style,
}

pub(super) fn log(prng: &mut Prng, min_bytes: usize) -> Generated {
    let mut generated = Generated::with_room(min_bytes);
    let mut schedule = Schedule::new(prng, min_bytes, PLANTS);
    let style = [Style::Bracketed, Style::KeyValue, Style::Syslog][prng.index(3)];
    let mut lines = Lines { prng: Prng::new(prng.next_u64()), clock: Clock::new(), style };
    while !schedule.is_finished(generated.bytes.len()) {
        let planted = schedule.due(generated.bytes.len());
        let from = generated.bytes.len();
        lines.clock.advance_millis(if planted == Some(PlantedKind::Gap) {
            3 * 3_600_000
        } else {
            lines.prng.below(400)
        });
        let telling = lines.write(&mut generated.bytes, planted);
        // A record ends before its line end, as a row or an object does.
        if generated.bytes.last() == Some(&b'\n') {
            generated.bytes.pop();
        }
        generated.note(planted, from, telling);
        generated.bytes.push(b'\n');
    }
    generated
}

impl Lines {
    /// Writes one line, or a line and a stack trace, and returns the telling range.
    fn write(&mut self, out: &mut Vec<u8>, planted: Option<PlantedKind>) -> Range<usize> {
        let service = self.prng.pick(SERVICES);
        match planted {
            Some(PlantedKind::RareShape) => self.line(out, "INFO", service, |out, _| {
                out.extend_from_slice(b"leadership handed over to replica in rack 12")
            }),
            Some(PlantedKind::Error) => self.line(out, "ERROR", service, |out, _| {
                out.extend_from_slice(b"disk quota exceeded on volume archive-03")
            }),
            Some(PlantedKind::Named) => self.line(out, "INFO", service, |out, _| {
                out.extend_from_slice(b"upload of quartz-lantern-7.tar finished")
            }),
            Some(PlantedKind::Gap) => {
                let from = out.len();
                let message = self.usual(out, service);
                from..message.start
            }
            Some(PlantedKind::Trace) => {
                self.line(out, "ERROR", service, |out, _| {
                    out.extend_from_slice(b"unhandled exception in settlement")
                });
                out.push(b'\n');
                let from = out.len();
                trace::planted(out);
                from..out.len()
            }
            _ if self.prng.chance(150) => {
                let message = self.line(out, "ERROR", service, |out, prng| {
                    out.extend_from_slice(b"request ");
                    hex(out, prng.next_u64(), 8);
                    out.extend_from_slice(b" failed");
                });
                out.push(b'\n');
                trace::repeated(out, &mut self.prng);
                message
            }
            _ => self.usual(out, service),
        }
    }

    /// Writes a line of one of the usual templates.
    fn usual(&mut self, out: &mut Vec<u8>, service: &str) -> Range<usize> {
        match self.prng.below(100) {
            0..50 => self.line(out, "INFO", service, |out, prng| {
                out.extend_from_slice(b"GET /v1/items/");
                number(out, prng.below(100_000));
                out.extend_from_slice(b" 200 in ");
                number(out, prng.within(2..80));
                out.extend_from_slice(b" ms");
            }),
            50..65 => self.line(out, "DEBUG", service, |out, prng| {
                out.extend_from_slice(b"cache hit for key ");
                hex(out, prng.next_u64(), 12);
            }),
            65..75 => self.line(out, "DEBUG", service, |out, prng| {
                out.extend_from_slice(b"pool has ");
                number(out, prng.within(1..20));
                out.extend_from_slice(b" idle connections");
            }),
            75..85 => self.line(out, "INFO", service, |out, prng| {
                out.extend_from_slice(b"replicated batch of ");
                number(out, prng.within(100..999));
                out.extend_from_slice(b" rows to ");
                out.extend_from_slice(prng.pick(REGIONS).as_bytes());
                out.extend_from_slice(b" in ");
                hundredths(out, prng.within(10..400));
                out.extend_from_slice(b" s");
            }),
            85..93 => self.line(out, "INFO", service, |out, prng| {
                out.extend_from_slice(b"session ");
                hex(out, prng.next_u64(), 8);
                out.extend_from_slice(b" opened");
            }),
            93..98 => self.line(out, "WARN", service, |out, prng| {
                out.extend_from_slice(b"slow query: ");
                number(out, prng.within(500..900));
                out.extend_from_slice(b" ms");
            }),
            _ => self.line(out, "ERROR", service, |out, prng| {
                out.extend_from_slice(b"timeout talking to 10.0.");
                number(out, prng.below(4));
                out.push(b'.');
                number(out, prng.below(256));
            }),
        }
    }

    /// Writes one line without its end and returns the range of its message.
    fn line(
        &mut self,
        out: &mut Vec<u8>,
        level: &str,
        service: &str,
        message: impl FnOnce(&mut Vec<u8>, &mut Prng),
    ) -> Range<usize> {
        match self.style {
            Style::Bracketed => {
                self.clock.write_millis(out);
                out.push(b' ');
                out.extend_from_slice(level.as_bytes());
                out.extend_from_slice(if level.len() == 4 { b"  [" } else { b" [" });
                out.extend_from_slice(service.as_bytes());
                out.extend_from_slice(b"] ");
            }
            Style::KeyValue => {
                out.extend_from_slice(b"ts=");
                self.clock.write_millis(out);
                out.extend_from_slice(b" level=");
                out.extend(level.bytes().map(|byte| byte.to_ascii_lowercase()));
                out.extend_from_slice(b" service=");
                out.extend_from_slice(service.as_bytes());
                out.extend_from_slice(b" msg=\"");
            }
            Style::Syslog => {
                self.clock.write_syslog(out);
                out.extend_from_slice(b" node-4 ");
                out.extend_from_slice(service.as_bytes());
                out.push(b'[');
                number(out, 700 + service.len() as u64);
                out.extend_from_slice(b"]: ");
                out.extend_from_slice(level.as_bytes());
                out.push(b' ');
            }
        }
        let from = out.len();
        message(out, &mut self.prng);
        let written = from..out.len();
        if matches!(self.style, Style::KeyValue) {
            out.push(b'"');
        }
        written
    }
}
