//! Data points: filling them, reading them, and giving up waiting for them.
use crate::host::owned;
use crate::tensor::{c_text, Element, Memory, View};
use crate::{sys, Error, Host, Result};
use std::marker::PhantomData;
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

/// Where a point is in a dataflow that is read by index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// Counts the passes over the data, from 0.
    pub round: u64,
    pub index: u64,
}

impl Position {
    /// The cursor "ROUND:NEXT" that means "continue here".
    pub fn cursor(&self) -> Vec<u8> {
        format!("{}:{}", self.round, self.index).into_bytes()
    }
    /// The position of a cursor "ROUND:NEXT". what: of whom, for the message.
    pub fn of_cursor(cursor: &[u8], what: &str) -> Result<Position> {
        let text = String::from_utf8_lossy(cursor);
        let digits = |part: &str| match part.bytes().all(|byte| byte.is_ascii_digit()) {
            true => part.parse::<u64>().ok(),
            false => None,
        };
        let parts = text.split_once(':').map(|(round, index)| (digits(round), digits(index)));
        if let Some((Some(round), Some(index))) = parts {
            return Ok(Position { round, index });
        }
        Err(Error::with_status(
            sys::BROCH_E_DATA_LOSS,
            format!(
                "'{}' is not a cursor of {}, expected ROUND:NEXT; has the dataflow changed \
                 since the run was saved?",
                text, what
            ),
        ))
    }
}

/// Fills a data point: a list of tensors, either in the order of the model's inputs or each with
/// the name of an input. Valid during the call that received it.
pub struct PointWriter<'p> {
    host: Host,
    table: &'static sys::broch_host_data_point,
    point: sys::broch_point,
    lends: bool, // its memory lives as long as 'p
    lent: PhantomData<&'p mut ()>,
}

impl<'p> PointWriter<'p> {
    pub(crate) fn new(host: Host, point: sys::broch_point) -> Result<PointWriter<'p>> {
        Ok(PointWriter { host, table: host.require()?, point, lends: true, lent: PhantomData })
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
    /// Adds a tensor of zeros in memory of the host, to be filled: row-major, of this shape. In a
    /// row of a batch, it lies in the batch. name: of an input; None in a point without names.
    pub fn allocate<T: Element>(&mut self, shape: &[i64], name: Option<&str>) -> Result<&mut [T]> {
        require_lending(self.lends)?;
        let (name, mut shape) = (name.map(c_text).transpose()?, shape.to_vec());
        let like = sys::broch_dl_tensor {
            data: std::ptr::null_mut(),
            device: sys::broch_dl_device { device_type: sys::BROCH_DL_CPU, device_id: 0 },
            ndim: shape.len() as i32,
            dtype: T::DTYPE.dl_type(),
            shape: shape.as_mut_ptr(),
            strides: std::ptr::null_mut(),
            byte_offset: 0,
        };
        let name = name.as_ref().map_or(std::ptr::null(), |name| name.as_ptr());
        let mut memory = std::ptr::null_mut();
        call!(self.host, self.table, allocate, self.point, name, &like, &mut memory)?;
        let (start, size) = (memory as *mut T, shape.iter().product::<i64>() as usize);
        if size == 0 {
            return Ok(&mut []);
        }
        // Safety: the memory has room for these elements, and zero bytes are a value of each type.
        unsafe {
            std::ptr::write_bytes(start, 0, size);
            Ok(std::slice::from_raw_parts_mut(start, size))
        }
    }
    /// Identifies the sample, see ext/data_point.h. 0: none was set yet.
    pub fn key(&self) -> Result<u64> {
        key_of_point(self.host, self.table, self.point)
    }
    /// The host sets a key where this does not.
    pub fn set_key(&mut self, key: u64) -> Result<()> {
        call!(self.host, self.table, set_key, self.point, key)?;
        Ok(())
    }
    /// Completes a batch with its first count rows, see [`Point::begin_row`].
    pub fn end_rows(&mut self, count: u64) -> Result<()> {
        call!(self.host, self.table, rows_end, self.point, count)?;
        Ok(())
    }
    /// In a [`Transform`](crate::Transform) with MANY: passes the content on as one point, and
    /// empties this one.
    pub fn emit(&mut self) -> Result<()> {
        call!(self.host, self.table, emit, self.point)?;
        Ok(())
    }
    /// cursor means "continue after this point"; at most BROCH_CURSOR_SIZE_MAX bytes.
    pub fn set_cursor(&mut self, cursor: impl AsRef<[u8]>) -> Result<()> {
        let (bytes, size) = (cursor.as_ref().as_ptr() as *const c_void, cursor.as_ref().len());
        call!(self.host, self.table, set_cursor, self.point, bytes, size as u64)?;
        Ok(())
    }
}

/// Reads a data point that a transform receives. Valid during the call that received it.
pub struct PointReader<'p> {
    host: Host,
    table: &'static sys::broch_host_data_point,
    point: sys::broch_point,
    lends: bool, // its memory lives as long as 'p
    lent: PhantomData<&'p mut ()>,
}

