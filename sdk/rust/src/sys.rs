//! The C interface as it is: all headers of include/broch, made by sdk/rust/generate.py from them.
//! The comments are those of the headers; broch.h has the conventions that hold everywhere.
#![allow(non_camel_case_types, non_snake_case)]
use std::ffi::CStr;
use std::os::raw::{c_char, c_void};

/// A table of functions that is found by its id. In front stands struct_size, a u32.
///
/// # Safety
/// Tables with this id have the layout of the type, and may be longer or shorter.
pub unsafe trait Table: 'static {
    const ID: &'static CStr;
}

const fn text(bytes: &'static [u8]) -> &'static CStr {
    unsafe { CStr::from_bytes_with_nul_unchecked(bytes) }
}

// broch.h: includes the whole C interface of plugins, in reading order. The headers are its manual.
// A program that computes a trained model needs libbroch.h instead.
//
// Conventions that hold everywhere:
//  (1) Strings are UTF-8, end with NUL and are borrowed for the call. Other bytes are passed as a
//      pointer and a size. Pointers are never NULL unless the comment says that they may be; that
//      to an array or to bytes may also be NULL if there are 0 of them.
//  (2) Ownership. borrowed: valid until the stated moment; do not free it. owned: the receiver has
//      to release it. taken: the callee becomes the owner, even when the call fails. Neither side
//      ever frees memory of the other side directly.
//  (3) Functions return a broch_status: 0 for success, a positive value for an outcome that the
//      comment lists, a negative value for a failure whose reason has been given (status.h). The
//      few that return their result itself do not fail.
//  (4) The tags [main], [step], [data] and [any] say on which thread a function may be called
//      (threads.h). Functions in a struct that a call receives (broch_writer, broch_names) have no
//      tag: they may be called on the thread of that call, until it returns.
//  (5) Tables begin with struct_size, the size of the table in the header that their author was
//      compiled with. A reader accepts a longer table, and treats entries that are missing from a
//      shorter one as NULL (BROCH_HAS in export.h). Structs that are elements of arrays, or members
//      of other structs, are frozen: they never change. Whoever fills a struct sets reserved
//      members, and bits of flags that have no name, to 0.
//  (6) An entry marked (optional) may be NULL; the host then does the default.
//  (7) No exception crosses the interface. A plugin imports no symbol of the host.
//  (8) The folder and the name of a table say who provides it:
//        ext/NAME.h     the host:   broch_host_NAME, under BROCH_EXT_NAME (get_extension in host.h)
//        plugin/NAME.h  the plugin: broch_plugin_NAME, under BROCH_PLUGIN_NAME (get_interface in
//                       entry.h); a component of any role may have it
//        role/NAME.h    the plugin: broch_NAME, under BROCH_ROLE_NAME; what the component is
//      The id is "broch.NAME/1"; in place of the 1, torch_cxx has a tag. The tables of ext and
//      plugin are called extensions.
//
// For a model, include layers.h as well, and with it opset.h: one inline function per operator,
// broch_op_NAME (C99 or later).

// dlpack.h: tensors in plain memory, in the layout of DLPack 1.x.
//
// Written from the DLPack specification (https://dmlc.github.io/dlpack/latest/c_api.html) under
// Broch's own names, so that a plugin can include <dlpack/dlpack.h> as well; pointers to the
// structs of one may be cast to those of the other. broch_dl_tensor is a view and owns nothing.

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_dl_version {
    /// 1; a reader that does not know it may only call deleter
    pub major: u32,
    pub minor: u32,
}

pub const BROCH_DL_CPU: i32 = 1;
pub const BROCH_DL_CUDA: i32 = 2;
pub const BROCH_DL_CUDA_HOST: i32 = 3;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_dl_device {
    /// BROCH_DL_…
    pub device_type: i32,
    pub device_id: i32,
}

pub const BROCH_DL_INT: i32 = 0;
pub const BROCH_DL_UINT: i32 = 1;
pub const BROCH_DL_FLOAT: i32 = 2;
pub const BROCH_DL_BFLOAT: i32 = 4;
pub const BROCH_DL_COMPLEX: i32 = 5;
pub const BROCH_DL_BOOL: i32 = 6;

/// For example float32: {2, 32, 1}; int64: {0, 64, 1}; uint8: {1, 8, 1}; bool: {6, 8, 1}; bfloat16:
/// {4, 16, 1}.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_dl_type {
    /// BROCH_DL_…
    pub code: u8,
    pub bits: u8,
    /// always 1 in Broch
    pub lanes: u16,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_dl_tensor {
    /// start of the memory; the first element is byte_offset further
    pub data: *mut c_void,
    pub device: broch_dl_device,
    pub ndim: i32,
    pub dtype: broch_dl_type,
    pub shape: *mut i64,
    /// in elements, not bytes; NULL: compact, row-major
    pub strides: *mut i64,
    pub byte_offset: u64,
}

pub const BROCH_DL_READ_ONLY: i32 = 1;
pub const BROCH_DL_IS_COPIED: i32 = 2;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_dl_managed {
    pub version: broch_dl_version,
    pub manager_ctx: *mut c_void,
    /// may be NULL; call it once, on any thread
    pub deleter: Option<unsafe extern "C" fn(this: *mut broch_dl_managed)>,
    /// BROCH_DL_READ_ONLY, BROCH_DL_IS_COPIED
    pub flags: u64,
    pub dl_tensor: broch_dl_tensor,
}

// draws.h: random numbers from a seed, for transforms. Functions without state outside the struct,
// so they can be used on any thread.
//
//   broch_draws draws = broch_draws_of(seed);
//   const int flip = broch_draw_below(&draws, 2) == 1;
//
// The generator is SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number
// generators", OOPSLA 2014. It gives the same numbers in every version of Broch.

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_draws {
    pub state: u64,
}

// entry.h: the one symbol that a library exports, and its metadata.
//
// A library is a file with a name that ends in .so; it exports the constant broch_entry_v1 and
// nothing else. The metadata is a JSON text, which the host reads from the ELF section .broch.meta
// without loading the file, or through the symbol. It is the only description of the content, and
// at most 1 MiB. Members that the host does not know are refused, except those that begin with
// "x-":
//
//   { "components": [ {
//       "id": "org.example.stop-on-plateau",     reversed domain name; "broch." is reserved
//       "role": "callback",                      model dataflow transform sink input_source
//                                                trainer callback monitor inferencer
//                                                session_init function optimizer
//                                                gradient_processor
//       "version": "1.0.0",
//       "summary": "Ends training when a number stops getting smaller.",
//       "options": { JSON Schema, draft 7, of the object under "with" },
//       "roles": ["callback"],                   optional: all roles that it provides
//       "requires_ext": ["broch.metrics/1"],     optional: extensions, checked before create
//       "produces": ["{name}_error"],            optional: all metrics that it may report and
//                                                hyper-parameters that it sets; []: none.
//                                                {option}: the value of that option;
//                                                {option?_}: the same and "_", or nothing if it
//                                                is empty; {sets/name}: a member of each element
//       "consumes": ["{monitor_stat}"],          optional: metrics that it needs; the text
//                                                is as in "produces"
//       "run_on": "chief" | "all"                optional: ranks; "chief" for callbacks
//       "needs": ["model", "input"],             optional, trainer: what a manifest must have
//       "default_input": "<id>",                 optional, trainer: the input source around
//                                                "dataflow"; it has the option "dataflow"
//       "requires_input": "<id>",                optional, trainer: as default_input, and "data"
//                                                may be nothing else
//       "staged_by": "<id>",                     optional, input source: another one that goes
//                                                around it, as its option "input", if the trainer
//                                                has several devices
//       "evaluates": true,                       optional, callback: its trigger evaluates the
//                                                model; `broch eval` calls it
//       "metric_prefix": "{prefix?_}",           optional, callback: stands before the metrics of
//                                                components in its options, such as inferencers;
//                                                the text is as in "produces"
//       "triggers_at_end": "save_at_end",        optional, callback: a boolean option; if it is
//                                                true, trigger is also called when the training
//                                                has ended (role/callback.h)
//       "check_creates": true,                   optional, model: `broch check` creates it, as its
//                                                options name a file or anything else that a
//                                                schema cannot check
//       "reorders": "dataflow",                  optional, dataflow: it only changes the order of
//                                                the dataflow in this option; --overfit leaves
//                                                it out
//       "extensions": [".npz", "tcp://"]         optional, sink: of the files that it writes, and
//                                                the beginnings of addresses that it sends to
//   } ],
//     "torch": "2.11.0-…"                        only if the library links LibTorch: the tag of
//   }                                            its build, equal to the host's (ext/torch_cxx.h)
//
// Keywords in the schema of an option: "x-broch-component": "<role>" (a child, ext/instance.h),
// "x-broch-function": true (an expression or a component of role function), "x-broch-path": true (a
// path, relative to the file that contains the value), "x-broch-mutable": true (may change during
// training, plugin/options.h), "x-broch-same-seed": true (ext/instance.h), "x-broch-ref":
// "#/…/definitions/NAME" (the schema at that place of the schema), "x-broch-point": "changed" or
// "selected" (the name or the number of a component of data points, which a transform changes or
// looks at apart from the others, or selects; a prediction leaves it out where data lack this
// component). Default values stand in the schema only.

/// "BRCH" in little-endian bytes
pub const BROCH_ENTRY_MAGIC: u32 = 0x48435242;

/// The life of an instance: create, then the functions of its interfaces, then destroy; create and
/// destroy once each. All [main]. If create, get_interface or destroy takes longer than 10 seconds,
/// the host ends the process.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_component_vtable {
    pub struct_size: u32,
    pub reserved: u32,
    /// Makes an instance. options: the normalized JSON object under "with", including defaults,
    /// borrowed for the call; ext/config.h reads it by JSON pointer, without a parser. On failure
    /// *self is ignored and destroy is not called.
    pub create: Option<unsafe extern "C" fn(host: *const broch_host, options: *const c_char, this: *mut *mut c_void /* out */) -> broch_status>,
    /// Returns the table of a role, or of an extension that the plugin provides, by its id
    /// ("broch.callback/1", "broch.state/1"), or NULL. Borrowed, the same in every call, valid until
    /// destroy. NULL after host->fail is a failure.
    pub get_interface: Option<unsafe extern "C" fn(this: *mut c_void, id: *const c_char) -> *const c_void>,
    /// Ends the instance. Called exactly once after each successful create, even after errors.
    pub destroy: Option<unsafe extern "C" fn(this: *mut c_void)>,
}

/// The code of a component. An element of an array, so frozen. The strings are static.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_component {
    /// as in the metadata
    pub id: *const c_char,
    /// as in the metadata
    pub role: *const c_char,
    pub vtable: *const broch_component_vtable,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_entry {
    pub magic: u32,
    pub struct_size: u32,
    /// of the header that the library was compiled with
    pub abi_major: u32,
    pub abi_minor: u32,
    /// the oldest minor version of a host that it works with
    pub min_host_minor: u32,
    /// 0; a host refuses bits that it does not know
    pub flags: u32,
    /// the metadata, ends with NUL
    pub meta_json: *const c_char,
    pub component_count: u64,
    pub components: *const broch_component,
}

// export.h: the basic macros of the C headers.

// ext/async_predict.h: the model in inference mode for many threads: what they ask is computed in
// batches. tensorpack: `MultiThreadAsyncPredictor`.
//
// A question is one sample: for each input of the predictor a tensor without the dimension of the
// batch. Its answer has for each output the row that belongs to the sample, also without that
// dimension, as a copy in CPU memory. Questions with the same dtypes and shapes are stacked along a
// new first dimension, in the order in which they were asked. A batch has 1, 2, 4, 8, … rows or
// batch_size, so that programs for few sizes are recorded; rows without a question repeat the last
// one. The weights are those that training has at that moment. A failure of a batch is the answer
// to all of its questions.

pub const BROCH_EXT_ASYNC_PREDICT: &CStr = text(b"broch.async_predict/1\0");

/// When a batch is computed: as soon as it is full, or its first question has waited long enough.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_async_limits {
    pub struct_size: u32,
    /// questions, 1 or more
    pub batch_size: u32,
    /// 0: what has been asked by the time that a predictor is free
    pub wait_ns: u64,
}

/// Gets the answer to a question. status: BROCH_OK; BROCH_CANCELLED, closed before it was computed;
/// or a failure, whose reason last_error has. outputs: m tensors, borrowed until it returns; NULL
/// unless status is BROCH_OK. It must not wait for other questions. If it fails, the asynchronous
/// predictor closes, and all other questions get this failure. [data], on a thread of the host
pub type broch_answer_fn = Option<unsafe extern "C" fn(user: *mut c_void, status: broch_status, outputs: *const broch_tensor, m: u32) -> broch_status>;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_host_async_predict {
    pub struct_size: u32,
    pub reserved: u32,
    /// Starts a thread for each predictor (ext/predict.h); call it in setup_graph. They have the same
    /// inputs and outputs, none of which is a variable, and each of them is used once. [main]
    pub create: Option<unsafe extern "C" fn(host: *const broch_host, predictors: *const broch_predictor, n: u32, limits: *const broch_async_limits, predictor: *mut broch_async_predictor /* out */) -> broch_status>,
    /// Asks, and waits for the answer. Usable once the variables are initialized. BROCH_CANCELLED: it
    /// has been closed, whatever else is wrong. [any], but not in an answer function of the same
    /// predictor
    pub call: Option<unsafe extern "C" fn(host: *const broch_host, predictor: broch_async_predictor, inputs: *const broch_tensor, n: u32, outputs: *mut broch_tensor /* out */, m: u32) -> broch_status>,
    /// Asks; answer is called exactly once, unless put itself does not return BROCH_OK. At most 65,536
    /// questions wait: BROCH_E_RESOURCE_EXHAUSTED. BROCH_CANCELLED: it has been closed. [any]
    pub put: Option<unsafe extern "C" fn(host: *const broch_host, predictor: broch_async_predictor, inputs: *const broch_tensor, n: u32, answer: broch_answer_fn, user: *mut c_void) -> broch_status>,
    /// Ends it: questions that wait are answered with BROCH_CANCELLED; a batch that is being computed
    /// is answered first. No answer function is called after close has returned. It may be called
    /// again. The host closes it at the end of the run. [any], but not in an answer function
    pub close: Option<unsafe extern "C" fn(host: *const broch_host, predictor: broch_async_predictor) -> broch_status>,
}

// ext/autograd.h: gradients inside a tower function, and functions with a derivative of their own.
//
// In a tower for training, trainable variables are tracked: gradients are recorded for everything
// that is computed from them. Inputs, hyper-parameters and other variables are not tracked, and in
// inference and operations nothing is. track adds what grad is to differentiate with respect to: an
// input for saliency, the point between two data points for a gradient penalty.

pub const BROCH_EXT_AUTOGRAD: &CStr = text(b"broch.autograd/1\0");

/// the result can be differentiated again
pub const BROCH_GRAD_CREATE_GRAPH: i32 = 1;
/// handle 0, not an error, for an unused input
pub const BROCH_GRAD_ALLOW_UNUSED: i32 = 2;

/// what forward saved for backward; borrowed for the call
pub type broch_saved = u64;

/// A function with a derivative of its own; forward and backward call operators. Keep tensors for
/// backward only with save: a tensor kept in another way would never be freed, and changes to it in
/// place would not be detected.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_custom_function {
    pub struct_size: u32,
    pub output_count: u32,
    /// for messages; a static string
    pub name: *const c_char,
    /// Computes outputs[0..output_count). Gradients are recorded only for what it tracks. [step]
    pub forward: Option<unsafe extern "C" fn(user: *mut c_void, saved: broch_saved, inputs: *const broch_tensor, n: u32, outputs: *mut broch_tensor /* out */) -> broch_status>,
    /// grad_outputs[0..output_count): 0 for an output that was not used. grad_inputs[0..n): 0 means no
    /// gradient. Can itself be differentiated if it only calls operators. [step]
    pub backward: Option<unsafe extern "C" fn(user: *mut c_void, saved: broch_saved, grad_outputs: *const broch_tensor, grad_inputs: *mut broch_tensor /* out */, n: u32) -> broch_status>,
    /// (optional) Called once, when the last graph that uses user is gone. [any]
    pub free_user: Option<unsafe extern "C" fn(user: *mut c_void)>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_host_autograd {
    pub struct_size: u32,
    pub reserved: u32,
    /// grads[i] = sum over k of d outputs[k] / d inputs[i] * grad_outputs[k]. inputs: trainable
    /// variables of a training tower, tracked tensors, and what was computed from these.
    /// grad_outputs NULL: ones; the outputs must then be scalars. flags: BROCH_GRAD_…. Source:
    /// torch.autograd.grad. [step]
    pub grad: Option<unsafe extern "C" fn(host: *const broch_host, outputs: *const broch_tensor, n: u32, inputs: *const broch_tensor, m: u32, grad_outputs: *const broch_tensor, flags: u32, grads: *mut broch_tensor /* out */) -> broch_status>,
    /// tracked: the same memory as tensor (floating-point or complex), but the start of a computation:
    /// grad can be asked for with respect to it, and nothing flows on to what tensor was computed
    /// from. Until the call ends gradients are recorded, also in inference and operations, but not
    /// between no_grad_push and no_grad_pop. Source: torch, x.detach().requires_grad_(). [step]
    pub track: Option<unsafe extern "C" fn(host: *const broch_host, tensor: broch_tensor, tracked: *mut broch_tensor /* out */) -> broch_status>,
    /// Calls function->forward and records its backward. n and output_count: 1 to 16. function is
    /// borrowed for the call; user is taken, even on failure. [step]
    pub apply: Option<unsafe extern "C" fn(host: *const broch_host, function: *const broch_custom_function, user: *mut c_void, inputs: *const broch_tensor, n: u32, outputs: *mut broch_tensor /* out */) -> broch_status>,
    /// save: keeps tensors for backward; call it once, in forward. saved: in backward, the tensor at
    /// index. [step]
    pub save: Option<unsafe extern "C" fn(host: *const broch_host, saved: broch_saved, tensors: *const broch_tensor, n: u32) -> broch_status>,
    pub saved: Option<unsafe extern "C" fn(host: *const broch_host, saved: broch_saved, index: u32, tensor: *mut broch_tensor /* out */) -> broch_status>,
    /// Operators between push and pop record no gradient. Whatever is still open at the end of the
    /// call is closed. [step]
    pub no_grad_push: Option<unsafe extern "C" fn(host: *const broch_host) -> broch_status>,
    pub no_grad_pop: Option<unsafe extern "C" fn(host: *const broch_host) -> broch_status>,
}

// ext/checkpoint.h: saves and loads the state of a training. TensorFlow: `tf.train.Saver`.
//
// A checkpoint is one file model-{global_step}.safetensors. It contains all variables, the
// counters, the cursors of the input and the state of every plugin. The text file "checkpoint" in
// the same directory lists the checkpoints that are being kept. directory NULL: the log folder.
//
// restore loads variables by their names from a checkpoint, or from weights of other programs. Its
// options are {"prefix": null, "key": null, "rename": [], "ignore": [], "include": [],
// "exclude": [], "transpose": [], "convert": false, "strict": "shapes", "relaxed": false};
// docs/weights.md explains them. tensorpack: `SaverRestore`, `SaverRestoreRelaxed`, `DictRestore`.

