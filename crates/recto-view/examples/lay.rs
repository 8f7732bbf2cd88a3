use recto_outline::Fuel;
use recto_view::*;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let t = recto_tokens::Tokenizer::default();
    for f in &a[2..] {
        let b = std::fs::read(f).unwrap();
        let s = Source::new(&b);
        let mode: Mode = a[1].parse().unwrap();
        let p = Policy {
            mode,
            budget: std::env::var("T")
                .map(|t| Budget::tokens(t.parse().unwrap()))
                .unwrap_or(Budget::bytes(1 << 30)),
            recall: Recall::Shell,
            ..Policy::default()
        };
        let v = view(&s, &p, Some("r:271828182845904"), &mut Fuel::unlimited()).unwrap();
        let x = v.render(&s).unwrap();
        if a.len() == 3 {
            print!("{x}");
        }
        eprintln!(
            "{} {} {} {} {}",
            f.rsplit('/').next().unwrap(),
            v.result.method(),
            b.len(),
            x.len(),
            t.counter().count(&x)
        );
    }
}
