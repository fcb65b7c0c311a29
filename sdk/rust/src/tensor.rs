//! Tensors as handles, the operators that apply to them, and tensors as data.
use crate::{ops::SCHEMAS, sys, Error, Host, Result};
use std::cell::RefCell;
use std::ffi::CString;
use std::marker::PhantomData;
use std::os::raw::{c_char, c_void};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::Arc;

/// The type of the elements of a tensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dtype {
    Float32 = 1,
    Float64,
    Float16,
    BFloat16,
    Int8,
    Int16,
    Int32,
    Int64,
    UInt8,
    Bool,
    Complex64,
    Complex128,
}

const DTYPES: [(Dtype, &str, i32, u8); 12] = [
    (Dtype::Float32, "float32", sys::BROCH_DL_FLOAT, 32),
    (Dtype::Float64, "float64", sys::BROCH_DL_FLOAT, 64),
    (Dtype::Float16, "float16", sys::BROCH_DL_FLOAT, 16),
    (Dtype::BFloat16, "bfloat16", sys::BROCH_DL_BFLOAT, 16),
    (Dtype::Int8, "int8", sys::BROCH_DL_INT, 8),
    (Dtype::Int16, "int16", sys::BROCH_DL_INT, 16),
    (Dtype::Int32, "int32", sys::BROCH_DL_INT, 32),
    (Dtype::Int64, "int64", sys::BROCH_DL_INT, 64),
    (Dtype::UInt8, "uint8", sys::BROCH_DL_UINT, 8),
    (Dtype::Bool, "bool", sys::BROCH_DL_BOOL, 8),
    (Dtype::Complex64, "complex64", sys::BROCH_DL_COMPLEX, 64),
    (Dtype::Complex128, "complex128", sys::BROCH_DL_COMPLEX, 128),
];

impl Dtype {
    /// BROCH_FLOAT32 and so on.
    pub fn code(self) -> i32 {
        self as i32
    }
    pub fn of_code(code: i32) -> Result<Dtype> {
        let found = DTYPES.iter().find(|(dtype, ..)| dtype.code() == code);
        found
            .map(|entry| entry.0)
            .ok_or_else(|| Error::invalid(format!("there is no dtype {}", code)))
    }
    /// "float32"
    pub fn name(self) -> &'static str {
        DTYPES[self as usize - 1].1
    }
    pub fn dl_type(self) -> sys::broch_dl_type {
        let (_, _, code, bits) = DTYPES[self as usize - 1];
        sys::broch_dl_type { code: code as u8, bits, lanes: 1 }
    }
}

/// Numbers that tensors are made of.
///
/// # Safety
/// The type has the size of an element of DTYPE, and each pattern of its bits is a value.
pub unsafe trait Element: Copy + Default + 'static {
    const DTYPE: Dtype;
}
macro_rules! elements {
    ($($type:ty: $dtype:ident),*) => {
        $(unsafe impl Element for $type { const DTYPE: Dtype = Dtype::$dtype; })*
    };
}
elements!(f32: Float32, f64: Float64, i8: Int8, i16: Int16, i32: Int32, i64: Int64, u8: UInt8);

/// Values in memory, row-major, as the host reads them.
pub(crate) struct Memory<'v> {
    shape: Vec<i64>,
    view: sys::broch_dl_tensor,
    values: PhantomData<&'v ()>,
}

impl<'v> Memory<'v> {
    pub fn new<T: Element>(values: &'v [T], shape: &[i64]) -> Result<Memory<'v>> {
        let elements: i64 = shape.iter().product();
        if elements != values.len() as i64 {
            let text = format!("{} values for shape {:?}", values.len(), shape);
            return Err(Error::invalid(text));
        }
        let view = sys::broch_dl_tensor {
            data: values.as_ptr() as *mut c_void,
            device: sys::broch_dl_device { device_type: sys::BROCH_DL_CPU, device_id: 0 },
            ndim: shape.len() as i32,
            dtype: T::DTYPE.dl_type(),
            shape: std::ptr::null_mut(),
            strides: std::ptr::null_mut(),
            byte_offset: 0,
        };
        Ok(Memory { shape: shape.to_vec(), view, values: PhantomData })
    }
    pub fn view(&mut self) -> *const sys::broch_dl_tensor {
        self.view.shape = self.shape.as_mut_ptr();
        &self.view
    }
}

/// A tensor in the memory of the CPU, borrowed for a call.
#[derive(Clone, Copy)]
pub struct View<'v>(sys::broch_dl_tensor, PhantomData<&'v ()>);

