//! The definitions of real servers.

use recto_catalog::{Directory, ToolList};

/// The tools of each file of the corpus, by its name.
pub(crate) fn servers() -> Option<Vec<(String, ToolList)>> {
    let files = recto_testkit::corpus::tools()?;
    let lists = files.iter().filter(|file| file.relative.ends_with(".json")).map(|file| {
        let name = file.relative.trim_end_matches(".json").to_owned();
        (name, ToolList::from_json(&file.read()).expect("a real server's tools are read"))
    });
    Some(lists.collect())
}

#[test]
fn every_tool_of_every_server_has_a_code() {
    let Some(servers) = servers() else { return };
    let mut tools = 0;
    for (name, list) in &servers {
        let directory = Directory::new(&list.tools, &[]);
        assert_eq!(directory.entries().len(), list.tools.len(), "{name}");
        for entry in directory.entries() {
            assert!(entry.code().len() <= 64 && entry.code().is_ascii(), "{name}: {}", entry.code());
        }
        tools += list.tools.len();
    }
    assert_eq!(tools, 1_954);
}
