use crate::Span;

/// Index of a unit in its outline; the root is number 0 and its own parent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UnitId(pub u32);

impl UnitId {
    /// The whole source.
    pub const ROOT: Self = Self(0);

    /// The position in [`crate::Outline::units`].
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What part a unit plays for whoever reads the view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Needed to read the rest: a header row, a diff's file and hunk headers, a heading. Ranked before all else, and never
    /// dropped by mode `exact` while its parents are frames too.
    Frame,
    /// One of many alike: an array element, a row, a JSON line, a log event of several lines.
    Record,
    /// A named part of a record: an object member.
    Field,
    /// One line.
    Line,
    /// Several units that belong together: a section, a function, a stack trace, a file of a diff.
    Block,
    /// A piece of running text: a sentence, a piece of a very long line.
    Text,
}

/// What a unit is in its own format; rankers read it, rendering does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The root.
    Document,
    /// A JSON array (with the key before it, if it is a member).
    Array,
    /// A JSON object (with the key before it, if it is a member).
    Object,
    /// A JSON string (with the key before it, if it is a member) or a scalar.
    Scalar,
    /// A JSON string opened so that its text has units of its own.
    StringText,
    /// The first row of a table, with the columns' names, or another line that explains the grid (`---+---`).
    Header,
    /// A row of a table.
    Row,
    /// A line with nothing special about it.
    Plain,
    /// A blank line.
    Blank,
    /// A line or block that says that something failed, by its structure (a test's failure block, a panic).
    Failure,
    /// A stack trace or one of its frames.
    Trace,
    /// A summary line: totals of a test run or a build.
    Summary,
    /// One file of a diff or a search.
    File,
    /// A hunk of a diff.
    Hunk,
    /// An added line of a diff.
    Added,
    /// A removed line of a diff.
    Removed,
    /// A context line of a diff or a search.
    Context,
    /// A hit of a search.
    Hit,
    /// A heading and what stands below it.
    Section,
    /// A heading's own line.
    Heading,
    /// A paragraph or list item.
    Paragraph,
    /// A sentence.
    Sentence,
    /// A fenced or indented piece of code in prose, or an embedded document in a log.
    Embedded,
    /// A function, class or other definition in code; its own bytes are the signature.
    Definition,
    /// An import, package or attribute line.
    Import,
    /// A comment.
    Comment,
    /// A markup element.
    Element,
    /// Markup that seldom matters: scripts, styles, attributes, comments.
    Boilerplate,
    /// A turn of a conversation, or a retrieved chunk.
    Turn,
    /// A piece of a very long line.
    Piece,
    /// Several small siblings that the limit on units made one: how many is not known.
    Joined,
}

/// How a note is written among a unit's children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NoteSyntax {
    /// A line of its own between `prefix` and `suffix`, in the comment style of the format.
    Line(Comment),
    /// A string element of a JSON array.
    JsonElement,
    /// A member of a JSON object with a reserved key.
    JsonMember,
    /// A line holding a JSON string.
    JsonLine,
    /// Inside a line of text.
    Inline,
}

/// The comment style of a line format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comment {
    /// `[... ]`: running text, logs, tables.
    Brackets,
    /// `# ...`
    Hash,
    /// `// ...`
    Slashes,
    /// `-- ...`
    Dashes,
    /// `<!-- ... -->`
    Markup,
    /// `...`: where no line of the text itself can begin as a note does.
    Bare,
}

impl Comment {
    /// What stands before a note's words.
    #[must_use]
    pub fn prefix(self) -> &'static str {
        match self {
            Self::Brackets => "[",
            Self::Hash => "# ",
            Self::Slashes => "// ",
            Self::Dashes => "-- ",
            Self::Markup => "<!-- ",
            Self::Bare => "",
        }
    }

    /// What stands after a note's words.
    #[must_use]
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Brackets => "]",
            Self::Hash | Self::Slashes | Self::Dashes | Self::Bare => "",
            Self::Markup => " -->",
        }
    }
}

/// One keepable piece of a source.
///
/// The laws (checked by [`crate::Outline::check`]):
/// - units stand in document order, parents before children; siblings do not overlap;
/// - `lead <= body.s`, and `lead` is not before the end of the sibling before (or the start of the parent's body);
/// - `[lead, body.s)` is the separator before the unit (comma, newline): it is shown only if an earlier sibling or a note
///   stands before the unit. A first child has an empty lead. That single rule makes `exact` JSON parse for any
///   subset of siblings;
/// - bytes of `body` in no child's `[lead, body.e)` are the unit's own **frame**: shown whenever the unit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Where the separator before the unit begins.
    pub lead: u32,
    /// The unit itself, with all its children.
    pub body: Span,
    /// The unit it stands in.
    pub parent: UnitId,
    /// One past the index of its last descendant.
    pub end: u32,
    /// Its part for the reader.
    pub role: Role,
    /// What it is in its format.
    pub kind: Kind,
    /// How a note among its children is written.
    pub notes: NoteSyntax,
    /// How many JSON strings its children are quoted in: a note among them is escaped that many times.
    pub quote: u8,
}
