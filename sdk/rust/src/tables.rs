//! The tables of the roles, filled with functions that call the methods of a component.
use crate::border::{changing, reading};
use crate::host::owned;
use crate::sys::{self, Table};
use crate::tensor::{c_text, View};
use crate::{Cancel, Draws, Dtype, Error, Gradient, Input, Parameter, PointReader, PointWriter};
use crate::{Position, Result, Summary, Tensor, Tower, Variables};
use std::ffi::CStr;
use std::marker::PhantomData;
use std::mem::size_of;
use std::os::raw::{c_char, c_void};

const OK: i32 = sys::BROCH_OK;

/// A role, or another table that a component provides.
pub trait Provides {
    type C: Table;
    const TABLE: &'static Self::C;
    /// In the metadata.
    const NAME: &'static str;
    /// The table of an instance, or NULL.
    ///
    /// # Safety
    /// this comes from the create of the component.
    unsafe fn of(_this: *mut c_void) -> *const Self::C {
        Self::TABLE
    }
}

/// The table of P if id is its id and the instance has it; else NULL.
///
/// # Safety
/// this comes from the create of the component.
pub unsafe fn find<P: Provides>(this: *mut c_void, id: &CStr) -> *const c_void {
    if id == P::C::ID {
        P::of(this) as *const c_void
    } else {
        std::ptr::null()
    }
}

unsafe fn slice<'a, T>(start: *const T, n: u32) -> &'a [T] {
    match n {
        0 => &[],
        n => std::slice::from_raw_parts(start, n as usize),
    }
}
unsafe fn bytes<'a>(start: *const c_void, size: u64) -> &'a [u8] {
    match size {
        0 => &[],
        size => std::slice::from_raw_parts(start as *const u8, size as usize),
    }
}

/// Calls a function that the host has passed: `call(add, context, …)`.
macro_rules! call_back {
    ($of:expr, $function:ident $(, $argument:expr)*) => {{
        let of = &*$of;
        match of.$function {
            Some(function) => function(of.context $(, $argument)*),
            None => sys::BROCH_E_UNIMPLEMENTED,
        }
    }};
}

/// Functions without arguments besides self: `events!(Callback: setup_graph, before_train)`.
macro_rules! events {
    ($Role:ident: $($name:ident),*) => {
        $(unsafe extern "C" fn $name<T: crate::$Role>(this: *mut c_void) -> i32 {
            changing::<T>(this, |object, _| object.$name().map(|_| OK))
        })*
    };
}

/// Whether a component overrides a method.
pub const fn overrides(methods: &[&str], method: &str) -> bool {
    let mut i = 0;
    while i < methods.len() {
        if same(methods[i].as_bytes(), method.as_bytes()) {
            return true;
        }
        i += 1;
    }
    false
}
const fn same(a: &[u8], b: &[u8]) -> bool {
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}

/// The type that stands for a role of T, with its table: a number, and functions of this module.
/// A function in brackets is there if T overrides the method with the name of the member.
macro_rules! table {
    ($Role:ident, $name:literal, $table:ident,
     { $number:ident: $value:expr $(, $member:ident: $function:tt)* $(,)? }) => {
        pub struct $Role<T>(PhantomData<T>);
        impl<T: crate::$Role> Provides for $Role<T> {
            type C = sys::$table;
            const NAME: &'static str = $name;
            const TABLE: &'static sys::$table = &sys::$table {
                struct_size: size_of::<sys::$table>() as u32,
                $number: ($value) as u32,
                $($member: table!(@entry $member $function),)*
            };
        }
    };
    (@entry $member:ident [$function:ident]) => {
        if overrides(T::METHODS, stringify!($member)) { Some($function::<T>) } else { None }
    };
    (@entry $member:ident {$value:expr}) => {
        ($value) as u32
    };
    (@entry $member:ident $function:ident) => {
        Some($function::<T>)
    };
}

