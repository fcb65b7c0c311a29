//! A dataflow that produces the points of a sine wave; each point is one number.
mod broch;
use broch::*;
use std::ffi::{c_char, c_void, CStr};

struct Plugin {
    host: &'static Host,
    data: &'static Data,
    size: i64,
    period: f64,
    index: i64,
}

impl Plugin {
    unsafe fn new(host: &'static Host) -> Plugin {
        let config: &Config = host.extension(c"broch.config/1");
        Plugin {
            host,
            data: host.extension(c"broch.data/1"),
            size: config.integer(host, c"/size"),
            period: config.number(host, c"/period"),
            index: 0,
        }
    }
    unsafe fn next(&mut self, point: u64) -> Result<Status> {
        if self.index >= self.size {
            return Ok(END);
        }
        let angle = std::f64::consts::TAU * self.index as f64 / self.period;
        let mut value = angle.sin() as f32;
        let view = DlTensor {
            data: &mut value as *mut f32 as *mut c_void,
            device_type: 1,
            device_id: 0,
            ndim: 0,
            code: 2,
            bits: 32,
            lanes: 1,
            shape: std::ptr::null_mut(),
            strides: std::ptr::null_mut(),
            byte_offset: 0,
        };
        check((self.data.add_copy)(self.host, point, std::ptr::null(), &view))?;
        let cursor = self.index.to_ne_bytes();
        self.index += 1;
        check((self.data.set_cursor)(self.host, point, cursor.as_ptr() as *const c_void, 8))
    }
}

unsafe fn of(data: *mut c_void) -> &'static mut Plugin {
    &mut *(data as *mut Plugin)
}

// The cursor of a point is its index. size 0: start from the beginning.
unsafe extern "C" fn open(data: *mut c_void, cursor: *const c_void, size: u64) -> Status {
    let this = of(data);
    this.index = match size {
        0 => 0,
        8 => (cursor as *const i64).read_unaligned() + 1,
        _ => return this.host.failure(E_DATA_LOSS, "this is no cursor of @NAME@"),
    };
    OK
}
unsafe extern "C" fn next(data: *mut c_void, _cancel: *const c_void, point: u64) -> Status {
    answer(of(data).next(point))
}
unsafe extern "C" fn size(data: *mut c_void, out: *mut i64) -> Status {
    *out = of(data).size;
    OK
}

static DATAFLOW: DataFlow = DataFlow {
    struct_size: std::mem::size_of::<DataFlow>() as u32,
    reserved: 0,
    reset_state: None,
    open,
    next,
    size: Some(size),
};

unsafe extern "C" fn create(host: *const Host, _: *const c_char, out: *mut *mut c_void) -> Status {
    *out = Box::into_raw(Box::new(Plugin::new(&*host))) as *mut c_void;
    OK
}
unsafe extern "C" fn get_interface(_: *mut c_void, id: *const c_char) -> *const c_void {
    if CStr::from_ptr(id) == c"broch.dataflow/1" {
        return &DATAFLOW as *const DataFlow as *const c_void;
    }
    std::ptr::null()
}
unsafe extern "C" fn destroy(data: *mut c_void) {
    drop(Box::from_raw(data as *mut Plugin));
}

static VTABLE: ComponentVtable = ComponentVtable {
    struct_size: std::mem::size_of::<ComponentVtable>() as u32,
    reserved: 0,
    create,
    get_interface,
    destroy,
};
static COMPONENTS: Constant<[Component; 1]> =
    Constant([Component { id: c"@ID@".as_ptr(), role: c"dataflow".as_ptr(), vtable: &VTABLE }]);

broch_plugin!(
    COMPONENTS,
    r#"{"components": [{
  "id": "@ID@", "role": "dataflow", "version": "0.1.0",
  "summary": "The points of a sine wave.",
  "requires_ext": ["broch.config/1", "broch.data/1"],
  "options": {
    "type": "object",
    "properties": {
      "size": {"type": "integer", "minimum": 1, "default": 10, "description": "Points."},
      "period": {"type": "number", "exclusiveMinimum": 0, "default": 20, "description": "Points a period."}
    },
    "additionalProperties": false
  }
}]}"#
);
