//! Plugins for Broch in Rust.
//!
//! A component is a type that implements [`Component`] and, inside [`role!`], a role such as
//! [`Callback`]. [`options!`] declares its options, and [`plugin!`] exports it. The build makes a
//! shared library (crate-type cdylib) that needs neither Broch nor LibTorch:
//!
//! ```text
//! broch::options! {
//!     pub struct Options {
//!         /// Ends training below this error.
//!         limit: f64 [minimum = 0] = 0.05,
//!     }
//! }
//!
//! struct SmallEnough {
//!     metrics: broch::Metrics,
//!     options: Options,
//! }
//!
//! impl broch::Component for SmallEnough {
//!     type Options = Options;
//!     fn new(host: broch::Host, options: Options) -> broch::Result<Self> {
//!         Ok(SmallEnough { metrics: broch::Metrics::new(host)?, options })
//!     }
//! }
//!
//! broch::role! {
//!     impl Callback for SmallEnough {
//!         fn trigger(&mut self) -> broch::Result<()> {
//!             match self.metrics.latest("validation_error")? {
//!                 Some(error) if error.value < self.options.limit => {
//!                     Err(broch::Error::stop("the error is small enough"))
//!                 }
//!                 _ => Ok(()),
//!             }
//!         }
//!     }
//! }
//!
//! broch::plugin! {
//!     SmallEnough: Callback {
//!         id: "org.example.small-enough",
//!         version: "1.0.0",
//!         summary: "Ends training at a small error.",
//!     }
//! }
//! ```
//!
//! A method reports a failure with `Err(Error::new("…"))` and ends training without an error with
//! `Err(Error::stop("…"))`. A panic is a failure as well. What has no safe function here can be
//! reached through [`sys`], which is the whole C interface.
#[macro_use]
#[doc(hidden)]
pub mod host;
#[doc(hidden)]
pub mod border;
mod child;
mod data;
mod draws;
mod error;
#[doc(hidden)]
pub mod json;
#[rustfmt::skip]
mod ops;
mod options;
mod plan;
mod plugin;
mod roles;
mod services;
#[rustfmt::skip]
#[allow(rustdoc::all)]
pub mod sys;
#[doc(hidden)]
pub mod tables;
mod tensor;
mod tower;

pub use child::{child, ChildDataFlow, ChildFunction, ChildTransform};
pub use data::{Cancel, Point, PointReader, PointWriter, Position};
pub use draws::{mixed, Draws};
pub use error::{Error, Result};
pub use host::Host;
pub use options::{Config, NoOptions, OptionType, Options};
pub use plan::{common_options, json_text, Plan};
#[doc(hidden)]
pub use plugin::{roles_in, Exported};
pub use roles::{
    Adjustable, Callback, Component, DataFlow, Function, Gradient, GradientProcessor, Inferencer,
    Indexed, Input, InputSource, Model, Monitor, Optimizer, Parameter, Service, SessionInit, Sink, Spec,
    Stateful, Summary, Trainer, Transform,
};
pub use services::{
    Dist, HyperParam, LogDir, Metrics, Rng, Run, ThreadScope, VariableInfo, Variables,
};
#[doc(hidden)]
pub use tables::Provides;
pub use tensor::{Dtype, Element, Ops, Resolved, Scalar, Tensor, TensorData, View};
pub use tower::{Init, Tower, Variable};
