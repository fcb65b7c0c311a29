//! A callback that reports the mean of a value over each epoch.
mod broch;
use broch::*;
use std::ffi::{c_char, c_void, CStr, CString};

struct Plugin {
    host: &'static Host,
    run: &'static Run,
    metrics: &'static Metrics,
    value: CString,
    metric: CString,
    fetch: u32,
    sum: f64,
    steps: i64,
}

impl Plugin {
    unsafe fn new(host: &'static Host) -> Plugin {
        let config: &Config = host.extension(c"broch.config/1");
        Plugin {
            host,
            run: host.extension(c"broch.run/1"),
            metrics: host.extension(c"broch.metrics/1"),
            value: config.string(host, c"/value"),
            metric: config.string(host, c"/metric"),
            fetch: 0,
            sum: 0.0,
            steps: 0,
        }
    }
    unsafe fn after_run(&mut self, run: u64) -> Result<Status> {
        let mut value = 0.0;
        if check((self.run.scalar)(self.host, run, self.fetch, &mut value))? == OK {
            self.sum += value;
            self.steps += 1;
        }
        Ok(OK)
    }
}

unsafe fn of(data: *mut c_void) -> &'static mut Plugin {
    &mut *(data as *mut Plugin)
}

unsafe extern "C" fn setup_graph(data: *mut c_void) -> Status {
    let this = of(data);
    (this.run.fetch)(this.host, this.value.as_ptr(), &mut this.fetch)
}
unsafe extern "C" fn before_epoch(data: *mut c_void) -> Status {
    let this = of(data);
    (this.sum, this.steps) = (0.0, 0);
    OK
}
unsafe extern "C" fn after_run(data: *mut c_void, run: u64) -> Status {
    answer(of(data).after_run(run))
}
unsafe extern "C" fn trigger_epoch(data: *mut c_void) -> Status {
    let this = of(data);
    if this.steps == 0 {
        return OK;
    }
    (this.metrics.put_scalar)(this.host, this.metric.as_ptr(), this.sum / this.steps as f64)
}

static CALLBACK: Callback = Callback {
    struct_size: std::mem::size_of::<Callback>() as u32,
    reserved: 0,
    setup_graph: Some(setup_graph),
    before_train: None,
    after_train: None,
    before_epoch: Some(before_epoch),
    after_epoch: None,
    before_run: None,
    after_run: Some(after_run),
    trigger_step: None,
    trigger_epoch: Some(trigger_epoch),
    trigger: None,
};

unsafe extern "C" fn create(host: *const Host, _: *const c_char, out: *mut *mut c_void) -> Status {
    *out = Box::into_raw(Box::new(Plugin::new(&*host))) as *mut c_void;
    OK
}
unsafe extern "C" fn get_interface(_: *mut c_void, id: *const c_char) -> *const c_void {
    if CStr::from_ptr(id) == c"broch.callback/1" {
        return &CALLBACK as *const Callback as *const c_void;
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
    Constant([Component { id: c"@ID@".as_ptr(), role: c"callback".as_ptr(), vtable: &VTABLE }]);

broch_plugin!(
    COMPONENTS,
    r#"{"components": [{
  "id": "@ID@", "role": "callback", "version": "0.1.0",
  "summary": "Reports the mean of a value over each epoch.",
  "requires_ext": ["broch.config/1", "broch.run/1", "broch.metrics/1"],
  "options": {
    "type": "object",
    "properties": {
      "value": {"type": "string", "default": "cost", "description": "Published name of one number."},
      "metric": {"type": "string", "default": "mean_cost", "description": "Name of what is reported."}
    },
    "additionalProperties": false
  }
}]}"#
);
