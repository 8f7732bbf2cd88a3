//! Bytes a second of reading a long Messages body, beside a copy of the same bytes in the same run, and of putting other texts into it.

use divan::{Bencher, counter::BytesCount};
use recto_testkit::generate::Kind;
use recto_wire::{Format, Slot, Splice};

const BYTES: usize = 20_000_000;

fn main() {
    divan::main();
}

/// Turns of an agent: a thought, a call, and a result of some tool's output.
fn body() -> Vec<u8> {
    let kinds = Kind::ALL;
    let mut body = Vec::with_capacity(BYTES + 100_000);
    body.extend_from_slice(
        br#"{"model":"m","max_tokens":9,"system":[{"type":"text","text":"Be an agent."}],"messages":[{"role":"user","content":"go"}"#,
    );
    let mut turn = 0;
    while body.len() < BYTES {
        let kind = kinds[turn % kinds.len()];
        let output = kind.generate(turn as u64, 2_000 + turn * 37 % 30_000);
        let text = recto_wire::quote(&String::from_utf8_lossy(&output.bytes));
        let id = format!("toolu_{turn}");
        body.extend_from_slice(
            format!(
                r#",{{"role":"assistant","content":[{{"type":"thinking","thinking":"I look.","signature":"EqQB"}},{{"type":"tool_use","id":"{id}","name":"Read","input":{{"file_path":"/src/{turn}.rs"}}}}]}},{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{id}","content":[{{"type":"text","text":"#
            )
            .as_bytes(),
        );
        body.extend_from_slice(&text);
        body.extend_from_slice(b"}]}]}");
        turn += 1;
    }
    body.extend_from_slice(b"]}");
    body
}

#[divan::bench(sample_count = 20)]
fn copied(bencher: Bencher<'_, '_>) {
    let body = body();
    let mut copy = vec![0_u8; body.len()];
    bencher.counter(BytesCount::new(body.len())).bench_local(|| {
        copy.copy_from_slice(divan::black_box(&body));
        divan::black_box(copy.last().copied())
    });
}

#[divan::bench(sample_count = 20)]
fn read(bencher: Bencher<'_, '_>) {
    let body = body();
    bencher
        .counter(BytesCount::new(body.len()))
        .bench_local(|| Format::AnthropicMessages.document(divan::black_box(&body)));
}

#[divan::bench(sample_count = 20)]
fn detected(bencher: Bencher<'_, '_>) {
    let body = body();
    bencher.counter(BytesCount::new(body.len())).bench_local(|| Format::detect(divan::black_box(&body)));
}

#[divan::bench(sample_count = 20)]
fn spliced(bencher: Bencher<'_, '_>) {
    let body = body();
    let records = Format::AnthropicMessages.document(&body).unwrap_or_default();
    let texts = records.iter().flat_map(|record| &record.pieces).filter(|piece| piece.slot == Slot::Text);
    let edits = texts.step_by(2).map(|piece| (piece.raw, br#""short""#.to_vec())).collect();
    let splice = Splice::new(edits).unwrap_or_default();
    bencher
        .counter(BytesCount::new(body.len()))
        .bench_local(|| splice.apply(divan::black_box(&body)).into_owned());
}
