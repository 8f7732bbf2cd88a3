//! Questions of other agents' extensions, answered.

use recto_hooks::{
    notes,
    plain::{self, Question},
};

use crate::{
    hook::{
        carry::{Carrier, Done, persisted},
        claude::own,
        words,
    },
    usage::{Line, What},
};

/// Answers a question as it stands on stdin.
pub(crate) fn answer(text: &str, carrier: &Carrier) -> Done {
    let failed = |tool: &str, why: String| Done::failed(carrier.agent, tool, &why);
    let question = match Question::parse(text) {
        Ok(question) => question,
        Err(error) => return failed("", error.to_string()),
    };
    let (call, session) = (question.call(), question.session().to_owned());
    let arguments = question.arguments();
    let whole = match question.persisted().map(persisted).transpose() {
        Ok(whole) => whole,
        Err(error) => return failed(&call.tool, error.to_string()),
    };
    let Some(mut texts) = question.into_texts() else {
        let found = arguments
            .filter(|_| carrier.settings.hook_deny_notes.value && !call.is_recall())
            .and_then(notes::find)
            .and_then(|found| own(found, &session, carrier));
        let Some(found) = found else { return Done::default() };
        let reason = words::denial(&call.tool, call.path(), &found, carrier.recall);
        let line =
            Line { why: found.argument, session, ..Line::new(carrier.agent, &call.tool, What::Denied) };
        return Done { answer: plain::denial(&reason).ok(), lines: vec![line] };
    };
    let mut lines = carrier.cut(&call, &mut texts, whole.as_ref().map(|(text, bytes)| (*text, &**bytes)));
    for line in &mut lines {
        line.session.clone_from(&session);
        // Extensions name the session's file where there is one.
        if session.starts_with('/') {
            line.transcript.clone_from(&session);
        }
    }
    if lines.iter().all(|line| line.what != What::View) {
        return Done { answer: None, lines };
    }
    match plain::answer(&texts) {
        Ok(answer) => Done { answer: Some(answer), lines },
        Err(error) => failed(&call.tool, error.to_string()),
    }
}
