//! The crate on a host of its own: schemas and metadata, which functions a table has, failures and
//! panics at the border, calls inside calls.
use broch::{sys, Cancel, Component, Draws, Error, Host, Point, PointReader, PointWriter, Position};
use broch::{Provides, Result, View};
use std::cell::{Cell, RefCell};
use std::ffi::{c_void, CStr};
use std::os::raw::c_char;

broch::options! {
    /// Of Watch.
    pub struct Options {
        /// The metric to "watch", as the log
        /// names it.
        monitor_stat: String [min_length = 1],
        /// Epochs without progress.
        patience: i64 [minimum = 1, mutable] = 5,
        /// A rate.
        rate: f64 [exclusive_minimum = 0, maximum = 1.5] = 1e-4,
        /// Which.
        mode: String [one_of = ["min", "max"]] = "a \"quoted\" \\ one",
        /// Names.
        r#type: Vec<String> [min_items = 0] = ["x", "y"],
        /// None by default.
        file: Option<String> [path],
        /// A child.
        func: broch::ChildFunction,
        /// Whether.
        on: bool = false,
    }
}

const SCHEMA: &str = r#"{"type": "object", "properties": {"monitor_stat": {"type": "string", "minLength": 1, "description": "The metric to \"watch\", as the log names it."}, "patience": {"type": "integer", "minimum": 1, "x-broch-mutable": true, "default": 5, "description": "Epochs without progress."}, "rate": {"type": "number", "exclusiveMinimum": 0, "maximum": 1.5, "default": 1e-4, "description": "A rate."}, "mode": {"type": "string", "enum": ["min", "max"], "default": "a \"quoted\" \\ one", "description": "Which."}, "type": {"type": "array", "items": {"type": "string"}, "minItems": 0, "default": ["x", "y"], "description": "Names."}, "file": {"type": ["string", "null"], "x-broch-path": true, "default": null, "description": "None by default."}, "func": {"x-broch-function": true, "description": "A child."}, "on": {"type": "boolean", "default": false, "description": "Whether."}}, "required": ["monitor_stat", "func"], "additionalProperties": false}"#;

#[test]
fn the_schema_has_what_the_declaration_says() {
    assert_eq!(<Options as broch::Options>::SCHEMA, SCHEMA);
}

broch::options! {
    /// Limits of lists, of their elements, and of what may be null.
    pub struct Limits {
        /// A.
        r#type: String,
        /// B.
        sizes: Vec<i64> [min_items = 1, minimum = 2, mutable] = [3],
        /// C.
        files: Vec<String> [path] = [],
        /// D.
        words: Vec<String> [one_of = ["a", "b"], max_items = 2] = ["a"],
        /// E.
        word: Option<String> [one_of = ["a", "b"]],
    }
}

const LIMITS: &str = r#"{"type": "object", "properties": {"type": {"type": "string", "description": "A."}, "sizes": {"type": "array", "items": {"type": "integer", "minimum": 2}, "minItems": 1, "x-broch-mutable": true, "default": [3], "description": "B."}, "files": {"type": "array", "items": {"type": "string", "x-broch-path": true}, "default": [], "description": "C."}, "words": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "maxItems": 2, "default": ["a"], "description": "D."}, "word": {"type": ["string", "null"], "enum": ["a", "b", null], "default": null, "description": "E."}}, "required": ["type"], "additionalProperties": false}"#;

#[test]
fn limits_are_where_they_belong() {
    assert_eq!(<Limits as broch::Options>::SCHEMA, LIMITS);
}

/// What a test tells its component to do.
type Deed = Box<dyn FnMut() -> Result<()>>;
thread_local! {
    static DEED: RefCell<Option<Deed>> = RefCell::new(None);
    static SAID: RefCell<String> = RefCell::new(String::new());
}

struct Watch {
    drops: bool,
}

