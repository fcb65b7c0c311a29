//! What components can ask the host for. The C headers describe the functions; what has no type here
//! is reached through [`Host::require`] and [`sys`].
use crate::host::owned;
use crate::tensor::{c_text, Element, Memory};
use crate::{sys, Dtype, Host, Result};
use std::ffi::CString;
use std::os::raw::c_void;

/// A table of the host, made in [`Component::new`](crate::Component::new) and kept.
macro_rules! service {
    ($(#[$attribute:meta])* $Name:ident, $table:ty) => {
        $(#[$attribute])*
        #[derive(Clone, Copy)]
        pub struct $Name {
            host: Host,
            table: &'static $table,
        }
        impl $Name {
            pub fn new(host: Host) -> Result<$Name> {
                Ok($Name { host, table: host.require()? })
            }
        }
    };
}

service!(
    /// The counters of the training, and values that are computed together with a step.
    Run,
    sys::broch_host_progress
);
impl Run {
    /// The counters now. Call it where the plugin is called as \[main\].
    pub fn progress(&self) -> Result<sys::broch_progress> {
        let function = entry!(self.table, progress).ok_or_else(|| self.host.lacks("progress"))?;
        Ok(unsafe { *function(self.host.c()) })
    }
    /// In setup_graph of a callback: requests a value with every hooked run. Returns its id.
    pub fn fetch(&self, name: &str) -> Result<u32> {
        let (name, mut id) = (c_text(name)?, 0);
        call!(self.host, self.table, fetch, name.as_ptr(), &mut id)?;
        Ok(id)
    }
    /// In after_run. None: it was not requested in this run.
    pub fn scalar(&self, run: sys::broch_run, id: u32) -> Result<Option<f64>> {
        let mut value = 0.0;
        let status = call!(self.host, self.table, scalar, run, id, &mut value)?;
        Ok(if status == sys::BROCH_NONE { None } else { Some(value) })
    }
    pub fn value(&self, run: sys::broch_run, id: u32) -> Result<Option<sys::broch_tensor>> {
        let mut value = 0;
        let status = call!(self.host, self.table, value, run, id, &mut value)?;
        Ok(if status == sys::BROCH_NONE { None } else { Some(value) })
    }
    pub fn run_collection(&self, collection: &str) -> Result<()> {
        let collection = c_text(collection)?;
        call!(self.host, self.table, run_collection, collection.as_ptr())?;
        Ok(())
    }
    /// In before_run or after_run: ends the training after this step.
    pub fn request_stop(&self, reason: &str) -> Result<()> {
        let reason = c_text(reason)?;
        call!(self.host, self.table, request_stop, reason.as_ptr())?;
        Ok(())
    }
}

service!(
    /// Sends numbers and images to the monitors, and reads earlier numbers.
    Metrics,
    sys::broch_host_metrics
);
impl Metrics {
    pub fn put_scalar(&self, name: &str, value: f64) -> Result<()> {
        let name = c_text(name)?;
        call!(self.host, self.table, put_scalar, name.as_ptr(), value)?;
        Ok(())
    }
    /// shape: (H, W), (H, W, C), (N, H, W) or (N, H, W, C). Numbers from 0 to 255.
    pub fn put_image<T: Element>(&self, name: &str, values: &[T], shape: &[i64]) -> Result<()> {
        let (name, mut memory) = (c_text(name)?, Memory::new(values, shape)?);
        call!(self.host, self.table, put_image, name.as_ptr(), memory.view())?;
        Ok(())
    }
    /// The last value. None: none has been put yet.
    pub fn latest(&self, name: &str) -> Result<Option<sys::broch_metric_point>> {
        let (name, mut point) =
            (c_text(name)?, sys::broch_metric_point { global_step: 0, value: 0.0 });
        let status = call!(self.host, self.table, latest, name.as_ptr(), &mut point)?;
        Ok((status != sys::BROCH_NONE).then_some(point))
    }
}

service!(
    /// Hyper-parameters, which are numbers that change during training.
    HyperParam,
    sys::broch_host_hyper_param
);
impl HyperParam {
    pub fn get(&self, name: &str) -> Result<f64> {
        let (name, mut value) = (c_text(name)?, 0.0);
        call!(self.host, self.table, get, name.as_ptr(), &mut value)?;
        Ok(value)
    }
    pub fn set(&self, name: &str, value: f64) -> Result<()> {
        let name = c_text(name)?;
        call!(self.host, self.table, set, name.as_ptr(), value)?;
        Ok(())
    }
}

/// What a variable is.
pub struct VariableInfo {
    pub name: String,
    pub dtype: Dtype,
    pub shape: Vec<i64>,
    /// BROCH_VARIABLE_… of [`sys`].
    pub flags: u32,
}

service!(
    /// The variables of the run, outside tower functions.
    Variables,
    sys::broch_host_variables
);
impl Variables {
    /// The variables that have all of flags (BROCH_VARIABLE_…), in the order of creation.
    pub fn list(&self, flags: i32) -> Result<Vec<sys::broch_variable>> {
        let (mut count, none, flags) = (0, std::ptr::null_mut(), flags as u32);
        call!(self.host, self.table, list, 0, flags, none, 0, &mut count)?;
        let mut list = vec![0; count as usize];
        call!(self.host, self.table, list, 0, flags, list.as_mut_ptr(), count, &mut count)?;
        Ok(list)
    }
    /// By full name.
    pub fn find(&self, name: &str) -> Result<sys::broch_variable> {
        let (name, mut variable) = (c_text(name)?, 0);
        call!(self.host, self.table, find, name.as_ptr(), &mut variable)?;
        Ok(variable)
    }
    pub fn info(&self, variable: sys::broch_variable) -> Result<VariableInfo> {
        let mut info: sys::broch_variable_info = unsafe { std::mem::zeroed() };
        info.struct_size = std::mem::size_of_val(&info) as u32;
        call!(self.host, self.table, info, variable, &mut info)?;
        let shape = match info.rank {
            0 => &[][..],
            rank => unsafe { std::slice::from_raw_parts(info.shape, rank as usize) },
        };
        Ok(VariableInfo {
            name: unsafe { owned(info.name) },
            dtype: Dtype::of_code(info.dtype)?,
            shape: shape.to_vec(),
            flags: info.flags,
        })
    }
    /// The current value, which [`TensorData`](crate::TensorData) reads; no copy.
    pub fn value(&self, variable: sys::broch_variable) -> Result<sys::broch_tensor> {
        let mut value = 0;
        call!(self.host, self.table, value, variable, &mut value)?;
        Ok(value)
    }
    /// values: row-major, of the dtype of the variable, as many as it has elements.
    pub fn assign<T: Element>(&self, variable: sys::broch_variable, values: &[T]) -> Result<()> {
        let mut memory = Memory::new(values, &self.info(variable)?.shape)?;
        call!(self.host, self.table, assign, variable, memory.view())?;
        Ok(())
    }
}

service!(
    /// The log folder of this run.
    LogDir,
    sys::broch_host_log_dir
);
impl LogDir {
    /// None: this process has no log folder, because it is not the chief.
    pub fn path(&self) -> Result<Option<String>> {
        let mut path = std::ptr::null();
        let status = call!(self.host, self.table, path, &mut path)?;
        Ok(if status == sys::BROCH_NONE { None } else { Some(unsafe { owned(path) }) })
    }
    /// Writes a file in the log folder, completely or not at all. name must not contain '/'.
    pub fn write_file(&self, name: &str, content: impl AsRef<[u8]>) -> Result<()> {
        let (name, content) = (c_text(name)?, content.as_ref());
        let (bytes, size) = (content.as_ptr() as *const c_void, content.len() as u64);
        call!(self.host, self.table, write_file, name.as_ptr(), bytes, size)?;
        Ok(())
    }
}

service!(
    /// Communication between ranks. An instance must make the same calls in the same order on all.
    Dist,
    sys::broch_host_dist
);
impl Dist {
    /// (rank, world, local rank)
    pub fn ranks(&self) -> Result<(u32, u32, u32)> {
        let (mut rank, mut world, mut local) = (0, 1, 0);
        call!(self.host, self.table, ranks, &mut rank, &mut world, &mut local)?;
        Ok((rank, world, local))
    }
    /// Element by element over all ranks. mode: BROCH_REDUCE_… of [`sys`].
    pub fn all_reduce(&self, values: &mut [f64], mode: i32) -> Result<()> {
        let n = values.len() as u32;
        call!(self.host, self.table, all_reduce, values.as_mut_ptr(), n, mode)?;
        Ok(())
    }
    pub fn barrier(&self) -> Result<()> {
        call!(self.host, self.table, barrier)?;
        Ok(())
    }
}

/// Random numbers outside tower functions. The same stream and index always give the same numbers,
/// so there is no state to save.
pub struct Rng {
    host: Host,
    table: &'static sys::broch_host_rng,
    stream: CString,
}
impl Rng {
    /// stream: the purpose of the numbers, such as "order".
    pub fn new(host: Host, stream: &str) -> Result<Rng> {
        Ok(Rng { host, table: host.require()?, stream: c_text(stream)? })
    }
    pub fn bits(&self, index: u64, n: usize) -> Result<Vec<u64>> {
        let (mut list, n) = (vec![0; n], n as u64);
        call!(self.host, self.table, bits, self.stream.as_ptr(), index, list.as_mut_ptr(), n)?;
        Ok(list)
    }
    /// Numbers in [0, 1).
    pub fn uniform(&self, index: u64, n: usize) -> Result<Vec<f64>> {
        let (mut list, n) = (vec![0.0; n], n as u64);
        call!(self.host, self.table, uniform, self.stream.as_ptr(), index, list.as_mut_ptr(), n)?;
        Ok(list)
    }
    pub fn normal(&self, index: u64, n: usize) -> Result<Vec<f64>> {
        let (mut list, n) = (vec![0.0; n], n as u64);
        call!(self.host, self.table, normal, self.stream.as_ptr(), index, list.as_mut_ptr(), n)?;
        Ok(list)
    }
    /// Integers in [0, bound).
    pub fn below(&self, index: u64, bound: u64, n: usize) -> Result<Vec<u64>> {
        let (mut list, n, stream) = (vec![0; n], n as u64, self.stream.as_ptr());
        call!(self.host, self.table, below, stream, index, bound, list.as_mut_ptr(), n)?;
        Ok(list)
    }
    pub fn permutation(&self, index: u64, n: usize) -> Result<Vec<u64>> {
        let (mut list, n, stream) = (vec![0; n], n as u64, self.stream.as_ptr());
        call!(self.host, self.table, permutation, stream, index, list.as_mut_ptr(), n)?;
        Ok(list)
    }
}

/// Makes the current thread, which the plugin has started, known to the host until it is dropped.
/// Make it before any other call to the host.
pub struct ThreadScope {
    host: Host,
    table: &'static sys::broch_host_scope,
    of_this_thread: std::marker::PhantomData<*const ()>,
}
impl ThreadScope {
    pub fn new(host: Host, name: &str) -> Result<ThreadScope> {
        let (table, name): (&sys::broch_host_scope, _) = (host.require()?, c_text(name)?);
        call!(host, table, thread_enter, name.as_ptr())?;
        Ok(ThreadScope { host, table, of_this_thread: std::marker::PhantomData })
    }
}
impl Drop for ThreadScope {
    fn drop(&mut self) {
        let _ = call!(self.host, self.table, thread_leave);
    }
}
