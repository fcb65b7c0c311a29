//! The part of Broch's C headers that this plugin uses, written by hand with the same layout. The
//! headers describe each entry. A table may be longer than here: new entries are added at its end.
#![allow(dead_code)]
use std::ffi::{c_char, c_void, CStr, CString};

pub type Status = i32;
pub const OK: Status = 0;
pub const END: Status = 1;
pub const NONE: Status = 4;
pub const E_INVALID_ARGUMENT: Status = -3;
pub const E_DATA_LOSS: Status = -15;

pub type Tensor = u64;
pub const FLOAT32: i32 = 1;

/// For statics that contain pointers to constants. Safe to share, because nobody writes to them.
#[repr(transparent)]
pub struct Constant<T>(pub T);
unsafe impl<T> Sync for Constant<T> {}

#[repr(C)]
pub struct Host {
    pub struct_size: u32,
    pub abi_major: u32,
    pub abi_minor: u32,
    pub reserved: u32,
    pub get_extension: unsafe extern "C" fn(*const Host, *const c_char) -> *const c_void,
    pub fail: unsafe extern "C" fn(*const Host, Status, *const c_char) -> Status,
    pub last_error: unsafe extern "C" fn(*const Host) -> *const c_char,
    pub log: unsafe extern "C" fn(*const Host, i32, *const c_char),
}

// ---- entry.h

#[repr(C)]
pub struct ComponentVtable {
    pub struct_size: u32,
    pub reserved: u32,
    pub create: unsafe extern "C" fn(*const Host, *const c_char, *mut *mut c_void) -> Status,
    pub get_interface: unsafe extern "C" fn(*mut c_void, *const c_char) -> *const c_void,
    pub destroy: unsafe extern "C" fn(*mut c_void),
}

#[repr(C)]
pub struct Component {
    pub id: *const c_char,
    pub role: *const c_char,
    pub vtable: *const ComponentVtable,
}

#[repr(C)]
pub struct Entry {
    pub magic: u32,
    pub struct_size: u32,
    pub abi_major: u32,
    pub abi_minor: u32,
    pub min_host_minor: u32,
    pub flags: u32,
    pub meta_json: *const u8,
    pub component_count: u64,
    pub components: *const Component,
}

/// Defines the entry of the library and its metadata. $meta: a string literal with JSON.
#[macro_export]
macro_rules! broch_plugin {
    ($components:expr, $meta:literal) => {
        const META_TEXT: &[u8] = concat!($meta, "\0").as_bytes();
        #[used]
        #[link_section = ".broch.meta"]
        static META: [u8; META_TEXT.len()] = {
            let mut text = [0; META_TEXT.len()];
            let mut i = 0;
            while i < text.len() {
                text[i] = META_TEXT[i];
                i += 1;
            }
            text
        };
        #[no_mangle]
        #[allow(non_upper_case_globals)]
        pub static broch_entry_v1: $crate::broch::Constant<$crate::broch::Entry> =
            $crate::broch::Constant($crate::broch::Entry {
                magic: 0x48435242,
                struct_size: std::mem::size_of::<$crate::broch::Entry>() as u32,
                abi_major: 0,
                abi_minor: 1,
                min_host_minor: 0,
                flags: 0,
                meta_json: &META as *const u8,
                component_count: $components.0.len() as u64,
                components: &$components.0 as *const $crate::broch::Component,
            });
    };
}

// ---- roles

