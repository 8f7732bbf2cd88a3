//! The lines of a conversation, as it is shown.

use super::{History, NodeKind};

/// One thing that was said on the path: a text, a call, a result with its parts, an image; or a compaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its node, an index of [`History::nodes`].
    pub node: u32,
    /// Its item, an index of [`History::items`]; of a compaction none.
    pub item: Option<u32>,
}

impl History {
    /// The lines of the path in their order. The number of a line, by which it is named, is its place among them, from 1.
    #[must_use]
    pub fn lines(&self) -> Vec<Line> {
        let mut lines = Vec::new();
        for (node, at) in self.nodes.iter().zip(0..) {
            if !node.is_on_path || node.kind == NodeKind::Silent {
                continue;
            }
            if matches!(node.kind, NodeKind::Boundary { .. }) {
                lines.push(Line { node: at, item: None });
            }
            let own = self.items_of(node).filter(|(_, item)| item.result.is_none());
            lines.extend(own.map(|(item, _)| Line { node: at, item: Some(item) }));
        }
        lines
    }
}
