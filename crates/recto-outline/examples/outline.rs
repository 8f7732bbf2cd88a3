//! Prints the outline of a file: `cargo run -p recto-outline --example outline FILE [TYPE]`.
#![expect(clippy::disallowed_macros, clippy::print_stdout, reason = "an example prints")]

use recto_outline::{Fuel, Outline, UnitId, outline};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().ok_or("usage: outline FILE [TYPE]")?;
    let content_type = arguments.next().map(|name| name.parse()).transpose()?;
    let source = std::fs::read(&file)?;
    let outline = outline(&source, content_type, &mut Fuel::unlimited())?;
    println!(
        "{}: {} bytes, {} units, {} silent",
        outline.content_type,
        source.len(),
        outline.units.len(),
        outline.silent.len()
    );
    outline.check()?;
    for (index, unit) in outline.units.iter().enumerate().take(400) {
        let id = UnitId(u32::try_from(index)?);
        let text = outline.text(id);
        let shown = String::from_utf8_lossy(text.get(..70).unwrap_or(text)).escape_debug().to_string();
        println!(
            "{:indent$}{:?}/{:?} {}..{}..{} q{} {shown}",
            "",
            unit.role,
            unit.kind,
            unit.lead,
            unit.body.s,
            unit.body.e,
            unit.quote,
            indent = 2 * depth(&outline, id)
        );
    }
    Ok(())
}

fn depth(outline: &Outline<'_>, id: UnitId) -> usize {
    outline.ancestors(id).count()
}