impl<'p> PointReader<'p> {
    pub(crate) fn new(host: Host, point: sys::broch_point) -> Result<PointReader<'p>> {
        Ok(PointReader { host, table: host.require()?, point, lends: true, lent: PhantomData })
    }
    pub fn handle(&self) -> sys::broch_point {
        self.point
    }
    /// The number of components.
    pub fn size(&self) -> Result<u32> {
        size_of_point(self.host, self.table, self.point)
    }
    pub fn view(&self, index: u32) -> Result<View<'_>> {
        require_lending(self.lends)?;
        view_of_point(self.host, self.table, self.point, index)
    }
    /// None in a point without names.
    pub fn name(&self, index: u32) -> Result<Option<String>> {
        name_in_point(self.host, self.table, self.point, index)
    }
    /// Identifies the sample, see ext/data_point.h.
    pub fn key(&self) -> Result<u64> {
        key_of_point(self.host, self.table, self.point)
    }
    /// Adds a component to another point, without a copy unless that is a row of a batch. It can no
    /// longer be viewed here.
    pub fn move_component(&mut self, index: u32, to: &mut PointWriter) -> Result<()> {
        call!(self.host, self.table, move_component, self.point, index, to.point)?;
        Ok(())
    }
}

type DataPoints = &'static sys::broch_host_data_point;

// The memory of a row belongs to the batch, which only the writer of begin_row borrows.
fn require_lending(lends: bool) -> Result<()> {
    if lends {
        return Ok(());
    }
    Err(Error::with_status(
        sys::BROCH_E_FAILED_PRECONDITION,
        "the memory of a point that was a row of a batch, expected that of another point: use the \
         writer that begin_row returns, or make a new point",
    ))
}
fn size_of_point(host: Host, table: DataPoints, point: sys::broch_point) -> Result<u32> {
    let mut count = 0;
    call!(host, table, count, point, &mut count)?;
    Ok(count)
}
fn view_of_point<'p>(
    host: Host,
    table: DataPoints,
    point: sys::broch_point,
    index: u32,
) -> Result<View<'p>> {
    let mut view: sys::broch_dl_tensor = unsafe { std::mem::zeroed() };
    call!(host, table, view, point, index, &mut view)?;
    Ok(unsafe { View::new(&view) })
}
fn name_in_point(
    host: Host,
    table: DataPoints,
    point: sys::broch_point,
    index: u32,
) -> Result<Option<String>> {
    let mut name = std::ptr::null();
    call!(host, table, name, point, index, &mut name)?;
    Ok(if name.is_null() { None } else { Some(unsafe { owned(name) }) })
}
fn key_of_point(host: Host, table: DataPoints, point: sys::broch_point) -> Result<u64> {
    let mut key = 0;
    call!(host, table, key, point, &mut key)?;
    Ok(key)
}

/// A data point that the plugin owns, to read from children and for queues.
pub struct Point {
    host: Host,
    table: &'static sys::broch_host_data_point,
    point: sys::broch_point,
    was_row: bool,
}

impl Point {
    pub fn new(host: Host) -> Result<Point> {
        let (table, mut point): (&sys::broch_host_data_point, _) = (host.require()?, 0);
        call!(host, table, point_new, &mut point)?;
        Ok(Point { host, table, point, was_row: false })
    }
    pub fn handle(&self) -> sys::broch_point {
        self.point
    }
    /// Adds tensors to this point, or lets a child fill it, while the point is left alone.
    pub fn writer(&mut self) -> PointWriter<'_> {
        let (host, table, point) = (self.host, self.table, self.point);
        PointWriter { host, table, point, lends: !self.was_row, lent: PhantomData }
    }
    /// Moves components of this point, or lets a child transform it, while the point is left alone.
    pub fn reader(&mut self) -> PointReader<'_> {
        let (host, table, point) = (self.host, self.table, self.point);
        PointReader { host, table, point, lends: !self.was_row, lent: PhantomData }
    }
    /// The number of tensors.
    pub fn size(&self) -> Result<u32> {
        size_of_point(self.host, self.table, self.point)
    }
    pub fn view(&self, index: u32) -> Result<View<'_>> {
        require_lending(!self.was_row)?;
        view_of_point(self.host, self.table, self.point, index)
    }
    /// None in a point without names.
    pub fn name(&self, index: u32) -> Result<Option<String>> {
        name_in_point(self.host, self.table, self.point, index)
    }
    /// Identifies the sample, see ext/data_point.h.
    pub fn key(&self) -> Result<u64> {
        key_of_point(self.host, self.table, self.point)
    }
    /// Empty if there is none.
    pub fn cursor(&self) -> Result<Vec<u8>> {
        let (mut bytes, mut size) = (std::ptr::null(), 0);
        call!(self.host, self.table, cursor, self.point, &mut bytes, &mut size)?;
        Ok(unsafe { copied(bytes, size) })
    }
    /// Makes this point row index, counted from 0, of a batch of n rows. What is put into it goes
    /// into the memory of the batch, which the writer therefore borrows. From then on, the point
    /// gives access to memory only through such writers.
    pub fn begin_row<'a>(
        &'a mut self,
        batch: &'a mut PointWriter<'_>,
        index: u64,
        n: u64,
    ) -> Result<PointWriter<'a>> {
        self.was_row = true;
        call!(self.host, self.table, row_begin, batch.point, index, n, self.point)?;
        Ok(PointWriter { lends: true, ..self.writer() })
    }
    /// Begins to copy the content to the device of a training tower, which takes it in a later
    /// step.
    pub fn stage(&mut self, tower: u32) -> Result<()> {
        call!(self.host, self.table, stage, self.point, tower)?;
        Ok(())
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