events!(Callback: before_train, after_train, before_epoch, after_epoch);
events!(Callback: trigger_step, trigger_epoch, trigger);
unsafe extern "C" fn callback_setup_graph<T: crate::Callback>(this: *mut c_void) -> i32 {
    changing::<T>(this, |object, _| object.setup_graph().map(|_| OK))
}
unsafe extern "C" fn before_run<T: crate::Callback>(
    this: *mut c_void,
    run: sys::broch_run,
    fetches: *mut u64,
) -> i32 {
    changing::<T>(this, |object, _| {
        *fetches = object.before_run(run, *fetches)?;
        Ok(OK)
    })
}
unsafe extern "C" fn after_run<T: crate::Callback>(this: *mut c_void, run: sys::broch_run) -> i32 {
    changing::<T>(this, |object, _| object.after_run(run).map(|_| OK))
}
table!(Callback, "callback", broch_callback, {
    reserved: 0,
    setup_graph: [callback_setup_graph],
    before_train: [before_train],
    after_train: [after_train],
    before_epoch: [before_epoch],
    after_epoch: [after_epoch],
    before_run: [before_run],
    after_run: [after_run],
    trigger_step: [trigger_step],
    trigger_epoch: [trigger_epoch],
    trigger: [trigger],
});

unsafe extern "C" fn process_scalar<T: crate::Monitor>(
    this: *mut c_void,
    name: *const c_char,
    value: f64,
) -> i32 {
    changing::<T>(this, |object, _| object.process_scalar(&owned(name), value).map(|_| OK))
}
unsafe extern "C" fn process_summary<T: crate::Monitor>(
    this: *mut c_void,
    values: *const sys::broch_summary_value,
    n: u32,
) -> i32 {
    changing::<T>(this, |object, _| {
        for value in slice(values, n) {
            let text = String::from_utf8_lossy(bytes(value.bytes, value.size));
            let summary = match value.kind {
                sys::BROCH_SUMMARY_SCALAR => Summary::Scalar(value.scalar),
                sys::BROCH_SUMMARY_HISTOGRAM => Summary::Histogram(View::new(&*value.tensor)),
                sys::BROCH_SUMMARY_IMAGE => Summary::Image(View::new(&*value.tensor)),
                sys::BROCH_SUMMARY_TEXT => Summary::Text(&text),
                _ => continue,
            };
            object.process_summary(&owned(value.tag), &summary)?;
        }
        Ok(OK)
    })
}
unsafe extern "C" fn process_image<T: crate::Monitor>(
    this: *mut c_void,
    name: *const c_char,
    image: *const sys::broch_dl_tensor,
) -> i32 {
    changing::<T>(this, |object, _| {
        object.process_image(&owned(name), View::new(&*image)).map(|_| OK)
    })
}
unsafe extern "C" fn process_event<T: crate::Monitor>(
    this: *mut c_void,
    kind: *const c_char,
    data: *const c_void,
    size: u64,
) -> i32 {
    changing::<T>(this, |object, _| {
        object.process_event(&owned(kind), bytes(data, size)).map(|_| OK)
    })
}
table!(Monitor, "monitor", broch_monitor, {
    reserved: 0,
    process_scalar: [process_scalar],
    process_summary: [process_summary],
    process_image: [process_image],
    process_event: [process_event],
    queued: {T::QUEUED},
    reserved_2: {0},
});

unsafe extern "C" fn inputs<T: crate::Model>(
    this: *mut c_void,
    signature: *const sys::broch_signature,
) -> i32 {
    reading::<T>(this, |object, holder| {
        for input in object.inputs()? {
            let name = c_text(&input.name)?;
            let dims: Result<Vec<_>> = input.dims.iter().map(|dim| c_text(dim)).collect();
            let dims = dims?;
            if dims.len() > input.shape.len() {
                return Err(Error::invalid(format!(
                    "input '{}' has {} names of dimensions, expected at most {}, as many as it \
                     has sizes",
                    input.name,
                    dims.len(),
                    input.shape.len()
                )));
            }
            let mut pointers: Vec<*const c_char> = dims
                .iter()
                .map(|dim| if dim.as_bytes().is_empty() { std::ptr::null() } else { dim.as_ptr() })
                .collect();
            pointers.resize(input.shape.len(), std::ptr::null());
            let spec = sys::broch_input_spec {
                name: name.as_ptr(),
                shape: input.shape.as_ptr(),
                dims: if dims.is_empty() { std::ptr::null() } else { pointers.as_ptr() },
                rank: input.shape.len() as u32,
                dtype: input.dtype.code(),
                flags: 0,
                reserved: 0,
            };
            holder.host.check(call_back!(signature, add, &spec))?;
        }
        Ok(OK)
    })
}
unsafe extern "C" fn tower<T: crate::Model>(
    this: *mut c_void,
    tower: sys::broch_tower,
    inputs: *const sys::broch_tensor,
    n: u32,
    cost: *mut sys::broch_tensor,
) -> i32 {
    reading::<T>(this, |object, holder| {
        let tower = Tower::new(holder.host, &holder.resolved, tower)?;
        let inputs: Vec<Tensor> = slice(inputs, n).iter().map(|&i| tower.ops().tensor(i)).collect();
        let result = object.tower(&tower, &inputs);
        tower.ops().check()?;
        *cost = result?.handle();
        Ok(OK)
    })
}
unsafe extern "C" fn example<T: crate::Model>(this: *mut c_void, point: sys::broch_point) -> i32 {
    reading::<T>(this, |object, holder| {
        object.example(&mut PointWriter::new(holder.host, point)?).map(|_| OK)
    })
}
unsafe extern "C" fn optimizer<T: crate::Model>(
    this: *mut c_void,
    entry: *const sys::broch_writer,
) -> i32 {
    reading::<T>(this, |object, holder| {
        let text = object.optimizer()?;
        let start = text.as_ptr() as *const c_void;
        holder.host.check(call_back!(entry, write, start, text.len() as u64))
    })
}
table!(Model, "model", broch_model, {
    reserved: 0,
    inputs: inputs,
    tower: tower,
    example: [example],
    optimizer: [optimizer],
});

