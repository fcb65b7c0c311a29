//! The roles as traits. Implement one for a component inside [`role!`](crate::role!), override what
//! you need, and list it in [`plugin!`](crate::plugin!). The C headers describe the functions.
//!
//! A method with `&mut self` must not make the host call the same instance again, as a plan, a
//! predictor or a metric may do: the inner call fails.
use crate::data::{Cancel, PointReader, PointWriter, Position};
use crate::draws::Draws;
use crate::options::Options;
use crate::tensor::View;
use crate::{sys, Dtype, Host, Result, Tensor, Tower};

/// Around the impl of a role: notes which methods it overrides, so that the host does not call the
/// others. Some have a meaning by being there; a source without resume starts over, for example.
///
/// ```text
/// broch::role! {
///     impl Callback for LossWatch {
///         fn trigger(&mut self) -> broch::Result<()> {
///             …
///         }
///     }
/// }
/// ```
#[macro_export]
macro_rules! role {
    (
        impl $Role:ident for $component:ty {
            $(const $constant:ident: $kind:ty = $value:expr;)*
            $(
                $(#[$attribute:meta])*
                fn $method:ident $(<$life:lifetime>)? ($($argument:tt)*) -> $result:ty $body:block
            )*
        }
    ) => {
        impl $crate::$Role for $component {
            const METHODS: &'static [&'static str] = &[$(stringify!($method)),*];
            $(const $constant: $kind = $value;)*
            $(
                $(#[$attribute])*
                fn $method $(<$life>)? ($($argument)*) -> $result $body
            )*
        }
    };
}

/// What all components are: made from their options, and dropped at the end.
pub trait Component: Send + Sized + 'static {
    type Options: Options;
    /// Takes at most 10 seconds. Ask the host for what is needed later, and keep it.
    fn new(host: Host, options: Self::Options) -> Result<Self>;
}

pub trait Callback: Component {
    #[doc(hidden)]
    const METHODS: &'static [&'static str];
    fn setup_graph(&mut self) -> Result<()> {
        Ok(())
    }
    fn before_train(&mut self) -> Result<()> {
        Ok(())
    }
    fn after_train(&mut self) -> Result<()> {
        Ok(())
    }
    fn before_epoch(&mut self) -> Result<()> {
        Ok(())
    }
    fn after_epoch(&mut self) -> Result<()> {
        Ok(())
    }
    /// fetches has a bit for each fetch that was declared. Returns the bits of those that are
    /// wanted in this run.
    fn before_run(&mut self, _run: sys::broch_run, fetches: u64) -> Result<u64> {
        Ok(fetches)
    }
    fn after_run(&mut self, _run: sys::broch_run) -> Result<()> {
        Ok(())
    }
    fn trigger_step(&mut self) -> Result<()> {
        Ok(())
    }
    /// Not overridden: trigger is called.
    fn trigger_epoch(&mut self) -> Result<()> {
        Ok(())
    }
    fn trigger(&mut self) -> Result<()> {
        Ok(())
    }
}

/// A value of a summary.
pub enum Summary<'v> {
    Scalar(f64),
    Histogram(View<'v>),
    Image(View<'v>),
    Text(&'v str),
}

pub trait Monitor: Component {
    #[doc(hidden)]
    const METHODS: &'static [&'static str];
    /// Whether it has a queue; see role/monitor.h.
    const QUEUED: bool = false;
    fn process_scalar(&mut self, _name: &str, _value: f64) -> Result<()> {
        Ok(())
    }
    /// Called for each value of a summary whose kind this crate knows.
    fn process_summary(&mut self, _tag: &str, _value: &Summary) -> Result<()> {
        Ok(())
    }
    /// image: u8, (N, height, width, channels).
    fn process_image(&mut self, _name: &str, _image: View) -> Result<()> {
        Ok(())
    }
    fn process_event(&mut self, _kind: &str, _data: &[u8]) -> Result<()> {
        Ok(())
    }
}

/// One input of a model.
pub struct Input {
    pub name: String,
    pub dtype: Dtype,
    /// -1: depends on the data point.
    pub shape: Vec<i64>,
    /// Names of the first dimensions; "": none.
    pub dims: Vec<String>,
}

impl Input {
    pub fn new(name: &str, dtype: Dtype, shape: &[i64], dims: &[&str]) -> Input {
        let dims = dims.iter().map(|dim| dim.to_string()).collect();
        Input { name: name.to_string(), dtype, shape: shape.to_vec(), dims }
    }
}

/// The tower function is called for several towers, which may wait for each other, so it gets
/// `&self`: what changes during training is a variable.
pub trait Model: Component + Sync {
    #[doc(hidden)]
    const METHODS: &'static [&'static str];
    fn inputs(&self) -> Result<Vec<Input>>;
    /// Builds the model for inputs, which are in the order of inputs(). Returns the cost, a scalar;
    /// in inference it may be undefined.
    fn tower<'t>(&self, t: &'t Tower, inputs: &[Tensor<'t>]) -> Result<Tensor<'t>>;
    /// Fills a data point for the set-up of the graph. Override it if zeros are not valid inputs.
    fn example(&self, _point: &mut PointWriter) -> Result<()> {
        Ok(())
    }
    /// The default optimizer as a manifest entry, such as {"use": "adam"}.
    fn optimizer(&self) -> Result<String> {
        Ok(String::new())
    }
}

/// A variable and its gradient.
pub struct Gradient<'t> {
    pub name: String,
    pub variable: sys::broch_variable,
    /// Replace it; do not write to it.
    pub gradient: Tensor<'t>,
}

