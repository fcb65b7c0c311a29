//! A function of the epoch that falls from high to low along a cosine.
use broch::sys::broch_function_args;
use broch::{Component, Host, Result};

broch::options! {
    pub struct Options {
        /// At the start.
        high: f64 = 0.1,
        /// After the last of the epochs.
        low: f64 = 0,
        /// How long it falls.
        epochs: i64 [minimum = 1] = 10,
    }
}

struct @CLASS@(Options);

impl Component for @CLASS@ {
    type Options = Options;
    fn new(_: Host, options: Options) -> Result<Self> {
        Ok(@CLASS@(options))
    }
}

broch::role! {
    impl Function for @CLASS@ {
        fn call(&mut self, now: &broch_function_args) -> Result<Option<f64>> {
            let done = (now.epoch_num as f64 / self.0.epochs as f64).min(1.0);
            let cosine = (std::f64::consts::PI * done).cos();
            Ok(Some(self.0.low + (self.0.high - self.0.low) * (1.0 + cosine) / 2.0))
        }
    }
}

broch::plugin! {
    @CLASS@: Function {
        id: "@ID@",
        version: "0.1.0",
        summary: "Falls along a cosine over the epochs.",
    }
}