unsafe extern "C" fn keep<T: crate::GradientProcessor>(
    this: *mut c_void,
    variables: *const sys::broch_variable,
    n: u32,
    keep: *mut i32,
) -> i32 {
    reading::<T>(this, |object, holder| {
        let known = Variables::new(holder.host)?;
        for (i, &variable) in slice(variables, n).iter().enumerate() {
            *keep.add(i) = i32::from(object.keep(&known.info(variable)?.name)?);
        }
        Ok(OK)
    })
}
unsafe extern "C" fn process<T: crate::GradientProcessor>(
    this: *mut c_void,
    scope: sys::broch_tower,
    variables: *const sys::broch_variable,
    gradients: *const sys::broch_tensor,
    n: u32,
    results: *mut sys::broch_tensor,
) -> i32 {
    reading::<T>(this, |object, holder| {
        let (known, tower) =
            (Variables::new(holder.host)?, Tower::new(holder.host, &holder.resolved, scope)?);
        let mut list = Vec::new();
        for (&variable, &gradient) in slice(variables, n).iter().zip(slice(gradients, n)) {
            let gradient = tower.ops().tensor(gradient);
            list.push(Gradient { name: known.info(variable)?.name, variable, gradient });
        }
        let result = object.process(&tower, &mut list);
        tower.ops().check()?;
        result?;
        for (i, one) in list.iter().enumerate() {
            *results.add(i) = one.gradient.handle();
        }
        Ok(OK)
    })
}
table!(GradientProcessor, "gradient_processor", broch_gradient_processor, {
    reserved: 0,
    keep: [keep],
    process: [process],
});

unsafe extern "C" fn spec<T: crate::Optimizer>(
    this: *mut c_void,
    spec: *const sys::broch_optimizer_spec,
) -> i32 {
    reading::<T>(this, |object, holder| {
        let wanted = object.spec();
        for (name, initial) in &wanted.hyper_params {
            let name = c_text(name)?;
            holder.host.check(call_back!(spec, hyper_param, name.as_ptr(), *initial))?;
        }
        for (name, initial) in &wanted.slots {
            let name = c_text(name)?;
            holder.host.check(call_back!(spec, slot, name.as_ptr(), *initial))?;
        }
        Ok(OK)
    })
}
unsafe extern "C" fn update<T: crate::Optimizer>(
    this: *mut c_void,
    update: *const sys::broch_update,
) -> i32 {
    reading::<T>(this, |object, holder| {
        let (update, spec) = (&*update, object.spec());
        let (n, slots) = (update.n as usize, spec.slots.len());
        let known = Variables::new(holder.host)?;
        let tower = Tower::new(holder.host, &holder.resolved, update.scope)?;
        let tensor = |handle: sys::broch_tensor| tower.ops().tensor(handle);
        let hyper_params: Vec<Tensor> =
            (0..spec.hyper_params.len()).map(|i| tensor(*update.hyper_params.add(i))).collect();
        let mut parameters = Vec::new();
        for i in 0..n {
            let variable = *update.variables.add(i);
            parameters.push(Parameter {
                name: known.info(variable)?.name,
                variable,
                gradient: tensor(*update.gradients.add(i)),
                value: tensor(*update.values.add(i)),
                slots: (0..slots).map(|k| tensor(*update.slots.add(k * n + i))).collect(),
            });
        }
        let result = object.update(&tower, &mut parameters, &hyper_params, tensor(update.number));
        tower.ops().check()?;
        result?;
        for (i, one) in parameters.iter().enumerate() {
            if one.slots.len() != slots {
                return Err(Error::invalid("update changed the number of slots"));
            }
            *update.new_values.add(i) = one.value.handle();
            for (k, slot) in one.slots.iter().enumerate() {
                *update.new_slots.add(k * n + i) = slot.handle();
            }
        }
        Ok(OK)
    })
}
unsafe extern "C" fn slot_shape<T: crate::Optimizer>(
    this: *mut c_void,
    slot: u32,
    shape: *mut i64,
    rank: *mut u32,
) -> i32 {
    reading::<T>(this, |object, _| {
        let wanted = object.slot_shape(slot as usize, slice(shape, *rank))?;
        if wanted.len() > sys::BROCH_RANK_MAX as usize {
            return Err(Error::invalid("slot_shape returned too many dimensions"));
        }
        *rank = wanted.len() as u32;
        for (i, &size) in wanted.iter().enumerate() {
            *shape.add(i) = size;
        }
        Ok(OK)
    })
}
table!(Optimizer, "optimizer", broch_optimizer, {
    reserved: 0,
    spec: [spec],
    update: update,
    slot_shape: [slot_shape],
});

