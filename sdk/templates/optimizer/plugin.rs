//! The optimizer Lion (Chen et al. 2023): each step follows the sign of an average of the
//! gradients, so that, without weight decay, all its elements have the same size.
use broch::{Component, Host, Spec, Parameter, Result, Tensor, Tower};

broch::options! {
    pub struct Options {
        /// Length of a step.
        learning_rate: f64 [minimum = 0] = 0.0001,
        /// Share of the mean in the direction.
        beta1: f64 = 0.9,
        /// Decay of the mean.
        beta2: f64 = 0.99,
        /// Share of the weight that is taken off.
        weight_decay: f64 = 0,
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
    impl Optimizer for @CLASS@ {
        fn spec(&self) -> Spec {
            Spec::default()
                .hyper_param("learning_rate", self.0.learning_rate)
                .hyper_param("beta1", self.0.beta1)
                .hyper_param("beta2", self.0.beta2)
                .hyper_param("weight_decay", self.0.weight_decay)
                .slot("mean", 0.0)
        }

        // The host calls this to record the computation and replays the recording in each step. So
        // use operators only.
        fn update<'t>(
            &self,
            t: &'t Tower,
            parameters: &mut [Parameter<'t>],
            hyper_params: &[Tensor<'t>],
            _number: Tensor<'t>,
        ) -> Result<()> {
            let o = t.ops();
            for one in parameters {
                let mean = one.slots[0];
                let along = o.sign(o.lerp(one.gradient, mean, hyper_params[1]));
                let step = along + one.value * hyper_params[3];
                one.value = one.value - step * hyper_params[0];
                one.slots[0] = o.lerp(one.gradient, mean, hyper_params[2]);
            }
            Ok(())
        }
    }
}

broch::plugin! {
    @CLASS@: Optimizer {
        id: "@ID@",
        version: "0.1.0",
        summary: "Lion: steps along the sign of a mean of gradients.",
    }
}
