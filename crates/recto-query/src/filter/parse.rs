//! Reads filters. Written for an author who has seen SQL, Python and JavaScript and no manual: what means one thing only is taken,
//! and what is not says how to write it.

use memchr::memmem::Finder;
use regex::bytes::RegexBuilder;

use super::{Filter, Literal, Mention, Operand, Order, Relation, Step};
use crate::{
    Path, QueryError,
    decimal::Decimal,
    path::{is_name_byte, quoted},
};

const MOST_BYTES: usize = 8_192;
const MOST_TESTS: usize = 128;
const MOST_DEPTH: usize = 64;
/// Memory of one compiled pattern.
const MOST_REGEX_BYTES: usize = 1 << 20;
const MOST_REGEXES: usize = 16;

pub(super) fn parse(text: &str) -> Result<Filter, QueryError> {
    let mut parser = Parser { text, at: 0, depth: 0, tests: 0, regexes: 0, filter: Filter::default() };
    if text.len() > MOST_BYTES {
        return Err(parser.error(MOST_BYTES, format!("a filter has at most {MOST_BYTES} bytes")));
    }
    parser.skip_blanks();
    if parser.at == text.len() {
        return Ok(parser.filter);
    }
    parser.any()?;
    parser.skip_blanks();
    if parser.at < text.len() {
        let message = if parser.starts_with(")") {
            "this ) closes nothing".to_owned()
        } else {
            "`and` or `or` is missing here: status == \"failed\" and restarts > 5".to_owned()
        };
        return Err(parser.error(parser.at, message));
    }
    Ok(parser.filter)
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    tests: usize,
    regexes: usize,
    filter: Filter,
}

