#![allow(warnings)]
use recto_outline::Fuel;
use recto_session::{history::*, policy::*, *};
use recto_tokens::Tokenizer;
use recto_view::{Budget, Mode, Policy, Recall, Source, view};
use recto_wire::*;
use std::{borrow::Cow, collections::HashMap};
struct Obs {
    names: Names,
    table: &'static recto_hooks::classes::Table,
    texts: HashMap<u32, String>,
}
impl Observer for Obs {
    fn text(&mut self, said: &Said<'_>) -> u64 {
        self.names.push(said.item, said.speaker, said.text);
        if said.speaker == Speaker::Tool || said.speaker == Speaker::Call {
            self.texts.insert(said.item, said.text.to_owned());
        }
        Tokenizer::O200k.counter().count(said.text)
    }
    fn cut(&mut self, asked: &Asked<'_>, head: &str) -> Cut {
        use recto_hooks::classes::{Call, Class};
        let call = Call {
            tool: Cow::Borrowed(asked.tool),
            paths: asked.path.map(Cow::Borrowed).into_iter().collect(),
            command: asked.command.map(Cow::Borrowed),
            ..Call::default()
        };
        match self.table.class(&call, head).class {
            Class::Ordinary => Cut::Anytime,
            Class::Source => Cut::WhenOld,
            _ => Cut::Never,
        }
    }
}
fn main() {
    let mut args = std::env::args().skip(1);
    let mode = args.next().unwrap();
    let num: Vec<u32> = mode.split(',').map(|x| x.parse().unwrap()).collect();
    let [older, above, to, fresh, sup, over, prune, argm] = num[..] else { panic!() };
    let mut medians = vec![];
    let mut tot = (0u64, 0u64);
    let mut refs = (0u64, 0u64);
    for path in args {
        let bytes = std::fs::read(&path).unwrap();
        let format = Format::detect(&bytes[..bytes.len().min(200000)]);
        let Some(format) = format else { continue };
        let mut b = Builder::new();
        let mut obs = Obs {
            names: Names::default(),
            table: recto_hooks::classes::Table::builtin().unwrap(),
            texts: HashMap::new(),
        };
        let mut at = 0u64;
        for (n, line) in bytes.split_inclusive(|b| *b == b'\n').enumerate() {
            let rec = format.line(line);
            b.push(&rec, line, Place { file: 0, line: n as u32 + 1, at, bytes: line.len() as u32 }, &mut obs);
            at += line.len() as u64;
        }
        let h = b.finish(None);
        let total: u64 =
            h.results.iter().filter(|r| h.node_of(r.item).unwrap().is_on_path).map(|r| r.tokens as u64).sum();
        if total < 5000 {
            continue;
        }
        let mut p = Policies::NONE;
        p.fresh_steps = fresh;
        if older > 0 {
            p.decay = Some(Decay { older_than_steps: older, above_tokens: above, to_tokens: to });
        }
        p.supersession = sup > 0;
        p.settle_steps = sup;
        p.overlap = over > 0;
        p.prune = (prune > 0).then(|| PruneConfig::chars(prune as u64, 4096, 1024).unwrap());
        p.edited = Decay { older_than_steps: older, above_tokens: above.max(100), to_tokens: to.max(50) };
        if argm > 0 {
            p.arguments = Some(Decay { older_than_steps: argm, above_tokens: above, to_tokens: to });
        }
        let ch = changes(&h, &p);
        let out = measure(&h, &obs.names, &ch, |c| {
            let text: String = if c.policy == PolicyName::Arguments {
                obs.texts.get(&h.calls[c.of as usize].item)?.clone()
            } else {
                h.parts_of(c.of)
                    .filter(|(_, i)| i.kind == ItemKind::Text)
                    .filter_map(|(at, _)| obs.texts.get(&at))
                    .cloned()
                    .collect()
            };
            let budget = match &c.shape {
                Shape::Pruned => Budget::bytes(5159),
                Shape::View { tokens } => Budget::tokens(*tokens as u64),
                Shape::Lines(l) => {
                    let first = h.calls[h.results[c.of as usize].call? as usize].target?.lines.first;
                    let kept: Vec<&str> = text
                        .lines()
                        .enumerate()
                        .filter(|(i, _)| {
                            l.iter().any(|l| l.first <= first + *i as u64 && first + *i as u64 <= l.last)
                        })
                        .map(|(_, t)| t)
                        .collect();
                    let s = kept.join("\n") + "\n(… shown by a later read: recto expand r:123456789012345)";
                    return Some(Smaller {
                        tokens: Tokenizer::O200k.counter().count(&s),
                        names: References::of(&s),
                    });
                }
                Shape::Note => return Some(Smaller { tokens: 30, names: References::default() }),
            };
            let policy = Policy { mode: Mode::Marked, budget, recall: Recall::Shell, ..Policy::default() };
            let source = Source::new(text.as_bytes());
            let v = view(&source, &policy, Some("r:123456789012345"), &mut Fuel::unlimited()).ok()?;
            let s = v.render(&source).ok()?;
            Some(Smaller { tokens: Tokenizer::O200k.counter().count(&s), names: References::of(&s) })
        });
        let pc = |a: u64, b: u64| if a == 0 { 0.0 } else { 100.0 - 100.0 * b as f64 / a as f64 };
        let steps = h.last_step();
        println!(
            "{:>6} tok {:>4} steps {:>3} res  saved end {:>5.1}% sent {:>5.1}%  refs {:>4} missed {:>3} surv {:>5.1}%  probs {} comp {} {}",
            total,
            steps,
            h.results.len(),
            pc(out.tokens, out.left_tokens),
            pc(out.sent_tokens, out.left_sent_tokens),
            out.references,
            out.missed,
            if out.references == 0 {
                100.0
            } else {
                100.0 - 100.0 * out.missed as f64 / out.references as f64
            },
            h.problems.len(),
            h.compactions,
            path.rsplit('/').next().unwrap()
        );
        medians.push((pc(out.tokens, out.left_tokens), pc(out.sent_tokens, out.left_sent_tokens)));
        refs.0 += out.references;
        refs.1 += out.missed;
    }
    let mut a: Vec<f64> = medians.iter().map(|m| m.0).collect();
    a.sort_by(|a, b| a.partial_cmp(b).unwrap());
    let mut b: Vec<f64> = medians.iter().map(|m| m.1).collect();
    b.sort_by(|a, b| a.partial_cmp(b).unwrap());
    println!(
        "MEDIAN end {:.1} sent {:.1}  survival {:.1}",
        a[a.len() / 2],
        b[b.len() / 2],
        100.0 - 100.0 * refs.1 as f64 / refs.0.max(1) as f64
    );
}
