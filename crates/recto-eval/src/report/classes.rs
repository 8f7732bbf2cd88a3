//! Scores by class, as every form of the report lays them out.

use super::SetReport;
use crate::{
    budget::Condition,
    tally::{Questions, Retention},
};

/// The lines of each class, under its name and the number of its questions.
pub(crate) type Classes<'r> = Vec<(String, Vec<&'r Retention>)>;

impl SetReport {
    /// The first method's tables of several classes, each under its caption.
    pub(crate) fn class_tables(&self) -> Vec<(String, Classes<'_>)> {
        let Some(method) = self.classes.first().map(|line| line.method.as_str()) else { return Vec::new() };
        let asked = [(Condition::NoQuery, Questions::NeedNoQuery), (Condition::Query, Questions::All)];
        let tables = asked.into_iter().map(|(condition, questions)| {
            let is_asked = |line: &Retention| {
                line.method == method && line.condition == condition && line.questions == questions
            };
            (format!("{method}, {}, by kind of question", condition.name()), self.by_class(is_asked))
        });
        tables.filter(|(_, classes)| classes.len() > 1).collect()
    }

    /// The lines of all methods for each class of questions that need no query.
    pub(crate) fn each_class(&self) -> Classes<'_> {
        self.by_class(|line| line.questions == Questions::NeedNoQuery)
    }

    fn by_class(&self, is_wanted: impl Fn(&Retention) -> bool) -> Classes<'_> {
        let mut lines: Vec<&Retention> = self.classes.iter().filter(|line| is_wanted(line)).collect();
        lines.sort_by(|one, other| one.class.cmp(&other.class));
        let classes = lines.chunk_by(|one, other| one.class == other.class);
        let named = classes.filter_map(|lines| {
            let first = lines.first()?;
            let name = format!("{} ({})", first.class.as_deref().unwrap_or_default(), first.items);
            Some((name, lines.to_vec()))
        });
        named.collect()
    }
}