impl Component for Watch {
    type Options = broch::NoOptions;
    fn new(_: Host, _: broch::NoOptions) -> Result<Self> {
        Ok(Watch { drops: true })
    }
}
impl Drop for Watch {
    fn drop(&mut self) {
        if self.drops {
            panic!("dropped");
        }
    }
}

broch::role! {
    impl Callback for Watch {
        fn trigger(&mut self) -> Result<()> {
            let deed = DEED.with(|deed| deed.borrow_mut().take());
            deed.map_or(Ok(()), |mut deed| deed())
        }
        /// Also with a comment.
        fn trigger_step(&mut self) -> Result<()> {
            self.drops = false;
            Ok(())
        }
    }
}
broch::role! {
    impl Monitor for Watch {
        fn process_scalar(&mut self, _name: &str, _value: f64) -> Result<()> {
            Ok(())
        }
    }
}
impl broch::Stateful for Watch {
    const VERSION: u32 = 7;
    fn save_state(&self) -> Result<Vec<u8>> {
        Ok(b"state".to_vec())
    }
    fn load_state(&mut self, version: u32, bytes: &[u8]) -> Result<()> {
        Err(Error::new(format!("{} {:?}", version, bytes)))
    }
}

struct Half;

impl Component for Half {
    type Options = broch::NoOptions;
    fn new(_: Host, _: broch::NoOptions) -> Result<Self> {
        Ok(Half)
    }
}
broch::role! {
    impl Function for Half {
        fn call(&mut self, now: &sys::broch_function_args) -> Result<Option<f64>> {
            Ok(Some(now.value / 2.0))
        }
    }
}

/// What a test makes of it: whether it is read by index, and whether it has cursors of its own.
#[derive(Clone, Copy)]
struct Rows {
    indexed: bool,
    locating: bool,
}
thread_local! {
    static ROWS: Cell<Rows> = Cell::new(Rows { indexed: true, locating: false });
}
impl Component for Rows {
    type Options = broch::NoOptions;
    fn new(_: Host, _: broch::NoOptions) -> Result<Self> {
        Ok(ROWS.with(Cell::get))
    }
}
broch::role! {
    impl DataFlow for Rows {
        fn open(&mut self, _: &[u8]) -> Result<()> {
            Ok(())
        }
        fn next(&mut self, _: &Cancel, _: &mut PointWriter) -> Result<bool> {
            Ok(false)
        }
    }
}
broch::role! {
    impl Indexed for Rows {
        fn indexed(&self) -> bool {
            self.indexed
        }
        fn size(&self) -> Result<Option<i64>> {
            Ok(Some(3))
        }
        fn read(&self, _: Position, _: &Cancel, _: &mut PointWriter) -> Result<bool> {
            Ok(false)
        }
        fn has_locate(&self) -> bool {
            self.locating
        }
        fn locate(&self, cursor: &[u8]) -> Result<Position> {
            Ok(Position { round: 7, index: cursor.len() as u64 })
        }
    }
}

struct Many;
impl Component for Many {
    type Options = broch::NoOptions;
    fn new(_: Host, _: broch::NoOptions) -> Result<Self> {
        Ok(Many)
    }
}
broch::role! {
    impl Transform for Many {
        const MANY: bool = true;
        fn apply(&self, _: &mut PointReader, _: &mut PointWriter, _: Draws) -> Result<()> {
            Ok(())
        }
    }
}

broch::plugin! {
    Watch: Callback + Monitor + Stateful {
        id: "org.example.watch",
        version: "1.0.0",
        summary: "Watches \"it\".",
        requires_ext: ["broch.config/1"],
        produces: [],
        consumes: ["{a}", "{b}"],
        run_on: "all",
        needs: ["model", "input"],
        default_input: "org.example.in",
        requires_input: "org.example.only",
        staged_by: "org.example.stage",
        evaluates: true,
        metric_prefix: "{p?_}",
        triggers_at_end: "on",
        check_creates: false,
        reorders: "dataflow",
        extensions: [".a", "b://"],
    }
    Half: Function {
        id: "org.example.half",
        version: "1.0.0",
        summary: "Half of a value.",
    }
    Rows: DataFlow + Indexed {
        id: "org.example.rows",
        version: "1.0.0",
        summary: "Rows.",
    }
    Many: Transform {
        id: "org.example.many",
        version: "1.0.0",
        summary: "Many.",
    }
}

