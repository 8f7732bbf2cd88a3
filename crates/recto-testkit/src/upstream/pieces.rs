//! A response body sent piece by piece.

use std::{
    collections::VecDeque,
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
};

use axum::body::Bytes;
use futures_core::Stream;

/// Pieces of a body, each written by itself: between two of them the connection is flushed.
pub(super) struct Pieces {
    waiting: VecDeque<Bytes>,
    has_paused: bool,
}

impl Pieces {
    pub(super) fn new(pieces: Vec<Bytes>, max_bytes: Option<usize>) -> Self {
        let waiting = match max_bytes {
            None => pieces.into(),
            Some(max_bytes) => cut(&pieces.concat(), max_bytes),
        };
        Self { waiting, has_paused: false }
    }
}

fn cut(whole: &[u8], max_bytes: usize) -> VecDeque<Bytes> {
    whole.chunks(max_bytes.max(1)).map(Bytes::copy_from_slice).collect()
}

impl Stream for Pieces {
    type Item = Result<Bytes, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        // The server flushes what it has when the body is not ready.
        if !self.has_paused && !self.waiting.is_empty() {
            self.has_paused = true;
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        self.has_paused = false;
        Poll::Ready(self.waiting.pop_front().map(Ok))
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Bytes;

    use super::Pieces;

    #[test]
    fn pieces_are_cut_anywhere() {
        let events = || vec![Bytes::from_static(b"abc"), Bytes::from_static(b"defg")];
        assert_eq!(Pieces::new(events(), None).waiting, events());
        assert_eq!(Pieces::new(events(), Some(2)).waiting, ["ab", "cd", "ef", "g"]);
    }
}
