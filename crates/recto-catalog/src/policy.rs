//! What was measured of models, as data: which map style and which codes they are given.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::{
    map::MapStyle,
    options::{CodeStyle, Level, Objective, Options},
};

/// The table that ships with the crate.
static SHIPPED: LazyLock<Policy> =
    LazyLock::new(|| serde_json::from_str(include_str!("policy.json")).unwrap_or_default());

/// What was measured of models. A row's `model` stands for every model whose name holds it; the first row that fits counts.
///
/// A model that is in no row gets the defaults: nothing is concluded from its name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Policy {
    /// The form of the table; 1.
    pub version: u32,
    /// Where the figures are from.
    pub source: String,
    /// Styles that were better than the default for an objective.
    #[serde(default)]
    pub styles: Vec<StyleRow>,
    /// Styles that failed or were worse: they are not used for the model even when they are asked for.
    #[serde(default)]
    pub refused: Vec<RefusedRow>,
    /// Models that need other codes than names.
    #[serde(default)]
    pub codes: Vec<CodeRow>,
    /// Models that do worse with a provider's own tool search than with a map.
    #[serde(default)]
    pub native_search: Vec<NativeSearchRow>,
}

/// A style that was better than the default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StyleRow {
    /// A part of the model's name.
    pub model: String,
    /// What it was better for.
    pub objective: Objective,
    /// The style.
    pub map_style: MapStyle,
    /// By how much.
    pub measured: String,
}

/// A style that is not used for a model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RefusedRow {
    /// A part of the model's name.
    pub model: String,
    /// For which objective; absent for every one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objective: Option<Objective>,
    /// The style.
    pub map_style: MapStyle,
    /// What is used instead.
    pub instead: MapStyle,
    /// Why.
    pub measured: String,
}

/// A model that needs other codes than names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CodeRow {
    /// A part of the model's name.
    pub model: String,
    /// The codes.
    pub code_style: CodeStyle,
    /// Why.
    pub measured: String,
}

/// A model that does worse with a provider's own tool search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NativeSearchRow {
    /// A part of the model's name.
    pub model: String,
    /// The level to use instead.
    pub level: Level,
    /// Why.
    pub measured: String,
}

/// The style of a map, and why it is not the one asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MapChoice {
    /// The style that is used.
    pub map_style: MapStyle,
    /// The style that was asked for, where one was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requested_map_style: Option<MapStyle>,
    /// Why another one is used, where that is so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback_reason: Option<String>,
    /// What stands for a tool.
    pub code_style: CodeStyle,
    /// Why that is not what was asked for or the default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code_reason: Option<String>,
}

impl Policy {
    /// Returns the table that ships with the crate.
    #[must_use]
    pub fn shipped() -> &'static Self {
        &SHIPPED
    }

    /// Chooses the style of a map: what was asked for, unless the table refuses it for this model; else what it says is better for
    /// the objective; else the default.
    #[must_use]
    pub fn choose(&self, options: &Options) -> MapChoice {
        let model = options.model.as_deref().map(str::to_ascii_lowercase).unwrap_or_default();
        let is =
            |part: &str| !model.is_empty() && !part.is_empty() && model.contains(&part.to_ascii_lowercase());
        let listed = self.styles.iter().find(|row| is(&row.model) && row.objective == options.objective);
        let wanted = options.map_style.or(listed.map(|row| row.map_style)).unwrap_or_default();
        let refused = self.refused.iter().find(|row| {
            is(&row.model)
                && row.map_style == wanted
                && row.objective.is_none_or(|objective| objective == options.objective)
        });
        let codes = self.codes.iter().find(|row| is(&row.model));
        MapChoice {
            map_style: refused.map_or(wanted, |row| row.instead),
            requested_map_style: options.map_style,
            fallback_reason: refused
                .map(|row| format!("{} is not used for {}: {}", row.map_style, row.model, row.measured)),
            code_style: options.code_style.or(codes.map(|row| row.code_style)).unwrap_or_default(),
            code_reason: codes
                .filter(|_| options.code_style.is_none())
                .map(|row| format!("short codes for {}: {}", row.model, row.measured)),
        }
    }

    /// Returns why a model should be given a map rather than the provider's own tool search, where the table says so.
    #[must_use]
    pub fn against_native_search(&self, model: &str) -> Option<&NativeSearchRow> {
        let model = model.to_ascii_lowercase();
        self.native_search
            .iter()
            .find(|row| !row.model.is_empty() && model.contains(&row.model.to_ascii_lowercase()))
    }
}

/// Chooses the style of a map by the table that ships with the crate. See [`Policy::choose`].
///
/// ```
/// use recto_catalog::{MapStyle, Objective, Options, select_map_style};
///
/// let options = Options { model: Some("gpt-5.6-sol".into()), objective: Objective::Cost, ..Options::default() };
/// assert_eq!(select_map_style(&options).map_style, MapStyle::Explicit);
/// assert_eq!(select_map_style(&Options::default()).map_style, MapStyle::NamesRequired);
/// ```
#[must_use]
pub fn select_map_style(options: &Options) -> MapChoice {
    Policy::shipped().choose(options)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(model: &str, style: Option<MapStyle>, objective: Objective) -> MapChoice {
        select_map_style(&Options {
            model: Some(model.to_owned()),
            map_style: style,
            objective,
            ..Options::default()
        })
    }

    #[test]
    fn the_shipped_table_is_read() {
        assert_eq!(Policy::shipped().version, 1);
        assert!(!Policy::shipped().styles.is_empty());
    }

    #[test]
    fn no_model_and_an_unknown_one_change_nothing() {
        let default = MapChoice::default();
        assert_eq!(select_map_style(&Options::default()), default);
        assert_eq!(of("gpt-9", None, Objective::Cost), default);
        assert_eq!(of("gpt-5.6-sol", None, Objective::Occupancy), default);
    }

    #[test]
    fn a_style_that_failed_is_replaced_and_said_so() {
        let choice = of("grok-4.5-fast", Some(MapStyle::Explicit), Objective::Cost);
        assert_eq!(choice.map_style, MapStyle::NamesRequired);
        assert_eq!(choice.requested_map_style, Some(MapStyle::Explicit));
        assert!(choice.fallback_reason.is_some_and(|reason| reason.contains("13.2 %")));
        assert_eq!(choice.code_style, CodeStyle::Short);
    }

    #[test]
    fn the_table_can_be_overridden() {
        let mut policy = Policy::shipped().clone();
        policy.codes.clear();
        let options = Options { model: Some("grok-4.5".to_owned()), ..Options::default() };
        assert_eq!(policy.choose(&options).code_style, CodeStyle::Name);
        let text = serde_json::to_string(&policy).unwrap();
        assert_eq!(serde_json::from_str::<Policy>(&text).unwrap(), policy);
    }
}