pub const BROCH_EXT_CHECKPOINT: &CStr = text(b"broch.checkpoint/1\0");

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_host_checkpoint {
    pub struct_size: u32,
    pub reserved: u32,
    /// Says which checkpoints of a directory are kept, where all are without a call. Call it in
    /// setup_graph.
    /// max_to_keep: the number of newest ones, 0: all. keep_every_n_hours: in addition, one of every
    /// so many hours is never deleted; 0: none. [main]
    pub retain: Option<unsafe extern "C" fn(host: *const broch_host, directory: *const c_char, max_to_keep: u32, keep_every_n_hours: f64) -> broch_status>,
    /// Saves now. *path is borrowed until the next call of this extension. After an I/O error it
    /// returns DATA_LOSS, and the old files are intact. The host has logged the error, tries once more
    /// when training ends, and ends with exit code 5 if that fails too; so a component should let
    /// training continue. [main], from session_init to after_train, not inside a run or run_step
    pub save: Option<unsafe extern "C" fn(host: *const broch_host, directory: *const c_char, path: *mut *const c_char /* out */) -> broch_status>,
    /// The newest checkpoint of a directory. BROCH_NONE: there is none. DATA_LOSS: the last save to
    /// that directory failed. *path is borrowed as in save. [main]
    pub latest: Option<unsafe extern "C" fn(host: *const broch_host, directory: *const c_char, path: *mut *const c_char /* out */, global_step: *mut i64 /* out */) -> broch_status>,
    /// Copies a checkpoint to another name without '/' ("min-val-error") in the same directory,
    /// atomically. I/O errors are treated as in save. [main]
    pub copy: Option<unsafe extern "C" fn(host: *const broch_host, path: *const c_char, name: *const c_char) -> broch_status>,
    /// Loads the variables that are not LOCAL from a file, a directory or its file "checkpoint"; in a
    /// checkpoint, the step counter and hyper-parameters are among them. options: a JSON text. The log
    /// says what was loaded, what was not, and why. After an error, no variable has changed. [main],
    /// whenever save may be called
    pub restore: Option<unsafe extern "C" fn(host: *const broch_host, path: *const c_char, options: *const c_char) -> broch_status>,
    /// Checkpoints of a directory contain only variables with one of flags (ext/variables.h:
    /// BROCH_VARIABLE_TRAINABLE, BROCH_VARIABLE_MODEL), and nothing that a training continues with;
    /// call it in setup_graph. INVALID_ARGUMENT: other flags. Fails for the log folder, from which the
    /// run is resumed. [main]
    pub select: Option<unsafe extern "C" fn(host: *const broch_host, directory: *const c_char, flags: u32) -> broch_status>,
    /// Says that, beside those of retain, the first checkpoint of every n steps is never deleted; that
    /// of the first n steps may be. 0: none is kept for this reason. Call it in setup_graph or
    /// before_train. [main]
    pub retain_steps: Option<unsafe extern "C" fn(host: *const broch_host, directory: *const c_char, n: u64) -> broch_status>,
}

// ext/collections.h: lets callbacks and trainers read what tower functions have published, and
// added to collections.
//
// A collection contains, in the order of the calls: the tensors given to collection_add of
// broch.tower/1 and the updates anchored at the collection. SUMMARIES and MOVING_SUMMARY_OPS
// contain what add and moving of broch.summary/1 were given, COST contains the cost. Collections
// are those of the call that defined the tower, and never change. There are summaries of the main
// training tower only; UPDATE_OPS exists in every training tower. Variables are not in collections:
// list of broch.variables/1 finds them by flags (TRAINABLE, MODEL, LOCAL). tensorpack:
// `get_collection_in_tower`, `TowerTensorHandle.get_collection`.

pub const BROCH_EXT_COLLECTIONS: &CStr = text(b"broch.collections/1\0");

/// tower: the name of a tower ("tower1", "tower-pred-0"), or NULL for the training tower with the
/// given index. Towers of a plan exist as soon as it is sealed, so callbacks see all of them; that
/// of a predictor exists after get_predictor. NOT_FOUND: no such tower; the message lists those that
/// exist.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_host_collections {
    pub struct_size: u32,
    pub reserved: u32,
    /// Lists the collections that are not empty, in the order in which they got their first member.
    /// *count is set to their number; at most capacity of them are written. Borrowed as long as the
    /// run. Usable from setup_graph on. [main]
    pub list: Option<unsafe extern "C" fn(host: *const broch_host, tower: *const c_char, index: u32, collections: *mut *const c_char /* out */, capacity: u32, count: *mut u32 /* out */) -> broch_status>,
    /// For each member the name under which the tower published this tensor (the first, if several),
    /// or the name of the input that it is; "" if there is none, and for updates. An unknown
    /// collection has no members. Otherwise as list. [main]
    pub members: Option<unsafe extern "C" fn(host: *const broch_host, tower: *const c_char, index: u32, collection: *const c_char, names: *mut *const c_char /* out */, capacity: u32, count: *mut u32 /* out */) -> broch_status>,
    /// In setup_graph of a callback: requests a member of a training tower with every hooked run; *id
    /// is used as that of fetch in broch.progress/1. Only members with a name can be fetched.
    /// FAILED_PRECONDITION: it has none; the message says what to do. OUT_OF_RANGE: no such member.
    /// [main]
    pub fetch: Option<unsafe extern "C" fn(host: *const broch_host, index: u32, collection: *const c_char, member: u32, id: *mut u32 /* out */) -> broch_status>,
    /// Lists the names that fetch of broch.progress/1 takes from this tower: its inputs, then what it
    /// published, in the order of the calls. Otherwise as list. [main]
    pub published: Option<unsafe extern "C" fn(host: *const broch_host, tower: *const c_char, index: u32, names: *mut *const c_char /* out */, capacity: u32, count: *mut u32 /* out */) -> broch_status>,
}

// ext/config.h: reads an instance's own options by JSON pointer, without a parser.
//
// The options are those under "with", validated against the schema of the component and completed
// with its defaults. So reading an option that the schema requires, or gives a default, never fails
// with NOT_FOUND. Pointers are as in RFC 6901: "/layers/0"; "" is the whole object.
//
// An option marked "x-broch-mutable" may change between steps (plugin/options.h). Texts that were
// borrowed before stay valid, with the old content. A thread that needs several such options at one
// moment calls text once, or uses copies that the instance makes in changed.

pub const BROCH_EXT_CONFIG: &CStr = text(b"broch.config/1\0");

pub const BROCH_CONFIG_ABSENT: i32 = 0;
pub const BROCH_CONFIG_NULL: i32 = 1;
pub const BROCH_CONFIG_BOOL: i32 = 2;
pub const BROCH_CONFIG_INTEGER: i32 = 3;
/// written with a decimal point or an exponent
pub const BROCH_CONFIG_NUMBER: i32 = 4;
pub const BROCH_CONFIG_STRING: i32 = 5;
pub const BROCH_CONFIG_ARRAY: i32 = 6;
pub const BROCH_CONFIG_OBJECT: i32 = 7;

/// NOT_FOUND: there is nothing at pointer. INVALID_ARGUMENT: the value has another kind. All
/// [any].
#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_host_config {
    pub struct_size: u32,
    pub reserved: u32,
    /// The whole object as JSON text, borrowed until destroy.
    pub text: Option<unsafe extern "C" fn(host: *const broch_host) -> *const c_char>,
    /// BROCH_CONFIG_…
    pub kind: Option<unsafe extern "C" fn(host: *const broch_host, pointer: *const c_char) -> i32>,
    pub get_bool: Option<unsafe extern "C" fn(host: *const broch_host, pointer: *const c_char, value: *mut i32 /* out */) -> broch_status>,
    /// Exact. A number such as 1e3, without a fractional part, is an integer as well.
    pub get_i64: Option<unsafe extern "C" fn(host: *const broch_host, pointer: *const c_char, value: *mut i64 /* out */) -> broch_status>,
    pub get_f64: Option<unsafe extern "C" fn(host: *const broch_host, pointer: *const c_char, value: *mut f64 /* out */) -> broch_status>,
    /// Borrowed until destroy.
    pub get_string: Option<unsafe extern "C" fn(host: *const broch_host, pointer: *const c_char, value: *mut *const c_char /* out */) -> broch_status>,
    /// The number of elements of an array or of members of an object.
    pub get_size: Option<unsafe extern "C" fn(host: *const broch_host, pointer: *const c_char, size: *mut u64 /* out */) -> broch_status>,
    /// The key of the member of an object at index, in the order of the text. Borrowed until
    /// destroy.
    pub get_key: Option<unsafe extern "C" fn(host: *const broch_host, pointer: *const c_char, index: u64, key: *mut *const c_char /* out */) -> broch_status>,
}

// ext/data_point.h: fills and reads data points.
//
// A data point is a list of tensors in plain memory (its components), either in the order of the
// signature or each with the name of an input. It may have a cursor, and it has a key: 64 bits that
// identify the sample in its round. What moves a point on keeps the key; a point that is made of
// several has that of the first.
//
// A batch without a copy: row_begin makes a point of the plugin's own a row of a batch, and what a
// dataflow or a transform then puts into that point is written into the memory of the batch. Rows
// can be filled on several threads at once. rows_end completes the batch.

pub const BROCH_EXT_DATA_POINT: &CStr = text(b"broch.data_point/1\0");

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_host_data_point {
    pub struct_size: u32,
    pub reserved: u32,
    /// Adds a tensor: add_copy copies it; add takes the memory (the host calls the deleter, even on
    /// failure). name: NULL in a point without names. [any]
    pub add_copy: Option<unsafe extern "C" fn(host: *const broch_host, point: broch_point, name: *const c_char, data: *const broch_dl_tensor) -> broch_status>,
    pub add: Option<unsafe extern "C" fn(host: *const broch_host, point: broch_point, name: *const c_char, data: *mut broch_dl_managed) -> broch_status>,
    /// Sets the cursor, which means "continue after this point": at most BROCH_CURSOR_SIZE_MAX bytes,
    /// copied. [any]
    pub set_cursor: Option<unsafe extern "C" fn(host: *const broch_host, point: broch_point, cursor: *const c_void, size: u64) -> broch_status>,
    /// Reading. count: the number of tensors. view: one of them, borrowed until the point is cleared
    /// or freed. name: its name, or NULL. cursor: size 0 if there is none. [any]
    pub count: Option<unsafe extern "C" fn(host: *const broch_host, point: broch_point, count: *mut u32 /* out */) -> broch_status>,
    pub view: Option<unsafe extern "C" fn(host: *const broch_host, point: broch_point, index: u32, view: *mut broch_dl_tensor /* out */) -> broch_status>,
    pub name: Option<unsafe extern "C" fn(host: *const broch_host, point: broch_point, index: u32, name: *mut *const c_char /* out */) -> broch_status>,
    pub cursor: Option<unsafe extern "C" fn(host: *const broch_host, point: broch_point, cursor: *mut *const c_void /* out */, size: *mut u64 /* out */) -> broch_status>,
    /// Data points of the plugin's own, to read from children and for queues. Owned; usable on all
    /// threads of the instance, by one at a time. move transfers the content without copying, and
    /// empties from. [any]
    pub point_new: Option<unsafe extern "C" fn(host: *const broch_host, point: *mut broch_point /* out */) -> broch_status>,
    pub point_clear: Option<unsafe extern "C" fn(host: *const broch_host, point: broch_point) -> broch_status>,
    pub point_move: Option<unsafe extern "C" fn(host: *const broch_host, from: broch_point, to: broch_point) -> broch_status>,
    pub point_free: Option<unsafe extern "C" fn(host: *const broch_host, point: broch_point) -> broch_status>,
    /// The content as tensors in the order of the model's signature, checked against it (number,
    /// names, dtypes, known and named dimensions). n is the number of inputs. [main] [step]
    pub tensors: Option<unsafe extern "C" fn(host: *const broch_host, point: broch_point, tensors: *mut broch_tensor /* out */, n: u32) -> broch_status>,
    /// Tells when a signal or the end of the run asks to give up, for reading from children outside of
    /// next. A callback or a run_step that is cancelled returns BROCH_CANCELLED. Borrowed, valid as
    /// long as the instance. [any]
    pub cancel: Option<unsafe extern "C" fn(host: *const broch_host) -> *const broch_cancel>,
    /// Adds a tensor whose memory the host provides, compact, aligned to 64 bytes in a point that is
    /// no row, not initialized; data is to be filled during the call. Of like, dtype, ndim and shape
    /// are read. If the point is a row, the memory lies in the batch. INVALID_ARGUMENT: another row of
    /// the batch has another dtype or shape. [any]
    pub allocate: Option<unsafe extern "C" fn(host: *const broch_host, point: broch_point, name: *const c_char, like: *const broch_dl_tensor, data: *mut *mut c_void /* out */) -> broch_status>,
    /// Adds component index of from to the point to, under its own name; it counts as taken in from:
    /// it can no longer be viewed. Copies only if to is a row. [any]
    pub move_component: Option<unsafe extern "C" fn(host: *const broch_host, from: broch_point, index: u32, to: broch_point) -> broch_status>,
    /// The key. 0: none was set. [any]
    pub key: Option<unsafe extern "C" fn(host: *const broch_host, point: broch_point, key: *mut u64 /* out */) -> broch_status>,
    pub set_key: Option<unsafe extern "C" fn(host: *const broch_host, point: broch_point, key: u64) -> broch_status>,
    /// In apply of a transform with BROCH_TRANSFORM_MANY: passes the content of out on as one point,
    /// and empties out. emitted moves the oldest point that was emitted into out to the point to.
    /// BROCH_NONE: there is none left. [any]
    pub emit: Option<unsafe extern "C" fn(host: *const broch_host, out: broch_point) -> broch_status>,
    pub emitted: Option<unsafe extern "C" fn(host: *const broch_host, out: broch_point, to: broch_point) -> broch_status>,
    /// Makes row, which was made with point_new, row index (counted from 0) of batch, which gets room
    /// for n rows. A row that was begun with the same point before is complete. [any]
    pub row_begin: Option<unsafe extern "C" fn(host: *const broch_host, batch: broch_point, index: u64, n: u64, row: broch_point) -> broch_status>,
    /// Completes the batch, with the first count rows: their tensors get a new first dimension. All of
    /// these rows must have been begun, and must agree in number, names, dtypes and shapes of their
    /// tensors; otherwise INVALID_ARGUMENT. The batch gets the key of the first row and the cursor of
    /// the last one; its rows are ordinary, empty points again. count 0: batch is empty. [any]
    pub rows_end: Option<unsafe extern "C" fn(host: *const broch_host, batch: broch_point, count: u64) -> broch_status>,
    /// Begins to copy the tensors of a point, which this training tower will take in a later step, to
    /// the tower's device, and returns while the copy goes on. Nothing is done for a tower on the CPU.
    /// Afterwards view describes memory of the device. Operators of the host wait for the copy; others
    /// that read the memory first call synchronize of ext/device.h. FAILED_PRECONDITION: the point is
    /// a row of a batch. [any]
    pub stage: Option<unsafe extern "C" fn(host: *const broch_host, point: broch_point, tower: u32) -> broch_status>,
}

// ext/device.h: which devices there are, and how much memory they have and use. tensorpack:
// `GPUMemoryTracker`, `PeakMemoryTracker`, `HostMemoryTracker`.
//
// Device types are those of DLPack: BROCH_DL_CPU (there is one, with any index) and BROCH_DL_CUDA.
// A number that the device does not provide is -1.

