//! The host as a value: log lines, tables of functions, statuses as results.
use crate::sys::{self, Table};
use crate::{Error, Result};
use std::ffi::{CStr, CString};
use std::os::raw::c_char;

/// The host of an instance. Do not use it after the instance has been dropped.
#[derive(Clone, Copy)]
pub struct Host(&'static sys::broch_host);

/// The function of a table with that name, if the table is long enough to have it and has it.
#[macro_export]
macro_rules! entry {
    ($table:expr, $member:ident) => {{
        let table = $table;
        let probe = $crate::host::uninit_like(table);
        let start = probe.as_ptr();
        // Safety: this computes an address and reads nothing.
        let at = unsafe { std::ptr::addr_of!((*start).$member) } as usize - start as usize;
        if at + std::mem::size_of::<usize>() <= table.struct_size as usize {
            table.$member
        } else {
            None
        }
    }};
}

/// Calls a host function whose first argument is the host. Failures become errors.
macro_rules! call {
    ($host:expr, $table:expr, $member:ident $(, $argument:expr)*) => {{
        let host: $crate::Host = $host;
        match $crate::entry!($table, $member) {
            Some(function) => host.check(unsafe { function(host.c() $(, $argument)*) }),
            None => Err(host.lacks(stringify!($member))),
        }
    }};
}

#[doc(hidden)]
pub fn uninit_like<T>(_: &T) -> std::mem::MaybeUninit<T> {
    std::mem::MaybeUninit::uninit()
}

impl Host {
    /// # Safety
    /// host is what create received, and is used no longer than the instance.
    pub unsafe fn new(host: *const sys::broch_host) -> Host {
        Host(&*host)
    }
    /// For functions of [`sys`].
    pub fn c(&self) -> *const sys::broch_host {
        self.0
    }

    pub fn debug(&self, text: impl AsRef<str>) {
        self.log(sys::BROCH_LOG_DEBUG, text.as_ref());
    }
    pub fn info(&self, text: impl AsRef<str>) {
        self.log(sys::BROCH_LOG_INFO, text.as_ref());
    }
    pub fn warning(&self, text: impl AsRef<str>) {
        self.log(sys::BROCH_LOG_WARNING, text.as_ref());
    }
    pub fn error(&self, text: impl AsRef<str>) {
        self.log(sys::BROCH_LOG_ERROR, text.as_ref());
    }
    fn log(&self, level: i32, text: &str) {
        if let Some(log) = self.0.log {
            unsafe { log(self.0, level, printable(text).as_ptr()) }
        }
    }

    /// A table of the host, or None if this host does not have it: `find::<sys::broch_host_rng>()`.
    pub fn find<T: Table>(&self) -> Option<&'static T> {
        let get = self.0.get_extension?;
        unsafe { (get(self.0, T::ID.as_ptr()) as *const T).as_ref() }
    }
    /// The same; an error if this host does not have it.
    pub fn require<T: Table>(&self) -> Result<&'static T> {
        self.find().ok_or_else(|| {
            let id = T::ID.to_string_lossy();
            Error::with_status(sys::BROCH_E_UNIMPLEMENTED, format!("this host has no {}", id))
        })
    }

    /// What a host function returned: an error with the message of the host if it is a failure,
    /// else the same status, which may be an outcome such as BROCH_NONE.
    pub fn check(&self, status: i32) -> Result<i32> {
        if status >= 0 {
            return Ok(status);
        }
        let message = match self.0.last_error {
            Some(last_error) => unsafe { owned(last_error(self.0)) },
            None => String::new(),
        };
        Err(Error::with_status(status, message))
    }
    pub(crate) fn lacks(&self, function: &str) -> Error {
        Error::with_status(sys::BROCH_E_UNIMPLEMENTED, format!("this host has no {}", function))
    }
    /// Records why a call fails and returns status.
    pub(crate) fn fail(&self, status: i32, message: &str) -> i32 {
        match self.0.fail {
            Some(fail) => unsafe { fail(self.0, status, printable(message).as_ptr()) },
            None => status,
        }
    }
}

fn printable(text: &str) -> CString {
    CString::new(text.replace('\0', " ")).unwrap_or_default()
}

/// A copy of a text of the host; bytes that are not UTF-8 become U+FFFD. "" for NULL.
pub(crate) unsafe fn owned(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    CStr::from_ptr(text).to_string_lossy().into_owned()
}