impl<'v> View<'v> {
    /// # Safety
    /// The host has filled the struct, and its memory lives as long.
    pub unsafe fn new(view: &sys::broch_dl_tensor) -> View<'v> {
        View(*view, PhantomData)
    }
    pub fn shape(&self) -> &'v [i64] {
        if self.0.ndim == 0 {
            return &[];
        }
        unsafe { std::slice::from_raw_parts(self.0.shape, self.0.ndim as usize) }
    }
    pub fn dtype(&self) -> Result<Dtype> {
        let t = self.0.dtype;
        let same = |d: &&(Dtype, &str, i32, u8)| d.2 == i32::from(t.code) && d.3 == t.bits;
        let found = DTYPES.iter().find(same).map(|entry| entry.0);
        found.ok_or_else(|| Error::invalid(format!("DLPack code {}, {} bits", t.code, t.bits)))
    }
    /// The elements, if they have this type and lie one after the other.
    pub fn values<T: Element>(&self) -> Result<&'v [T]> {
        let (shape, dtype) = (self.shape(), self.dtype()?);
        if dtype != T::DTYPE {
            let text = format!("elements are {}, expected {}", dtype.name(), T::DTYPE.name());
            return Err(Error::invalid(text));
        }
        if shape.contains(&0) {
            return Ok(&[]); // whatever its strides are
        }
        let mut expected = 1;
        for (d, &extent) in shape.iter().enumerate().rev() {
            let stride = match self.0.strides.is_null() {
                true => expected,
                false => unsafe { *self.0.strides.add(d) },
            };
            if extent > 1 && stride != expected {
                return Err(Error::invalid("the elements of this tensor have gaps between them"));
            }
            expected *= extent;
        }
        if self.0.device.device_type != sys::BROCH_DL_CPU {
            return Err(Error::invalid("this tensor is not in the memory of the CPU"));
        }
        unsafe {
            let start = (self.0.data as *const u8).add(self.0.byte_offset as usize) as *const T;
            if start as usize % std::mem::align_of::<T>() != 0 {
                return Err(Error::invalid("the memory of this tensor is not aligned"));
            }
            Ok(std::slice::from_raw_parts(start, expected as usize))
        }
    }
}

/// Which operators an instance has resolved already.
pub struct Resolved(Vec<AtomicU64>);

impl Resolved {
    pub(crate) fn new() -> Arc<Resolved> {
        Arc::new(Resolved(SCHEMAS.iter().map(|_| AtomicU64::new(0)).collect()))
    }
}

/// The operators, for one call from the host. Failures are remembered, so that a tower function
/// reads like arithmetic: after the first one every operator returns an undefined tensor at once,
/// and the call fails with the message of that first one.
pub struct Ops {
    host: Host,
    table: &'static sys::broch_host_ops,
    resolved: Arc<Resolved>,
    failure: RefCell<Option<Error>>,
}

impl Ops {
    pub(crate) fn new(host: Host, resolved: &Arc<Resolved>) -> Result<Ops> {
        let (table, resolved) = (host.require()?, resolved.clone());
        Ok(Ops { host, table, resolved, failure: RefCell::new(None) })
    }
    /// The first failure of an operator in this call, if there was one.
    pub fn check(&self) -> Result<()> {
        self.failure.borrow().clone().map_or(Ok(()), Err)
    }
    /// A handle of the host, of this call.
    pub fn tensor(&self, handle: sys::broch_tensor) -> Tensor<'_> {
        Tensor { ops: self, handle }
    }
    /// No tensor: the cost in inference, or a result that leaves something unchanged.
    pub fn undefined(&self) -> Tensor<'_> {
        self.tensor(0)
    }

    pub(crate) fn call(&self, index: usize, arguments: &[sys::broch_value]) -> Tensor<'_> {
        let [result] = self.call_n(index, arguments);
        result
    }
    pub(crate) fn call_n<const N: usize>(
        &self,
        index: usize,
        arguments: &[sys::broch_value],
    ) -> [Tensor<'_>; N] {
        let mut results = [of_none(); N];
        if self.check().is_ok() {
            if let Err(error) = self.run(index, arguments, &mut results) {
                *self.failure.borrow_mut() = Some(error);
                results = [of_none(); N];
            }
        }
        results.map(|result| self.tensor(unsafe { result.u.tensor }))
    }
    fn run(
        &self,
        index: usize,
        arguments: &[sys::broch_value],
        results: &mut [sys::broch_value],
    ) -> Result<()> {
        let mut op = self.resolved.0[index].load(Relaxed);
        if op == 0 {
            let schema = SCHEMAS[index].as_ptr() as *const c_char;
            call!(self.host, self.table, resolve, schema, &mut op)?;
            self.resolved.0[index].store(op, Relaxed);
        }
        let (n, m) = (arguments.len() as u32, results.len() as u32);
        call!(self.host, self.table, call, op, arguments.as_ptr(), n, results.as_mut_ptr(), m)?;
        Ok(())
    }
}