extern "C" {
    static broch_entry_v1: sys::broch_entry;
}

#[test]
fn the_entry_has_the_metadata_and_the_component() {
    let entry = unsafe { broch_entry_v1 };
    let meta = unsafe { CStr::from_ptr(entry.meta_json) }.to_str().unwrap();
    assert_eq!(
        meta,
        concat!(
            r#"{"components": [{"id": "org.example.watch", "role": "callback", "#,
            r#""roles": ["callback", "monitor"], "#,
            r#""version": "1.0.0", "summary": "Watches \"it\".", "#,
            r#""requires_ext": ["broch.config/1"], "produces": [], "consumes": ["{a}", "{b}"], "#,
            r#""run_on": "all", "needs": ["model", "input"], "default_input": "org.example.in", "#,
            r#""requires_input": "org.example.only", "staged_by": "org.example.stage", "#,
            r#""evaluates": true, "metric_prefix": "{p?_}", "triggers_at_end": "on", "#,
            r#""check_creates": false, "reorders": "dataflow", "extensions": [".a", "b://"], "#,
            r#""options": {"type": "object", "additionalProperties": false}}, "#,
            r#"{"id": "org.example.half", "role": "function", "roles": ["function"], "version": "1.0.0", "#,
            r#""summary": "Half of a value.", "#,
            r#""options": {"type": "object", "additionalProperties": false}}, "#,
            r#"{"id": "org.example.rows", "role": "dataflow", "roles": ["dataflow"], "version": "1.0.0", "#,
            r#""summary": "Rows.", "#,
            r#""options": {"type": "object", "additionalProperties": false}}, "#,
            r#"{"id": "org.example.many", "role": "transform", "roles": ["transform"], "version": "1.0.0", "#,
            r#""summary": "Many.", "#,
            r#""options": {"type": "object", "additionalProperties": false}}]}"#
        )
    );
    assert_eq!((entry.magic, entry.component_count), (sys::BROCH_ENTRY_MAGIC, 4));
    let components = unsafe { std::slice::from_raw_parts(entry.components, 4) };
    let texts = |text| unsafe { CStr::from_ptr(text) }.to_str().unwrap();
    let names: Vec<_> = components.iter().map(|one| (texts(one.id), texts(one.role))).collect();
    let expected = [
        ("org.example.watch", "callback"),
        ("org.example.half", "function"),
        ("org.example.rows", "dataflow"),
        ("org.example.many", "transform"),
    ];
    assert_eq!(names, expected);
    for (component, answers) in components.iter().zip([false, true]) {
        let get = unsafe { *component.vtable }.get_interface.unwrap();
        let table = unsafe { get(std::ptr::null_mut(), sys::BROCH_ROLE_FUNCTION.as_ptr()) };
        assert_eq!(!table.is_null(), answers);
    }
}

#[test]
fn a_table_has_the_functions_that_are_overridden() {
    let callback = broch::tables::Callback::<Watch>::TABLE;
    assert!(callback.trigger.is_some() && callback.trigger_step.is_some());
    assert!(callback.trigger_epoch.is_none() && callback.before_run.is_none());
    let monitor = broch::tables::Monitor::<Watch>::TABLE;
    assert!(monitor.process_scalar.is_some() && monitor.process_image.is_none());
    let state = broch::tables::Stateful::<Watch>::TABLE;
    assert!(state.version == 7 && state.save.is_some() && state.load.is_some());
    let many = broch::tables::Transform::<Many>::TABLE;
    assert!(many.flags == sys::BROCH_TRANSFORM_MANY as u32 && many.apply.is_some());
}