pub const BROCH_EXT_DEVICE: &CStr = text(b"broch.device/1\0");

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_device_info {
    /// set by the caller
    pub struct_size: u32,
    pub reserved: u32,
    /// "NVIDIA H200"; "" if it has no name
    pub name: [c_char; 128],
    /// compute capability of a CUDA device; otherwise 0
    pub major: i32,
    pub minor: i32,
    /// memory, in bytes
    pub total: i64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_device_memory {
    /// set by the caller
    pub struct_size: u32,
    pub reserved: u32,
    /// bytes that no program uses; -1: the run does not use this device
    pub free: i64,
    /// CUDA: bytes of all tensors of this process. CPU: of the process
    pub used: i64,
    /// the maximum of used since the start or the last reset_peak
    pub peak: i64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_host_device {
    pub struct_size: u32,
    pub reserved: u32,
    /// The number of devices of a type (BROCH_DL_…); 0 if this host cannot use that type. The first
    /// question about CUDA loads its libraries. [any]
    pub count: Option<unsafe extern "C" fn(host: *const broch_host, r#type: i32, count: *mut u32 /* out */) -> broch_status>,
    /// What it is, and how its memory is used now. NOT_FOUND: no such device; the message says why.
    /// [any]
    pub info: Option<unsafe extern "C" fn(host: *const broch_host, device: broch_dl_device, info: *mut broch_device_info /* in: struct_size, out */) -> broch_status>,
    pub memory: Option<unsafe extern "C" fn(host: *const broch_host, device: broch_dl_device, memory: *mut broch_device_memory /* in: struct_size, out */) -> broch_status>,
    /// Starts a new measurement of peak, for all instances. For the CPU, peak stays as it is if the
    /// system does not allow it. [any]
    pub reset_peak: Option<unsafe extern "C" fn(host: *const broch_host, device: broch_dl_device) -> broch_status>,
    /// Waits until the device has finished all work it was given; needed when measuring times.
    /// [any]
    pub synchronize: Option<unsafe extern "C" fn(host: *const broch_host, device: broch_dl_device) -> broch_status>,
}

// ext/dist.h: the rank of this process, and calls by which the callbacks of several ranks work
// together, for example to average a number or to make one decision for all.
//
// Every component may ask for ranks. The other functions are for callbacks that run on all ranks
// ("run_on": "all"), and for the trainer. An instance must make the same calls in the same order on
// all ranks. Otherwise all ranks fail (exit code 8), in a step and in trigger_step also if one does
// not arrive within runtime.collective_timeout. In other events a call waits for as long as rank 0
// is at work, such as evaluating. With one rank every call returns at once.
// Source: torch.distributed; tensorpack callbacks/misc.py with Horovod.

pub const BROCH_EXT_DIST: &CStr = text(b"broch.dist/1\0");

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_host_dist {
    pub struct_size: u32,
    pub reserved: u32,
    /// rank: the number of this process among those that train; world: how many these are; local_rank:
    /// its number among those on the same machine. On one rank and on parameter servers 0, 1 and 0.
    /// Usable from create on. [any]
    pub ranks: Option<unsafe extern "C" fn(host: *const broch_host, rank: *mut u32 /* out */, world: *mut u32 /* out */, local_rank: *mut u32 /* out */) -> broch_status>,
    /// values[i] becomes the sum, mean, minimum or maximum (mode: BROCH_REDUCE_…) of values[i] of all
    /// ranks, added in their order. All ranks get the same bits; NaN if one of them has NaN. n must be
    /// the same on all. [main]
    pub all_reduce: Option<unsafe extern "C" fn(host: *const broch_host, values: *mut f64 /* in, out: n */, n: u32, mode: i32) -> broch_status>,
    /// all receives the bytes of every rank, in the order of ranks. size, of one of them, must be the
    /// same on all. [main]
    pub all_gather: Option<unsafe extern "C" fn(host: *const broch_host, mine: *const c_void, size: u64, all: *mut c_void /* out: world * size */) -> broch_status>,
    /// All ranks receive the bytes of rank root. size and root must be the same on all. [main]
    pub broadcast: Option<unsafe extern "C" fn(host: *const broch_host, bytes: *mut c_void /* in, out */, size: u64, root: u32) -> broch_status>,
    /// Returns when all ranks have called it. [main]
    pub barrier: Option<unsafe extern "C" fn(host: *const broch_host) -> broch_status>,
}

// ext/hyper_param.h: hyper-parameters, which are numbers that change during training.
//
// A hyper-parameter is a 0-dim float64 variable that is not LOCAL (so 0.3 prints and compares as
// 0.3). It can be set by name between steps. An optimizer declares its own: "learning_rate",
// "momentum", …. A tower function gets hyper-parameters only as tensors.

pub const BROCH_EXT_HYPER_PARAM: &CStr = text(b"broch.hyper_param/1\0");

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_host_hyper_param {
    pub struct_size: u32,
    pub reserved: u32,
    /// Makes sure that the hyper-parameter exists; an existing one keeps its value. Call it in
    /// setup_graph, or in a tower function while the graph is set up. [main] [step]
    pub declare: Option<unsafe extern "C" fn(host: *const broch_host, name: *const c_char, initial: f64) -> broch_status>,
    /// Sets or reads it. NOT_FOUND: no such name; the message lists those that exist. Any variable
    /// with one element can be set and read as well, by its full name. An integer variable accepts no
    /// fraction, a hyper-parameter no NaN. So can an option of another component, as INSTANCE/OPTION,
    /// if it may change (plugin/options.h) and is a number, but not inside a hooked run or while that
    /// component is being called. [main]
    pub set: Option<unsafe extern "C" fn(host: *const broch_host, name: *const c_char, value: f64) -> broch_status>,
    pub get: Option<unsafe extern "C" fn(host: *const broch_host, name: *const c_char, value: *mut f64 /* out */) -> broch_status>,
    /// In a tower function: the value as a 0-dim tensor, of dtype float64. The names global_step and
    /// epoch_num also work, with dtype int64. [step]
    pub tensor: Option<unsafe extern "C" fn(host: *const broch_host, tower: broch_tower, name: *const c_char, tensor: *mut broch_tensor /* out */) -> broch_status>,
}

// ext/input.h: the input of the run. Callbacks can ask about it, and a trainer can take data points
// from it itself, instead of by a plan.
//
// signature of broch.predict/1 describes the data points. Source: tensorpack
// input_source/input_source_base.py.
//
// Rules of next:
//  - Take the points of all towers first, in the order of their numbers, as a plan does.
//  - A point counts as consumed at once: a later checkpoint continues after it.
//  - A point is not checked against the signature; tensors of broch.data_point/1 does that.
//  - Return BROCH_END and BROCH_STOP from run_step; training then ends without an error, as after
//    the run of a plan. Only the wait for the first point of a step ends with BROCH_STOP: half a
//    step cannot be resumed.
//  - A failure of the source ends the run, whatever run_step returns; the message names it.

pub const BROCH_EXT_INPUT: &CStr = text(b"broch.input/1\0");

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_host_input {
    pub struct_size: u32,
    pub reserved: u32,
    /// The flags of the source, BROCH_INPUT_… (role/input_source.h). BROCH_NONE: the run has no
    /// source. [any]
    pub flags: Option<unsafe extern "C" fn(host: *const broch_host, flags: *mut u32 /* out */) -> broch_status>,
    /// The number of data points of one round, as the source reports it now. BROCH_NONE: unknown, or
    /// there is no source. [main]
    pub size: Option<unsafe extern "C" fn(host: *const broch_host, size: *mut i64 /* out */) -> broch_status>,
    /// The number of data points that a training tower has consumed since the program was started,
    /// including those for evaluation; a resumed run counts from 0 again. 0 for a tower that takes
    /// none. [main]
    pub consumed: Option<unsafe extern "C" fn(host: *const broch_host, tower: u32, points: *mut u64 /* out */) -> broch_status>,
    /// In setup_graph of a trainer that will call next: towers 0 to n - 1 will ask for data points, in
    /// addition to the input nodes of plans. n: 1 to 4096; the largest n counts. A trainer that never
    /// calls this has one tower, or those of its plans. [main]
    pub set_towers: Option<unsafe extern "C" fn(host: *const broch_host, n: u32) -> broch_status>,
    /// In run_step of the trainer, outside of runs: fills point, which was made with point_new, with
    /// the data point that the input node of a plan would have taken for this tower. BROCH_END: the
    /// data has ended, and point is empty. BROCH_STOP: a signal has ended the wait.
    /// FAILED_PRECONDITION: the source has no data (BROCH_INPUT_PLACEHOLDER). [main]
    pub next: Option<unsafe extern "C" fn(host: *const broch_host, tower: u32, point: broch_point) -> broch_status>,
}

// ext/instance.h: components inside components.
//
// The value of an option marked "x-broch-component": "<role>" is a manifest entry, or {"ref": name}
// for an instance that is defined elsewhere. The host validates it, creates the child, owns it and
// destroys it after its parent. The parent calls the child through the tables below. They have the
// layout of the role's own tables but go through the host, so that state, threads, timing and error
// messages work for children as well.
//
// With "x-broch-same-seed": true next to it, seed returns the same number on all ranks in that
// child and in everything it contains, so that the ranks can divide one random order among
// themselves.

pub const BROCH_EXT_INSTANCE: &CStr = text(b"broch.instance/1\0");

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_host_instance {
    pub struct_size: u32,
    pub reserved: u32,
    /// The name of this instance in the manifest, borrowed until destroy. [any]
    pub name: Option<unsafe extern "C" fn(host: *const broch_host) -> *const c_char>,
    /// The child at an option ("/dataflow", "/inferencers/0") in one of the roles dataflow, indexed,
    /// transform, input_source, callback, monitor, inferencer, session_init and function (expressions
    /// too), or as broch.state/1. A model is run through predict.h. There are no children of other
    /// roles: optimizers and gradient processors are given to plans, as manifest entries
    /// (plan_nodes.h).
    /// *self is the first argument of the functions of *interface_table. Borrowed until destroy.
    /// NOT_FOUND: no such option, or the child does not have that role. From create on. [main]
    pub child: Option<unsafe extern "C" fn(host: *const broch_host, pointer: *const c_char, interface_id: *const c_char, this: *mut *mut c_void /* out */, interface_table: *mut *const c_void /* out */) -> broch_status>,
    /// The component id of the child at pointer. [main]
    pub child_id: Option<unsafe extern "C" fn(host: *const broch_host, pointer: *const c_char, id: *mut *const c_char /* out */) -> broch_status>,
    /// A seed for the random numbers of this instance: a hash of the seed of the run, the rank and the
    /// name of the instance. No two instances get the same one, and a repeated run gets it again.
    /// [any]
    pub seed: Option<unsafe extern "C" fn(host: *const broch_host) -> u64>,
}

// ext/kernel.h: C code as an operator in a tower, for example a loss, a print, or a lookup that
// operators cannot express. A recorded tower calls it in every step, with its tensors in memory. It
// is the only code of a plugin that a replay calls.
//
// Rules of run:
//  - All tensors are in CPU memory, row-major without gaps, with strides NULL and byte_offset 0. A
//    tensor that does not exist has data NULL and dtype.bits 0.
//  - Inputs are read only. Outputs start at multiples of 64 bytes, do not overlap anything and are
//    not cleared: write every element. Writing elsewhere, or leaving an element of a floating-point
//    output unwritten, ends the run in steps that are recorded, verified or audited; in other steps
//    the behavior is undefined.
//  - Use no handles and call no operators; log and fail are allowed. Calls of one instance take
//    turns.
//  - While the graph is set up run is not called, and outputs are zeros.
//
// Rules of backward. Its inputs are the n inputs of the kernel, its m outputs, and the m gradients
// of the outputs; a gradient does not exist if the output was not used or is not floating-point.
// Its outputs are n gradients, each with the dtype and shape of its input; those for inputs that
// are not floating-point do not exist. Its shapes is not called, and it must not be RANDOM. It may
// have a backward in turn, for derivatives of up to third order; a derivative that is missing is an
// error when it is needed.

pub const BROCH_EXT_KERNEL: &CStr = text(b"broch.kernel/1\0");

/// limit for the inputs and for the outputs of a call
pub const BROCH_KERNEL_TENSORS_MAX: i32 = 16;

// What the host may assume. One of PURE, STATEFUL, RANDOM, or STATEFUL and RANDOM; others are
// refused.
/// The outputs depend on nothing but the shapes, dtypes and values of the inputs. Not called if no
/// output is used, called only once if no input ever changes, and called again when a recording is
/// compared with the eager step.
pub const BROCH_KERNEL_PURE: i32 = 1;
/// Keeps a state or has side effects. Called exactly once in each run of its tower, in the order
/// of the tower function, whether its outputs are used or not. When a recording is compared with
/// the eager step, only one of the two calls the kernel; the other gets copies of the outputs.
pub const BROCH_KERNEL_STATEFUL: i32 = 2;
/// The outputs also depend on draw_key and draw_counter of the call; otherwise as PURE.
pub const BROCH_KERNEL_RANDOM: i32 = 4;

/// Dtype and shape of a tensor. An element of arrays, so frozen.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_kernel_type {
    /// 0: there is no tensor
    pub dtype: broch_dtype,
    /// at most BROCH_RANK_MAX
    pub rank: u32,
    /// in elements
    pub shape: [i64; BROCH_RANK_MAX as usize],
}

/// What run receives besides its tensors. Borrowed for the call.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_kernel_call {
    pub struct_size: u32,
    pub reserved: u32,
    /// NULL: all memory belongs to the CPU
    pub stream: *mut c_void,
    /// RANDOM: a pair for seeding a counter-based generator. It is the same in every execution, eager
    /// or recorded, of this call in this run of the tower, and different for all other calls.
    /// Otherwise 0.
    pub draw_key: u64,
    /// index of the run
    pub draw_counter: u64,
}

/// Describes a kernel. It must be the same in each call of the tower function and stay valid as long
/// as the instance, so put it in static memory.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_kernel {
    pub struct_size: u32,
    /// BROCH_KERNEL_…
    pub flags: u32,
    /// not empty; for messages and random numbers; valid as long as the instance
    pub name: *const c_char,
    /// (optional) Fills outputs[0..m) from inputs[0..n), and depends on nothing else. Called in tower
    /// functions, never in a replay. NULL: output i has the dtype and shape of input i. A failure ends
    /// the tower function. [step]
    pub shapes: Option<unsafe extern "C" fn(user: *mut c_void, inputs: *const broch_kernel_type, n: u32, outputs: *mut broch_kernel_type /* out */, m: u32) -> broch_status>,
    /// Computes outputs[0..m) from inputs[0..n), borrowed for the call. A failure ends the run with a
    /// message that names instance and kernel. [step]
    pub run: Option<unsafe extern "C" fn(user: *mut c_void, call: *const broch_kernel_call, inputs: *const broch_dl_tensor, n: u32, outputs: *const broch_dl_tensor /* out: the memory */, m: u32) -> broch_status>,
    /// (optional) The derivative, a kernel with the same user. NULL: no gradient flows through this
    /// kernel.
    pub backward: *const broch_kernel,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_host_kernel {
    pub struct_size: u32,
    pub reserved: u32,
    /// Calls a kernel inside a tower function. inputs: in CPU memory (otherwise UNIMPLEMENTED), none
    /// is 0. n and m: 0 to BROCH_KERNEL_TENSORS_MAX. user: passed on, may be NULL; as kernel, the same
    /// in each call of the tower function and valid as long as the instance. outputs: borrowed.
    /// Failures of shapes and run are passed on. Source: tf.py_func. [step]
    pub call: Option<unsafe extern "C" fn(host: *const broch_host, tower: broch_tower, kernel: *const broch_kernel, user: *mut c_void, inputs: *const broch_tensor, n: u32, outputs: *mut broch_tensor /* out */, m: u32) -> broch_status>,
}

// ext/log_dir.h: the log folder of this run.

pub const BROCH_EXT_LOG_DIR: &CStr = text(b"broch.log_dir/1\0");

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_host_log_dir {
    pub struct_size: u32,
    pub reserved: u32,
    /// The absolute path, borrowed until destroy. BROCH_NONE: this process has none, because it is not
    /// the chief. [any]
    pub path: Option<unsafe extern "C" fn(host: *const broch_host, path: *mut *const c_char /* out */) -> broch_status>,
    /// Writes a file in the log folder, completely or not at all (temporary name, fsync, rename). name
    /// must not contain '/'. FAILED_PRECONDITION: this process has none. [any]
    pub write_file: Option<unsafe extern "C" fn(host: *const broch_host, name: *const c_char, bytes: *const c_void, size: u64) -> broch_status>,
    /// The content of a file in the log folder. NOT_FOUND: no such file. FAILED_PRECONDITION: as
    /// write_file. [main]
    pub read_file: Option<unsafe extern "C" fn(host: *const broch_host, name: *const c_char, content: *const broch_writer) -> broch_status>,
}

// ext/metrics.h: sends numbers and images to the monitors, and returns earlier numbers. tensorpack:
// `Trainer.monitors`.
//
// Names are not empty and contain no control characters. Usable from setup_graph of callbacks on.
// Source: tensorpack callbacks/monitor.py.

pub const BROCH_EXT_METRICS: &CStr = text(b"broch.metrics/1\0");

/// An element of an array, so frozen.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_metric_point {
    pub global_step: i64,
    pub value: f64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_host_metrics {
    pub struct_size: u32,
    pub reserved: u32,
    /// Records a number for the current global step. [main]
    pub put_scalar: Option<unsafe extern "C" fn(host: *const broch_host, name: *const c_char, value: f64) -> broch_status>,
    /// Shapes (H,W), (H,W,C) with C in {1,3,4}, (N,H,W) or (N,H,W,C); uint8, or floating-point from 0
    /// to 255. Monitors receive (N,H,W,C). [main]
    pub put_image: Option<unsafe extern "C" fn(host: *const broch_host, name: *const c_char, image: *const broch_dl_tensor) -> broch_status>,
    /// Every "towerN/" and a trailing "-summary" are removed from the tags. [main]
    pub put_summary: Option<unsafe extern "C" fn(host: *const broch_host, values: *const broch_summary_value, n: u32) -> broch_status>,
    /// An event of the component itself; kind and data are those of process_event in role/monitor.h.
    /// [main]
    pub put_event: Option<unsafe extern "C" fn(host: *const broch_host, kind: *const c_char, data: *const c_void, size: u64) -> broch_status>,
    /// The last value. BROCH_NONE: there is none. [main]
    pub latest: Option<unsafe extern "C" fn(host: *const broch_host, name: *const c_char, point: *mut broch_metric_point /* out */) -> broch_status>,
    /// All values of the run, oldest first; none for an unknown name. Borrowed until the next put.
    /// [main]
    pub history: Option<unsafe extern "C" fn(host: *const broch_host, name: *const c_char, points: *mut *const broch_metric_point /* out */, count: *mut u64 /* out */) -> broch_status>,
    /// prefix_push: the names of scalars, images and summaries that are put from now on begin with
    /// this text, also those of other components: for what the components inside this one put while
    /// it calls them. A further prefix comes after the earlier ones. prefix_pop takes the last one
    /// back; FAILED_PRECONDITION: there is none. [main]
    pub prefix_push: Option<unsafe extern "C" fn(host: *const broch_host, prefix: *const c_char) -> broch_status>,
    pub prefix_pop: Option<unsafe extern "C" fn(host: *const broch_host) -> broch_status>,
}

// ext/model_graph.h: the model as a graph of operators: for pictures of it, counts and converters.
//
// It is the graph that `broch export` puts into a bundle.

pub const BROCH_EXT_MODEL_GRAPH: &CStr = text(b"broch.model_graph/1\0");

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_host_model_graph {
    pub struct_size: u32,
    pub reserved: u32,
    /// What the model computes in inference from its inputs, up to the given published names. n 0: up
    /// to the output that `broch predict` takes. *graph is JSON, valid until the next call on this
    /// thread:
    ///
    ///   {"values": [{"name": "image", "dtype": "float32", "shape": ["B", 1, 8, 8]}, ...],
    ///    "inputs": [0], "weights": [1, 2],
    ///    "nodes": [{"operator": "aten::relu", "inputs": [5], "results": [6], "arguments": {}}, ...],
    ///    "outputs": [{"name": "output", "value": 9}]}
    ///
    ///  - Values are numbered by their places in "values"; -1 stands for no tensor. Inputs and weights
    ///    have a name, that of the input or the variable.
    ///  - A size is a number, or a text such as "B" or "2 * B + 1": it follows from the sizes of
    ///    inputs.
    ///  - Nodes are in the order of computation. "arguments" has those that are no tensors, by their
    ///    names in the schema of the operator.
    ///
    /// The tower function is called several times, with inputs of different sizes. Call it from
    /// before_train to after_train. FAILED_PRECONDITION: the model cannot be written as a graph, for
    /// example because it has kernels of a plugin; the message says why. [main]
    pub of_model: Option<unsafe extern "C" fn(host: *const broch_host, outputs: *const *const c_char, n: u32, graph: *mut *const c_char /* out */) -> broch_status>,
}

// ext/operation.h: operations on variables: copy a target network, clip weights, reset a state. A
// component of any role defines them in setup_graph, and runs them directly or in a plan.
//
// The variables that an operation reads must exist when it is defined. Those of a tower exist once
// its plan is sealed: a trainer defines operations after seal and puts them into another plan, or
// runs them. Slots and hyper-parameters of optimizers exist when setup_graph of the trainer has
// returned: operations on them are defined in setup_graph of callbacks, which comes later. An
// operation may create variables only if they are LOCAL and not trainable. It is recorded like a
// tower.

pub const BROCH_EXT_OPERATION: &CStr = text(b"broch.operation/1\0");

/// A description, like a tower function: reads variables with ext/variables.h, computes with
/// ext/ops.h and writes with update of ext/tower.h (with any anchor). Pass scope wherever these take
/// a tower. [step]
pub type broch_operation_fn = Option<unsafe extern "C" fn(user: *mut c_void, scope: broch_tower) -> broch_status>;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_host_operation {
    pub struct_size: u32,
    pub reserved: u32,
    /// Defines an operation; call it in setup_graph. It calls fn once, to find the shapes, and later
    /// whenever needed. name: for messages. user: passed to fn, valid as long as the instance.
    /// [main]
    pub define: Option<unsafe extern "C" fn(host: *const broch_host, name: *const c_char, r#fn: broch_operation_fn, user: *mut c_void, operation: *mut broch_operation /* out */) -> broch_status>,
    /// Runs the operation now, without hooks; all its updates are written together. [main], not inside
    /// a run
    pub run: Option<unsafe extern "C" fn(host: *const broch_host, operation: broch_operation) -> broch_status>,
}

// ext/ops.h: computes with tensors, one operator per call, with automatic differentiation.
//
// An operator is resolved once, by the text of its schema that the plugin was compiled with. The
// host checks that its own operator is compatible, and maps arguments by name. opset.h has a
// function for each operator of broch.opset/1, whose schemas are frozen. Other operators can be
// resolved as well; `broch plugin check` reports them as unstable.
//
// Inside a tower function, an operator records a gradient if an input requires one; elsewhere there
// are no gradients. Its tensors must be inputs, variables or hyper-parameters, or computed from
// these.

pub const BROCH_EXT_OPS: &CStr = text(b"broch.ops/1\0");

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_host_ops {
    pub struct_size: u32,
    pub reserved: u32,
    /// schema: "aten::relu(Tensor self) -> Tensor". NOT_FOUND: no such operator. FAILED_PRECONDITION:
    /// the operator has changed incompatibly; the message says how. [any]
    pub resolve: Option<unsafe extern "C" fn(host: *const broch_host, schema: *const c_char, op: *mut broch_op /* out */) -> broch_status>,
    /// Runs an operator. args[0..n): in the order of the declared schema, borrowed. Missing arguments
    /// at the end get their defaults, and so does BROCH_TAG_NONE in place of a list. rets[0..m): m may
    /// be smaller than the number of results, or larger (NONE); tensors are borrowed handles. On
    /// failure the message is that of the operator. [step], or [main] outside tower functions
    pub call: Option<unsafe extern "C" fn(host: *const broch_host, op: broch_op, args: *const broch_value, n: u32, rets: *mut broch_value /* out */, m: u32) -> broch_status>,
    /// Writes the host's own schema of an operator, for plugins that learn at run time which operators
    /// they need. name: with the overload if it has one, "aten::relu" or "aten::add.Tensor".
    /// NOT_FOUND: no such operator. [any]
    pub schema: Option<unsafe extern "C" fn(host: *const broch_host, name: *const c_char, text: *const broch_writer) -> broch_status>,
}

// ext/plan.h: defines what a step does. A trainer builds plans in setup_graph; the host executes
// them.
//
// A plan is a small graph of large operations on towers. Nodes are added by kind, with the nodes
// that they depend on and the options of their kind (plan_nodes.h). seal checks the whole plan, and
// names the node that is wrong. Callbacks may make plans as well.
//
// A hooked run: before_run of all callbacks; the inputs of all towers (at the end of the data, if
// there are not enough for all, training stops before this step); towers; reduce, process and
// apply; writing of updates and moving averages; reading of the variables that are fetched;
// after_run of all callbacks. A hooked run inside before_run or after_run is an error.

pub const BROCH_EXT_PLAN: &CStr = text(b"broch.plan/1\0");

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_host_plan {
    pub struct_size: u32,
    pub reserved: u32,
    /// Plans are built in setup_graph: create (name: for messages), add nodes, seal. The first plan of
    /// a trainer is its default. add fails with UNIMPLEMENTED for an unknown kind, and for options
    /// that this host does not know. options: &x.node of the struct of this kind, or NULL. node may be
    /// NULL. [main]
    pub create: Option<unsafe extern "C" fn(host: *const broch_host, name: *const c_char, plan: *mut broch_plan /* out */) -> broch_status>,
    pub add: Option<unsafe extern "C" fn(host: *const broch_host, plan: broch_plan, kind: *const c_char, inputs: *const broch_node, n: u32, options: *const broch_node_options, node: *mut broch_node /* out */) -> broch_status>,
    /// Adds code of the plugin that runs between nodes. A failure or BROCH_STOP ends the run of the
    /// plan. user: passed to fn, valid as long as the instance. fn is called as [main]. [main]
    pub add_call: Option<unsafe extern "C" fn(host: *const broch_host, plan: broch_plan, inputs: *const broch_node, n: u32, options: *const broch_node_options, r#fn: Option<unsafe extern "C" fn(user: *mut c_void) -> broch_status>, user: *mut c_void, node: *mut broch_node /* out */) -> broch_status>,
    /// Adds an operation of ext/operation.h. [main]
    pub add_operation: Option<unsafe extern "C" fn(host: *const broch_host, plan: broch_plan, inputs: *const broch_node, n: u32, options: *const broch_node_options, operation: broch_operation, node: *mut broch_node /* out */) -> broch_status>,
    /// Checks the whole plan; afterwards it cannot be changed, and can be run. [main]
    pub seal: Option<unsafe extern "C" fn(host: *const broch_host, plan: broch_plan) -> broch_status>,
    /// Runs the plan once, in run_step or in a trigger event. hooked 0: without hooks, and not counted
    /// as a step. hooked 1: in the hook group with that name; NULL is the group of the trainer, the
    /// only one whose runs advance global_step. BROCH_END: the data has ended and nothing was changed.
    /// BROCH_STOP: a callback, a call node or a signal asked for it. [main]
    pub run: Option<unsafe extern "C" fn(host: *const broch_host, plan: broch_plan, hooked: i32, group: *const c_char) -> broch_status>,
    /// A hooked run without a plan: callbacks are called, what they fetch is computed (from a data
    /// point of its own, if needed), and global_step advances. group and outcomes as in run. [main]
    pub run_empty: Option<unsafe extern "C" fn(host: *const broch_host, group: *const c_char) -> broch_status>,
}

// ext/predict.h: runs the model in inference mode with the current weights, which are not copied.
// tensorpack: `Trainer.get_predictor`, `OnlinePredictor`.
//
// An inference tower is built once per tower name. It reuses existing variables.

pub const BROCH_EXT_PREDICT: &CStr = text(b"broch.predict/1\0");

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_host_predict {
    pub struct_size: u32,
    pub reserved: u32,
    /// The inputs of the model, borrowed as long as the run. [any]
    pub signature: Option<unsafe extern "C" fn(host: *const broch_host, inputs: *mut *const broch_input_spec /* out */, n: *mut u32 /* out */) -> broch_status>,
    /// Makes a predictor; call it in setup_graph. inputs and outputs are published names or inputs;
    /// outputs may also be variables. The tower runs on number device of predict_devices (modulo their
    /// number, with a warning). tower_name NULL: "tower-pred-{device}". [main]
    pub get_predictor: Option<unsafe extern "C" fn(host: *const broch_host, tower_name: *const c_char, device: u32, inputs: *const *const c_char, n: u32, outputs: *const *const c_char, m: u32, predictor: *mut broch_predictor /* out */) -> broch_status>,
    /// Runs it; usable once the variables are initialized. The outputs are copies. Inputs of the model
    /// that were not named are not fed: get_predictor refuses outputs that need them. Callable from
    /// any thread, one call per predictor at a time. [any]
    pub call: Option<unsafe extern "C" fn(host: *const broch_host, predictor: broch_predictor, inputs: *const broch_tensor, n: u32, outputs: *mut broch_tensor /* out */, m: u32) -> broch_status>,
    /// signature and get_predictor of another model: the component of role model at an option of this
    /// component ("/model"). Its towers use the variables of the run that have the same names, and
    /// make none, but those with the flag LOCAL alone. Call get_child_predictor in setup_graph.
    /// NOT_FOUND: no component is there. [main]
    pub child_signature: Option<unsafe extern "C" fn(host: *const broch_host, pointer: *const c_char, inputs: *mut *const broch_input_spec /* out */, n: *mut u32 /* out */) -> broch_status>,
    pub get_child_predictor: Option<unsafe extern "C" fn(host: *const broch_host, pointer: *const c_char, tower_name: *const c_char, device: u32, inputs: *const *const c_char, n: u32, outputs: *const *const c_char, m: u32, predictor: *mut broch_predictor /* out */) -> broch_status>,
}

// ext/profile.h: adds spans of the plugin to the profile of a run (`broch train --profile FILE`).
// The file can be opened with chrome://tracing and Perfetto; it also shows the spans of the host:
// epochs, steps, nodes of plans, hooks of callbacks and waits for data.

pub const BROCH_EXT_PROFILE: &CStr = text(b"broch.profile/1\0");

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_host_profile {
    pub struct_size: u32,
    pub reserved: u32,
    /// 1 if a profile is being made; the same for the whole run. Otherwise begin, end and counter do
    /// nothing. [any]
    pub enabled: Option<unsafe extern "C" fn(host: *const broch_host) -> i32>,
    /// Opens a span on this thread, inside those that are open. name is copied. [any]
    pub begin: Option<unsafe extern "C" fn(host: *const broch_host, name: *const c_char) -> broch_status>,
    /// Closes the innermost span that this instance has open on this thread. A span that is never
    /// closed does not appear in the profile. FAILED_PRECONDITION: none is open. [any]
    pub end: Option<unsafe extern "C" fn(host: *const broch_host) -> broch_status>,
    /// Records a number at this moment, which is shown as a curve, for example the length of a queue.
    /// [any]
    pub counter: Option<unsafe extern "C" fn(host: *const broch_host, name: *const c_char, value: f64) -> broch_status>,
}

// ext/progress.h: the progress of the training, and values that are computed together with a step.
//
// A hooked run calls before_run and after_run of the callbacks, and computes what they fetch from
// the same data point. Names are looked up once, in setup_graph. A name is a published name or an
// input of the main training tower ("cost") or of another tower ("1:cost"), a hyper-parameter, or a
// variable. Activations are those before the update of the step, variables those after it.

pub const BROCH_EXT_PROGRESS: &CStr = text(b"broch.progress/1\0");

pub const BROCH_FETCHES_MAX: i32 = 64;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_progress {
    pub struct_size: u32,
    pub reserved: u32,
    /// the current epoch; starting_epoch - 1 in before_train
    pub epoch_num: i64,
    /// step of the epoch, current or just finished, from 0; -1 before the first;
    /// in before_epoch still that of the previous epoch
    pub local_step: i64,
    /// number of hooked runs since the model was created
    pub global_step: i64,
    pub steps_per_epoch: i64,
    pub starting_epoch: i64,
    /// inclusive
    pub max_epoch: i64,
    /// this process has rank 0 (ext/dist.h)
    pub is_chief: i32,
    /// this start of the program continues an earlier one
    pub resumed: i32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_host_progress {
    pub struct_size: u32,
    pub reserved: u32,
    /// Read-only memory that the host updates, valid as long as the instance. Read its members where
    /// the plugin is called as [main]. [any]
    pub progress: Option<unsafe extern "C" fn(host: *const broch_host) -> *const broch_progress>,
    /// In setup_graph of a callback: requests a value with every hooked run of the trainer's group.
    /// *id counts 0, 1, …, below BROCH_FETCHES_MAX; it is the number of the bit in the mask of
    /// before_run. [main]
    pub fetch: Option<unsafe extern "C" fn(host: *const broch_host, name: *const c_char, id: *mut u32 /* out */) -> broch_status>,
    /// In after_run: a value that was requested in this run. BROCH_NONE: it was not. [main]
    pub value: Option<unsafe extern "C" fn(host: *const broch_host, run: broch_run, id: u32, value: *mut broch_tensor /* out */) -> broch_status>,
    /// The same for a value with one element, as a number. [main]
    pub scalar: Option<unsafe extern "C" fn(host: *const broch_host, run: broch_run, id: u32, value: *mut f64 /* out */) -> broch_status>,
    /// In setup_graph: announces that this callback may feed an input or a published name. [main]
    pub feed: Option<unsafe extern "C" fn(host: *const broch_host, name: *const c_char, id: *mut u32 /* out */) -> broch_status>,
    /// In before_run: feeds a value in this run. If two callbacks feed the same name, the error names
    /// both. [main]
    pub set_feed: Option<unsafe extern "C" fn(host: *const broch_host, run: broch_run, id: u32, value: broch_tensor) -> broch_status>,
    /// In before_run or after_run: ends the loop after this step. reason is logged; NULL or "": the
    /// name of this instance. If there are several ranks, all of them end after the next step.
    /// [main]
    pub request_stop: Option<unsafe extern "C" fn(host: *const broch_host, reason: *const c_char) -> broch_status>,
    /// In setup_graph: every hooked run also writes the updates anchored at a collection, such as
    /// "UPDATE_OPS", and maintains the moving averages in it, such as "MOVING_SUMMARY_OPS". [main]
    pub run_collection: Option<unsafe extern "C" fn(host: *const broch_host, collection: *const c_char) -> broch_status>,
    /// Evaluates names now, without hooks, updates or a step. If they depend on the input, this
    /// consumes one data point; with a source that is BROCH_INPUT_FEED or BROCH_INPUT_STAGED it fails,
    /// naming the input. OUT_OF_RANGE: the data has ended. BROCH_CANCELLED: a signal has ended the
    /// wait (role/callback.h). [main]
    pub eval: Option<unsafe extern "C" fn(host: *const broch_host, names: *const *const c_char, n: u32, values: *mut broch_tensor /* out */) -> broch_status>,
    /// want_summaries, in before_run: this run also computes the summaries in collection "SUMMARIES";
    /// the monitors receive them right after after_run of this callback. evaluate_summaries: does the
    /// same in a run of its own, with the outcomes of eval. [main]
    pub want_summaries: Option<unsafe extern "C" fn(host: *const broch_host, run: broch_run) -> broch_status>,
    pub evaluate_summaries: Option<unsafe extern "C" fn(host: *const broch_host) -> broch_status>,
}

// ext/rng.h: random numbers outside tower functions; inside them, use operators.
//
// There is no generator whose state advances or has to be saved. The numbers are a function of the
// seed of the run, the rank, the name of this instance (as seed in ext/instance.h), a stream and an
// index. The stream names a purpose, such as "crop" or "order"; the index is the number of the data
// point, the round or the global step that needs the numbers. Different streams and indices give
// independent numbers. A resumed run asks for the index it has reached and gets the same numbers as
// a run without interruption; a loader that skips data does not have to skip numbers.
//
// The generator is Philox 4x32-10 in counter mode: Salmon et al., "Parallel random numbers: as easy
// as 1, 2, 3", SC 2011. It gives the same numbers in every version of Broch.

pub const BROCH_EXT_RNG: &CStr = text(b"broch.rng/1\0");

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_host_rng {
    pub struct_size: u32,
    pub reserved: u32,
    /// n words of 64 random bits. A call with a smaller n gives the first of them. [any]
    pub bits: Option<unsafe extern "C" fn(host: *const broch_host, stream: *const c_char, index: u64, words: *mut u64 /* out */, n: u64) -> broch_status>,
    /// n uniform numbers in [0, 1), multiples of 2^-53. [any]
    pub uniform: Option<unsafe extern "C" fn(host: *const broch_host, stream: *const c_char, index: u64, values: *mut f64 /* out */, n: u64) -> broch_status>,
    /// n normally distributed numbers, with mean 0 and variance 1. The bits are the same on all
    /// systems whose C library rounds log, sin and cos in the same way. [any]
    pub normal: Option<unsafe extern "C" fn(host: *const broch_host, stream: *const c_char, index: u64, values: *mut f64 /* out */, n: u64) -> broch_status>,
    /// n uniform integers in [0, bound). bound is at least 1. [any]
    pub below: Option<unsafe extern "C" fn(host: *const broch_host, stream: *const c_char, index: u64, bound: u64, values: *mut u64 /* out */, n: u64) -> broch_status>,
    /// A random permutation of the numbers 0 to n - 1, all equally likely. [any]
    pub permutation: Option<unsafe extern "C" fn(host: *const broch_host, stream: *const c_char, index: u64, order: *mut u64 /* out */, n: u64) -> broch_status>,
}

// ext/scope.h: how long borrowed handles live, and threads that a plugin starts.
//
// Every call from the host opens a scope; handles that are made during the call become invalid when
// it returns, unless they are retained. A loop that makes many handles should push a scope in each
// iteration.

pub const BROCH_EXT_SCOPE: &CStr = text(b"broch.scope/1\0");

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_host_scope {
    pub struct_size: u32,
    pub reserved: u32,
    /// Scopes nest. The host closes those that are still open when the call returns. [any]
    pub push: Option<unsafe extern "C" fn(host: *const broch_host) -> broch_status>,
    pub pop: Option<unsafe extern "C" fn(host: *const broch_host) -> broch_status>,
    /// A thread that the plugin has started calls thread_enter before any other host function, and
    /// thread_leave before it ends; in between it has role [data] for this instance. name appears in
    /// messages and is copied. [any]
    pub thread_enter: Option<unsafe extern "C" fn(host: *const broch_host, name: *const c_char) -> broch_status>,
    pub thread_leave: Option<unsafe extern "C" fn(host: *const broch_host) -> broch_status>,
}

// ext/summary.h: values of a tower function that the monitors show.
//
// Only the main training tower has summaries; in other towers these functions do nothing. The
// values are computed only in runs that ask for them (merge-all-summaries). Source: tensorpack
// tfutils/summary.py.

pub const BROCH_EXT_SUMMARY: &CStr = text(b"broch.summary/1\0");

/// "{name}": the value of a tensor with one element
pub const BROCH_SHOW_SCALAR: i32 = 1;
/// "{name}-histogram"
pub const BROCH_SHOW_HISTOGRAM: i32 = 2;
/// "{name}-sparsity": the fraction of zeros
pub const BROCH_SHOW_SPARSITY: i32 = 4;
/// "{name}-mean"
pub const BROCH_SHOW_MEAN: i32 = 8;
/// "{name}-rms"
pub const BROCH_SHOW_RMS: i32 = 16;
/// "{name}": (N, height, width, channels), 0 to 255
pub const BROCH_SHOW_IMAGE: i32 = 32;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_host_summary {
    pub struct_size: u32,
    pub reserved: u32,
    /// Adds a summary. kinds: one BROCH_SHOW_… or more, combined with |; others are refused.
    /// [step]
    pub add: Option<unsafe extern "C" fn(host: *const broch_host, tower: broch_tower, name: *const c_char, tensor: broch_tensor, kinds: u32) -> broch_status>,
    /// A bias-corrected moving average of a 0-dim tensor, kept in a LOCAL variable. Every hooked run
    /// maintains it (moving-average-summary), and it is shown as scalar "{name}" after the update of
    /// the step: b += (1 - decay) * (x - b), value = b / (1 - decay^t). decay: 0 to less than 1,
    /// usually 0.95. [step]
    pub moving: Option<unsafe extern "C" fn(host: *const broch_host, tower: broch_tower, name: *const c_char, tensor: broch_tensor, decay: f64) -> broch_status>,
    /// The same in another collection than BROCH_MOVING_SUMMARY_OPS: a hooked run maintains the
    /// average if somebody runs this collection (run_collection of ext/progress.h). [step]
    pub moving_in: Option<unsafe extern "C" fn(host: *const broch_host, tower: broch_tower, name: *const c_char, tensor: broch_tensor, decay: f64, collection: *const c_char) -> broch_status>,
}

// ext/tensor.h: tensors as data: inspects them, makes them from memory and copies them out.
//
// Gradients do not flow through these functions; use ext/ops.h to compute. Inside a tower function,
// reading values (view, item, copy_out, to_dlpack) is allowed but prevents the tower from being
// recorded; the log says so once.

pub const BROCH_EXT_TENSOR: &CStr = text(b"broch.tensor/1\0");

pub const BROCH_RANK_MAX: i32 = 8;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_tensor_info {
    /// set by the caller
    pub struct_size: u32,
    pub dtype: broch_dtype,
    pub device: broch_dl_device,
    pub element_count: i64,
    pub shape: [i64; BROCH_RANK_MAX as usize],
    /// how many elements of shape count
    pub rank: u32,
    pub requires_grad: i32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_host_tensor {
    pub struct_size: u32,
    pub reserved: u32,
    /// Dtype, shape and device. [any]
    pub info: Option<unsafe extern "C" fn(host: *const broch_host, tensor: broch_tensor, info: *mut broch_tensor_info /* in: struct_size, out */) -> broch_status>,
    /// The value of a tensor with one element, as a number. INVALID_ARGUMENT: there is not exactly
    /// one. Waits for the device. [any]
    pub item: Option<unsafe extern "C" fn(host: *const broch_host, tensor: broch_tensor, value: *mut f64 /* out */) -> broch_status>,
    /// A view of the memory, borrowed as long as the handle; read only. Memory of other devices cannot
    /// be read directly; use copy_out. [any]
    pub view: Option<unsafe extern "C" fn(host: *const broch_host, tensor: broch_tensor, view: *mut broch_dl_tensor /* out */) -> broch_status>,
    /// Copies the values to bytes: compact, row-major, converted to dtype (0: unchanged). size must be
    /// that of exactly element_count elements. Works with all devices. [any]
    pub copy_out: Option<unsafe extern "C" fn(host: *const broch_host, tensor: broch_tensor, dtype: broch_dtype, bytes: *mut c_void /* out */, size: u64) -> broch_status>,
    /// A new tensor with a copy of data. Not inside a tower function; use constant of ext/tower.h
    /// there. [any]
    pub from_data: Option<unsafe extern "C" fn(host: *const broch_host, data: *const broch_dl_tensor, tensor: *mut broch_tensor /* out */) -> broch_status>,
    /// A new tensor on memory that is taken: the host calls the deleter, even on failure. [any]
    pub from_dlpack: Option<unsafe extern "C" fn(host: *const broch_host, data: *mut broch_dl_managed, tensor: *mut broch_tensor /* out */) -> broch_status>,
    /// Exports a tensor. The result is owned; call its deleter. Fails if the tensor requires a
    /// gradient. [any]
    pub to_dlpack: Option<unsafe extern "C" fn(host: *const broch_host, tensor: broch_tensor, data: *mut *mut broch_dl_managed /* out */) -> broch_status>,
    /// An owned handle, valid on all threads of this instance until release, for a copy of the tensor
    /// with its current values. [any]
    pub retain: Option<unsafe extern "C" fn(host: *const broch_host, tensor: broch_tensor, owned: *mut broch_tensor /* out */) -> broch_status>,
    /// Ends an owned handle; a borrowed one may also be ended early. 0 does nothing. [any]
    pub release: Option<unsafe extern "C" fn(host: *const broch_host, tensor: broch_tensor) -> broch_status>,
}

// ext/torch_cxx.h: the at::Tensor behind a handle, for C++ plugins that are built with exactly the
// LibTorch that the host runs on. Use it through cpp/torch.hpp; broch_add_plugin(name … TORCH)
// builds such a plugin. It has to be rebuilt for every build of LibTorch; plugins that use
// ext/ops.h do not.
//
// The id of the extension is BROCH_EXT_TORCH_CXX followed by a tag, which must be the same on both
// sides; otherwise the extension does not exist:
//
//   2.11.0-274ade0e6dcd7e46eea36c8a266340f254d817a4-cxx11
//
// The tag consists of TORCH_VERSION of the headers (class layouts, inline code), the GNU build-id
// of libtorch_cpu.so (the exact binary of that version, so also with or without CUDA) and the kind
// of strings of libstdc++. The metadata contains the same tag under "torch", so that a library with
// another tag is refused before it is loaded. The library finds LibTorch, which is already loaded,
// by its soname and needs no search path. It may depend on libtorch_cpu.so and libc10.so, and on
// nothing else that is not loaded yet.
//
// Such code calls operators of LibTorch in tower functions. They are differentiated, recorded and
// compared with the eager step like those of ext/ops.h, with these rules:
//  - The numbers of random operators depend on tower, call site and run, as with ext/ops.h. An
//    operator that is given a generator of its own keeps the tower eager, and its numbers are not
//    part of any checkpoint.
//  - Do not write to tensors of the host: an operator that writes to a variable or an input ends
//    the run when the function returns.
//  - item() and shapes that depend on values keep the tower eager. Access memory (data_ptr) only in
//    operators that the plugin registers with TORCH_LIBRARY, and in kernels (ext/kernel.h).
//    Elsewhere the host does not see it: a number that is read like this becomes a constant of the
//    recording, and the tower stays eager after the comparison with an eager step on other data.
//  - A tensor from elsewhere (from_blob, or kept from another call) keeps the tower eager. Make
//    constants with operators (at::full) or with constant of ext/tower.h.

pub const BROCH_EXT_TORCH_CXX: &CStr = text(b"broch.torch_cxx/\0");

/// The last part of the tag of this translation unit.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_host_torch_cxx {
    pub struct_size: u32,
    pub reserved: u32,
    /// The c10::TensorImpl of a tensor, with one reference that the caller owns; NULL for handle 0.
    /// Inside a tower function, the tensor must belong to this call. [any]
    pub get: Option<unsafe extern "C" fn(host: *const broch_host, tensor: broch_tensor, r#impl: *mut *mut c_void /* out */) -> broch_status>,
    /// A borrowed handle of this call for a c10::TensorImpl, to which it adds a reference of its own;
    /// 0 for NULL. Inside a tower function, the tensor counts as computed from everything that get has
    /// returned in this call so far. [any]
    pub put: Option<unsafe extern "C" fn(host: *const broch_host, r#impl: *mut c_void, tensor: *mut broch_tensor /* out */) -> broch_status>,
}

// ext/tower.h: the context of a call of a tower function. tensorpack: `TowerContext`.
//
// The handle is valid only during the call that received it, so towers never nest. Source:
// tensorpack tfutils/tower.py.
//
// update writes a variable when a run ends that contains its anchor. Until then handles taken
// earlier keep the old value; reads after the call of update return the new one.
//  - The anchor is a name that this tower publishes, or a collection: one of those below, or one
//    that this tower adds to.
//  - A run contains a name if the cost of one of its gradients nodes, or a name that it fetches,
//    depends on that name. A run contains a collection if it is hooked and some callback has called
//    run_collection for it.
//  - Updates at BROCH_UPDATE_OPS are kept from all training towers, dropped for inference, and run
//    by run-update-ops.
//  - An update that no run contains is never made, and nothing reports it: a tower that writes its
//    own weights, in a plan without gradients, anchors them at BROCH_UPDATE_OPS.
//
// all_reduce goes over all training towers that compute the step together: those of this process,
// added in the order of index, then those of all ranks whose plans have an all_reduce node, in the
// order of ranks.
//  - The tensors are float32 or float64, on the CPU, with the same shape in each tower. The
//    gradient is the same reduction of the gradients of the towers.
//  - All towers must make the same calls in the same order, and the plan must apply the gradients
//    of all towers together; otherwise seal fails with FAILED_PRECONDITION, for example with
//    trainer async.
//  - A tower waits here for the others, whose tower functions run meanwhile: keep nothing that
//    belongs to a call in the instance.
//  - Inference towers and single towers get the tensor itself, and during set-up the result may be
//    zeros.

pub const BROCH_EXT_TOWER: &CStr = text(b"broch.tower/1\0");

/// Collections that have a meaning for the host. Other names belong to the plugin.
pub const BROCH_UPDATE_OPS: &CStr = text(b"UPDATE_OPS\0");

pub const BROCH_SUMMARIES: &CStr = text(b"SUMMARIES\0");

pub const BROCH_MOVING_SUMMARY_OPS: &CStr = text(b"MOVING_SUMMARY_OPS\0");

pub const BROCH_REGULARIZATION_LOSSES: &CStr = text(b"REGULARIZATION_LOSSES\0");

/// one member: what the tower function returned, if it did
pub const BROCH_COST: &CStr = text(b"COST\0");

/// Collections that have a meaning for the host. Other names belong to the plugin.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_tower_info {
    /// set by the caller
    pub struct_size: u32,
    /// training: 0 to total - 1; inference: 0
    pub index: u32,
    /// "" for a single tower, "tower0", "tower-pred-0"; borrowed for the call
    pub name: *const c_char,
    /// its variable scope, "" or "tower1"; borrowed for the call
    pub vs_name: *const c_char,
    pub device: broch_dl_device,
    /// number of towers of its kind
    pub total: u32,
    /// 0: inference
    pub is_training: i32,
    /// 1 for the main training tower, the one with index 0
    pub is_main: i32,
    /// variables created here are new, not reused
    pub has_own_variables: i32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_host_tower {
    pub struct_size: u32,
    pub reserved: u32,
    /// Facts about the tower. A recording is only used for a tower with the same values. [step]
    pub info: Option<unsafe extern "C" fn(host: *const broch_host, tower: broch_tower, info: *mut broch_tower_info /* in: struct_size, out */) -> broch_status>,
    /// Gives a tensor a name, so that callbacks, predictors and plans can fetch or feed it. Continue
    /// with *published: if the name is being fed, it is the fed value. A name is not empty,
    /// contains no ':' and can be used once per tower. Layers use "{scope}/output". [step]
    pub publish: Option<unsafe extern "C" fn(host: *const broch_host, tower: broch_tower, name: *const c_char, tensor: broch_tensor, published: *mut broch_tensor /* out */) -> broch_status>,
    /// Writes a variable at the end of a run that contains anchor; there is no other way to do so
    /// here. [step]
    pub update: Option<unsafe extern "C" fn(host: *const broch_host, tower: broch_tower, variable: broch_variable, value: broch_tensor, anchor: *const c_char) -> broch_status>,
    /// collection_add appends a tensor to a collection of this tower. collection_get returns what this
    /// call has added so far: *count is the total, at most capacity tensors are written. There is a
    /// warning if no cost uses a regularization loss. [step]
    pub collection_add: Option<unsafe extern "C" fn(host: *const broch_host, tower: broch_tower, collection: *const c_char, tensor: broch_tensor) -> broch_status>,
    pub collection_get: Option<unsafe extern "C" fn(host: *const broch_host, tower: broch_tower, collection: *const c_char, tensors: *mut broch_tensor /* out */, capacity: u32, count: *mut u32 /* out */) -> broch_status>,
    /// A tensor with the given values on the device of the tower. They must be the same in every call.
    /// [step]
    pub constant: Option<unsafe extern "C" fn(host: *const broch_host, tower: broch_tower, data: *const broch_dl_tensor, tensor: *mut broch_tensor /* out */) -> broch_status>,
    /// The sum or the mean of this tensor over the towers. mode: BROCH_REDUCE_SUM or
    /// BROCH_REDUCE_MEAN; others are refused with INVALID_ARGUMENT. Used for synchronized batch norm;
    /// source: tensorpack BatchNorm(sync_statistics). [step]
    pub all_reduce: Option<unsafe extern "C" fn(host: *const broch_host, tower: broch_tower, tensor: broch_tensor, mode: i32, reduced: *mut broch_tensor /* out */) -> broch_status>,
}

// ext/ui.h: shows a person how far a piece of work is.
//
// On a terminal this is a progress bar with rate and remaining time, elsewhere a plain line at
// regular intervals. Plugins never write to the terminal themselves.

pub const BROCH_EXT_UI: &CStr = text(b"broch.ui/1\0");

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_host_ui {
    pub struct_size: u32,
    pub reserved: u32,
    /// Opens a progress bar, inside the one that is open. total: the amount of work; -1: unknown.
    /// [main]
    pub begin: Option<unsafe extern "C" fn(host: *const broch_host, label: *const c_char, total: i64) -> broch_status>,
    /// Sets how much is done. Returns 1 when it is time to redraw; call describe then if there is more
    /// to show. Otherwise it is cheap, so call it in every step. [main]
    pub advance: Option<unsafe extern "C" fn(host: *const broch_host, done: i64) -> i32>,
    /// Additional text to show, such as "cost=0.31". [main]
    pub describe: Option<unsafe extern "C" fn(host: *const broch_host, text: *const c_char) -> broch_status>,
    /// Closes the progress bar of this instance, if one is open. [main]
    pub end: Option<unsafe extern "C" fn(host: *const broch_host) -> broch_status>,
}

// ext/variables.h: variables by name, with scopes, reuse and initializers.
//
// In a tower function, get creates or reuses a variable, as tf.get_variable does. In a tower that
// owns its variables, a name is created once and asked for once. In other towers it must already
// exist, with the same shape and dtype; a missing variable is only created if it is LOCAL and not
// trainable. A full name is "scope/…/name": the open scopes and the name, joined with '/'. No part
// occurs twice, is empty, or contains "tower", ':', a space or a control character. Variable names
// are independent of published names. No variables are created after set-up.

pub const BROCH_EXT_VARIABLES: &CStr = text(b"broch.variables/1\0");

// The initial value of a variable. Random ones depend only on the seed of the run and the name of
// the variable, so replicas and ranks start with the same values. fan_in and fan_out: shape[1]*k
// and shape[0]*k of a weight (out, in, …), where k is the product of the other dimensions, 1 if
// there are none. With HE_NORMAL, GLOROT_UNIFORM and LECUN_UNIFORM, a is usually 1.
/// a
pub const BROCH_INIT_CONSTANT: i32 = 1;
/// between a and b
pub const BROCH_INIT_UNIFORM: i32 = 2;
/// mean a, standard deviation b
pub const BROCH_INIT_NORMAL: i32 = 3;
/// the same, drawn again beyond two deviations
pub const BROCH_INIT_TRUNCATED_NORMAL: i32 = 4;
/// normal, variance 2 * a / fan_in (He et al. 2015)
pub const BROCH_INIT_HE_NORMAL: i32 = 5;
/// uniform, limit a * sqrt(6 / (fan_in + fan_out))
pub const BROCH_INIT_GLOROT_UNIFORM: i32 = 6;
/// uniform, limit a / sqrt(fan_in); torch.nn: a = 1
pub const BROCH_INIT_LECUN_UNIFORM: i32 = 7;
/// gain a (Saxe et al. 2013)
pub const BROCH_INIT_ORTHOGONAL: i32 = 8;
/// values, borrowed for the call
pub const BROCH_INIT_VALUES: i32 = 9;

/// gets gradients; TensorFlow: TRAINABLE_VARIABLES
pub const BROCH_VARIABLE_TRAINABLE: i32 = 1;
/// needed for inference; TensorFlow: MODEL_VARIABLES
pub const BROCH_VARIABLE_MODEL: i32 = 2;
/// not loaded by session_init; saved only for resuming
pub const BROCH_VARIABLE_LOCAL: i32 = 4;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_variable_spec {
    pub struct_size: u32,
    pub dtype: broch_dtype,
    /// rank elements
    pub shape: *const i64,
    pub rank: u32,
    /// BROCH_INIT_…, with a, b and values
    pub initializer: i32,
    pub a: f64,
    pub b: f64,
    pub values: *const broch_dl_tensor,
    /// BROCH_VARIABLE_…
    pub flags: u32,
    pub reserved: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_variable_info {
    /// set by the caller
    pub struct_size: u32,
    pub dtype: broch_dtype,
    /// the full name; borrowed as long as the run
    pub name: *const c_char,
    /// rank elements; borrowed as long as the run
    pub shape: *const i64,
    pub rank: u32,
    /// BROCH_VARIABLE_…
    pub flags: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_host_variables {
    pub struct_size: u32,
    pub reserved: u32,
    /// In a tower function. get: the variable with this name in the open scopes, and its value. read:
    /// its value. After an update in the same call both return the new value. [step]
    pub get: Option<unsafe extern "C" fn(host: *const broch_host, tower: broch_tower, name: *const c_char, spec: *const broch_variable_spec, variable: *mut broch_variable /* out */, value: *mut broch_tensor /* out */) -> broch_status>,
    pub read: Option<unsafe extern "C" fn(host: *const broch_host, tower: broch_tower, variable: broch_variable, value: *mut broch_tensor /* out */) -> broch_status>,
    pub scope_push: Option<unsafe extern "C" fn(host: *const broch_host, tower: broch_tower, name: *const c_char) -> broch_status>,
    pub scope_pop: Option<unsafe extern "C" fn(host: *const broch_host, tower: broch_tower) -> broch_status>,
    /// Outside tower functions, in setup_graph: creates a variable with a full name. [main]
    pub create: Option<unsafe extern "C" fn(host: *const broch_host, name: *const c_char, spec: *const broch_variable_spec, variable: *mut broch_variable /* out */) -> broch_status>,
    /// Finds a variable by its full name. NOT_FOUND: the message suggests the nearest name. [main]
    /// [step]
    pub find: Option<unsafe extern "C" fn(host: *const broch_host, name: *const c_char, variable: *mut broch_variable /* out */) -> broch_status>,
    /// Lists the variables that have all of the flags, in the order of creation: those of a tower
    /// call, or with tower 0 those of the whole run. *count is their number; at most capacity are
    /// written. [main] [step]
    pub list: Option<unsafe extern "C" fn(host: *const broch_host, tower: broch_tower, flags: u32, variables: *mut broch_variable /* out */, capacity: u32, count: *mut u32 /* out */) -> broch_status>,
    /// Dtype, shape, flags and name. [main] [step]
    pub info: Option<unsafe extern "C" fn(host: *const broch_host, variable: broch_variable, info: *mut broch_variable_info /* in: struct_size, out */) -> broch_status>,
    /// Outside tower functions: the current value. A borrowed alias of the memory, not a copy.
    /// [main]
    pub value: Option<unsafe extern "C" fn(host: *const broch_host, variable: broch_variable, value: *mut broch_tensor /* out */) -> broch_status>,
    /// Copies data into the variable; shape and dtype must be the same. [main], not inside a run
    pub assign: Option<unsafe extern "C" fn(host: *const broch_host, variable: broch_variable, data: *const broch_dl_tensor) -> broch_status>,
}

// host.h: what every plugin instance gets from the host.
//
// The pointer belongs to the instance that received it in create, and is the first argument of
// every host function: it tells the host whose errors, log lines, handles and threads these are.
// Several hosts may live in one process. The members of this table are final; everything else is an
// extension.

// Log levels. A log line is a sentence for a person; numbers are metrics (ext/metrics.h).
pub const BROCH_LOG_DEBUG: i32 = 0;
pub const BROCH_LOG_INFO: i32 = 1;
pub const BROCH_LOG_WARNING: i32 = 2;
pub const BROCH_LOG_ERROR: i32 = 3;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_host {
    /// of the host's table, which may differ from this header's
    pub struct_size: u32,
    pub abi_major: u32,
    pub abi_minor: u32,
    pub reserved: u32,
    /// Returns the table of an extension by its id ("broch.ops/1"), or NULL if this host does not have
    /// it. Borrowed, valid as long as the instance. Ask in create and keep the pointer. [any]
    pub get_extension: Option<unsafe extern "C" fn(host: *const broch_host, id: *const c_char) -> *const c_void>,
    /// Records why a call fails and returns code, so that a plugin can write
    ///   return host->fail(host, BROCH_E_INVALID_ARGUMENT, "patience must be at least 1, got 0");
    /// The text is copied. Each thread has one message; the last one counts. [any]
    pub fail: Option<unsafe extern "C" fn(host: *const broch_host, code: broch_status, message: *const c_char) -> broch_status>,
    /// Why the last host function failed on this thread; never NULL. Borrowed until the next failure
    /// on this thread. [any]
    pub last_error: Option<unsafe extern "C" fn(host: *const broch_host) -> *const c_char>,
    /// Writes one line to the log, prefixed with the name of the instance. level: BROCH_LOG_….
    /// [any]
    pub log: Option<unsafe extern "C" fn(host: *const broch_host, level: i32, message: *const c_char)>,
}

// layers.h: variables, layers and published names of a tower function in C. Errors are remembered
// as in opset.h: after the first failure the functions do nothing, and the tower function ends with
//   return broch_opset_status(&self->layers.ops);
// C++ has more layers, in layers.hpp.

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_layers {
    pub ops: broch_opset,
    pub towers: *const broch_host_tower,
    pub variables: *const broch_host_variables,
}

// opset.h: broch.opset/1 as C functions; made by sdk/opset/generate.py from sdk/opset/opset-1.txt.
//
// A broch_opset belongs to one instance; initialize it once, in create. Errors are remembered, so
// that a tower function reads like arithmetic: after the first failure every function returns 0 at
// once, and the tower function ends with
//   return broch_opset_status(&self->ops);
// which also clears the error. Lists are passed as pointer and count. To leave out an argument, pass
// 0 for an optional tensor or dtype, NULL for an optional list, and broch_none() for any other
// optional argument. Layout, device, memory format and generator are always the defaults of the
// operator on the device of the tower.
//
// Meaning, shapes and errors of the operators: https://docs.pytorch.org/docs/2.11/torch.html. The
// comment above each function is the schema of the operator, with its defaults. An argument
// `reduction` is one of BROCH_REDUCTION_…; Mean in a schema is BROCH_REDUCTION_MEAN.

pub const BROCH_OPSET_1_COUNT: i32 = 247;

// The values of `reduction` in loss functions. The numbers are those of ATen (at::Reduction), and
// differ from BROCH_REDUCE_… in value.h.
pub const BROCH_REDUCTION_NONE: i32 = 0;
pub const BROCH_REDUCTION_MEAN: i32 = 1;
pub const BROCH_REDUCTION_SUM: i32 = 2;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_opset {
    pub host: *const broch_host,
    pub table: *const broch_host_ops,
    /// of the first failure since the last broch_opset_status
    pub status: broch_status,
    pub resolved: [broch_op; BROCH_OPSET_1_COUNT as usize],
}

// plan_nodes.h: the kinds of nodes of a plan, and the options of each.
//
// The options of every kind are a struct that begins with broch_node_options. A struct of zeros,
// apart from struct_size, has the defaults, and so has NULL in its place:
//
//   const broch_reduce_node sum = {{sizeof sum}, .mode = BROCH_REDUCE_SUM};
//   plans->add(host, plan, BROCH_NODE_REDUCE, lists, 2, &sum.node, &node);
//
// Everything that a struct points to is borrowed for the call. Replicas of the variables are named
// by the vs_name of their tower, "" being the first. A list of gradients is the result of a
// gradients, reduce, all_reduce or process node. Nodes that communicate with other ranks have to
// run on all ranks, equally often and in the same order.

/// Takes one data point for each of these towers from the input of the run. Inputs: none.
pub const BROCH_NODE_INPUT: &CStr = text(b"broch.plan.input/1\0");

/// Calls the tower function. Inputs: an input node, or none.
pub const BROCH_NODE_TOWER: &CStr = text(b"broch.plan.tower/1\0");

/// Gradients of a cost with respect to variables. Inputs: one tower.
pub const BROCH_NODE_GRADIENTS: &CStr = text(b"broch.plan.gradients/1\0");

/// Combines lists of the same variables. Inputs: one list or more.
pub const BROCH_NODE_REDUCE: &CStr = text(b"broch.plan.reduce/1\0");

/// Combines the lists of all ranks, added in the order of ranks. Inputs: one list, which with one
/// rank is the result.
pub const BROCH_NODE_ALL_REDUCE: &CStr = text(b"broch.plan.all_reduce/1\0");

/// Applies gradient processors. Inputs: one list.
pub const BROCH_NODE_PROCESS: &CStr = text(b"broch.plan.process/1\0");

/// Updates the variables. Inputs: one list.
pub const BROCH_NODE_APPLY: &CStr = text(b"broch.plan.apply/1\0");

/// As apply, but on the parameter servers, which keep the variables and their slots. The lists of
/// all ranks that train are applied one after the other, in the order of ranks. Then all of these
/// ranks, and the replicas in to, receive the values. Inputs: one list.
pub const BROCH_NODE_SERVE: &CStr = text(b"broch.plan.serve/1\0");

/// Copies all variables of one replica to those with the same names of others, with the slots of
/// optimizers. Inputs: any.
pub const BROCH_NODE_COPY: &CStr = text(b"broch.plan.copy/1\0");

/// All variables that are not LOCAL get the values that they have on rank root. Inputs: any.
pub const BROCH_NODE_BROADCAST: &CStr = text(b"broch.plan.broadcast/1\0");

/// What all nodes have. A member of other structs, so frozen.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_node_options {
    /// of the whole struct, for example sizeof(broch_tower_node)
    pub struct_size: u32,
    /// The node takes part in those runs of its plan whose number (from 0) leaves, divided by every,
    /// one of the offsets as remainder; all of its inputs must take part in them. every 0: whenever
    /// all of its inputs do. offsets NULL: {0}.
    pub every: u32,
    pub offsets: *const u32,
    pub offset_count: u32,
    /// 0; others are refused
    pub flags: u32,
    /// for messages and hyper-parameters; NULL: kind and place, as "apply3"
    pub name: *const c_char,
}

/// Takes one data point for each of these towers from the input of the run. Inputs: none.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_input_node {
    pub node: broch_node_options,
    /// indices, each once; NULL: {0}
    pub towers: *const u32,
    pub tower_count: u32,
    pub reserved: u32,
}

/// Calls the tower function. Inputs: an input node, or none.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_tower_node {
    pub node: broch_node_options,
    /// of the tower, "tower0"; NULL: ""
    pub name: *const c_char,
    /// scope of its variables, "tower1"; NULL: ""
    pub vs_name: *const c_char,
    /// less than total
    pub index: u32,
    /// number of training towers; 0: 1
    pub total: u32,
    /// "cpu:N" or "cuda:N"; "cuda": the GPU of the local rank; NULL: "cpu:0"
    pub device: *const c_char,
    /// Each variable that this tower creates goes to the device with the fewest elements so far, the
    /// first if equal. NULL: to the device of the tower.
    pub variable_devices: *const *const c_char,
    pub variable_device_count: u32,
    /// 1: in inference mode; 0: in training mode
    pub inference: i32,
}

/// Gradients of a cost with respect to variables. Inputs: one tower.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_gradients_node {
    pub node: broch_node_options,
    /// a published name; NULL: what the tower function returned
    pub cost: *const c_char,
    /// regular expression for whole names; NULL: all that are trainable
    pub variables: *const c_char,
}

// How a reduce node adds.
/// in the order of the inputs
pub const BROCH_ADD_IN_ORDER: i32 = 0;
/// NCCL adds, in its own order, if each list is on a GPU of its own; otherwise in order.
pub const BROCH_ADD_BY_NCCL: i32 = 1;

/// Combines lists of the same variables. Inputs: one list or more.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_reduce_node {
    pub node: broch_node_options,
    /// BROCH_REDUCE_SUM or BROCH_REDUCE_MEAN; 0: mean
    pub mode: i32,
    /// BROCH_ADD_IN_ORDER or BROCH_ADD_BY_NCCL
    pub algorithm: i32,
    /// the result is multiplied by it; 0: 1
    pub scale: f64,
}

// What all_reduce sends in place of float32.
pub const BROCH_COMPRESSION_NONE: i32 = 0;
pub const BROCH_COMPRESSION_FLOAT16: i32 = 1;

/// Combines the lists of all ranks, added in the order of ranks. Inputs: one list, which with one
/// rank is the result.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_all_reduce_node {
    pub node: broch_node_options,
    /// BROCH_REDUCE_SUM or BROCH_REDUCE_MEAN; 0: mean
    pub mode: i32,
    /// BROCH_COMPRESSION_…
    pub compression: i32,
    /// the result is multiplied by it; 0: 1
    pub scale: f64,
}

/// Applies gradient processors. Inputs: one list.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_process_node {
    pub node: broch_node_options,
    /// manifest entries as JSON text; NULL: those of the manifest
    pub processors: *const *const c_char,
    pub processor_count: u32,
    pub reserved: u32,
}

/// Updates the variables. Inputs: one list.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_apply_node {
    pub node: broch_node_options,
    /// manifest entry as JSON text; NULL: of the manifest, else of the model
    pub optimizer: *const c_char,
    /// regular expression for whole names; NULL: all of the list
    pub variables: *const c_char,
    /// whose variables are updated instead; NULL: those of the list
    pub replica: *const c_char,
}