pub trait GradientProcessor: Component + Sync {
    #[doc(hidden)]
    const METHODS: &'static [&'static str];
    /// Whether the variable with this name is updated. false: it stays as it is.
    fn keep(&self, _name: &str) -> Result<bool> {
        Ok(true)
    }
    /// Replaces gradients, each by one of the same shape.
    fn process<'t>(&self, _t: &'t Tower, _gradients: &mut [Gradient<'t>]) -> Result<()> {
        Ok(())
    }
}

/// The numbers and the memory of an update rule, with their initial values.
#[derive(Default)]
pub struct Spec {
    pub hyper_params: Vec<(String, f64)>,
    pub slots: Vec<(String, f64)>,
}

impl Spec {
    pub fn hyper_param(mut self, name: &str, initial: f64) -> Spec {
        self.hyper_params.push((name.to_string(), initial));
        self
    }
    pub fn slot(mut self, name: &str, initial: f64) -> Spec {
        self.slots.push((name.to_string(), initial));
        self
    }
}

/// A variable in an update.
pub struct Parameter<'t> {
    pub name: String,
    pub variable: sys::broch_variable,
    pub gradient: Tensor<'t>,
    /// Replace value and slots with the new ones; do not write to them.
    pub value: Tensor<'t>,
    pub slots: Vec<Tensor<'t>>,
}

pub trait Optimizer: Component + Sync {
    #[doc(hidden)]
    const METHODS: &'static [&'static str];
    /// Always the same for an instance.
    fn spec(&self) -> Spec {
        Spec::default()
    }
    /// The shape of a slot of a variable with this shape. slot: its place in the spec.
    fn slot_shape(&self, _slot: usize, shape: &[i64]) -> Result<Vec<i64>> {
        Ok(shape.to_vec())
    }
    /// Replaces value and slots of each parameter. hyper_params: float64, 0-dim, in the order of the
    /// spec. number: int64, 0-dim, counts the updates from 1; 0 during set-up.
    fn update<'t>(
        &self,
        t: &'t Tower,
        parameters: &mut [Parameter<'t>],
        hyper_params: &[Tensor<'t>],
        number: Tensor<'t>,
    ) -> Result<()>;
}

pub trait DataFlow: Component {
    #[doc(hidden)]
    const METHODS: &'static [&'static str];
    fn reset_state(&mut self) -> Result<()> {
        Ok(())
    }
    /// cursor []: start from the beginning; otherwise continue after the point that it describes.
    fn open(&mut self, cursor: &[u8]) -> Result<()>;
    /// Called between open and the first next: the cursor of the place where this iteration starts.
    /// open with it starts there again, in the same order. None: there is none.
    fn start_cursor(&mut self) -> Result<Option<Vec<u8>>> {
        Ok(None)
    }
    /// Fills point with the next data point. false: the iteration is over.
    fn next(&mut self, cancel: &Cancel, point: &mut PointWriter) -> Result<bool>;
    /// The number of points of one iteration. None: unknown or infinite.
    fn size(&self) -> Result<Option<i64>> {
        Ok(None)
    }
}

/// A dataflow whose points have numbers and that is read by index, see role/indexed.h. In
/// [`plugin!`](crate::plugin!) it stands for the role dataflow. A component may implement
/// [`DataFlow`] as well; then the host reads it by index whenever indexed returns true.
pub trait Indexed: Component + Sync {
    #[doc(hidden)]
    const METHODS: &'static [&'static str];
    fn reset_state(&mut self) -> Result<()> {
        Ok(())
    }
    /// Whether it can be read by index: false in a dataflow around one that cannot. Always the same
    /// for one instance.
    fn indexed(&self) -> bool {
        true
    }
    /// The number of points of one round. None: unknown or endless. Any thread.
    fn size(&self) -> Result<Option<i64>>;
    /// Fills point with the point at this position. false: the round ends before it. Called on
    /// several threads at once.
    fn read(&self, at: Position, cancel: &Cancel, point: &mut PointWriter) -> Result<bool>;
    /// Whether read sets cursors that only locate understands: by default if that is overridden.
    /// Always the same for one instance.
    fn has_locate(&self) -> bool {
        crate::tables::overrides(Self::METHODS, "locate")
    }
    /// The position at which to continue after the point with this cursor.
    fn locate(&self, cursor: &[u8]) -> Result<Position> {
        Position::of_cursor(cursor, "a dataflow that is read by index")
    }
    /// What the point at this index is, such as the name of its file, for messages. Any thread.
    fn describe(&self, _index: u64) -> Option<String> {
        None
    }
}

