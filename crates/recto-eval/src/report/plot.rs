//! Curves of retention over budgets, as SVG inside the page.

use std::fmt::Write as _;

use crate::{report::html::escaped, tally::Retention};

const WIDTH: f64 = 400.0;
const HEIGHT: f64 = 250.0;
const LEFT: f64 = 38.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 44.0;

/// Colours of the style sheet; methods beyond them are told apart by their dashes.
const COLOURS: usize = 8;
const DASHES: [&str; 7] = ["none", "7 3", "2 3", "10 3 2 3", "4 2", "12 4", "6 2 1 2 1 2"];

/// Colour, dashes and width of a method's curve.
fn look(method: usize) -> String {
    let colour = method % COLOURS;
    let dash = DASHES.get(method % DASHES.len()).copied().unwrap_or("none");
    let first = if method == 0 { " first" } else { "" };
    format!("class=\"curve{first}\" style=\"stroke: var(--c{colour}); stroke-dasharray: {dash}\"")
}

pub(super) fn write_legend(page: &mut String, methods: &[&str]) {
    page.push_str("<ul class=\"legend\">\n");
    for (index, method) in methods.iter().enumerate() {
        let _ = writeln!(
            page,
            "<li><svg viewBox=\"0 0 40 14\" aria-hidden=\"true\"><path d=\"M1 7H39\" {}/></svg>{}</li>",
            look(index),
            escaped(method)
        );
    }
    page.push_str("</ul>\n");
}

/// One plot; the figures are in the table below it, so the picture is described in a sentence.
pub(super) fn write_plot(page: &mut String, name: &str, axis: &str, methods: &[&str], lines: &[&Retention]) {
    let Some(first) = lines.first() else { return };
    let budgets: Vec<String> =
        lines.iter().filter(|line| line.method == first.method).map(|line| line.budget.to_string()).collect();
    let name = escaped(name);
    let _ = writeln!(
        page,
        "<figure>\n<h3>{name}</h3>\n<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
         aria-label=\"{name}: per cent kept by {axis}; the table below has the figures\">"
    );
    for share in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let y = vertical(share);
        let _ = writeln!(
            page,
            "<path class=\"grid\" d=\"M{LEFT} {y:.1}H{:.1}\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{:.0}</text>",
            WIDTH - RIGHT,
            LEFT - 6.0,
            y + 4.5,
            share * 100.0
        );
    }
    for (index, budget) in budgets.iter().enumerate() {
        let _ = writeln!(
            page,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            horizontal(index, budgets.len()),
            HEIGHT - BOTTOM + 18.0,
            escaped(budget)
        );
    }
    let _ = writeln!(
        page,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">budget: {}</text>",
        LEFT.midpoint(WIDTH - RIGHT),
        HEIGHT - 8.0,
        escaped(axis)
    );
    // The first method is drawn last, so that it lies above the others.
    for (index, method) in methods.iter().enumerate().rev() {
        let of_method = lines.iter().filter(|line| line.method == *method).enumerate();
        let mut curve = String::new();
        for (at, line) in of_method {
            let Some(share) = line.retention else { continue };
            let command = if curve.is_empty() { 'M' } else { 'L' };
            let _ = write!(curve, "{command}{:.1} {:.1}", horizontal(at, budgets.len()), vertical(share));
        }
        let _ =
            writeln!(page, "<path d=\"{curve}\" {}><title>{}</title></path>", look(index), escaped(method));
    }
    page.push_str("</svg>\n</figure>\n");
}

fn vertical(share: f64) -> f64 {
    TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - share)
}

/// Budgets stand at equal distances, half of one from the sides.
fn horizontal(index: usize, count: usize) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a handful of budgets")]
    let place = (index as f64 + 0.5) / count.max(1) as f64;
    LEFT + (WIDTH - LEFT - RIGHT) * place
}
