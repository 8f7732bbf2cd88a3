//! The elements of HTML, by what they mean for cutting.

/// What an element means for cutting a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Part of running text, as everything unknown is.
    Inline,
    /// Part of running text, without an end tag.
    Void,
    /// Holds other blocks and says nothing itself: its tags are left out alone.
    Wrapper,
    /// A block without an end tag that says nothing.
    Rule,
    /// What the page's head holds beside the title.
    Metadata,
    /// Its content is no markup and no text: scripts and styles.
    Skipped,
    /// The page's title.
    Title,
    /// `h1` to `h6`, with the level.
    Heading(u8),
    /// A paragraph or the like: running text.
    Text,
    /// A list item or the like.
    Item,
    /// Preformatted text: lines.
    Lines,
    /// A list.
    List,
    /// A table.
    Table,
    /// The parts of a table that hold rows.
    RowGroup,
    /// A row of a table.
    Row,
    /// A cell of a table.
    Cell,
    /// Links and notices around the content.
    Around,
}

impl Class {
    /// The class of the HTML element `name`, in any case.
    pub(super) fn of(name: &[u8]) -> Self {
        let mut lower = [0; 10];
        let Some(target) = lower.get_mut(..name.len()) else { return Self::Inline };
        target.copy_from_slice(name);
        target.make_ascii_lowercase();
        match &*target {
            b"br" | b"img" | b"input" | b"wbr" | b"area" | b"source" | b"track" | b"embed" | b"param" => {
                Self::Void
            }
            b"html" | b"body" | b"head" | b"div" | b"main" | b"section" | b"article" | b"header"
            | b"aside" | b"form" | b"fieldset" | b"figure" | b"center" | b"details" | b"hgroup"
            | b"address" | b"frameset" | b"noscript" | b"dialog" | b"search" => Self::Wrapper,
            b"hr" | b"col" | b"frame" => Self::Rule,
            b"meta" | b"link" | b"base" => Self::Metadata,
            b"script" | b"style" | b"svg" | b"math" | b"template" | b"iframe" | b"canvas" => Self::Skipped,
            b"title" => Self::Title,
            [b'h', level @ b'1'..=b'6'] => Self::Heading(level - b'0'),
            b"p" | b"blockquote" | b"figcaption" | b"caption" | b"summary" | b"legend" | b"textarea" => {
                Self::Text
            }
            b"li" | b"dt" | b"dd" | b"option" => Self::Item,
            b"pre" | b"xmp" | b"listing" => Self::Lines,
            b"ul" | b"ol" | b"dl" | b"menu" | b"select" | b"dir" => Self::List,
            b"table" => Self::Table,
            b"tbody" | b"thead" | b"tfoot" | b"colgroup" => Self::RowGroup,
            b"tr" => Self::Row,
            b"td" | b"th" => Self::Cell,
            b"nav" | b"footer" => Self::Around,
            _ => Self::Inline,
        }
    }

    /// Says whether elements of this class have no end tag.
    pub(super) fn is_void(self) -> bool {
        matches!(self, Self::Void | Self::Rule | Self::Metadata)
    }

    /// Says whether elements of this class are part of running text.
    pub(super) fn is_inline(self) -> bool {
        matches!(self, Self::Inline | Self::Void)
    }

    /// Says whether the beginning of an element of this class ends an open one of class `open`, whose end tag was left out.
    pub(super) fn ends(self, open: Self) -> bool {
        match open {
            // Of the text classes only a paragraph may be left open; the others lose nothing by it.
            Self::Text => !self.is_inline() && !matches!(self, Self::Skipped | Self::Metadata),
            Self::Item => self == Self::Item,
            Self::Cell => matches!(self, Self::Cell | Self::Row | Self::RowGroup),
            Self::Row => matches!(self, Self::Row | Self::RowGroup),
            Self::RowGroup => self == Self::RowGroup,
            _ => false,
        }
    }
}