/// As apply, but on the parameter servers, which keep the variables and their slots. The lists of
/// all ranks that train are applied one after the other, in the order of ranks. Then all of these
/// ranks, and the replicas in to, receive the values. Inputs: one list.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_serve_node {
    pub node: broch_node_options,
    /// as for apply
    pub optimizer: *const c_char,
    pub variables: *const c_char,
    pub to: *const *const c_char,
    pub to_count: u32,
    pub reserved: u32,
}

/// Copies all variables of one replica to those with the same names of others, with the slots of
/// optimizers. Inputs: any.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_copy_node {
    pub node: broch_node_options,
    /// NULL: ""
    pub from: *const c_char,
    pub to: *const *const c_char,
    /// at least 1
    pub to_count: u32,
    /// 1: first fails if a trainable variable differs in its bits
    pub check: i32,
}

/// All variables that are not LOCAL get the values that they have on rank root. Inputs: any.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_broadcast_node {
    pub node: broch_node_options,
    pub root: u32,
    pub reserved: u32,
}

// plugin/options.h: options that change during training. The plugin provides this table through
// get_interface, and the host calls it.
//
// An option whose schema contains "x-broch-mutable": true can be set in a running training (broch
// ctl RUN set INSTANCE/OPTION=VALUE). The value is first checked against the schema. The change
// happens between two steps, the same two on all ranks that train. Parameter servers do not take
// part: with them, options of optimizers and gradient processors cannot change. A value that was
// set is saved with the state and restored on resume, unless the manifest has been changed. A
// component that reads the option through ext/config.h whenever it needs it does not need this
// table; one that keeps a copy does.
//
// To refuse a value, leave the instance unchanged and fail with a message: the old value comes back
// and the run continues. If another rank, or another option that was set at the same time, refuses,
// changed is called again for the old value, which must not be refused. INTERNAL is not a refusal:
// it ends the run, as an exception does.

