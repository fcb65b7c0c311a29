//! A gradient processor that limits the norm of each gradient separately.
use broch::{Component, Gradient, Host, Result, Tower};

broch::options! {
    pub struct Options {
        /// Largest norm that passes unchanged.
        length: f64 [exclusive_minimum = 0] = 1,
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
    impl GradientProcessor for @CLASS@ {
        // The host calls this to record the computation and replays the recording in each step. So
        // use operators only.
        fn process<'t>(&self, t: &'t Tower, gradients: &mut [Gradient<'t>]) -> Result<()> {
            for one in gradients {
                let norm = t.ops().linalg_vector_norm(one.gradient, 2, None, false, None);
                one.gradient = one.gradient / t.ops().clamp_min(norm / self.0.length, 1);
            }
            Ok(())
        }
    }
}

broch::plugin! {
    @CLASS@: GradientProcessor {
        id: "@ID@",
        version: "0.1.0",
        summary: "Shortens each gradient by itself.",
    }
}
