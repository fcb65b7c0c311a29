//! An inferencer that reports the largest value of an output in a round.
use broch::sys::broch_tensor;
use broch::{Component, Host, Result, TensorData};

broch::options! {
    pub struct Options {
        /// Published name in the inference tower.
        output: String = "cost",
        /// Name of what is reported.
        metric: String = "largest_cost",
    }
}

struct @CLASS@ {
    options: Options,
    tensors: TensorData,
    largest: f64,
}

impl Component for @CLASS@ {
    type Options = Options;
    fn new(host: Host, options: Options) -> Result<Self> {
        Ok(@CLASS@ { options, tensors: TensorData::new(host)?, largest: 0.0 })
    }
}

broch::role! {
    impl Inferencer for @CLASS@ {
        fn fetches(&mut self) -> Result<Vec<String>> {
            Ok(vec![self.options.output.clone()])
        }
        fn before_inference(&mut self) -> Result<()> {
            self.largest = f64::NEG_INFINITY;
            Ok(())
        }
        fn on_fetches(&mut self, values: &[broch_tensor]) -> Result<()> {
            for value in self.tensors.values::<f64>(values[0])? {
                self.largest = self.largest.max(value);
            }
            Ok(())
        }
        fn after_inference(&mut self) -> Result<Vec<(String, f64)>> {
            Ok(vec![(self.options.metric.clone(), self.largest)])
        }
    }
}

broch::plugin! {
    @CLASS@: Inferencer {
        id: "@ID@",
        version: "0.1.0",
        summary: "The largest value of an output in a round.",
    }
}