/// A size that may be unknown.
unsafe fn put_size(size: Option<i64>, out: *mut i64) -> Result<i32> {
    match size {
        Some(size) => {
            *out = size;
            Ok(OK)
        }
        None => Ok(sys::BROCH_NONE),
    }
}
fn more(there: bool) -> i32 {
    if there {
        OK
    } else {
        sys::BROCH_END
    }
}

unsafe extern "C" fn dataflow_reset_state<T: crate::DataFlow>(this: *mut c_void) -> i32 {
    changing::<T>(this, |object, _| object.reset_state().map(|_| OK))
}
unsafe extern "C" fn open<T: crate::DataFlow>(
    this: *mut c_void,
    cursor: *const c_void,
    size: u64,
) -> i32 {
    changing::<T>(this, |object, _| object.open(bytes(cursor, size)).map(|_| OK))
}
unsafe extern "C" fn start_cursor<T: crate::DataFlow>(
    this: *mut c_void,
    writer: *const sys::broch_writer,
) -> i32 {
    changing::<T>(this, |object, holder| match object.start_cursor()? {
        Some(cursor) => {
            let start = cursor.as_ptr() as *const c_void;
            holder.host.check(call_back!(writer, write, start, cursor.len() as u64))
        }
        None => Ok(sys::BROCH_NONE),
    })
}
unsafe extern "C" fn dataflow_next<T: crate::DataFlow>(
    this: *mut c_void,
    cancel: *const sys::broch_cancel,
    point: sys::broch_point,
) -> i32 {
    changing::<T>(this, |object, holder| {
        let mut point = PointWriter::new(holder.host, point)?;
        object.next(&Cancel(&*cancel), &mut point).map(more)
    })
}
unsafe extern "C" fn dataflow_size<T: crate::DataFlow>(this: *mut c_void, size: *mut i64) -> i32 {
    changing::<T>(this, |object, _| put_size(object.size()?, size))
}
table!(DataFlow, "dataflow", broch_dataflow, {
    reserved: 0,
    reset_state: [dataflow_reset_state],
    open: open,
    start_cursor: [start_cursor],
    next: dataflow_next,
    size: [dataflow_size],
});

unsafe extern "C" fn indexed_reset_state<T: crate::Indexed>(this: *mut c_void) -> i32 {
    changing::<T>(this, |object, _| object.reset_state().map(|_| OK))
}
unsafe extern "C" fn indexed_size<T: crate::Indexed>(this: *mut c_void, size: *mut i64) -> i32 {
    reading::<T>(this, |object, _| put_size(object.size()?, size))
}
unsafe extern "C" fn read<T: crate::Indexed>(
    this: *mut c_void,
    round: u64,
    index: u64,
    cancel: *const sys::broch_cancel,
    point: sys::broch_point,
) -> i32 {
    reading::<T>(this, |object, holder| {
        let mut point = PointWriter::new(holder.host, point)?;
        object.read(Position { round, index }, &Cancel(&*cancel), &mut point).map(more)
    })
}
unsafe extern "C" fn locate<T: crate::Indexed>(
    this: *mut c_void,
    cursor: *const c_void,
    size: u64,
    round: *mut u64,
    index: *mut u64,
) -> i32 {
    reading::<T>(this, |object, _| {
        let at = object.locate(bytes(cursor, size))?;
        *round = at.round;
        *index = at.index;
        Ok(OK)
    })
}