impl<'t> Parser<'t> {
    fn error(&self, at: usize, message: impl Into<String>) -> QueryError {
        QueryError::at("filter", self.text, at, message)
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn starts_with(&self, text: &str) -> bool {
        self.rest().starts_with(text)
    }

    fn skip_blanks(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    /// The word that begins here, in small letters; empty if none does.
    fn word(&self) -> String {
        let width = self.rest().bytes().take_while(|byte| is_name_byte(*byte)).count();
        // A word with a dot or a bracket behind it is the beginning of a name.
        match self.rest().as_bytes().get(width) {
            Some(b'.' | b'[') => String::new(),
            _ => self.rest().get(..width).unwrap_or_default().to_ascii_lowercase(),
        }
    }

    fn take_word(&mut self, words: &[&str]) -> bool {
        self.skip_blanks();
        let word = self.word();
        let is_one = words.contains(&word.as_str());
        if is_one {
            self.at += word.len();
        }
        is_one
    }

    fn take(&mut self, symbols: &[&'static str]) -> Option<&'static str> {
        self.skip_blanks();
        let found = symbols.iter().find(|symbol| self.starts_with(symbol))?;
        self.at += found.len();
        Some(found)
    }

    /// Conditions joined by `or`.
    fn any(&mut self) -> Result<(), QueryError> {
        self.chain(true)
    }

    /// Conditions joined by `or`, or by `and`: as soon as one decides, the others are skipped.
    fn chain(&mut self, is_or: bool) -> Result<(), QueryError> {
        let mut skips = Vec::new();
        loop {
            if is_or {
                self.chain(false)?
            } else {
                self.unary()?
            }
            let goes_on = if is_or {
                self.take(&["||"]).is_some() || self.take_word(&["or"])
            } else {
                self.take(&["&&"]).is_some() || self.take_word(&["and"])
            };
            if !goes_on {
                break;
            }
            skips.push(self.filter.steps.len());
            self.filter.steps.push(Step::SkipIf(is_or, 0));
        }
        let end = self.filter.steps.len();
        for skip in skips {
            if let Some(Step::SkipIf(_, target)) = self.filter.steps.get_mut(skip) {
                *target = end;
            }
        }
        Ok(())
    }

    fn unary(&mut self) -> Result<(), QueryError> {
        let mut is_negated = false;
        loop {
            self.skip_blanks();
            if self.take_word(&["not"])
                || (self.starts_with("!") && !self.starts_with("!=") && self.take(&["!"]).is_some())
            {
                is_negated = !is_negated;
            } else {
                break;
            }
        }
        let open = self.at;
        if self.take(&["("]).is_some() {
            self.depth += 1;
            if self.depth > MOST_DEPTH {
                return Err(self.error(open, format!("more than {MOST_DEPTH} parentheses in one another")));
            }
            self.any()?;
            if self.take(&[")"]).is_none() {
                return Err(self.error(self.at, "a closing ) is missing here"));
            }
            self.depth -= 1;
        } else {
            self.test()?;
        }
        if is_negated {
            self.filter.steps.push(Step::Not);
        }
        Ok(())
    }

    /// One comparison.
    fn test(&mut self) -> Result<(), QueryError> {
        self.tests += 1;
        if self.tests > MOST_TESTS {
            return Err(self.error(self.at, format!("a filter has at most {MOST_TESTS} comparisons")));
        }
        if self.take_word(&["exists"]) {
            let is_closed = self.take(&["("]).is_some();
            let column = self.column(false)?;
            if is_closed && self.take(&[")"]).is_none() {
                return Err(self.error(self.at, "a closing ) is missing here"));
            }
            return self.add(Operand::Column(column), Relation::IsNull, true);
        }
        let start = self.at;
        let left = self.left()?;
        self.skip_blanks();
        if self.starts_with("(") {
            let how = "there are no functions: write name contains \"api\", name starts with \"api\", name ~ \"^api\" or name exists";
            return Err(self.error(start, how));
        }
        let operator = self.at;
        if let Some(symbol) =
            self.take(&["===", "!==", "==", "=~", "!=", "!~", "<=", ">=", "<>", "=", "<", ">", "~"])
        {
            return self.symbol(left, symbol, operator);
        }
        let is_negated = self.take_word(&["not"]);
        let word = self.word();
        self.skip_blanks();
        let operator = self.at;
        if self.take_word(&["in"]) {
            return self.membership(left, is_negated);
        }
        if self.take_word(&["contains", "includes", "has"]) {
            return self.containment(left, is_negated);
        }
        let begins = self.take_word(&["starts", "startswith", "starts_with"]);
        if begins || self.take_word(&["ends", "endswith", "ends_with"]) {
            if matches!(word.as_str(), "starts" | "ends") && !self.take_word(&["with"]) {
                return Err(self.error(self.at, format!("`with` is missing here: name {word} with \"api\"")));
            }
            let text = self.text_literal()?;
            let relation = if begins { Relation::StartsWith(text) } else { Relation::EndsWith(text) };
            return self.add(left, relation, is_negated);
        }
        if self.take_word(&["matches"]) {
            let regex = self.regex()?;
            return self.add(left, regex, is_negated);
        }
        if self.take_word(&["exists"]) {
            return self.add(left, Relation::IsNull, !is_negated);
        }
        if !is_negated && self.take_word(&["is"]) {
            return self.is(left);
        }
        self.bare(left, is_negated, operator)
    }

    /// A column alone is asked whether it is true.
    fn bare(&mut self, left: Operand, is_negated: bool, operator: usize) -> Result<(), QueryError> {
        let word = self.word();
        let ends = self.rest().is_empty()
            || self.starts_with(")")
            || self.starts_with("&&")
            || self.starts_with("||")
            || matches!(word.as_str(), "and" | "or");
        if !is_negated && ends && matches!(left, Operand::Column(_)) {
            return self.add(left, Relation::Equal(Operand::Literal(Literal::Bool(true))), false);
        }
        let message = match word.as_str() {
            "like" | "ilike" => {
                "there is no `like`: write name contains \"api\", or name ~ \"(?i)^api\" for a regular expression".to_owned()
            }
            "between" => "there is no `between`: write price >= 5 and price <= 10".to_owned(),
            _ => "a comparison is missing here: ==, !=, <, <=, >, >=, contains, starts with, ends with, in (...), ~ \"regex\", \
                  is null or exists"
                .to_owned(),
        };
        Err(self.error(operator, message))
    }

    fn symbol(&mut self, left: Operand, symbol: &str, operator: usize) -> Result<(), QueryError> {
        let order = match symbol {
            "~" | "=~" | "!~" => {
                let regex = self.regex()?;
                return self.add(left, regex, symbol == "!~");
            }
            "<" => Order::Less,
            "<=" => Order::LessOrEqual,
            ">" => Order::Greater,
            ">=" => Order::GreaterOrEqual,
            _ => {
                let right = self.right()?;
                let is_negated = matches!(symbol, "!=" | "<>" | "!==");
                return self.add(left, Relation::Equal(right), is_negated);
            }
        };
        let right = self.right()?;
        if matches!(right, Operand::Literal(Literal::Bool(_) | Literal::Null)) {
            let message = "true, false and null have no order: write == or !=, is null or exists";
            return Err(self.error(operator, message));
        }
        self.add(left, Relation::Ordered(order, right), false)
    }

    fn membership(&mut self, left: Operand, is_negated: bool) -> Result<(), QueryError> {
        let (close, opened) = match self.take(&["(", "["]) {
            Some("(") => (")", true),
            Some(_) => ("]", true),
            None => ("", false),
        };
        if !opened {
            let Operand::Literal(Literal::Text(text)) = left else {
                return Err(self.error(self.at, "a list is missing here: level in (\"error\", \"warn\")"));
            };
            // `"bug" in labels`, as Python has it.
            let column = self.column(false)?;
            return self.add(Operand::Column(column), contains(&text), is_negated);
        }
        let left = self.as_column(left);
        let mut literals = Vec::new();
        loop {
            self.skip_blanks();
            let at = self.at;
            match self.right()? {
                Operand::Literal(literal) => literals.push(literal),
                Operand::Column(_) => {
                    let message =
                        "a list holds values: put texts in quotes, as in level in (\"error\", \"warn\")";
                    return Err(self.error(at, message));
                }
            }
            if self.take(&[","]).is_none() {
                break;
            }
        }
        if self.take(&[close]).is_none() {
            return Err(self.error(self.at, format!("a comma or a closing {close} is missing here")));
        }
        self.add(left, Relation::In(literals), is_negated)
    }

    fn containment(&mut self, left: Operand, is_negated: bool) -> Result<(), QueryError> {
        self.skip_blanks();
        let relation = match self.right()? {
            Operand::Column(column) => Relation::ContainsColumn(column),
            Operand::Literal(literal) => contains(literal.text().unwrap_or(b"null")),
        };
        self.add(left, relation, is_negated)
    }

    fn is(&mut self, left: Operand) -> Result<(), QueryError> {
        let is_negated = self.take_word(&["not"]);
        let at = self.at;
        let truth = |truth| Relation::Equal(Operand::Literal(Literal::Bool(truth)));
        let relation = if self.take_word(&["null", "none", "missing", "empty"]) {
            Relation::IsNull
        } else if self.take_word(&["true"]) {
            truth(true)
        } else if self.take_word(&["false"]) {
            truth(false)
        } else {
            let message = "behind `is` stands null, not null, true or false; for a value write == \"text\" or != \"text\"";
            return Err(self.error(at, message));
        };
        self.add(left, relation, is_negated)
    }

    fn regex(&mut self) -> Result<Relation, QueryError> {
        self.skip_blanks();
        let at = self.at;
        let pattern = self.text_literal()?;
        self.regexes += 1;
        if self.regexes > MOST_REGEXES {
            return Err(self.error(at, format!("a filter has at most {MOST_REGEXES} regular expressions")));
        }
        let pattern = String::from_utf8_lossy(&pattern);
        let regex = RegexBuilder::new(&pattern)
            .size_limit(MOST_REGEX_BYTES)
            .dfa_size_limit(MOST_REGEX_BYTES)
            .nest_limit(64)
            .build();
        match regex {
            Ok(regex) => Ok(Relation::Matches(Box::new(regex))),
            Err(regex::Error::CompiledTooBig(limit)) => Err(self.error(
                at,
                format!(
                    "this regular expression needs more than {limit} bytes: use fewer or smaller repetitions"
                ),
            )),
            Err(error) => {
                let why = error.to_string();
                let why = why.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
                let why = why.trim().trim_start_matches("error: ");
                Err(self.error(
                    at,
                    format!("this regular expression does not read: {why}. For a plain text use contains"),
                ))
            }
        }
    }

    /// What stands to the left: a column, in quotes or not, or a number.
    fn left(&mut self) -> Result<Operand, QueryError> {
        self.skip_blanks();
        if let Some(quote @ (b'"' | b'\'')) = self.rest().bytes().next() {
            let (text, end) = quoted(self.text, self.at, quote, "filter")?;
            let start = self.at;
            self.at = end;
            self.skip_blanks();
            let is_member = self.word() == "in"
                || (self.word() == "not" && self.rest().to_ascii_lowercase().contains("in"));
            if is_member {
                return Ok(Operand::Literal(Literal::Text(text.into_bytes().into())));
            }
            if self.starts_with(".") || self.starts_with("[") {
                self.at = start;
                return self.column(false).map(Operand::Column);
            }
            return Ok(Operand::Column(self.mention(Path::named(&text), false)));
        }
        if let Some(number) = self.number()? {
            return Ok(Operand::Literal(number));
        }
        if self.rest().is_empty() || matches!(self.word().as_str(), "and" | "or") || self.starts_with(")") {
            return Err(self.error(self.at, "a condition is missing here: status == \"failed\""));
        }
        self.column(false).map(Operand::Column)
    }

    /// A text to the left of a list was a column's name after all.
    fn as_column(&mut self, left: Operand) -> Operand {
        match left {
            Operand::Literal(Literal::Text(text)) => {
                Operand::Column(self.mention(Path::named(&String::from_utf8_lossy(&text)), false))
            }
            other => other,
        }
    }

    /// What stands to the right: a value, or another column.
    fn right(&mut self) -> Result<Operand, QueryError> {
        self.skip_blanks();
        match self.rest().bytes().next() {
            Some(quote @ (b'"' | b'\'')) => {
                let (text, end) = quoted(self.text, self.at, quote, "filter")?;
                self.at = end;
                return Ok(Operand::Literal(Literal::Text(text.into_bytes().into())));
            }
            None | Some(b')' | b',') => {
                return Err(self.error(self.at, "a value is missing here: \"text\", 5, true, false or null"));
            }
            _ => {}
        }
        if let Some(number) = self.number()? {
            return Ok(Operand::Literal(number));
        }
        let literal = match self.word().as_str() {
            "true" => Literal::Bool(true),
            "false" => Literal::Bool(false),
            "null" | "none" => Literal::Null,
            _ => return self.column(true).map(Operand::Column),
        };
        self.at += self.word().len();
        Ok(Operand::Literal(literal))
    }

    fn text_literal(&mut self) -> Result<Box<[u8]>, QueryError> {
        self.skip_blanks();
        let at = self.at;
        if let Operand::Literal(literal) = self.right()?
            && let Some(text) = literal.text()
        {
            return Ok(text.into());
        }
        Err(self.error(at, "a text in quotes is missing here: \"text\""))
    }

    /// The number that begins here, if a digit does.
    fn number(&mut self) -> Result<Option<Literal>, QueryError> {
        let bytes = self.rest().as_bytes();
        let digit = usize::from(matches!(bytes.first(), Some(b'-' | b'+')));
        if !bytes.get(digit).is_some_and(u8::is_ascii_digit) {
            return Ok(None);
        }
        let width =
            bytes.iter().take_while(|byte| is_name_byte(**byte) || matches!(byte, b'.' | b'+')).count();
        let text = self.rest().get(..width).unwrap_or_default();
        let number = text.strip_prefix('+').unwrap_or(text);
        if Decimal::read(number.as_bytes()).is_none() {
            let message = format!(
                "{text} is neither a number nor a name: a text stands in quotes (\"{text}\"), an odd name in backticks (`{text}`)"
            );
            return Err(self.error(self.at, message));
        }
        self.at += width;
        Ok(Some(Literal::Number(number.as_bytes().into())))
    }

    fn column(&mut self, may_be_text: bool) -> Result<usize, QueryError> {
        self.skip_blanks();
        let (path, end) = Path::scan(self.text, self.at, "filter")?;
        self.at = end;
        Ok(self.mention(path, may_be_text))
    }

    fn mention(&mut self, path: Path, may_be_text: bool) -> usize {
        let columns = &mut self.filter.columns;
        match columns.iter().position(|known| known.path == path) {
            Some(known) => known,
            None => {
                columns.push(Mention { path, may_be_text });
                columns.len() - 1
            }
        }
    }

    fn add(&mut self, left: Operand, relation: Relation, is_negated: bool) -> Result<(), QueryError> {
        self.filter.steps.push(Step::Test(left, relation));
        if is_negated {
            self.filter.steps.push(Step::Not);
        }
        Ok(())
    }
}

fn contains(text: &[u8]) -> Relation {
    Relation::Contains(Box::new(Finder::new(text).into_owned()))
}
