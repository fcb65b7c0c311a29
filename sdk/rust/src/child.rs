//! Components that an option of this component contains (its children).
use crate::options::{Config, OptionType};
use crate::sys::{self, Table};
use crate::tensor::c_text;
use crate::{Cancel, Error, Host, PointReader, PointWriter, Position, Result};
use std::os::raw::c_void;

/// The child at the option pointer, such as "/dataflow": the first argument of the functions of the
/// table, and the table. Both are valid until this component is dropped.
pub fn child<T: Table>(host: Host, pointer: &str) -> Result<(*mut c_void, &'static T)> {
    let (instances, pointer): (&sys::broch_host_instance, _) = (host.require()?, c_text(pointer)?);
    let (mut this, mut table) = (std::ptr::null_mut(), std::ptr::null());
    let (pointer, id) = (pointer.as_ptr(), T::ID.as_ptr());
    call!(host, instances, child, pointer, id, &mut this, &mut table)?;
    Ok((this, unsafe { &*(table as *const T) }))
}

/// What is after `;` is a further role of the child, which it may lack.
macro_rules! child {
    (
        $(#[$attribute:meta])*
        $Name:ident, $table:ty, $schema:literal $(; $more:ident: $other:ident of $its_table:ty)?
    ) => {
        $(#[$attribute])*
        pub struct $Name {
            host: Host,
            this: *mut c_void,
            table: &'static $table,
            $($more: Option<$other>,)?
        }
        // Safety: the host checks on which threads its functions are called.
        unsafe impl Send for $Name {}
        unsafe impl Sync for $Name {}
        impl $Name {
            pub fn new(host: Host, pointer: &str) -> Result<$Name> {
                let (this, table) = child(host, pointer)?;
                $(let $more = child::<$its_table>(host, pointer).ok();
                let $more = $more.map(|(this, table)| $other { host, this, table });)?
                Ok($Name { host, this, table $(, $more)? })
            }
        }
        impl OptionType for $Name {
            const SCHEMA: &'static str = $schema;
            const BEGINS: &'static str = "\"-0123456789";
            fn read(config: &Config, pointer: &str) -> Result<$Name> {
                $Name::new(config.host(), pointer)
            }
        }
    };
}

/// Calls a function of a child; a missing one is answered with BROCH_E_UNIMPLEMENTED.
macro_rules! call_child {
    ($child:expr, $member:ident $(, $argument:expr)*) => {
        match $crate::entry!($child.table, $member) {
            Some(function) => $child.host.check(unsafe { function($child.this $(, $argument)*) }),
            None => Err($child.host.lacks(stringify!($member))),
        }
    };
}

/// A child of role dataflow that can be read by index.
struct ByIndex {
    host: Host,
    this: *mut c_void,
    table: &'static sys::broch_indexed,
}

child!(
    /// A child of role dataflow. As an option of [`options!`](crate::options!) it is required.
    ///
    /// If indexed is true, the child can also be read by index, see role/indexed.h: read and
    /// locate. Read it in one of the two ways only.
    ChildDataFlow,
    sys::broch_dataflow,
    r#""x-broch-component": "dataflow""#;
    by_index: ByIndex of sys::broch_indexed
);
impl ChildDataFlow {
    /// Whether it can be read by index; always the same for one child.
    pub fn indexed(&self) -> bool {
        self.by_index.is_some()
    }
    fn by_index(&self) -> Result<&ByIndex> {
        let lacks = || Error::invalid("this child cannot be read by index: ask indexed() first");
        self.by_index.as_ref().ok_or_else(lacks)
    }
    /// Fills point with the point at a position. False: the round ends before it. Any thread, also
    /// several at once.
    pub fn read(&self, at: Position, cancel: &Cancel, point: &mut PointWriter) -> Result<bool> {
        let child = self.by_index()?;
        match call_child!(child, read, at.round, at.index, cancel.c(), point.handle())? {
            sys::BROCH_CANCELLED => Err(Error::cancelled()),
            status => Ok(status == sys::BROCH_OK),
        }
    }
    /// Whether the child gives its points cursors of its own, which only locate understands.
    pub fn has_locate(&self) -> bool {
        let has = |child: &ByIndex| entry!(child.table, locate).is_some();
        self.by_index.as_ref().map_or(false, has)
    }
    /// The position at which to continue after the point with this cursor.
    pub fn locate(&self, cursor: &[u8]) -> Result<Position> {
        if !self.has_locate() {
            return Position::of_cursor(cursor, "a dataflow that is read by index");
        }
        let (child, mut at) = (self.by_index()?, Position::default());
        let (bytes, size) = (cursor.as_ptr() as *const c_void, cursor.len() as u64);
        call_child!(child, locate, bytes, size, &mut at.round, &mut at.index)?;
        Ok(at)
    }
    pub fn reset_state(&self) -> Result<()> {
        if entry!(self.table, reset_state).is_some() {
            call_child!(self, reset_state)?;
        }
        Ok(())
    }
    /// cursor []: from the beginning; otherwise after the point that it describes.
    pub fn open(&self, cursor: &[u8]) -> Result<()> {
        let bytes = if cursor.is_empty() { std::ptr::null() } else { cursor.as_ptr() };
        call_child!(self, open, bytes as *const c_void, cursor.len() as u64)?;
        Ok(())
    }
    /// Between open and the first next: the cursor of the place where this iteration starts. None:
    /// the child does not give it.
    pub fn start_cursor(&self) -> Result<Option<Vec<u8>>> {
        unsafe extern "C" fn append(text: *mut c_void, bytes: *const c_void, size: u64) -> i32 {
            let bytes = std::slice::from_raw_parts(bytes as *const u8, size as usize);
            (*(text as *mut Vec<u8>)).extend_from_slice(bytes);
            sys::BROCH_OK
        }
        let mut cursor = Vec::new();
        let context = &mut cursor as *mut Vec<u8> as *mut c_void;
        let writer = sys::broch_writer { context, write: Some(append) };
        if entry!(self.table, start_cursor).is_none()
            || call_child!(self, start_cursor, &writer)? == sys::BROCH_NONE
        {
            return Ok(None);
        }
        Ok(Some(cursor))
    }
    /// Fills point, which may be the [`writer`](crate::Point::writer) of a point of this component.
    /// False at the end of the data.
    pub fn next(&self, cancel: &Cancel, point: &mut PointWriter) -> Result<bool> {
        match call_child!(self, next, cancel.c(), point.handle())? {
            sys::BROCH_CANCELLED => Err(Error::cancelled()),
            status => Ok(status == sys::BROCH_OK),
        }
    }
    /// The number of points of one iteration. None: unknown or infinite.
    pub fn size(&self) -> Result<Option<i64>> {
        let mut size = 0;
        if entry!(self.table, size).is_none()
            || call_child!(self, size, &mut size)? == sys::BROCH_NONE
        {
            return Ok(None);
        }
        Ok(Some(size))
    }
}

child!(
    /// A child of role transform. Can be called from any thread, also from several at once.
    ChildTransform,
    sys::broch_transform,
    r#""x-broch-component": "transform""#
);
impl ChildTransform {
    /// Whether one point may become none or several. If so, take them from `out` with next_emitted.
    pub fn makes_many(&self) -> bool {
        self.table.flags & sys::BROCH_TRANSFORM_MANY as u32 != 0
    }
    /// Clears out, fills it from input and clears input. key: that of the point.
    pub fn apply(&self, key: u64, input: &mut PointReader, out: &mut PointWriter) -> Result<()> {
        call_child!(self, apply, key, input.handle(), out.handle())?;
        Ok(())
    }
    /// Only where one point may become none or several. Moves the next point that was made to `to`.
    /// False: there is none left.
    pub fn next_emitted(&self, out: &mut PointWriter, to: &mut PointWriter) -> Result<bool> {
        let table: &sys::broch_host_data_point = self.host.require()?;
        Ok(call!(self.host, table, emitted, out.handle(), to.handle())? == sys::BROCH_OK)
    }
}

child!(
    /// An option that is a function: an expression or a component of role function.
    ChildFunction,
    sys::broch_function,
    r#""x-broch-function": true"#
);
impl ChildFunction {
    /// value: the value that the result will replace. None: change nothing.
    pub fn call(&self, now: &sys::broch_progress, value: f64) -> Result<Option<f64>> {
        let args = sys::broch_function_args {
            struct_size: std::mem::size_of::<sys::broch_function_args>() as u32,
            reserved: 0,
            epoch_num: now.epoch_num,
            local_step: now.local_step,
            global_step: now.global_step,
            value,
        };
        let mut result = 0.0;
        match call_child!(self, call, &args, &mut result)? {
            sys::BROCH_STOP => Err(Error::stop("a function asked for it")),
            sys::BROCH_NONE => Ok(None),
            _ => Ok(Some(result)),
        }
    }
}
