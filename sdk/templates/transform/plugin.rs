//! A transform that multiplies the numbers of a point by a random factor near 1.
use broch::{Component, Draws, Dtype, Host, PointReader, PointWriter, Result};

broch::options! {
    pub struct Options {
        /// How far from 1 the factor may be.
        amount: f64 [minimum = 0, maximum = 1] = 0.1,
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
    impl Transform for @CLASS@ {
        // Called on several threads at once. All random numbers come from draws.
        fn apply(
            &self,
            input: &mut PointReader,
            out: &mut PointWriter,
            mut draws: Draws,
        ) -> Result<()> {
            let factor = draws.between(1.0 - self.0.amount, 1.0 + self.0.amount) as f32;
            for i in 0..input.size()? {
                let view = input.view(i)?;
                if view.dtype()? != Dtype::Float32 {
                    input.move_component(i, out)?; // labels, for example
                    continue;
                }
                let to = out.allocate::<f32>(view.shape(), input.name(i)?.as_deref())?;
                for (to, from) in to.iter_mut().zip(view.values::<f32>()?) {
                    *to = factor * from;
                }
            }
            Ok(())
        }
    }
}

broch::plugin! {
    @CLASS@: Transform {
        id: "@ID@",
        version: "0.1.0",
        summary: "Multiplies by a random factor near 1.",
    }
}
