//! Data points: filling them, reading them, and giving up waiting for them.
use crate::host::owned;
use crate::tensor::{c_text, Element, Memory, View};
use crate::{sys, Error, Host, Result};
use std::os::raw::c_void;
use std::time::Duration;

/// Tells a source that the host wants it to give up waiting. Borrowed for the call.
pub struct Cancel<'c>(pub(crate) &'c sys::broch_cancel);

impl<'c> Cancel<'c> {
    pub fn cancelled(&self) -> bool {
        self.0.cancelled.map_or(false, |ask| unsafe { ask(self.0.context) } != 0)
    }
    /// Sleeps for this time, or less: returns [`Error::cancelled`] as soon as the host asks to give
    /// up.
    pub fn wait(&self, time: Duration) -> Result<()> {
        let nanoseconds = i64::try_from(time.as_nanos()).unwrap_or(i64::MAX);
        match self.0.wait {
            Some(wait) if unsafe { wait(self.0.context, nanoseconds) } != 0 => {
                Err(Error::cancelled())
            }
            _ => Ok(()),
        }
    }
    pub fn c(&self) -> *const sys::broch_cancel {
        self.0
    }
}

/// Fills a data point: a list of tensors, either in the order of the model's inputs or each with
/// the name of an input. Valid during the call that received it.
pub struct PointWriter {
    host: Host,
    table: &'static sys::broch_host_data_point,
    point: sys::broch_point,
}

impl PointWriter {
    pub(crate) fn new(host: Host, point: sys::broch_point) -> Result<PointWriter> {
        Ok(PointWriter { host, table: host.require()?, point })
    }
    pub fn handle(&self) -> sys::broch_point {
        self.point
    }
    /// Adds a copy of values, row-major. shape: the size of each dimension; []: one number.
    pub fn add<T: Element>(&mut self, values: &[T], shape: &[i64]) -> Result<()> {
        let mut memory = Memory::new(values, shape)?;
        call!(self.host, self.table, add_copy, self.point, std::ptr::null(), memory.view())?;
        Ok(())
    }
    /// The same in a point with names. name: of an input.
    pub fn add_named<T: Element>(&mut self, name: &str, values: &[T], shape: &[i64]) -> Result<()> {
        let (name, mut memory) = (c_text(name)?, Memory::new(values, shape)?);
        call!(self.host, self.table, add_copy, self.point, name.as_ptr(), memory.view())?;
        Ok(())
    }
    /// cursor means "continue after this point"; at most BROCH_CURSOR_SIZE_MAX bytes.
    pub fn set_cursor(&mut self, cursor: impl AsRef<[u8]>) -> Result<()> {
        let (bytes, size) = (cursor.as_ref().as_ptr() as *const c_void, cursor.as_ref().len());
        call!(self.host, self.table, set_cursor, self.point, bytes, size as u64)?;
        Ok(())
    }
}

/// A data point that the plugin owns, to read from children and for queues.
pub struct Point {
    host: Host,
    table: &'static sys::broch_host_data_point,
    point: sys::broch_point,
}

impl Point {
    pub fn new(host: Host) -> Result<Point> {
        let (table, mut point): (&sys::broch_host_data_point, _) = (host.require()?, 0);
        call!(host, table, point_new, &mut point)?;
        Ok(Point { host, table, point })
    }
    pub fn handle(&self) -> sys::broch_point {
        self.point
    }
    /// The number of tensors.
    pub fn size(&self) -> Result<u32> {
        let mut count = 0;
        call!(self.host, self.table, count, self.point, &mut count)?;
        Ok(count)
    }
    /// Passes a tensor of the point to body, which must not change the point.
    pub fn view<R>(&self, index: u32, body: impl FnOnce(View) -> Result<R>) -> Result<R> {
        let mut view: sys::broch_dl_tensor = unsafe { std::mem::zeroed() };
        call!(self.host, self.table, view, self.point, index, &mut view)?;
        body(unsafe { View::new(&view) })
    }
    /// "" in a point without names.
    pub fn name(&self, index: u32) -> Result<String> {
        let mut name = std::ptr::null();
        call!(self.host, self.table, name, self.point, index, &mut name)?;
        Ok(unsafe { owned(name) })
    }
    /// Empty if there is none.
    pub fn cursor(&self) -> Result<Vec<u8>> {
        let (mut bytes, mut size) = (std::ptr::null(), 0);
        call!(self.host, self.table, cursor, self.point, &mut bytes, &mut size)?;
        Ok(unsafe { copied(bytes, size) })
    }
    pub fn clear(&mut self) -> Result<()> {
        call!(self.host, self.table, point_clear, self.point)?;
        Ok(())
    }
    /// Transfers the content without copying it; this point is empty afterwards.
    pub fn move_to(&mut self, target: &mut PointWriter) -> Result<()> {
        call!(self.host, self.table, point_move, self.point, target.point)?;
        Ok(())
    }
}

impl Drop for Point {
    fn drop(&mut self) {
        let _ = call!(self.host, self.table, point_free, self.point);
    }
}

pub(crate) unsafe fn copied(bytes: *const c_void, size: u64) -> Vec<u8> {
    if bytes.is_null() || size == 0 {
        return Vec::new();
    }
    std::slice::from_raw_parts(bytes as *const u8, size as usize).to_vec()
}