pub const BROCH_PLUGIN_OPTIONS: &CStr = text(b"broch.options/1\0");

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_plugin_options {
    pub struct_size: u32,
    pub reserved: u32,
    /// The option at pointer ("/patience", as in RFC 6901, borrowed for the call) has a new value,
    /// which ext/config.h already returns. Called between steps; in a resumed run after create (for
    /// callbacks after setup_graph) and before load of plugin/state.h. [main]
    pub changed: Option<unsafe extern "C" fn(this: *mut c_void, pointer: *const c_char) -> broch_status>,
}

// plugin/service.h: threads or processes of a plugin that run beside the training, such as a
// simulator, a server or a recorder. A component of any role provides this table through
// get_interface, and the host calls it.
//
// Services start after all variables have their values and states are loaded, and before
// before_train of the callbacks; in the order in which the instances were created (children before
// their parents), on every rank on which the component runs. They stop in reverse order, after
// after_train of the callbacks and the last checkpoint, even if the run failed; but not if a plugin
// that hangs or crashes ends the process.
//
// Source: tensorpack callbacks/concurrency.py, `StartProcOrThread`.

pub const BROCH_PLUGIN_SERVICE: &CStr = text(b"broch.service/1\0");

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_plugin_service {
    pub struct_size: u32,
    pub reserved: u32,
    /// Starts the service and returns within 10 seconds; what takes longer continues in the
    /// background. Called once. In threads started here, the signals for the program (SIGINT, SIGTERM)
    /// are blocked. A failure ends the run, and the services already started are stopped. [main]
    pub start: Option<unsafe extern "C" fn(this: *mut c_void) -> broch_status>,
    /// Ends the service and joins its threads within 5 seconds; otherwise the process ends with a
    /// message that names the instance. Called once for each successful start. A failure is logged.
    /// Host functions tagged [any] may be called until it returns. [main]
    pub stop: Option<unsafe extern "C" fn(this: *mut c_void) -> broch_status>,
}

