//! Asks a file: `cargo run -p recto-query --example query -- FILE '{"filter": "status == \"failed\""}'`.
#![expect(clippy::disallowed_macros, clippy::print_stdout, reason = "an example prints")]

use recto_query::{Caps, Query, query};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, asked] = arguments.as_slice() else {
        return Err("give a file and a query in JSON".into());
    };
    let source = std::fs::read(file)?;
    let answer =
        Query::from_json(asked.as_bytes()).and_then(|asked| query(&source, None, &asked, &Caps::default()));
    match answer {
        Ok(answer) => print!("{}", answer.text),
        Err(error) => println!("{error}"),
    }
    Ok(())
}