unsafe extern "C" fn describe<T: crate::Indexed>(
    this: *mut c_void,
    index: u64,
    writer: *const sys::broch_writer,
) -> i32 {
    reading::<T>(this, |object, holder| match object.describe(index) {
        Some(text) => {
            let start = text.as_ptr() as *const c_void;
            holder.host.check(call_back!(writer, write, start, text.len() as u64))
        }
        None => Ok(sys::BROCH_NONE),
    })
}

/// Not by table!: what it has depends on the instance.
pub struct Indexed<T>(PhantomData<T>);
impl<T: crate::Indexed> Indexed<T> {
    const LOCATING: &'static sys::broch_indexed =
        &sys::broch_indexed { locate: Some(locate::<T>), ..*Self::TABLE };
}
impl<T: crate::Indexed> Provides for Indexed<T> {
    type C = sys::broch_indexed;
    const NAME: &'static str = "dataflow";
    const TABLE: &'static sys::broch_indexed = &sys::broch_indexed {
        struct_size: size_of::<sys::broch_indexed>() as u32,
        reserved: 0,
        reset_state: table!(@entry reset_state [indexed_reset_state]),
        size: Some(indexed_size::<T>),
        read: Some(read::<T>),
        locate: None,
        describe: table!(@entry describe [describe]),
    };
    unsafe fn of(this: *mut c_void) -> *const sys::broch_indexed {
        let mut table: *const sys::broch_indexed = std::ptr::null();
        reading::<T>(this, |object, _| {
            if object.indexed() {
                table = if object.has_locate() { Self::LOCATING } else { Self::TABLE };
            }
            Ok(OK)
        });
        table
    }
}

unsafe extern "C" fn apply<T: crate::Transform>(
    this: *mut c_void,
    seed: u64,
    input: sys::broch_point,
    out: sys::broch_point,
) -> i32 {
    reading::<T>(this, |object, holder| {
        let mut input = PointReader::new(holder.host, input)?;
        let mut out = PointWriter::new(holder.host, out)?;
        object.apply(&mut input, &mut out, Draws::new(seed)).map(|_| OK)
    })
}
table!(Transform, "transform", broch_transform, {
    flags: T::MANY as i32 * sys::BROCH_TRANSFORM_MANY,
    apply: apply,
});

unsafe extern "C" fn sink_open<T: crate::Sink>(this: *mut c_void, path: *const c_char) -> i32 {
    changing::<T>(this, |object, _| object.open(&owned(path)).map(|_| OK))
}
unsafe extern "C" fn put<T: crate::Sink>(this: *mut c_void, point: sys::broch_point) -> i32 {
    changing::<T>(this, |object, holder| {
        object.put(&PointReader::new(holder.host, point)?).map(|_| OK)
    })
}
events!(Sink: close);
table!(Sink, "sink", broch_sink, {
    reserved: 0,
    open: sink_open,
    put: put,
    close: close,
});

unsafe extern "C" fn setup<T: crate::InputSource>(
    this: *mut c_void,
    inputs: *const sys::broch_input_spec,
    n: u32,
) -> i32 {
    changing::<T>(this, |object, _| {
        let mut list = Vec::new();
        for input in slice(inputs, n) {
            let dims = if input.dims.is_null() { &[] } else { slice(input.dims, input.rank) };
            list.push(Input {
                name: owned(input.name),
                dtype: Dtype::of_code(input.dtype)?,
                shape: slice(input.shape, input.rank).to_vec(),
                dims: dims.iter().map(|&dim| owned(dim)).collect(),
            });
        }
        object.setup(&list).map(|_| OK)
    })
}
unsafe extern "C" fn source_reset_state<T: crate::InputSource>(this: *mut c_void) -> i32 {
    changing::<T>(this, |object, _| object.reset_state().map(|_| OK))
}
unsafe extern "C" fn resume<T: crate::InputSource>(
    this: *mut c_void,
    cursors: *const sys::broch_bytes,
    n: u32,
) -> i32 {
    changing::<T>(this, |object, _| {
        let cursors: Vec<&[u8]> =
            slice(cursors, n).iter().map(|cursor| bytes(cursor.data, cursor.size)).collect();
        object.resume(&cursors).map(|_| OK)
    })
}
unsafe extern "C" fn source_next<T: crate::InputSource>(
    this: *mut c_void,
    tower: u32,
    cancel: *const sys::broch_cancel,
    point: sys::broch_point,
) -> i32 {
    changing::<T>(this, |object, holder| {
        let mut point = PointWriter::new(holder.host, point)?;
        object.next(tower, &Cancel(&*cancel), &mut point).map(more)
    })
}
unsafe extern "C" fn source_size<T: crate::InputSource>(this: *mut c_void, size: *mut i64) -> i32 {
    changing::<T>(this, |object, _| put_size(object.size()?, size))
}
events!(InputSource: stop);
unsafe extern "C" fn set_towers<T: crate::InputSource>(this: *mut c_void, n: u32) -> i32 {
    changing::<T>(this, |object, _| object.set_towers(n).map(|_| OK))
}
table!(InputSource, "input_source", broch_input_source, {
    flags: T::FLAGS,
    setup: setup,
    reset_state: [source_reset_state],
    resume: [resume],
    next: source_next,
    size: [source_size],
    stop: [stop],
    set_towers: [set_towers],
});