#[repr(C)]
pub struct Callback {
    pub struct_size: u32,
    pub reserved: u32,
    pub setup_graph: Option<unsafe extern "C" fn(*mut c_void) -> Status>,
    pub before_train: Option<unsafe extern "C" fn(*mut c_void) -> Status>,
    pub after_train: Option<unsafe extern "C" fn(*mut c_void) -> Status>,
    pub before_epoch: Option<unsafe extern "C" fn(*mut c_void) -> Status>,
    pub after_epoch: Option<unsafe extern "C" fn(*mut c_void) -> Status>,
    pub before_run: Option<unsafe extern "C" fn(*mut c_void, u64, *mut u64) -> Status>,
    pub after_run: Option<unsafe extern "C" fn(*mut c_void, u64) -> Status>,
    pub trigger_step: Option<unsafe extern "C" fn(*mut c_void) -> Status>,
    pub trigger_epoch: Option<unsafe extern "C" fn(*mut c_void) -> Status>,
    pub trigger: Option<unsafe extern "C" fn(*mut c_void) -> Status>,
}

#[repr(C)]
pub struct DataFlow {
    pub struct_size: u32,
    pub reserved: u32,
    pub reset_state: Option<unsafe extern "C" fn(*mut c_void) -> Status>,
    pub open: unsafe extern "C" fn(*mut c_void, *const c_void, u64) -> Status,
    pub next: unsafe extern "C" fn(*mut c_void, *const c_void, u64) -> Status,
    pub size: Option<unsafe extern "C" fn(*mut c_void, *mut i64) -> Status>,
}

#[repr(C)]
pub struct InputSpec {
    pub name: *const c_char,
    pub shape: *const i64,
    pub dims: *const *const c_char,
    pub rank: u32,
    pub dtype: i32,
}

#[repr(C)]
pub struct Signature {
    pub context: *mut c_void,
    pub add: unsafe extern "C" fn(*mut c_void, *const InputSpec) -> Status,
}

#[repr(C)]
pub struct Writer {
    pub context: *mut c_void,
    pub write: unsafe extern "C" fn(*mut c_void, *const c_void, u64) -> Status,
}

#[repr(C)]
pub struct Model {
    pub struct_size: u32,
    pub reserved: u32,
    pub inputs: unsafe extern "C" fn(*mut c_void, *const Signature) -> Status,
    pub tower: unsafe extern "C" fn(*mut c_void, u64, *const Tensor, u32, *mut Tensor) -> Status,
    pub example: Option<unsafe extern "C" fn(*mut c_void, u64) -> Status>,
    pub optimizer: Option<unsafe extern "C" fn(*mut c_void, *const Writer) -> Status>,
}

// ---- extensions

#[repr(C)]
pub struct Config {
    pub struct_size: u32,
    pub reserved: u32,
    pub text: unsafe extern "C" fn(*const Host) -> *const c_char,
    pub kind: unsafe extern "C" fn(*const Host, *const c_char) -> i32,
    pub get_bool: unsafe extern "C" fn(*const Host, *const c_char, *mut i32) -> Status,
    pub get_i64: unsafe extern "C" fn(*const Host, *const c_char, *mut i64) -> Status,
    pub get_f64: unsafe extern "C" fn(*const Host, *const c_char, *mut f64) -> Status,
    pub get_string: unsafe extern "C" fn(*const Host, *const c_char, *mut *const c_char) -> Status,
}

#[repr(C)]
pub struct Run {
    pub struct_size: u32,
    pub reserved: u32,
    pub progress: unsafe extern "C" fn(*const Host) -> *const c_void,
    pub fetch: unsafe extern "C" fn(*const Host, *const c_char, *mut u32) -> Status,
    pub value: unsafe extern "C" fn(*const Host, u64, u32, *mut Tensor) -> Status,
    pub scalar: unsafe extern "C" fn(*const Host, u64, u32, *mut f64) -> Status,
}

#[repr(C)]
pub struct Metrics {
    pub struct_size: u32,
    pub reserved: u32,
    pub put_scalar: unsafe extern "C" fn(*const Host, *const c_char, f64) -> Status,
}

#[repr(C)]
pub struct DlTensor {
    pub data: *mut c_void,
    pub device_type: i32, // 1: CPU
    pub device_id: i32,
    pub ndim: i32,
    pub code: u8, // 2: float
    pub bits: u8,
    pub lanes: u16,
    pub shape: *mut i64,
    pub strides: *mut i64,
    pub byte_offset: u64,
}