#[test]
fn what_an_instance_is_read_by_depends_on_the_instance() {
    for (indexed, locating) in [(true, true), (true, false), (false, false)] {
        ROWS.with(|rows| rows.set(Rows { indexed, locating }));
        let vtable = unsafe { &*(*broch_entry_v1.components.add(2)).vtable };
        let mut this = std::ptr::null_mut();
        let status = unsafe { vtable.create.unwrap()(&HOST, std::ptr::null(), &mut this) };
        assert_eq!(status, sys::BROCH_OK);
        let get = |id: &CStr| unsafe { vtable.get_interface.unwrap()(this, id.as_ptr()) };
        assert!(!get(sys::BROCH_ROLE_DATAFLOW).is_null());
        let table = get(sys::BROCH_ROLE_INDEXED) as *const sys::broch_indexed;
        assert_eq!(!table.is_null(), indexed);
        if let Some(table) = unsafe { table.as_ref() } {
            assert_eq!(table.locate.is_some(), locating);
            assert!(table.reset_state.is_none() && table.read.is_some());
            let mut size = 0;
            assert_eq!(unsafe { table.size.unwrap()(this, &mut size) }, sys::BROCH_OK);
            assert_eq!(size, 3);
            if let Some(locate) = table.locate {
                let (mut round, mut index) = (0, 0);
                let cursor = b"four".as_ptr() as *const c_void;
                assert_eq!(unsafe { locate(this, cursor, 4, &mut round, &mut index) }, sys::BROCH_OK);
                assert_eq!((round, index), (7, 4));
            }
        }
        unsafe { vtable.destroy.unwrap()(this) };
    }
}

#[test]
fn elements_of_a_tensor_without_any_and_of_one_with_gaps() {
    let (mut shape, mut strides, mut memory) = ([2, 0, 3], [3, 3, 1], [1f32, 2.0, 3.0, 4.0]);
    let mut tensor = sys::broch_dl_tensor {
        data: memory.as_mut_ptr() as *mut c_void,
        device: sys::broch_dl_device { device_type: sys::BROCH_DL_CPU, device_id: 0 },
        ndim: 3,
        dtype: broch::Dtype::Float32.dl_type(),
        shape: shape.as_mut_ptr(),
        strides: strides.as_mut_ptr(),
        byte_offset: 0,
    };
    let empty = unsafe { View::new(&tensor) };
    assert_eq!(empty.values::<f32>().unwrap(), &[] as &[f32]);
    assert!(empty.values::<i64>().is_err());
    for (stride, elements) in [(3, None), (1, Some([1f32, 2.0]))] {
        let (mut shape, mut strides) = ([2], [stride]);
        tensor.ndim = 1;
        tensor.shape = shape.as_mut_ptr();
        tensor.strides = strides.as_mut_ptr();
        let view = unsafe { View::new(&tensor) };
        assert_eq!(view.values::<f32>().ok(), elements.as_ref().map(|e| &e[..]));
    }
}

#[test]
fn cursors_of_positions() {
    let at = Position { round: 3, index: 18446744073709551615 };
    assert_eq!(Position::of_cursor(&at.cursor(), "x").unwrap(), at);
    for bad in ["", "3", "3:", ":3", "3:+4", "3:4:5", " 3:4", "3:18446744073709551616"] {
        let error = Position::of_cursor(bad.as_bytes(), "rows").unwrap_err();
        assert_eq!(error.status(), sys::BROCH_E_DATA_LOSS);
        assert!(error.message().contains("is not a cursor of rows"), "{}", error.message());
    }
}

// A host that remembers the message of a failure and has two tables, of the options and of points.

