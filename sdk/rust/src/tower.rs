//! The context of a tower function: variables, scopes, published names, updates.
use crate::host::owned;
use crate::tensor::{c_text, TensorData};
use crate::{sys, Dtype, Host, Ops, Resolved, Result, Tensor};
use std::sync::Arc;

/// The initial value of a variable; BROCH_INIT_… of [`sys`] describes each.
#[derive(Clone, Copy)]
pub enum Init {
    Constant(f64),
    /// Between the first and the second number.
    Uniform(f64, f64),
    /// Mean and standard deviation.
    Normal(f64, f64),
    TruncatedNormal(f64, f64),
    HeNormal,
    GlorotUniform,
    LecunUniform,
    Orthogonal,
}

impl Init {
    fn parts(self) -> (i32, f64, f64) {
        match self {
            Init::Constant(value) => (sys::BROCH_INIT_CONSTANT, value, 0.0),
            Init::Uniform(low, high) => (sys::BROCH_INIT_UNIFORM, low, high),
            Init::Normal(mean, deviation) => (sys::BROCH_INIT_NORMAL, mean, deviation),
            Init::TruncatedNormal(mean, deviation) => {
                (sys::BROCH_INIT_TRUNCATED_NORMAL, mean, deviation)
            }
            Init::HeNormal => (sys::BROCH_INIT_HE_NORMAL, 1.0, 0.0),
            Init::GlorotUniform => (sys::BROCH_INIT_GLOROT_UNIFORM, 1.0, 0.0),
            Init::LecunUniform => (sys::BROCH_INIT_LECUN_UNIFORM, 1.0, 0.0),
            Init::Orthogonal => (sys::BROCH_INIT_ORTHOGONAL, 1.0, 0.0),
        }
    }
}

/// A variable and its value, borrowed for this call of the tower function.
#[derive(Clone, Copy)]
pub struct Variable<'t> {
    pub handle: sys::broch_variable,
    pub value: Tensor<'t>,
}

/// Valid during the call of the tower function. Each function first reports the failure of an
/// operator, if there was one.
pub struct Tower {
    host: Host,
    ops: Ops,
    handle: sys::broch_tower,
    tower: &'static sys::broch_host_tower,
    variables: &'static sys::broch_host_variables,
    info: sys::broch_tower_info,
}

impl Tower {
    pub(crate) fn new(host: Host, resolved: &Arc<Resolved>, handle: u64) -> Result<Tower> {
        let ops = Ops::new(host, resolved)?;
        let tower: &sys::broch_host_tower = host.require()?;
        let variables = host.require()?;
        let mut info: sys::broch_tower_info = unsafe { std::mem::zeroed() };
        info.struct_size = std::mem::size_of_val(&info) as u32;
        call!(host, tower, info, handle, &mut info)?;
        Ok(Tower { host, ops, handle, tower, variables, info })
    }

    pub fn host(&self) -> Host {
        self.host
    }
    pub fn ops(&self) -> &Ops {
        &self.ops
    }
    pub fn handle(&self) -> sys::broch_tower {
        self.handle
    }
    pub fn is_training(&self) -> bool {
        self.info.is_training != 0
    }
    pub fn is_main(&self) -> bool {
        self.info.is_main != 0
    }
    pub fn name(&self) -> String {
        unsafe { owned(self.info.name) }
    }