#[repr(C)]
pub struct Data {
    pub struct_size: u32,
    pub reserved: u32,
    pub add_copy: unsafe extern "C" fn(*const Host, u64, *const c_char, *const DlTensor) -> Status,
    pub add: unsafe extern "C" fn(*const Host, u64, *const c_char, *mut c_void) -> Status,
    pub set_cursor: unsafe extern "C" fn(*const Host, u64, *const c_void, u64) -> Status,
}

#[repr(C)]
pub struct Value {
    pub tag: u32,
    pub len: u32,
    pub bits: u64, // a tensor or an integer
}
pub const TAG_TENSOR: u32 = 1;
pub const TAG_INT: u32 = 2;

#[repr(C)]
pub struct Ops {
    pub struct_size: u32,
    pub reserved: u32,
    pub resolve: unsafe extern "C" fn(*const Host, *const c_char, *mut u64) -> Status,
    pub call:
        unsafe extern "C" fn(*const Host, u64, *const Value, u32, *mut Value, u32) -> Status,
}

#[repr(C)]
pub struct Towers {
    pub struct_size: u32,
    pub reserved: u32,
    pub info: unsafe extern "C" fn(*const Host, u64, *mut c_void) -> Status,
    pub publish:
        unsafe extern "C" fn(*const Host, u64, *const c_char, Tensor, *mut Tensor) -> Status,
}

#[repr(C)]
pub struct VariableSpec {
    pub struct_size: u32,
    pub dtype: i32,
    pub rank: u32,
    pub flags: u32, // 1: trainable
    pub shape: *const i64,
    pub initializer: i32, // 1: the constant a; 6: Glorot uniform with a = 1
    pub reserved: u32,
    pub a: f64,
    pub b: f64,
    pub values: *const DlTensor,
}

#[repr(C)]
pub struct Variables {
    pub struct_size: u32,
    pub reserved: u32,
    pub get: unsafe extern "C" fn(
        *const Host,
        u64,
        *const c_char,
        *const VariableSpec,
        *mut u64,
        *mut Tensor,
    ) -> Status,
}

// ---- helper functions

pub type Result<T> = std::result::Result<T, Status>;

/// Turns a status into a result: outcomes are values, failures are errors.
pub fn check(status: Status) -> Result<Status> {
    if status < 0 {
        Err(status)
    } else {
        Ok(status)
    }
}

/// Turns the result of an entry into a status. A panic in an entry ends the process, with a message
/// that says where.
pub fn answer(result: Result<Status>) -> Status {
    result.unwrap_or_else(|status| status)
}

impl Host {
    /// T must be the table with that id, and requires_ext in the metadata must list the id.
    pub unsafe fn extension<T>(&self, id: &CStr) -> &'static T {
        &*((self.get_extension)(self, id.as_ptr()) as *const T)
    }
    pub unsafe fn failure(&self, status: Status, why: &str) -> Status {
        let text = CString::new(why).unwrap_or_default();
        (self.fail)(self, status, text.as_ptr())
    }
}

impl Config {
    /// These read options that have a default in the schema, so that none can be missing.
    pub unsafe fn integer(&self, host: &Host, pointer: &CStr) -> i64 {
        let mut value = 0;
        (self.get_i64)(host, pointer.as_ptr(), &mut value);
        value
    }
    pub unsafe fn number(&self, host: &Host, pointer: &CStr) -> f64 {
        let mut value = 0.0;
        (self.get_f64)(host, pointer.as_ptr(), &mut value);
        value
    }
    pub unsafe fn string(&self, host: &Host, pointer: &CStr) -> CString {
        let mut value = c"".as_ptr();
        (self.get_string)(host, pointer.as_ptr(), &mut value);
        CStr::from_ptr(value).to_owned()
    }
}