/// A borrowed handle: valid during the call from the host in which it was made.
#[derive(Clone, Copy)]
pub struct Tensor<'t> {
    ops: &'t Ops,
    handle: sys::broch_tensor,
}

impl<'t> Tensor<'t> {
    pub fn handle(&self) -> sys::broch_tensor {
        self.handle
    }
    pub fn is_defined(&self) -> bool {
        self.handle != 0
    }
    pub fn ops(&self) -> &'t Ops {
        self.ops
    }
}

/// A number argument: an integer stays an integer, so that integer tensors stay integer.
#[derive(Clone, Copy)]
pub struct Scalar(pub(crate) sys::broch_value);

impl Scalar {
    /// The argument is left out.
    pub const NONE: Scalar = Scalar(of_none());
}
impl From<i32> for Scalar {
    fn from(number: i32) -> Scalar {
        Scalar(of_i64(i64::from(number)))
    }
}
impl From<i64> for Scalar {
    fn from(number: i64) -> Scalar {
        Scalar(of_i64(number))
    }
}
impl From<f64> for Scalar {
    fn from(number: f64) -> Scalar {
        Scalar(of_f64(number))
    }
}

macro_rules! arithmetic {
    ($Trait:ident, $method:ident, $tensors:expr, $numbers:expr) => {
        impl<'t> std::ops::$Trait for Tensor<'t> {
            type Output = Tensor<'t>;
            fn $method(self, other: Tensor<'t>) -> Tensor<'t> {
                $tensors(self.ops, self, other)
            }
        }
        impl<'t> std::ops::$Trait<f64> for Tensor<'t> {
            type Output = Tensor<'t>;
            fn $method(self, other: f64) -> Tensor<'t> {
                $numbers(self.ops, self, other)
            }
        }
    };
}
arithmetic!(Add, add, |o: &'t Ops, a, b| o.add(a, b, 1), |o: &'t Ops, a, b| o.add_scalar(a, b, 1));
arithmetic!(Sub, sub, |o: &'t Ops, a, b| o.sub(a, b, 1), |o: &'t Ops, a, b| o.sub_scalar(a, b, 1));
arithmetic!(Mul, mul, |o: &'t Ops, a, b| o.mul(a, b), |o: &'t Ops, a, b| o.mul_scalar(a, b));
arithmetic!(Div, div, |o: &'t Ops, a, b| o.div(a, b), |o: &'t Ops, a, b| o.div_scalar(a, b));
impl<'t> std::ops::Neg for Tensor<'t> {
    type Output = Tensor<'t>;
    fn neg(self) -> Tensor<'t> {
        self.ops.neg(self)
    }
}

