//! An autoencoder: a model that reproduces its input through a narrow layer.
mod broch;
use broch::*;
use std::ffi::{c_char, c_void, CStr};

struct Plugin {
    host: &'static Host,
    ops: &'static Ops,
    towers: &'static Towers,
    variables: &'static Variables,
    matmul: u64,
    tanh: u64,
    mse_loss: u64,
    features: i64,
    units: i64,
}

fn tensor(handle: Tensor) -> Value {
    Value { tag: TAG_TENSOR, len: 0, bits: handle }
}

impl Plugin {
    // Operators are resolved once, by their schemas, which are listed in include/broch/opset.h.
    unsafe fn new(host: &'static Host) -> Result<Plugin> {
        let config: &Config = host.extension(c"broch.config/1");
        let ops: &Ops = host.extension(c"broch.ops/1");
        let resolve = |schema: &CStr| -> Result<u64> {
            let mut op = 0;
            check((ops.resolve)(host, schema.as_ptr(), &mut op))?;
            Ok(op)
        };
        Ok(Plugin {
            host,
            ops: host.extension(c"broch.ops/1"),
            towers: host.extension(c"broch.tower/1"),
            variables: host.extension(c"broch.variables/1"),
            matmul: resolve(c"aten::matmul(Tensor self, Tensor other) -> Tensor")?,
            tanh: resolve(c"aten::tanh(Tensor self) -> Tensor")?,
            mse_loss: resolve(
                c"aten::mse_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor",
            )?,
            features: config.integer(host, c"/features"),
            units: config.integer(host, c"/units"),
        })
    }
    unsafe fn call(&self, op: u64, args: &[Value]) -> Result<Tensor> {
        let mut result = tensor(0);
        check((self.ops.call)(self.host, op, args.as_ptr(), args.len() as u32, &mut result, 1))?;
        Ok(result.bits)
    }
    unsafe fn weight(&self, tower: u64, name: &CStr, rows: i64, columns: i64) -> Result<Tensor> {
        let shape = [rows, columns];
        let spec = VariableSpec {
            struct_size: std::mem::size_of::<VariableSpec>() as u32,
            dtype: FLOAT32,
            rank: 2,
            flags: 1,
            shape: shape.as_ptr(),
            initializer: 6,
            reserved: 0,
            a: 1.0,
            b: 0.0,
            values: std::ptr::null(),
        };
        let (mut variable, mut value) = (0, 0);
        let name = name.as_ptr();
        check((self.variables.get)(self.host, tower, name, &spec, &mut variable, &mut value))?;
        Ok(value)
    }
    // The host calls this several times, so keep no state in self: whatever changes during
    // training is a variable.
    unsafe fn tower(&self, tower: u64, x: Tensor, cost: *mut Tensor) -> Result<Status> {
        let encode = self.weight(tower, c"encode", self.features, self.units)?;
        let decode = self.weight(tower, c"decode", self.units, self.features)?;
        let code = self.call(self.matmul, &[tensor(x), tensor(encode)])?;
        let code = self.call(self.tanh, &[tensor(code)])?;
        let back = self.call(self.matmul, &[tensor(code), tensor(decode)])?;
        let mean = Value { tag: TAG_INT, len: 0, bits: 1 };
        let loss = self.call(self.mse_loss, &[tensor(back), tensor(x), mean])?;
        check((self.towers.publish)(self.host, tower, c"cost".as_ptr(), loss, cost))
    }
}

unsafe fn of(data: *mut c_void) -> &'static mut Plugin {
    &mut *(data as *mut Plugin)
}

unsafe extern "C" fn inputs(data: *mut c_void, signature: *const Signature) -> Status {
    let shape = [-1, of(data).features];
    let dims = [c"B".as_ptr(), std::ptr::null()];
    let x = InputSpec {
        name: c"x".as_ptr(),
        shape: shape.as_ptr(),
        dims: dims.as_ptr(),
        rank: 2,
        dtype: FLOAT32,
    };
    ((*signature).add)((*signature).context, &x)
}
unsafe extern "C" fn tower(
    data: *mut c_void,
    tower: u64,
    inputs: *const Tensor,
    _n: u32,
    cost: *mut Tensor,
) -> Status {
    answer(of(data).tower(tower, *inputs, cost))
}
// The default optimizer; "optimizer" in the manifest overrides it.
unsafe extern "C" fn optimizer(_: *mut c_void, entry: *const Writer) -> Status {
    let text = r#"{"use": "adam", "with": {"learning_rate": 0.01}}"#;
    ((*entry).write)((*entry).context, text.as_ptr() as *const c_void, text.len() as u64)
}

static MODEL: Model = Model {
    struct_size: std::mem::size_of::<Model>() as u32,
    reserved: 0,
    inputs,
    tower,
    example: None,
    optimizer: Some(optimizer),
};

unsafe extern "C" fn create(host: *const Host, _: *const c_char, out: *mut *mut c_void) -> Status {
    match Plugin::new(&*host) {
        Ok(plugin) => *out = Box::into_raw(Box::new(plugin)) as *mut c_void,
        Err(status) => return status,
    }
    OK
}
unsafe extern "C" fn get_interface(_: *mut c_void, id: *const c_char) -> *const c_void {
    if CStr::from_ptr(id) == c"broch.model/1" {
        return &MODEL as *const Model as *const c_void;
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
    Constant([Component { id: c"@ID@".as_ptr(), role: c"model".as_ptr(), vtable: &VTABLE }]);

broch_plugin!(
    COMPONENTS,
    r#"{"components": [{
  "id": "@ID@", "role": "model", "version": "0.1.0",
  "summary": "Gives back its input through a narrow layer.",
  "requires_ext": ["broch.config/1", "broch.ops/1", "broch.tower/1", "broch.variables/1"],
  "options": {
    "type": "object",
    "properties": {
      "features": {"type": "integer", "minimum": 1, "default": 4, "description": "Numbers of one input."},
      "units": {"type": "integer", "minimum": 1, "default": 2, "description": "Width of the narrow layer."}
    },
    "additionalProperties": false
  }
}]}"#
);
