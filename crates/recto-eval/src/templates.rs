//! Lines of one shape.
/// Placeholder.
#[derive(Clone, Debug)]
pub struct Templates {}
impl Templates {
    pub(crate) fn costs(&self) -> Vec<u64> {
        Vec::new()
    }
    pub(crate) fn kept(&self, _text: &str, _budget_tokens: u64) -> u32 {
        0
    }
    pub(crate) fn text(&self) -> String {
        String::new()
    }
}