    /// Calls body with a scope open: it puts "name/" in front of the names of variables.
    pub fn scope<R>(&self, name: &str, body: impl FnOnce() -> Result<R>) -> Result<R> {
        let name = c_text(name)?;
        call!(self.host, self.variables, scope_push, self.handle, name.as_ptr())?;
        let result = body().and_then(|result| self.ops.check().map(|_| result));
        call!(self.host, self.variables, scope_pop, self.handle)?;
        result
    }
    /// The trainable float32 variable with this name in the open scopes; it is created if this
    /// tower owns its variables.
    pub fn variable(&self, name: &str, shape: &[i64], init: Init) -> Result<Variable<'_>> {
        self.variable_of(name, shape, init, sys::BROCH_VARIABLE_TRAINABLE, Dtype::Float32)
    }
    /// flags: BROCH_VARIABLE_… of [`sys`].
    pub fn variable_of(
        &self,
        name: &str,
        shape: &[i64],
        init: Init,
        flags: i32,
        dtype: Dtype,
    ) -> Result<Variable<'_>> {
        self.ops.check()?;
        let (initializer, a, b) = init.parts();
        let spec = sys::broch_variable_spec {
            struct_size: std::mem::size_of::<sys::broch_variable_spec>() as u32,
            dtype: dtype.code(),
            rank: shape.len() as u32,
            flags: flags as u32,
            shape: shape.as_ptr(),
            initializer,
            reserved: 0,
            a,
            b,
            values: std::ptr::null(),
        };
        let (name, mut handle, mut value) = (c_text(name)?, 0, 0);
        let (tower, name) = (self.handle, name.as_ptr());
        call!(self.host, self.variables, get, tower, name, &spec, &mut handle, &mut value)?;
        Ok(Variable { handle, value: self.ops.tensor(value) })
    }
    /// The value, after the updates that this call has made.
    pub fn read(&self, variable: sys::broch_variable) -> Result<Tensor<'_>> {
        let mut value = 0;
        call!(self.host, self.variables, read, self.handle, variable, &mut value)?;
        Ok(self.ops.tensor(value))
    }
    /// Writes a variable when a run that contains the anchor ends: a published name or a
    /// collection, such as "UPDATE_OPS".
    pub fn update(&self, variable: sys::broch_variable, value: Tensor, anchor: &str) -> Result<()> {
        self.ops.check()?;
        let (anchor, value) = (c_text(anchor)?, value.handle());
        call!(self.host, self.tower, update, self.handle, variable, value, anchor.as_ptr())?;
        Ok(())
    }
    /// Gives a tensor a name, under which it can be fetched and fed. Continue with the result,
    /// which may be a value that is fed.
    pub fn publish(&self, name: &str, tensor: Tensor) -> Result<Tensor<'_>> {
        self.ops.check()?;
        let (name, tensor, mut published) = (c_text(name)?, tensor.handle(), 0);
        call!(self.host, self.tower, publish, self.handle, name.as_ptr(), tensor, &mut published)?;
        Ok(self.ops.tensor(published))
    }
    /// A hyper-parameter, or "global_step" or "epoch_num", as a 0-dim tensor.
    pub fn hyper_param(&self, name: &str) -> Result<Tensor<'_>> {
        let table: &sys::broch_host_hyper_param = self.host.require()?;
        let (name, mut tensor) = (c_text(name)?, 0);
        call!(self.host, table, tensor, self.handle, name.as_ptr(), &mut tensor)?;
        Ok(self.ops.tensor(tensor))
    }
    /// A value that monitors show. kinds: BROCH_SHOW_… of [`sys`], combined with |.
    pub fn summary(&self, name: &str, tensor: Tensor, kinds: i32) -> Result<()> {
        self.ops.check()?;
        let table: &sys::broch_host_summary = self.host.require()?;
        let (name, tensor) = (c_text(name)?, tensor.handle());
        call!(self.host, table, add, self.handle, name.as_ptr(), tensor, kinds as u32)?;
        Ok(())
    }
    /// The moving average of a 0-dim tensor, which monitors show. decay: usually 0.95.
    pub fn moving_summary(&self, name: &str, tensor: Tensor, decay: f64) -> Result<()> {
        self.ops.check()?;
        let table: &sys::broch_host_summary = self.host.require()?;
        let (name, tensor) = (c_text(name)?, tensor.handle());
        call!(self.host, table, moving, self.handle, name.as_ptr(), tensor, decay)?;
        Ok(())
    }
    /// The same in a collection, of which there must be a moving-average-summary.
    pub fn moving_summary_in(
        &self,
        collection: &str,
        name: &str,
        tensor: Tensor,
        decay: f64,
    ) -> Result<()> {
        self.ops.check()?;
        let table: &sys::broch_host_summary = self.host.require()?;
        let (collection, name, tensor) = (c_text(collection)?, c_text(name)?, tensor.handle());
        let (name, collection) = (name.as_ptr(), collection.as_ptr());
        call!(self.host, table, moving_in, self.handle, name, tensor, decay, collection)?;
        Ok(())
    }

    /// This does not read values, so it does not prevent the tower from being recorded.
    pub fn shape(&self, tensor: Tensor) -> Result<Vec<i64>> {
        self.ops.check()?;
        TensorData::new(self.host)?.shape(tensor.handle())
    }
    pub fn dtype(&self, tensor: Tensor) -> Result<Dtype> {
        self.ops.check()?;
        TensorData::new(self.host)?.dtype(tensor.handle())
    }

    /// A fully connected layer. x: (N, in). Returns x W' + b, of shape (N, units), published as
    /// "{scope}/output", with the variables "{scope}/W" of shape (units, in) and "{scope}/b".
    pub fn fully_connected<'t>(
        &'t self,
        scope: &str,
        x: Tensor<'t>,
        units: i64,
    ) -> Result<Tensor<'t>> {
        let shape = self.shape(x)?;
        let inputs = match shape[..] {
            [_, inputs] => inputs,
            _ => {
                let text = format!("{}: the input has shape {:?}, expected (N, in)", scope, shape);
                return Err(crate::Error::invalid(text));
            }
        };
        let y = self.scope(scope, || {
            let w = self.variable("W", &[units, inputs], Init::HeNormal)?;
            let b = self.variable("b", &[units], Init::Constant(0.0))?;
            Ok(self.ops.linear(x, w.value, Some(b.value)))
        })?;
        self.publish(&format!("{}/output", scope), y)
    }
}
