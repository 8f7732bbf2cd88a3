use recto_outline::Fuel;
use recto_view::*;
use std::time::Instant;
fn main() {
    let k = std::env::args().nth(1).unwrap();
    let b = recto_testkit::generate::Kind::ALL
        .into_iter()
        .find(|x| x.name() == k)
        .unwrap()
        .generate(1, 20_000_000)
        .bytes;
    for _ in 0..3 {
        let t = Instant::now();
        let s = Source::new(&b);
        let h = t.elapsed();
        let p = Policy { mode: Mode::Table, budget: Budget::bytes(1 << 40), ..Policy::default() };
        let v = view(&s, &p, None, &mut Fuel::unlimited()).unwrap();
        let e = t.elapsed();
        let x = v.render(&s).unwrap();
        println!("hash {h:?} view {e:?} render {:?} {}", t.elapsed(), x.len());
    }
}
