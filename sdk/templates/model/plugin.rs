//! An autoencoder: a model that reproduces its input through a narrow layer.
use broch::{sys, Component, Dtype, Host, Input, Result, Tensor, Tower};

broch::options! {
    pub struct Options {
        /// Numbers of one input.
        features: i64 [minimum = 1] = 4,
        /// Width of the narrow layer.
        units: i64 [minimum = 1] = 2,
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
    impl Model for @CLASS@ {
        fn inputs(&self) -> Result<Vec<Input>> {
            Ok(vec![Input::new("x", Dtype::Float32, &[-1, self.0.features], &["B", ""])])
        }

        // The host calls this several times: whatever changes during training is a variable.
        fn tower<'t>(&self, t: &'t Tower, inputs: &[Tensor<'t>]) -> Result<Tensor<'t>> {
            let code = t.ops().tanh(t.fully_connected("encode", inputs[0], self.0.units)?);
            let back = t.fully_connected("decode", code, self.0.features)?;
            let mean = i64::from(sys::BROCH_REDUCTION_MEAN);
            let cost = t.publish("cost", t.ops().mse_loss(back, inputs[0], mean))?;
            t.moving_summary("cost", cost, 0.95)?;
            Ok(cost)
        }

        // The default optimizer; "optimizer" in the manifest overrides it.
        fn optimizer(&self) -> Result<String> {
            Ok(r#"{"use": "adam", "with": {"learning_rate": 0.01}}"#.to_string())
        }
    }
}

broch::plugin! {
    @CLASS@: Model {
        id: "@ID@",
        version: "0.1.0",
        summary: "Gives back its input through a narrow layer.",
    }
}
