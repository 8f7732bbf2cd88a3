//! Runs a scripted model by hand: `upstream SCRIPT.json LOG_FOLDER` prints its URL and logs until its input ends.
//!
//! The script is a list of turns, as `Script::from_json` reads it. Each request is logged as `NNNN.json` (its body),
//! and as a line of `requests.jsonl`: path, status, complaints, tools, sizes of results, bytes that a prompt cache
//! could have reused.
#![expect(clippy::print_stdout, clippy::disallowed_macros, reason = "an example prints")]

use std::{
    collections::BTreeMap,
    error::Error,
    fs,
    io::{self, Read as _, Write as _},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use recto_testkit::upstream::{Request, Script, Upstream, unchanged_prefix};
use serde_json::json;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(script), Some(folder)) = (arguments.next(), arguments.next()) else {
        return Err("usage: upstream SCRIPT.json LOG_FOLDER".into());
    };
    let script = Script::from_json(&serde_json::from_slice(&fs::read(script)?)?)?;
    let folder = Path::new(&folder);
    fs::create_dir_all(folder)?;
    let upstream = Upstream::start(script)?;
    println!("{}", upstream.url());
    io::stdout().flush()?;

    let is_over = Arc::new(AtomicBool::new(false));
    let over = Arc::clone(&is_over);
    thread::spawn(move || {
        let _ = io::stdin().read_to_end(&mut Vec::new());
        over.store(true, Ordering::Relaxed);
    });
    let mut lines = fs::File::create(folder.join("requests.jsonl"))?;
    let mut logged = 0;
    let mut last: BTreeMap<String, Arc<Request>> = BTreeMap::new();
    loop {
        // Read first, so that what came before the end is logged.
        let ends = is_over.load(Ordering::Relaxed);
        for request in upstream.requests().into_iter().skip(logged) {
            fs::write(folder.join(format!("{logged:04}.json")), &request.body)?;
            // Requests with other tools are other conversations.
            let conversation = format!("{} {:?}", request.path, request.tool_names());
            writeln!(lines, "{}", line(logged, &request, last.get(&conversation).map(Arc::as_ref)))?;
            last.insert(conversation, request);
            logged += 1;
        }
        if ends {
            return Ok(());
        }
        thread::sleep(Duration::from_millis(50));
    }
}

fn line(number: usize, request: &Request, last: Option<&Request>) -> serde_json::Value {
    let results: Vec<_> = request
        .tool_results()
        .into_iter()
        .map(|result| json!({ "tool": result.tool, "callId": result.call_id, "bytes": result.text.len() }))
        .collect();
    json!({
        "number": number,
        "method": request.method,
        "path": request.path,
        "status": request.status,
        "complaints": request.complaints,
        "turn": request.turn(),
        "bytes": request.body.len(),
        "tools": request.tool_names(),
        "results": results,
        "unchangedPrefix": last.map(|last| unchanged_prefix(last, request)),
        "prefixOf": last.map(|last| last.cache_order().len()),
        "headers": request.headers,
    })
}