// plugin/state.h: what a plugin keeps when a run is resumed. The plugin provides this table through
// get_interface, and the host calls it.
//
// A plugin must be able to read every version that it has ever written; the host refuses newer
// ones. Saving, loading and saving again must give the same bytes.

pub const BROCH_PLUGIN_STATE: &CStr = text(b"broch.state/1\0");

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_plugin_state {
    pub struct_size: u32,
    /// of the data that save writes
    pub version: u32,
    /// Called between steps. [main]
    pub save: Option<unsafe extern "C" fn(this: *mut c_void, writer: *const broch_writer) -> broch_status>,
    /// Called after create (for callbacks after setup_graph) and before before_train. bytes is
    /// borrowed for the call. [main]
    pub load: Option<unsafe extern "C" fn(this: *mut c_void, version: u32, bytes: *const c_void, size: u64) -> broch_status>,
}

// role/callback.h: code that runs around the steps of a training. tensorpack: `Callback`.
//
//   setup_graph                      once; declare fetches and feeds, ask for predictors
//   before_train
//   for each epoch:
//     before_epoch                   not part of the measured time of the epoch
//     for each step:
//       the step of the trainer; for each hooked run in it:
//         before_run, execution, after_run
//       trigger_step
//     after_epoch                    part of the measured time: be fast
//     trigger_epoch                  not measured: save, evaluate and report here
//   after_train                      also after a failure or a stop, even if before_train of
//                                    this or another callback was never called
//
// Each line calls all callbacks in the order of their registration. ext/progress.h describes the
// counters that they see. Source: tensorpack callbacks/base.py, train/base.py.

pub const BROCH_ROLE_CALLBACK: &CStr = text(b"broch.callback/1\0");

/// All entries are optional. Each returns
///   BROCH_OK         continue
///   BROCH_STOP       end training without an error: the rest of this event is skipped, after_train
///                    is still called, and the message of host->fail, if any, is logged. Not
///                    allowed in setup_graph. In before_run and after_run, the rest of the step is
///                    skipped, too; request_stop of ext/progress.h lets it complete. If one of
///                    several ranks returns it from trigger_step, or from before_run or after_run
///                    and feeds no inputs, nothing is skipped, and all end after the next step
///   BROCH_CANCELLED  a wait was ended by cancel of ext/data_point.h: the run ends as after a
///                    signal, and when it is resumed, the work of this callback is repeated. In
///                    after_run, and in before_run of a step that has begun, unless the callback
///                    feeds inputs, the step is completed first and its work is not repeated
///   negative         the run fails, and after_train of all callbacks is still called. A failure of
///                    after_train itself is only logged
/// All [main].
#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_callback {
    pub struct_size: u32,
    pub reserved: u32,
    pub setup_graph: Option<unsafe extern "C" fn(this: *mut c_void) -> broch_status>,
    pub before_train: Option<unsafe extern "C" fn(this: *mut c_void) -> broch_status>,
    pub before_epoch: Option<unsafe extern "C" fn(this: *mut c_void) -> broch_status>,
    /// Called before a hooked run. *fetches has bit k set for each fetch k that this callback has
    /// declared (ext/progress.h); clear the bits of those not wanted this time. Feeds are set through
    /// ext/progress.h.
    pub before_run: Option<unsafe extern "C" fn(this: *mut c_void, run: broch_run, fetches: *mut u64 /* in, out */) -> broch_status>,
    /// Called after it. ext/progress.h gives the values that were wanted; they are borrowed until the
    /// last after_run of this run returns.
    pub after_run: Option<unsafe extern "C" fn(this: *mut c_void, run: broch_run) -> broch_status>,
    pub trigger_step: Option<unsafe extern "C" fn(this: *mut c_void) -> broch_status>,
    pub after_epoch: Option<unsafe extern "C" fn(this: *mut c_void) -> broch_status>,
    /// If NULL, trigger is called instead.
    pub trigger_epoch: Option<unsafe extern "C" fn(this: *mut c_void) -> broch_status>,
    /// What this callback does. trigger_epoch, or a wrapper such as periodic-trigger, decides when. It
    /// is also called when the training has ended without a failure, and not within a step, if the
    /// option that the metadata calls "triggers_at_end" is true. The manifest has to list the callback
    /// itself, or with "when".
    pub trigger: Option<unsafe extern "C" fn(this: *mut c_void) -> broch_status>,
    pub after_train: Option<unsafe extern "C" fn(this: *mut c_void) -> broch_status>,
}

// role/dataflow.h: produces data points, finitely many or not. tensorpack: `DataFlow`.
//
// A data point is a list of tensors in plain memory, either in the order of the model's inputs or
// each with the name of an input (ext/data_point.h).
//
// Resuming: with each point a dataflow may set a cursor, which means "continue after this point";
// start_cursor gives the one that means "continue before the first point of this iteration". It
// consists of at most 64 KiB that only the dataflow itself interprets. A checkpoint contains the
// cursor of the last point that a tower consumed. If a dataflow sets no cursors, the host says so
// at the start: such a run can be resumed, but does not give the same bits as one without
// interruption. Source: tensorpack dataflow/base.py.

pub const BROCH_ROLE_DATAFLOW: &CStr = text(b"broch.dataflow/1\0");

pub const BROCH_CURSOR_SIZE_MAX: i32 = 65536;

/// Tells a source that the host wants it to give up waiting. Borrowed for the call. [any]
#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_cancel {
    pub context: *mut c_void,
    /// 1: give up
    pub cancelled: Option<unsafe extern "C" fn(context: *mut c_void) -> i32>,
    /// Sleeps for this time or less, if it is negative without an end. 1: give up.
    pub wait: Option<unsafe extern "C" fn(context: *mut c_void, timeout_nanoseconds: i64) -> i32>,
    /// Becomes readable then, for poll(); never close it. -1, which poll ignores: there is no run that
    /// could be cancelled.
    pub event_fd: Option<unsafe extern "C" fn(context: *mut c_void) -> i32>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_dataflow {
    pub struct_size: u32,
    pub reserved: u32,
    /// (optional) Called once, before the first open: open files, seed generators, start threads.
    /// [main]
    pub reset_state: Option<unsafe extern "C" fn(this: *mut c_void) -> broch_status>,
    /// Starts an iteration: from the beginning (cursor NULL, size 0), or after the point that the
    /// cursor describes. Can be called again at any time, which abandons the current iteration. Each
    /// new beginning may have another order: a shuffling dataflow continues with its next one.
    /// [data]
    pub open: Option<unsafe extern "C" fn(this: *mut c_void, cursor: *const c_void, size: u64) -> broch_status>,
    /// (optional) Between open and the first next: writes the cursor of the place where this iteration
    /// starts; open with it starts there again, in the same order. A component around this one needs
    /// it for a cursor of its own that refers to a round from which it has taken nothing yet, such as
    /// one for a buffer. BROCH_NONE: there is none. [data]
    pub start_cursor: Option<unsafe extern "C" fn(this: *mut c_void, cursor: *const broch_writer) -> broch_status>,
    /// Fills point with the next data point. BROCH_END: the iteration is over and point is untouched.
    /// BROCH_CANCELLED: gave up waiting; return it within 2 seconds after cancel. Report a failure as
    /// a failure, with a message, and never as the end of the data: it ends the run. [data]
    pub next: Option<unsafe extern "C" fn(this: *mut c_void, cancel: *const broch_cancel, point: broch_point) -> broch_status>,
    /// (optional) The number of points of one iteration. BROCH_NONE: unknown or infinite. [main]
    pub size: Option<unsafe extern "C" fn(this: *mut c_void, size: *mut i64 /* out */) -> broch_status>,
}

// role/function.h: computes a number from the progress of the training. tensorpack: a Python
// function that is given to a callback.
//
// An option marked "x-broch-function" is either an expression, which the host evaluates, or a
// component of this role; the component that uses it cannot tell which. Expressions know epoch_num,
// local_step, global_step, value, pi, stat("name"), stop(), arithmetic, comparisons, && || !, ?:
// and functions such as min and sqrt; `broch help expressions` lists them all.