events!(Trainer: setup_graph);
unsafe extern "C" fn run_step<T: crate::Trainer>(this: *mut c_void) -> i32 {
    changing::<T>(this, |object, _| object.run_step())
}
table!(Trainer, "trainer", broch_trainer, {
    reserved: 0,
    setup_graph: setup_graph,
    run_step: [run_step],
});

unsafe extern "C" fn fetches<T: crate::Inferencer>(
    this: *mut c_void,
    names: *const sys::broch_names,
) -> i32 {
    changing::<T>(this, |object, holder| {
        for name in object.fetches()? {
            let name = c_text(&name)?;
            holder.host.check(call_back!(names, add, name.as_ptr()))?;
        }
        Ok(OK)
    })
}
events!(Inferencer: before_inference);
unsafe extern "C" fn on_fetches<T: crate::Inferencer>(
    this: *mut c_void,
    values: *const sys::broch_tensor,
    n: u32,
) -> i32 {
    changing::<T>(this, |object, _| object.on_fetches(slice(values, n)).map(|_| OK))
}
unsafe extern "C" fn after_inference<T: crate::Inferencer>(
    this: *mut c_void,
    scalars: *const sys::broch_scalars,
) -> i32 {
    changing::<T>(this, |object, holder| {
        for (name, value) in object.after_inference()? {
            let name = c_text(&name)?;
            holder.host.check(call_back!(scalars, add, name.as_ptr(), value))?;
        }
        Ok(OK)
    })
}
table!(Inferencer, "inferencer", broch_inferencer, {
    reserved: 0,
    fetches: fetches,
    before_inference: [before_inference],
    on_fetches: on_fetches,
    after_inference: after_inference,
});

events!(SessionInit: init);
table!(SessionInit, "session_init", broch_session_init, { reserved: 0, init: init });

unsafe extern "C" fn call<T: crate::Function>(
    this: *mut c_void,
    args: *const sys::broch_function_args,
    result: *mut f64,
) -> i32 {
    changing::<T>(this, |object, _| match object.call(&*args)? {
        Some(value) => {
            *result = value;
            Ok(OK)
        }
        None => Ok(sys::BROCH_NONE),
    })
}
table!(Function, "function", broch_function, { reserved: 0, call: call });

unsafe extern "C" fn save<T: crate::Stateful>(
    this: *mut c_void,
    writer: *const sys::broch_writer,
) -> i32 {
    changing::<T>(this, |object, holder| {
        let state = object.save_state()?;
        let start = state.as_ptr() as *const c_void;
        holder.host.check(call_back!(writer, write, start, state.len() as u64))
    })
}
unsafe extern "C" fn load<T: crate::Stateful>(
    this: *mut c_void,
    version: u32,
    state: *const c_void,
    size: u64,
) -> i32 {
    changing::<T>(this, |object, _| object.load_state(version, bytes(state, size)).map(|_| OK))
}
table!(Stateful, "state", broch_plugin_state, { version: T::VERSION, save: save, load: load });

unsafe extern "C" fn changed<T: crate::Adjustable>(
    this: *mut c_void,
    pointer: *const c_char,
) -> i32 {
    changing::<T>(this, |object, _| object.options_changed(&owned(pointer)).map(|_| OK))
}
table!(Adjustable, "options", broch_plugin_options, { reserved: 0, changed: changed });

events!(Service: start_service, stop_service);
table!(Service, "service", broch_plugin_service, {
    reserved: 0,
    start: start_service,
    stop: stop_service,
});
