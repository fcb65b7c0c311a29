//! What stands between the host and a component: statuses from results, panics as failures, and at
//! most one call at a time that may change the instance.
use crate::{sys, Component, Config, Error, Host, Options, Resolved, Result};
use std::any::Any;
use std::cell::{Cell, RefCell, UnsafeCell};
use std::os::raw::{c_char, c_void};
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Once};
use std::thread::{self, ThreadId};

thread_local! {
    static DEPTH: Cell<u32> = Cell::new(0); // calls from the host on this thread
    static PLACE: RefCell<String> = RefCell::new(String::new()); // of the last panic
}

/// A panic in a call from the host becomes a failure of it, and is not printed.
fn catch_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            if DEPTH.with(Cell::get) == 0 {
                return before(info);
            }
            let place = info.location().map(|place| format!(" at {}", place)).unwrap_or_default();
            PLACE.with(|last| *last.borrow_mut() = place);
        }));
    });
}

fn panic_text(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no message");
    PLACE.with(|place| format!("panicked{}: {}", place.borrow(), text))
}

/// Runs body for a call from the host.
pub fn at_border(host: Host, body: impl FnOnce() -> Result<i32>) -> i32 {
    DEPTH.with(|depth| depth.set(depth.get() + 1));
    let result = panic::catch_unwind(AssertUnwindSafe(body));
    DEPTH.with(|depth| depth.set(depth.get() - 1));
    match result {
        Ok(Ok(status)) => status,
        Ok(Err(error)) => match error.status() {
            sys::BROCH_CANCELLED => sys::BROCH_CANCELLED,
            // A child has already given the reason.
            sys::BROCH_STOP if error.message().is_empty() => sys::BROCH_STOP,
            // An Error is a failure even if it was made with a status that is not negative.
            status if status < 0 || status == sys::BROCH_STOP => host.fail(status, error.message()),
            _ => host.fail(sys::BROCH_E_UNKNOWN, error.message()),
        },
        Err(payload) => host.fail(sys::BROCH_E_UNKNOWN, &panic_text(&*payload)),
    }
}

#[derive(Default)]
struct Users {
    changing: Option<ThreadId>,
    reading: Vec<ThreadId>,
}

/// Who uses the object now. Calls on other threads wait; one on the same thread would wait for
/// itself, so it fails.
#[derive(Default)]
struct Access {
    users: Mutex<Users>,
    changed: Condvar,
}

struct Using<'a> {
    access: &'a Access,
    change: bool,
}

impl Access {
    fn lock(&self) -> MutexGuard<'_, Users> {
        self.users.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
    fn enter(&self, change: bool) -> Result<Using<'_>> {
        let (me, mut users) = (thread::current().id(), self.lock());
        loop {
            if users.changing == Some(me) || (change && users.reading.contains(&me)) {
                return Err(Error::with_status(
                    sys::BROCH_E_FAILED_PRECONDITION,
                    "called inside another call of the same instance, of which one may change it: \
                     a method with &mut self must not make the host call its own instance",
                ));
            }
            if users.changing.is_none() && (!change || users.reading.is_empty()) {
                break;
            }
            users = self.changed.wait(users).unwrap_or_else(|poisoned| poisoned.into_inner());
        }
        if change {
            users.changing = Some(me);
        } else {
            users.reading.push(me);
        }
        Ok(Using { access: self, change })
    }
}

impl Drop for Using<'_> {
    fn drop(&mut self) {
        let (me, mut users) = (thread::current().id(), self.access.lock());
        if self.change {
            users.changing = None;
        } else if let Some(at) = users.reading.iter().position(|&reader| reader == me) {
            users.reading.swap_remove(at);
        }
        self.access.changed.notify_all();
    }
}

/// What self points to: the object, and what the functions of the tables need besides.
pub struct Holder<T> {
    pub host: Host,
    pub resolved: Arc<Resolved>,
    access: Access,
    object: UnsafeCell<T>,
}

/// Runs body for a call that may change the object.
///
/// # Safety
/// this comes from `create::<T>`.
pub unsafe fn changing<T>(
    this: *mut c_void,
    body: impl FnOnce(&mut T, &Holder<T>) -> Result<i32>,
) -> i32 {
    let holder = &*(this as *const Holder<T>);
    at_border(holder.host, || {
        let _using = holder.access.enter(true)?;
        body(&mut *holder.object.get(), holder)
    })
}

/// Runs body for a call that does not change the object; others of this kind may run meanwhile if T
/// is Sync.
///
/// # Safety
/// As [`changing`].
pub unsafe fn reading<T>(
    this: *mut c_void,
    body: impl FnOnce(&T, &Holder<T>) -> Result<i32>,
) -> i32 {
    let holder = &*(this as *const Holder<T>);
    at_border(holder.host, || {
        let _using = holder.access.enter(false)?;
        body(&*holder.object.get(), holder)
    })
}

/// # Safety
/// The host calls it, as entry.h says.
pub unsafe extern "C" fn create<T: Component>(
    host: *const sys::broch_host,
    _options: *const c_char,
    out: *mut *mut c_void,
) -> i32 {
    catch_panics();
    let host = Host::new(host);
    at_border(host, || {
        let options = T::Options::read(&Config::new(host)?)?;
        let object = UnsafeCell::new(T::new(host, options)?);
        let holder = Holder { host, resolved: Resolved::new(), access: Access::default(), object };
        *out = Box::into_raw(Box::new(holder)) as *mut c_void;
        Ok(sys::BROCH_OK)
    })
}

/// # Safety
/// As [`create`].
pub unsafe extern "C" fn destroy<T: Component>(this: *mut c_void) {
    let holder = Box::from_raw(this as *mut Holder<T>);
    at_border(holder.host, || {
        drop(holder);
        Ok(sys::BROCH_OK)
    });
}