pub const BROCH_ROLE_FUNCTION: &CStr = text(b"broch.function/1\0");

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_function_args {
    /// set by the caller
    pub struct_size: u32,
    pub reserved: u32,
    pub epoch_num: i64,
    pub local_step: i64,
    pub global_step: i64,
    /// the value that the caller is about to replace, or NaN
    pub value: f64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_function {
    pub struct_size: u32,
    pub reserved: u32,
    /// BROCH_NONE: no value, change nothing. BROCH_STOP: end training. [main]
    pub call: Option<unsafe extern "C" fn(this: *mut c_void, args: *const broch_function_args, result: *mut f64 /* out */) -> broch_status>,
}

// role/gradient_processor.h: changes a list of gradients between reduction and update. tensorpack:
// `GradientProcessor`.
//
// process is a description, like a tower function (role/model.h): the host calls it once while the
// graph is set up, with zeros, and later as often as it needs, and replays what was computed.
// Numbers that change are hyper-parameters (ext/hyper_param.h). Whatever the processor has to
// remember is a variable that is LOCAL and not trainable (ext/variables.h), changed through update
// of ext/tower.h with any anchor. If one processor is used in several places (the towers of an
// asynchronous plan, both players of a GAN), a variable name is the same variable in all of them:
// include in it what the place is about. With parameter servers every worker has its own variables,
// and those of rank 0 are saved.
//
// In process, pass scope wherever ext/ops.h, autograd.h, hyper_param.h, variables.h and update of
// tower.h take a tower. Random operators draw the same numbers on all ranks. If a host function
// failed in a call, a result that is 0 reports that failure.
//
// Source: tensorpack tfutils/gradproc.py.

pub const BROCH_ROLE_GRADIENT_PROCESSOR: &CStr = text(b"broch.gradient_processor/1\0");

/// At least one of the two entries is set.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_gradient_processor {
    pub struct_size: u32,
    pub reserved: u32,
    /// (optional) Decides which gradients are used: keep[i] is 1 before the call; set it to 0 to leave
    /// the variable unchanged by this update. Called once for each place where the processor is used.
    /// [main]
    pub keep: Option<unsafe extern "C" fn(this: *mut c_void, variables: *const broch_variable, n: u32, keep: *mut i32 /* in, out: n */) -> broch_status>,
    /// (optional) Receives gradients[0..n), borrowed, of the variables that are kept. Set results[i],
    /// 0 before the call, to the tensor that replaces gradients[i]; its shape must be the same, and
    /// another floating-point dtype is converted. 0: unchanged. Do not write to the gradients.
    /// [step]
    pub process: Option<unsafe extern "C" fn(this: *mut c_void, scope: broch_tower, variables: *const broch_variable, gradients: *const broch_tensor, n: u32, results: *mut broch_tensor /* out: n */) -> broch_status>,
}

// role/indexed.h: a dataflow whose points have numbers, and that can be read at any of them.
//
// A component of role dataflow implements this interface, or that of role/dataflow.h, or both. If
// it has this one, the host reads it by index: from several threads at once, in any order, and a
// resumed run starts at an index instead of reading again what came before. Arrays, files in a
// folder and databases are of this kind; pipes and generators are not.
//
// A point is a function of (round, index). A round is one pass over the data; a dataflow that
// shuffles has another order in each round. What read fills in must not depend on other calls, on
// threads or on ranks.
//
// Cursors: by default the host gives the point at INDEX of ROUND the cursor "ROUND:NEXT", where
// NEXT is INDEX + 1, both decimal. A dataflow that needs another one sets it in read and implements
// locate; a cursor that is set in read without locate is dropped. shard does this, so that a run
// can be resumed with another number of ranks.
//
// Keys: read gives the point a key that stays with it through shuffling, batching and the like
// (key in ext/data_point.h). If it sets none, it gets a hash of round and index.

pub const BROCH_ROLE_INDEXED: &CStr = text(b"broch.indexed/1\0");

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_indexed {
    pub struct_size: u32,
    pub reserved: u32,
    /// (optional) Called once, before everything else: open files, read the index. If the component
    /// implements role/dataflow.h as well, only this one is called. [main]
    pub reset_state: Option<unsafe extern "C" fn(this: *mut c_void) -> broch_status>,
    /// The number of points of one round. BROCH_NONE: unknown, or endless. [any]
    pub size: Option<unsafe extern "C" fn(this: *mut c_void, size: *mut i64 /* out */) -> broch_status>,
    /// Fills point with the point at index of round. BROCH_END: the round ends before this index, and
    /// point is untouched. BROCH_CANCELLED: gave up waiting; return it within 2 seconds after cancel.
    /// [any]
    pub read: Option<unsafe extern "C" fn(this: *mut c_void, round: u64, index: u64, cancel: *const broch_cancel, point: broch_point) -> broch_status>,
    /// (optional) The round and index at which to continue after the point with this cursor, which
    /// read has set, or for "ROUND:0", the beginning of a round. Called before the first read of an
    /// iteration. [data]
    pub locate: Option<unsafe extern "C" fn(this: *mut c_void, cursor: *const c_void, size: u64, round: *mut u64 /* out */, index: *mut u64 /* out */) -> broch_status>,
    /// (optional) Writes what the point at this index is, such as the name of its file, for messages
    /// about it. BROCH_NONE: there is nothing to say. [any]
    pub describe: Option<unsafe extern "C" fn(this: *mut c_void, index: u64, text: *const broch_writer) -> broch_status>,
}

// role/inferencer.h: turns the outputs of an inference pass into numbers. tensorpack: `Inferencer`.
//
// One round: before_inference, on_fetches once per data point, after_inference. Source: tensorpack
// callbacks/inference.py.

pub const BROCH_ROLE_INFERENCER: &CStr = text(b"broch.inferencer/1\0");

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_names {
    pub struct_size: u32,
    pub reserved: u32,
    pub context: *mut c_void,
    /// copied
    pub add: Option<unsafe extern "C" fn(context: *mut c_void, name: *const c_char) -> broch_status>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_scalars {
    pub struct_size: u32,
    pub reserved: u32,
    pub context: *mut c_void,
    pub add: Option<unsafe extern "C" fn(context: *mut c_void, name: *const c_char, value: f64) -> broch_status>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_inferencer {
    pub struct_size: u32,
    pub reserved: u32,
    /// Lists the outputs of the inference tower that it needs, in order. Called once. [main]
    pub fetches: Option<unsafe extern "C" fn(this: *mut c_void, names: *const broch_names) -> broch_status>,
    /// (optional) Called before each round. [main]
    pub before_inference: Option<unsafe extern "C" fn(this: *mut c_void) -> broch_status>,
    /// values[0..n) are in the order of fetches, borrowed for the call. [main]
    pub on_fetches: Option<unsafe extern "C" fn(this: *mut c_void, values: *const broch_tensor, n: u32) -> broch_status>,
    /// Adds the numbers for the monitors, each under its full name. [main]
    pub after_inference: Option<unsafe extern "C" fn(this: *mut c_void, scalars: *const broch_scalars) -> broch_status>,
}

// role/input_source.h: gives each tower its tensors for each step. tensorpack: `InputSource`.
//
// In each step every tower takes a data point of its own. The total batch size is the batch size of
// the source times the number of towers, and shapes may differ between towers.
//
// An input source may also implement the callback interface (role/callback.h). It then gets
// setup_graph, before_train, after_train, before_run and after_run, on every rank, before all other
// callbacks. Source: tensorpack input_source/input_source_base.py.

pub const BROCH_ROLE_INPUT_SOURCE: &CStr = text(b"broch.input_source/1\0");

// Flags of a source.
/// gives points to hooked runs only; evaluating a value outside of them
/// fails if it depends on an input
pub const BROCH_INPUT_FEED: i32 = 1;
/// has no data: every input that is needed has to be fed
pub const BROCH_INPUT_PLACEHOLDER: i32 = 2;
/// prepares points of each tower in advance, so it takes more than it gives
/// out; not for inference, not inside another staged source
pub const BROCH_INPUT_STAGED: i32 = 4;

/// An element of an array, so frozen.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_bytes {
    pub data: *const c_void,
    pub size: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_input_source {
    pub struct_size: u32,
    /// BROCH_INPUT_…
    pub flags: u32,
    /// Called once, with the inputs of the model that it has to provide, borrowed for the call.
    /// [main]
    pub setup: Option<unsafe extern "C" fn(this: *mut c_void, inputs: *const broch_input_spec, n: u32) -> broch_status>,
    /// (optional) Called before reset_state or resume of a training: towers 0 to n - 1 will ask for
    /// points, one after the other in this order. n is at least 1. [main]
    pub set_towers: Option<unsafe extern "C" fn(this: *mut c_void, n: u32) -> broch_status>,
    /// (optional) Starts from the beginning. The trainer calls it before training, an inference runner
    /// before each round. [main]
    pub reset_state: Option<unsafe extern "C" fn(this: *mut c_void) -> broch_status>,
    /// (optional) Called instead of reset_state when a run is resumed: continue after the points that
    /// have been consumed. n: the number of towers, or one more. cursors[t], for t below the number of
    /// towers: that of the last point that tower t consumed (size 0: none). cursors[n - 1] is always
    /// the newest: if that point was not the last tower's, its cursor is repeated at the end.
    /// [main]
    pub resume: Option<unsafe extern "C" fn(this: *mut c_void, cursors: *const broch_bytes, n: u32) -> broch_status>,
    /// Fills point for a tower. Outcomes and rules are those of next in role/dataflow.h. [step]
    pub next: Option<unsafe extern "C" fn(this: *mut c_void, tower: u32, cancel: *const broch_cancel, point: broch_point) -> broch_status>,
    /// (optional) The number of data points of one round. BROCH_NONE: unknown. [main]
    pub size: Option<unsafe extern "C" fn(this: *mut c_void, size: *mut i64 /* out */) -> broch_status>,
    /// (optional) Ends threads and waits for them. Called after training and before destroy; may be
    /// called twice. [main]
    pub stop: Option<unsafe extern "C" fn(this: *mut c_void) -> broch_status>,
}

// role/model.h: the inputs of a model, its tower function and its optimizer. tensorpack:
// `ModelDesc`.
//
// A tower function is a description. The host calls it any number of times: with placeholder values
// once per tower and mode while the graph is set up, and later as often as it needs. In each call
// it must create the same names, variables, collections and outputs, and it keeps no state in self;
// otherwise the host reports an error that names the difference. What changes during training is a
// variable (ext/variables.h) or a hyper-parameter (ext/hyper_param.h), never a C variable.
//
// Source: tensorpack train/model_desc.py, tfutils/tower.py.

pub const BROCH_ROLE_MODEL: &CStr = text(b"broch.model/1\0");

/// One input. An element of an array, so frozen.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_input_spec {
    /// not empty, unique, without ':', '/' and spaces
    pub name: *const c_char,
    /// rank elements; -1: depends on the data point
    pub shape: *const i64,
    /// NULL, or rank elements, each NULL or a name such as "B"; dimensions
    /// with the same name are equal within a data point
    pub dims: *const *const c_char,
    pub rank: u32,
    pub dtype: broch_dtype,
    /// 0
    pub flags: u32,
    /// 0
    pub reserved: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_signature {
    pub struct_size: u32,
    pub reserved: u32,
    pub context: *mut c_void,
    /// copied
    pub add: Option<unsafe extern "C" fn(context: *mut c_void, input: *const broch_input_spec) -> broch_status>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_model {
    pub struct_size: u32,
    pub reserved: u32,
    /// Lists the inputs, in order. Called once. [main]
    pub inputs: Option<unsafe extern "C" fn(this: *mut c_void, signature: *const broch_signature) -> broch_status>,
    /// Builds the model for inputs[0..n), borrowed, in the order of the signature, on the device of
    /// the tower. For training *cost must become a scalar floating-point tensor; for inference it may
    /// stay 0. Publish what others may want to fetch (publish of ext/tower.h). [step]
    pub tower: Option<unsafe extern "C" fn(this: *mut c_void, tower: broch_tower, inputs: *const broch_tensor, n: u32, cost: *mut broch_tensor /* out */) -> broch_status>,
    /// (optional) Fills a data point (through ext/data_point.h) for the set-up of the graph, which
    /// otherwise uses zeros. Needed if zeros are not valid inputs. [main]
    pub example: Option<unsafe extern "C" fn(this: *mut c_void, point: broch_point) -> broch_status>,
    /// (optional) Writes the default optimizer, as the text of a manifest entry, for example
    ///   {"use": "adam", "with": {"learning_rate": 0.001}}
    /// "optimizer" in the manifest overrides it. Called once. [main]
    pub optimizer: Option<unsafe extern "C" fn(this: *mut c_void, entry: *const broch_writer) -> broch_status>,
}

// role/monitor.h: receives scalars, images, summaries and events. tensorpack: `TrainingMonitor`.
//
// A monitor may also implement the callback interface; it then gets the events of role/callback.h
// after all callbacks. Monitors run on every rank. A scalar that is put (ext/metrics.h) is passed
// to process_scalar of every monitor in order, then to process_summary of every monitor. A failure
// of a monitor is logged and counted, and does not end the training; only setup_graph, before_train
// and the state (broch.state/1) are as for other components. Source: tensorpack
// callbacks/monitor.py.
//
// The training waits while a monitor is called, unless the monitor has a queue (queued). Then the
// host copies what the monitor is to receive, and calls it later on a thread of the host, as
// [data]: the functions of this table, and of the callback interface before_epoch, trigger_step,
// after_epoch, trigger_epoch and trigger. These calls come one after another, in the order in which
// things happened. All others are [main] as usual, such as before_train, after_train and those that
// save the state; what was queued before is delivered first, so no two calls ever overlap. In a
// queued call, progress of ext/progress.h has the counters as they were when it was queued.
// trigger_step may be left out after a step since which nothing was reported. Queued calls return
// BROCH_OK or a failure, and may use functions of the host that are [any]. before_run and after_run
// must be NULL. What the monitor is too slow for is dropped, and the log says how much that was.

pub const BROCH_ROLE_MONITOR: &CStr = text(b"broch.monitor/1\0");

/// The event with which the host says how the training has ended, just before after_train; on every
/// rank, unless the process crashes or is killed. data is JSON:
///   {"outcome": "finished", "reason": "", "exit_code": 0}
/// outcome: "finished" after the last epoch, "stopped" by a component or the end of the data,
/// "interrupted" by a signal or broch ctl stop, "failed". reason: what the log says about it.
pub const BROCH_EVENT_TRAINING_ENDED: &CStr = text(b"broch.training-ended\0");

/// scalar
pub const BROCH_SUMMARY_SCALAR: i32 = 1;
/// tensor: any shape, float64, on the CPU
pub const BROCH_SUMMARY_HISTOGRAM: i32 = 2;
/// tensor: uint8 (height, width, channels) with 1, 3 or 4 channels
pub const BROCH_SUMMARY_IMAGE: i32 = 3;
/// bytes, size: UTF-8; shown as Markdown where that is possible
pub const BROCH_SUMMARY_TEXT: i32 = 4;
/// tensor: float32 (frames, channels), -1 to 1, on the CPU; scalar:
/// frames per second
pub const BROCH_SUMMARY_AUDIO: i32 = 5;
/// tensor: float64 (4, n), on the CPU: how many samples are true
/// positives, false positives, true negatives and false negatives
/// if those with a score of at least i / (n - 1) are positive
pub const BROCH_SUMMARY_PR_CURVE: i32 = 6;

/// One value of a summary. The tag is already cleaned: without the prefix of a tower and without
/// "-summary". An element of an array, so frozen. Borrowed for the call.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_summary_value {
    pub tag: *const c_char,
    /// BROCH_SUMMARY_…; ignore kinds that you do not know
    pub kind: i32,
    pub reserved: u32,
    pub scalar: f64,
    pub tensor: *const broch_dl_tensor,
    pub bytes: *const c_void,
    pub size: u64,
}

/// All entries are optional. All [main], or [data] if queued is 1.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_monitor {
    pub struct_size: u32,
    pub reserved: u32,
    pub process_scalar: Option<unsafe extern "C" fn(this: *mut c_void, name: *const c_char, value: f64) -> broch_status>,
    pub process_summary: Option<unsafe extern "C" fn(this: *mut c_void, values: *const broch_summary_value, n: u32) -> broch_status>,
    /// image: uint8 (N, height, width, channels), 0 to 255, on the CPU.
    pub process_image: Option<unsafe extern "C" fn(this: *mut c_void, name: *const c_char, image: *const broch_dl_tensor) -> broch_status>,
    /// An event that a component has defined itself. kind: a reversed domain name; data: its text.
    pub process_event: Option<unsafe extern "C" fn(this: *mut c_void, kind: *const c_char, data: *const c_void, size: u64) -> broch_status>,
    /// 1: the monitor has a queue; 0: it has none
    pub queued: u32,
    pub reserved_2: u32,
}

// role/optimizer.h: an update rule. TensorFlow: `tf.train.Optimizer`.
//
// spec lists the numbers and the memory that the rule uses. update is a description, like a
// tower function (role/model.h): the host calls it once while the graph is set up, with zeros, and
// later as often as it needs, and replays what was computed. The memory of the rule are its slots:
// variables named "{variable}/{slot}" with the dtype of the variable and, unless slot_shape says
// otherwise, its shape, which are saved and resumed with it. Numbers that change are
// hyper-parameters, for example "learning_rate"; callbacks set them by name.
//
// Keep all memory in slots: a parameter server saves no other variables. Random operators draw the
// same numbers on all ranks. If a host function failed in a call of update, a new tensor that is 0
// reports that failure.
//
// Source: torch.optim.Optimizer; tensorpack tfutils/optimizer.py.

pub const BROCH_ROLE_OPTIMIZER: &CStr = text(b"broch.optimizer/1\0");

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_optimizer_spec {
    pub struct_size: u32,
    pub reserved: u32,
    pub context: *mut c_void,
    /// Adds a hyper-parameter with its initial value, usually an option. Names are unique, not empty
    /// and without '/'.
    pub hyper_param: Option<unsafe extern "C" fn(context: *mut c_void, name: *const c_char, initial: f64) -> broch_status>,
    /// Adds a slot for each variable, with the initial value of its elements. Names as above.
    pub slot: Option<unsafe extern "C" fn(context: *mut c_void, name: *const c_char, initial: f64) -> broch_status>,
}

/// What an update works on, borrowed for the call: n variables. In a list of slots, slot k of
/// variable i is at k * n + i; slots and hyper-parameters are in the order of spec.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_update {
    pub struct_size: u32,
    pub n: u32,
    /// Pass it where ext/ops.h, autograd.h, hyper_param.h and variables.h take a tower.
    pub scope: broch_tower,
    pub variables: *const broch_variable,
    pub values: *const broch_tensor,
    /// same dtype and shape as the values
    pub gradients: *const broch_tensor,
    pub slots: *const broch_tensor,
    /// float64, 0-dim, in the order of spec
    pub hyper_params: *const broch_tensor,
    /// int64, 0-dim: the number of this update, from 1; 0 during set-up
    pub number: broch_tensor,
    /// out: 0 before the call; the new tensor, of the same shape as the old one; another
    /// floating-point dtype is converted; 0: unchanged
    pub new_values: *mut broch_tensor,
    pub new_slots: *mut broch_tensor,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_optimizer {
    pub struct_size: u32,
    pub reserved: u32,
    /// (optional) Called before the first update, for each node that updates with this rule; always
    /// lists the same. The slot names step, accum_grad, accum_step, lookahead and lookahead_step are
    /// reserved for the host. [main]
    pub spec: Option<unsafe extern "C" fn(this: *mut c_void, spec: *const broch_optimizer_spec) -> broch_status>,
    /// Computes the new values and slots. Do not write to the given tensors; the host writes all new
    /// ones together. Called once per list of variables with one dtype and device. [step]
    pub update: Option<unsafe extern "C" fn(this: *mut c_void, update: *const broch_update) -> broch_status>,
    /// (optional) Sets the shape of a slot whose shape is not that of its variable. slot: its number
    /// in the order of spec. shape and rank: in: those of the variable; out: those of the slot; there
    /// is room for BROCH_RANK_MAX elements. Called before the first update; always answers the same.
    /// [main]
    pub slot_shape: Option<unsafe extern "C" fn(this: *mut c_void, slot: u32, shape: *mut i64, rank: *mut u32) -> broch_status>,
}

// role/session_init.h: gives variables their values before training. tensorpack: `SessionInit`.
//
// It runs once, on the chief, after the initializers and before before_train. It does not run when
// a training is resumed, because resuming loads every variable. Source: tensorpack
// tfutils/sessinit.py.

pub const BROCH_ROLE_SESSION_INIT: &CStr = text(b"broch.session_init/1\0");

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_session_init {
    pub struct_size: u32,
    pub reserved: u32,
    /// Assigns values through ext/variables.h or ext/checkpoint.h. [main]
    pub init: Option<unsafe extern "C" fn(this: *mut c_void) -> broch_status>,
}

// role/sink.h: writes data points into a file, or sends them to an address. `broch data convert
// --to TARGET` reads a dataflow and gives its points to the sink whose metadata list the extension
// of the target: the end of a file's name, such as ".npz", or, if it ends with "://", the beginning
// of an address, such as "tcp://". tensorpack: `dataflow/serialize.py`, `send_dataflow_zmq`.
//
// An instance has one target: open, put for each point, close. If one of them fails, or the
// conversion is interrupted, close is not called, and what was written into files is removed.

pub const BROCH_ROLE_SINK: &CStr = text(b"broch.sink/1\0");

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_sink {
    pub struct_size: u32,
    pub reserved: u32,
    /// path is a file, which does not exist yet, in a new, empty folder. Whatever is in that folder
    /// after close is moved to the place that the user named, so a sink may write several files, with
    /// names that begin like that of path. If the extension is the beginning of an address, path is
    /// the address as the user wrote it, such as "tcp://HOST:5555", and there is no folder. [data]
    pub open: Option<unsafe extern "C" fn(this: *mut c_void, path: *const c_char) -> broch_status>,
    /// Adds a data point. Its components may be viewed during the call. BROCH_CANCELLED: gave up
    /// waiting, as cancel of ext/data_point.h asked for. [data]
    pub put: Option<unsafe extern "C" fn(this: *mut c_void, point: broch_point) -> broch_status>,
    /// Completes what was written; waits until what was sent is taken. BROCH_CANCELLED: as put.
    /// [data]
    pub close: Option<unsafe extern "C" fn(this: *mut c_void) -> broch_status>,
}

// role/trainer.h: defines what one step is, over towers. tensorpack: `Trainer` and its subclasses.
//
// setup_graph builds one or more plans (ext/plan.h). run_step says which of them run, and in which
// order; without it the default plan runs once, hooked. A training other than gradient descent
// defines run_step and may do anything in it, with or without hooked runs. The only assumption is
// that training consists of steps in a loop.
//
// A trainer may also implement the callback interface, for callbacks of its own; they are
// registered after those of the input source and before the step counter.

pub const BROCH_ROLE_TRAINER: &CStr = text(b"broch.trainer/1\0");

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_trainer {
    pub struct_size: u32,
    pub reserved: u32,
    /// Builds and seals the plans. Called once. [main]
    pub setup_graph: Option<unsafe extern "C" fn(this: *mut c_void) -> broch_status>,
    /// (optional) Does one step. BROCH_STOP or BROCH_END ends training without an error; return what
    /// run of ext/plan.h returned. BROCH_CANCELLED: a wait was ended by cancel of ext/data_point.h;
    /// the run ends as after a signal, and when it is resumed, this step is repeated. So no plan may
    /// have run in this step, and no data point may have been taken. [main]
    pub run_step: Option<unsafe extern "C" fn(this: *mut c_void) -> broch_status>,
}

// role/transform.h: makes a data point from a data point: decodes, crops, normalizes, drops.
// tensorpack: the function of `MapData`, `Augmentor`.
//
// A transform is pure: what it makes depends on the point, its options and seed, and on nothing
// else. So it may be called from any thread at any time, and the result is the same with any number
// of threads and ranks, and in a resumed run. The dataflow `map` applies a list of transforms.

pub const BROCH_ROLE_TRANSFORM: &CStr = text(b"broch.transform/1\0");

// Flags of a transform.
/// makes any number of points from one, and emits each of them
pub const BROCH_TRANSFORM_MANY: i32 = 1;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_transform {
    pub struct_size: u32,
    /// BROCH_TRANSFORM_…
    pub flags: u32,
    /// Fills out, which is empty, from in. The content of in may be moved to out (move_component of
    /// ext/data_point.h); afterwards in is cleared.
    ///
    /// seed: for random numbers (draws.h). The host makes it from the seed of the run, the name of
    /// this instance and the key of the point, and not from the rank. A parent that calls a child
    /// passes the key of the point here (ext/data_point.h).
    ///
    /// With BROCH_TRANSFORM_MANY: pass each point on with emit of ext/data_point.h. None: the point is
    /// dropped. What is left in out at the end is not passed on. [any]
    pub apply: Option<unsafe extern "C" fn(this: *mut c_void, seed: u64, r#in: broch_point, out: broch_point) -> broch_status>,
}

// status.h: what functions return.
//
//   0         success
//   positive  an outcome that the comment of the entry lists; not a failure
//   negative  a failure. A plugin gives the reason through host->fail; after a host function has
//             failed, host->last_error returns it
//
// The outcomes of an entry never grow; a new outcome comes with a new entry. Treat a failure that
// you do not know as BROCH_E_UNKNOWN.
//
// Any other value breaks the contract and ends the run with a message that names the plugin. No
// exception crosses the interface in either direction.

pub type broch_status = i32;

pub const BROCH_OK: i32 = 0;
/// Outcomes.
/// no more data; in training this ends the run normally
pub const BROCH_END: i32 = 1;
/// ends training without an error; tensorpack: `StopTraining`
pub const BROCH_STOP: i32 = 2;
/// stopped waiting because the host asked for it
pub const BROCH_CANCELLED: i32 = 3;
/// there is no value: nothing to set, nothing recorded yet
pub const BROCH_NONE: i32 = 4;
/// Failures. The numbers are those of the Abseil status codes (absl::StatusCode), negated.
pub const BROCH_E_UNKNOWN: i32 = -2;
/// the argument is wrong, whatever the state is
pub const BROCH_E_INVALID_ARGUMENT: i32 = -3;
/// took longer than allowed
pub const BROCH_E_DEADLINE: i32 = -4;
/// no such name, file or extension
pub const BROCH_E_NOT_FOUND: i32 = -5;
/// the name is already in use
pub const BROCH_E_ALREADY_EXISTS: i32 = -6;
/// no permission
pub const BROCH_E_PERMISSION: i32 = -7;
/// out of memory or disk space, or a limit is exceeded
pub const BROCH_E_RESOURCE_EXHAUSTED: i32 = -8;
/// not possible now: wrong state, thread or order of calls
pub const BROCH_E_FAILED_PRECONDITION: i32 = -9;
pub const BROCH_E_ABORTED: i32 = -10;
pub const BROCH_E_OUT_OF_RANGE: i32 = -11;
/// not available; from a plugin without a reason: as a NULL entry
pub const BROCH_E_UNIMPLEMENTED: i32 = -12;
pub const BROCH_E_INTERNAL: i32 = -13;
/// a device, a library or a peer is not available
pub const BROCH_E_UNAVAILABLE: i32 = -14;
/// data that is damaged or cannot be read
pub const BROCH_E_DATA_LOSS: i32 = -15;
/// a number that must be finite is not; exit code 6
pub const BROCH_E_NUMBERS: i32 = -100;

// threads.h: what the tags in [brackets] on function pointers mean.
//
// A tag names a role, not an operating system thread. Calls with the same tag on one instance never
// overlap, except for [any].
//
//   [main]  the controlling role: create, destroy, setup_graph, callbacks, triggers, checkpoints.
//           Only one such call runs at a time in the whole run.
//   [step]  inside a training or inference step: tower functions, backward functions. Tower calls
//           of one model instance take turns; while one of them waits in all_reduce (ext/tower.h),
//           others continue. Calls of different instances may overlap.
//   [data]  the producer of one data source: open, next. Never two calls at once on one instance;
//           they may overlap with everything else.
//   [any]   may be called from every thread at any time, also concurrently.
//
// A plugin may call a host function tagged [main] wherever the plugin itself is being called as
// [main], and so on. A thread that the plugin has started first calls thread_enter of ext/scope.h;
// it then has the role [data] for that instance. Whatever is valid only within a scope must not be
// used on another thread.

// value.h: handles, dtypes and the tagged value that operators take.
//
// A handle is an opaque 64-bit number; 0 means none. It contains scope, generation and index and is
// checked on every use: using a stale handle, or one of another thread or another tower call, is a
// failure with a message and never undefined behavior.
//
//   borrowed  valid on its own thread until its scope ends. The scope is the call from the host in
//             which the plugin is, or the innermost scope that it has pushed (ext/scope.h). Handles
//             that host functions return are borrowed unless their comment says owned.
//   owned     valid on all threads of its instance until it is released (retain, ext/tensor.h).

pub type broch_tensor = u64;

/// valid for the whole run
pub type broch_variable = u64;

/// valid for the whole run
pub type broch_op = u64;

/// one call of a tower function; borrowed
pub type broch_tower = u64;

/// valid for the whole run
pub type broch_plan = u64;

/// valid for the whole run
pub type broch_node = u64;

/// one hooked run, in before_run and after_run; borrowed
pub type broch_run = u64;

/// one data point; owned if made with point_new, else borrowed
pub type broch_point = u64;

/// valid as long as the instance that made it; not in others
pub type broch_predictor = u64;

/// valid as long as the instance that made it; not in others
pub type broch_operation = u64;

/// valid as long as the instance that made it
pub type broch_async_predictor = u64;

// Element types. The numbers are Broch's own and frozen.
pub const BROCH_FLOAT32: i32 = 1;
pub const BROCH_FLOAT64: i32 = 2;
pub const BROCH_FLOAT16: i32 = 3;
pub const BROCH_BFLOAT16: i32 = 4;
pub const BROCH_INT8: i32 = 5;
pub const BROCH_INT16: i32 = 6;
pub const BROCH_INT32: i32 = 7;
pub const BROCH_INT64: i32 = 8;
pub const BROCH_UINT8: i32 = 9;
pub const BROCH_BOOL: i32 = 10;
pub const BROCH_COMPLEX64: i32 = 11;
pub const BROCH_COMPLEX128: i32 = 12;

pub type broch_dtype = i32;

// What a reduction computes, in every interface that has one.
pub const BROCH_REDUCE_SUM: i32 = 1;
pub const BROCH_REDUCE_MEAN: i32 = 2;
pub const BROCH_REDUCE_MIN: i32 = 3;
pub const BROCH_REDUCE_MAX: i32 = 4;

// Tags of broch_value. len is used by the list tags and by STR.
pub const BROCH_TAG_NONE: i32 = 0;
/// u.tensor; 0: undefined tensor
pub const BROCH_TAG_TENSOR: i32 = 1;
/// u.i64; also accepted where the operator takes a float or Scalar
pub const BROCH_TAG_INT: i32 = 2;
/// u.f64
pub const BROCH_TAG_DOUBLE: i32 = 3;
/// u.i64, 0 or 1
pub const BROCH_TAG_BOOL: i32 = 4;
/// u.str, len bytes, UTF-8
pub const BROCH_TAG_STR: i32 = 5;
/// u.i64, a broch_dtype
pub const BROCH_TAG_DTYPE: i32 = 6;
/// u.i64s
pub const BROCH_TAG_INTS: i32 = 7;
/// u.f64s
pub const BROCH_TAG_DOUBLES: i32 = 8;
/// u.tensors; an element 0: no tensor
pub const BROCH_TAG_TENSORS: i32 = 9;
/// u.bools, one byte per element
pub const BROCH_TAG_BOOLS: i32 = 10;

#[repr(C)]
#[derive(Clone, Copy)]
pub union broch_value_u {
    pub tensor: broch_tensor,
    pub i64: i64,
    pub f64: f64,
    pub str: *const c_char,
    pub i64s: *const i64,
    pub f64s: *const f64,
    pub tensors: *const broch_tensor,
    pub bools: *const u8,
}

/// 16 bytes, frozen. Tags without a name are refused. Lists are borrowed for the call.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_value {
    pub tag: u32,
    pub len: u32,
    pub u: broch_value_u,
}

/// Receives bytes whose size the callee does not know in advance. write copies them at once.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct broch_writer {
    pub context: *mut c_void,
    pub write: Option<unsafe extern "C" fn(context: *mut c_void, bytes: *const c_void, size: u64) -> broch_status>,
}