unsafe extern "C" fn point_new(_: *const sys::broch_host, point: *mut sys::broch_point) -> i32 {
    *point = 1;
    sys::BROCH_OK
}
unsafe extern "C" fn point_free(_: *const sys::broch_host, _: sys::broch_point) -> i32 {
    sys::BROCH_OK
}
unsafe extern "C" fn allocate(
    _: *const sys::broch_host,
    _: sys::broch_point,
    _: *const c_char,
    _: *const sys::broch_dl_tensor,
    _: *mut *mut c_void,
) -> i32 {
    sys::BROCH_OK
}
unsafe extern "C" fn row_begin(
    _: *const sys::broch_host,
    _: sys::broch_point,
    _: u64,
    _: u64,
    _: sys::broch_point,
) -> i32 {
    sys::BROCH_OK
}
fn points() -> &'static sys::broch_host_data_point {
    let mut table: sys::broch_host_data_point = unsafe { std::mem::zeroed() };
    table.struct_size = std::mem::size_of_val(&table) as u32;
    table.point_new = Some(point_new);
    table.point_free = Some(point_free);
    table.allocate = Some(allocate);
    table.row_begin = Some(row_begin);
    Box::leak(Box::new(table))
}

#[test]
fn memory_of_a_row_is_reached_only_while_the_batch_is_borrowed() {
    let (mut batch, mut row) = (Point::new(host()).unwrap(), Point::new(host()).unwrap());
    assert!(row.writer().allocate::<f32>(&[0], None).is_ok());
    let mut writer = batch.writer();
    let mut first = row.begin_row(&mut writer, 0, 1).unwrap();
    assert!(first.allocate::<f32>(&[0], None).is_ok());
    let refusals = [
        row.writer().allocate::<f32>(&[0], None).err(),
        row.reader().view(0).err(),
        row.view(0).err(),
    ];
    for refusal in refusals {
        assert_eq!(refusal.unwrap().status(), sys::BROCH_E_FAILED_PRECONDITION);
    }
}

unsafe extern "C" fn get_extension(_: *const sys::broch_host, id: *const c_char) -> *const c_void {
    static CONFIG: sys::broch_host_config = sys::broch_host_config {
        struct_size: 24, // up to kind
        reserved: 0,
        text: None,
        kind: None,
        get_bool: None,
        get_i64: None,
        get_f64: None,
        get_string: None,
        get_size: None,
        get_key: None,
    };
    if CStr::from_ptr(id).to_bytes() == b"broch.data_point/1" {
        return points() as *const sys::broch_host_data_point as *const c_void;
    }
    if CStr::from_ptr(id).to_bytes() == b"broch.config/1" {
        return &CONFIG as *const sys::broch_host_config as *const c_void;
    }
    std::ptr::null()
}
unsafe extern "C" fn fail(_: *const sys::broch_host, status: i32, message: *const c_char) -> i32 {
    SAID.with(|said| *said.borrow_mut() = CStr::from_ptr(message).to_str().unwrap().to_string());
    status
}
unsafe extern "C" fn last_error(_: *const sys::broch_host) -> *const c_char {
    b"what the host says\0".as_ptr() as *const c_char
}
unsafe extern "C" fn log(_: *const sys::broch_host, _: i32, _: *const c_char) {}

static HOST: sys::broch_host = sys::broch_host {
    struct_size: std::mem::size_of::<sys::broch_host>() as u32,
    abi_major: 0,
    abi_minor: 1,
    reserved: 0,
    get_extension: Some(get_extension),
    fail: Some(fail),
    last_error: Some(last_error),
    log: Some(log),
};

fn host() -> Host {
    unsafe { Host::new(&HOST) }
}
fn said() -> String {
    SAID.with(|said| std::mem::take(&mut *said.borrow_mut()))
}

struct Instance {
    vtable: sys::broch_component_vtable,
    this: *mut c_void,
    callback: &'static sys::broch_callback,
}

