//! Failures, and the outcomes that end a call early.
use crate::sys;
use std::fmt;

pub type Result<T> = std::result::Result<T, Error>;

/// Why a call ends early. When it leaves the plugin, the host receives its status and message.
/// `?` makes one of every error of the standard library, with status BROCH_E_UNKNOWN.
#[derive(Clone, Debug)]
pub struct Error {
    status: i32,
    message: String,
}

impl Error {
    /// A failure without a more precise status. The message says what is wrong and what was
    /// expected; the host adds the names of instance and function.
    pub fn new(message: impl Into<String>) -> Error {
        Error::with_status(sys::BROCH_E_UNKNOWN, message)
    }
    /// An argument or an option that is wrong. A message that begins with the JSON pointer of an
    /// option and a colon is shown with the line of the manifest that gives the option.
    pub fn invalid(message: impl Into<String>) -> Error {
        Error::with_status(sys::BROCH_E_INVALID_ARGUMENT, message)
    }
    /// status: BROCH_E_… of [`sys`].
    pub fn with_status(status: i32, message: impl Into<String>) -> Error {
        Error { status, message: message.into() }
    }
    /// Ends training without an error; the host logs the reason, unless it is empty. tensorpack:
    /// `StopTraining`.
    pub fn stop(reason: impl Into<String>) -> Error {
        Error::with_status(sys::BROCH_STOP, reason)
    }
    /// The host asked to give up waiting. Not a failure.
    pub fn cancelled() -> Error {
        Error::with_status(sys::BROCH_CANCELLED, "cancelled")
    }

    pub fn status(&self) -> i32 {
        self.status
    }
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

// This leaves no room for implementing std::error::Error.
impl<E: std::error::Error> From<E> for Error {
    fn from(error: E) -> Error {
        Error::new(error.to_string())
    }
}