/// Makes a point from a point, see role/transform.h.
pub trait Transform: Component + Sync {
    #[doc(hidden)]
    const METHODS: &'static [&'static str];
    /// true: it makes none or several points from one, and calls [`PointWriter::emit`] after each.
    const MANY: bool = false;
    /// Fills out, which is empty. The content of input may be moved to it. All random numbers come
    /// from draws. Called on several threads at once.
    fn apply(&self, input: &mut PointReader, out: &mut PointWriter, draws: Draws) -> Result<()>;
}

/// Writes data points into a file, or sends them to an address, see role/sink.h. `extensions` in
/// its metadata says into or to which.
pub trait Sink: Component {
    #[doc(hidden)]
    const METHODS: &'static [&'static str];
    fn open(&mut self, path: &str) -> Result<()>;
    fn put(&mut self, point: &PointReader) -> Result<()>;
    fn close(&mut self) -> Result<()>;
}

pub trait InputSource: Component {
    #[doc(hidden)]
    const METHODS: &'static [&'static str];
    /// BROCH_INPUT_… of [`sys`].
    const FLAGS: i32 = 0;
    fn setup(&mut self, inputs: &[Input]) -> Result<()>;
    fn reset_state(&mut self) -> Result<()> {
        Ok(())
    }
    /// Continues a resumed run after the points with these cursors, one for each tower, [] for
    /// none. The last one is the newest, so one may be there once more. Not overridden: reset_state
    /// is called.
    fn resume(&mut self, _cursors: &[&[u8]]) -> Result<()> {
        Ok(())
    }
    /// Fills point for a tower. false: no more data.
    fn next(&mut self, tower: u32, cancel: &Cancel, point: &mut PointWriter) -> Result<bool>;
    /// The number of points of one round. None: unknown.
    fn size(&self) -> Result<Option<i64>> {
        Ok(None)
    }
    fn stop(&mut self) -> Result<()> {
        Ok(())
    }
    fn set_towers(&mut self, _n: u32) -> Result<()> {
        Ok(())
    }
}

/// If it is a Callback as well, that has no before_run and after_run: they would be called within
/// run_step.
pub trait Trainer: Component {
    #[doc(hidden)]
    const METHODS: &'static [&'static str];
    fn setup_graph(&mut self) -> Result<()>;
    /// BROCH_OK, or what the run of a plan returned; BROCH_CANCELLED if a signal has ended a wait
    /// before the first run. Not overridden: the default plan runs.
    fn run_step(&mut self) -> Result<i32> {
        Ok(sys::BROCH_OK)
    }
}

pub trait Inferencer: Component {
    #[doc(hidden)]
    const METHODS: &'static [&'static str];
    /// The outputs of the inference tower that it needs, in order.
    fn fetches(&mut self) -> Result<Vec<String>>;
    fn before_inference(&mut self) -> Result<()> {
        Ok(())
    }
    /// values: in the order of fetches; [`TensorData`](crate::TensorData) reads them.
    fn on_fetches(&mut self, values: &[sys::broch_tensor]) -> Result<()>;
    /// The numbers for the monitors, each under its full name.
    fn after_inference(&mut self) -> Result<Vec<(String, f64)>>;
}

pub trait SessionInit: Component {
    #[doc(hidden)]
    const METHODS: &'static [&'static str];
    fn init(&mut self) -> Result<()>;
}

pub trait Function: Component {
    #[doc(hidden)]
    const METHODS: &'static [&'static str];
    /// None: no value, change nothing.
    fn call(&mut self, now: &sys::broch_function_args) -> Result<Option<f64>>;
}

// What a component of any role may provide besides, without role!.

/// What is kept when a run is resumed.
pub trait Stateful: Component {
    /// Of what save_state writes.
    const VERSION: u32;
    fn save_state(&self) -> Result<Vec<u8>>;
    /// version: this one or an earlier one.
    fn load_state(&mut self, version: u32, bytes: &[u8]) -> Result<()>;
}

/// Options that change during training, where the instance keeps copies of them.
pub trait Adjustable: Component {
    /// The option at pointer, such as "/patience", has a new value, which
    /// [`Config`](crate::Config) already returns. An error refuses it.
    fn options_changed(&mut self, pointer: &str) -> Result<()>;
}

/// Threads or processes that run beside the training.
pub trait Service: Component {
    fn start_service(&mut self) -> Result<()>;
    fn stop_service(&mut self) -> Result<()>;
}