// Arguments as tagged values. Lists are borrowed for the call.
const fn tagged(tag: i32, len: usize, u: sys::broch_value_u) -> sys::broch_value {
    sys::broch_value { tag: tag as u32, len: len as u32, u }
}
pub(crate) const fn of_none() -> sys::broch_value {
    tagged(sys::BROCH_TAG_NONE, 0, sys::broch_value_u { i64: 0 })
}
pub(crate) fn of_tensor(tensor: Tensor) -> sys::broch_value {
    tagged(sys::BROCH_TAG_TENSOR, 0, sys::broch_value_u { tensor: tensor.handle })
}
pub(crate) fn of_optional_tensor(tensor: Option<Tensor>) -> sys::broch_value {
    tensor.map_or(of_none(), of_tensor)
}
pub(crate) const fn of_i64(number: i64) -> sys::broch_value {
    tagged(sys::BROCH_TAG_INT, 0, sys::broch_value_u { i64: number })
}
pub(crate) const fn of_f64(number: f64) -> sys::broch_value {
    tagged(sys::BROCH_TAG_DOUBLE, 0, sys::broch_value_u { f64: number })
}
pub(crate) fn of_bool(value: bool) -> sys::broch_value {
    tagged(sys::BROCH_TAG_BOOL, 0, sys::broch_value_u { i64: i64::from(value) })
}
pub(crate) fn of_str(text: &str) -> sys::broch_value {
    let start = text.as_ptr() as *const c_char;
    tagged(sys::BROCH_TAG_STR, text.len(), sys::broch_value_u { str: start })
}
pub(crate) fn of_dtype(dtype: Dtype) -> sys::broch_value {
    tagged(sys::BROCH_TAG_DTYPE, 0, sys::broch_value_u { i64: i64::from(dtype.code()) })
}
pub(crate) fn of_optional_dtype(dtype: Option<Dtype>) -> sys::broch_value {
    dtype.map_or(of_none(), of_dtype)
}
pub(crate) fn of_ints(numbers: &[i64]) -> sys::broch_value {
    tagged(sys::BROCH_TAG_INTS, numbers.len(), sys::broch_value_u { i64s: numbers.as_ptr() })
}
pub(crate) fn of_optional_ints(numbers: Option<&[i64]>) -> sys::broch_value {
    numbers.map_or(of_none(), of_ints)
}
pub(crate) fn handles(tensors: &[Tensor]) -> Vec<sys::broch_tensor> {
    tensors.iter().map(|tensor| tensor.handle).collect()
}
pub(crate) fn of_tensors(handles: &[sys::broch_tensor]) -> sys::broch_value {
    tagged(sys::BROCH_TAG_TENSORS, handles.len(), sys::broch_value_u { tensors: handles.as_ptr() })
}

/// Reads tensors as data. Inside a tower function, reading values prevents the tower from being
/// recorded; shape and dtype do not.
#[derive(Clone, Copy)]
pub struct TensorData {
    host: Host,
    table: &'static sys::broch_host_tensor,
}

impl TensorData {
    pub fn new(host: Host) -> Result<TensorData> {
        Ok(TensorData { host, table: host.require()? })
    }
    pub fn info(&self, tensor: sys::broch_tensor) -> Result<sys::broch_tensor_info> {
        let mut info: sys::broch_tensor_info = unsafe { std::mem::zeroed() };
        info.struct_size = std::mem::size_of_val(&info) as u32;
        call!(self.host, self.table, info, tensor, &mut info)?;
        Ok(info)
    }
    pub fn shape(&self, tensor: sys::broch_tensor) -> Result<Vec<i64>> {
        let info = self.info(tensor)?;
        Ok(info.shape[..info.rank as usize].to_vec())
    }
    pub fn dtype(&self, tensor: sys::broch_tensor) -> Result<Dtype> {
        Dtype::of_code(self.info(tensor)?.dtype)
    }
    /// The value of a tensor with one element.
    pub fn item(&self, tensor: sys::broch_tensor) -> Result<f64> {
        let mut value = 0.0;
        call!(self.host, self.table, item, tensor, &mut value)?;
        Ok(value)
    }
    /// All values, row-major, converted to the type.
    pub fn values<T: Element>(&self, tensor: sys::broch_tensor) -> Result<Vec<T>> {
        let mut list = vec![T::default(); self.info(tensor)?.element_count as usize];
        let (bytes, size) = (list.as_mut_ptr() as *mut c_void, std::mem::size_of_val(&list[..]));
        call!(self.host, self.table, copy_out, tensor, T::DTYPE.code(), bytes, size as u64)?;
        Ok(list)
    }
}

pub(crate) fn c_text(text: &str) -> Result<CString> {
    CString::new(text).map_err(|_| Error::invalid(format!("{:?} contains a NUL byte", text)))
}