impl Instance {
    fn new() -> Instance {
        let vtable = unsafe { *(*broch_entry_v1.components).vtable };
        let mut this = std::ptr::null_mut();
        let status = unsafe { vtable.create.unwrap()(&HOST, std::ptr::null(), &mut this) };
        assert_eq!(status, sys::BROCH_OK);
        let id = sys::BROCH_ROLE_CALLBACK.as_ptr();
        let table = unsafe { vtable.get_interface.unwrap()(this, id) };
        Instance { vtable, this, callback: unsafe { &*(table as *const sys::broch_callback) } }
    }
    fn trigger(&self, deed: impl FnMut() -> Result<()> + 'static) -> i32 {
        DEED.with(|place| *place.borrow_mut() = Some(Box::new(deed)));
        unsafe { self.callback.trigger.unwrap()(self.this) }
    }
    fn trigger_step(&self) -> i32 {
        unsafe { self.callback.trigger_step.unwrap()(self.this) }
    }
}
impl Drop for Instance {
    fn drop(&mut self) {
        unsafe { self.vtable.destroy.unwrap()(self.this) }
    }
}

#[test]
fn failures_and_outcomes_reach_the_host() {
    let instance = Instance::new();
    assert_eq!(instance.trigger_step(), sys::BROCH_OK);
    let invalid = instance.trigger(|| Err(Error::invalid("/size: found 0, expected 1")));
    assert_eq!((invalid, &*said()), (sys::BROCH_E_INVALID_ARGUMENT, "/size: found 0, expected 1"));
    assert_eq!(instance.trigger(|| Err(Error::stop("enough"))), sys::BROCH_STOP);
    assert_eq!(said(), "enough");
    assert_eq!(instance.trigger(|| Err(Error::cancelled())), sys::BROCH_CANCELLED);
    assert_eq!(said(), "");
    // A status that is no failure does not make success of an error.
    assert_eq!(instance.trigger(|| Err(Error::with_status(0, "odd"))), sys::BROCH_E_UNKNOWN);
    assert_eq!(instance.trigger(|| Ok("x".parse::<i64>().map(|_| ())?)), sys::BROCH_E_UNKNOWN);
    assert_eq!(instance.trigger(|| host().check(-9).map(|_| ())), -9);
    assert_eq!(said(), "what the host says");
}

#[test]
fn a_panic_is_a_failure_that_names_its_place() {
    let instance = Instance::new();
    assert_eq!(instance.trigger_step(), sys::BROCH_OK);
    assert_eq!(instance.trigger(|| panic!("{} lost", 3)), sys::BROCH_E_UNKNOWN);
    let message = said();
    assert!(message.contains("crate_test.rs:") && message.ends_with("3 lost"), "{}", message);
    assert_eq!(instance.trigger(|| Ok(())), sys::BROCH_OK);
}

#[test]
fn a_panic_in_drop_ends_nothing() {
    drop(Instance::new());
    assert!(said().ends_with("dropped"));
}

#[test]
fn a_call_inside_a_call_that_changes_the_instance_fails() {
    let instance = Instance::new();
    let (callback, this) = (instance.callback, instance.this as usize);
    assert_eq!(instance.trigger_step(), sys::BROCH_OK);
    let inner = move || match unsafe { callback.trigger_step.unwrap()(this as *mut c_void) } {
        sys::BROCH_E_FAILED_PRECONDITION => Ok(()),
        status => Err(Error::new(format!("the inner call ends with {}", status))),
    };
    assert_eq!(instance.trigger(inner), sys::BROCH_OK);
    assert!(said().contains("inside another call of the same instance"));
}

#[test]
fn what_a_host_lacks_is_said() {
    let error = host().require::<sys::broch_host_rng>().err().unwrap();
    assert_eq!((error.status(), error.message()), (sys::BROCH_E_UNIMPLEMENTED, "this host has no broch.rng/1"));
    // The table ends before get_i64, whatever stands in memory behind it.
    let error = broch::Config::new(host()).unwrap().integer("/size").unwrap_err();
    assert_eq!(error.message(), "this host has no get_i64");
}

#[test]
fn texts_become_json() {
    assert_eq!(broch::json_text("a\"b\\\n\u{e4}"), "\"a\\\"b\\\\\\u000a\u{e4}\"");
}