// version.h: the version of this interface.
//
// Before version 1.0, a host only loads plugins that were built for its own version 0.minor; for
// others it says which rebuild is needed. From 1.0 on, a library that was built with any header of
// a major version loads in every later host of that major version. The major version is also part
// of the name of the exported symbol (entry.h), so that one library can carry entries for two of
// them; version 0 already has the name of version 1.

pub const BROCH_ABI_MAJOR: i32 = 0;

pub const BROCH_ABI_MINOR: i32 = 2;

unsafe impl Table for broch_host_async_predict {
    const ID: &'static CStr = BROCH_EXT_ASYNC_PREDICT;
}
unsafe impl Table for broch_host_autograd {
    const ID: &'static CStr = BROCH_EXT_AUTOGRAD;
}
unsafe impl Table for broch_host_checkpoint {
    const ID: &'static CStr = BROCH_EXT_CHECKPOINT;
}
unsafe impl Table for broch_host_collections {
    const ID: &'static CStr = BROCH_EXT_COLLECTIONS;
}
unsafe impl Table for broch_host_config {
    const ID: &'static CStr = BROCH_EXT_CONFIG;
}
unsafe impl Table for broch_host_data_point {
    const ID: &'static CStr = BROCH_EXT_DATA_POINT;
}
unsafe impl Table for broch_host_device {
    const ID: &'static CStr = BROCH_EXT_DEVICE;
}
unsafe impl Table for broch_host_dist {
    const ID: &'static CStr = BROCH_EXT_DIST;
}
unsafe impl Table for broch_host_hyper_param {
    const ID: &'static CStr = BROCH_EXT_HYPER_PARAM;
}
unsafe impl Table for broch_host_input {
    const ID: &'static CStr = BROCH_EXT_INPUT;
}
unsafe impl Table for broch_host_instance {
    const ID: &'static CStr = BROCH_EXT_INSTANCE;
}
unsafe impl Table for broch_host_kernel {
    const ID: &'static CStr = BROCH_EXT_KERNEL;
}
unsafe impl Table for broch_host_log_dir {
    const ID: &'static CStr = BROCH_EXT_LOG_DIR;
}
unsafe impl Table for broch_host_metrics {
    const ID: &'static CStr = BROCH_EXT_METRICS;
}
unsafe impl Table for broch_host_model_graph {
    const ID: &'static CStr = BROCH_EXT_MODEL_GRAPH;
}
unsafe impl Table for broch_host_operation {
    const ID: &'static CStr = BROCH_EXT_OPERATION;
}
unsafe impl Table for broch_host_ops {
    const ID: &'static CStr = BROCH_EXT_OPS;
}
unsafe impl Table for broch_host_plan {
    const ID: &'static CStr = BROCH_EXT_PLAN;
}
unsafe impl Table for broch_host_predict {
    const ID: &'static CStr = BROCH_EXT_PREDICT;
}
unsafe impl Table for broch_host_profile {
    const ID: &'static CStr = BROCH_EXT_PROFILE;
}
unsafe impl Table for broch_host_progress {
    const ID: &'static CStr = BROCH_EXT_PROGRESS;
}
unsafe impl Table for broch_host_rng {
    const ID: &'static CStr = BROCH_EXT_RNG;
}
unsafe impl Table for broch_host_scope {
    const ID: &'static CStr = BROCH_EXT_SCOPE;
}
unsafe impl Table for broch_host_summary {
    const ID: &'static CStr = BROCH_EXT_SUMMARY;
}
unsafe impl Table for broch_host_tensor {
    const ID: &'static CStr = BROCH_EXT_TENSOR;
}
unsafe impl Table for broch_host_tower {
    const ID: &'static CStr = BROCH_EXT_TOWER;
}
unsafe impl Table for broch_host_ui {
    const ID: &'static CStr = BROCH_EXT_UI;
}
unsafe impl Table for broch_host_variables {
    const ID: &'static CStr = BROCH_EXT_VARIABLES;
}
unsafe impl Table for broch_plugin_options {
    const ID: &'static CStr = BROCH_PLUGIN_OPTIONS;
}
unsafe impl Table for broch_plugin_service {
    const ID: &'static CStr = BROCH_PLUGIN_SERVICE;
}
unsafe impl Table for broch_plugin_state {
    const ID: &'static CStr = BROCH_PLUGIN_STATE;
}
unsafe impl Table for broch_callback {
    const ID: &'static CStr = BROCH_ROLE_CALLBACK;
}
unsafe impl Table for broch_dataflow {
    const ID: &'static CStr = BROCH_ROLE_DATAFLOW;
}
unsafe impl Table for broch_function {
    const ID: &'static CStr = BROCH_ROLE_FUNCTION;
}
unsafe impl Table for broch_gradient_processor {
    const ID: &'static CStr = BROCH_ROLE_GRADIENT_PROCESSOR;
}
unsafe impl Table for broch_indexed {
    const ID: &'static CStr = BROCH_ROLE_INDEXED;
}
unsafe impl Table for broch_inferencer {
    const ID: &'static CStr = BROCH_ROLE_INFERENCER;
}
unsafe impl Table for broch_input_source {
    const ID: &'static CStr = BROCH_ROLE_INPUT_SOURCE;
}
unsafe impl Table for broch_model {
    const ID: &'static CStr = BROCH_ROLE_MODEL;
}
unsafe impl Table for broch_monitor {
    const ID: &'static CStr = BROCH_ROLE_MONITOR;
}
unsafe impl Table for broch_optimizer {
    const ID: &'static CStr = BROCH_ROLE_OPTIMIZER;
}
unsafe impl Table for broch_session_init {
    const ID: &'static CStr = BROCH_ROLE_SESSION_INIT;
}
unsafe impl Table for broch_sink {
    const ID: &'static CStr = BROCH_ROLE_SINK;
}
unsafe impl Table for broch_trainer {
    const ID: &'static CStr = BROCH_ROLE_TRAINER;
}
unsafe impl Table for broch_transform {
    const ID: &'static CStr = BROCH_ROLE_TRANSFORM;
}

