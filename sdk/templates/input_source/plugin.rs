//! An input source that fills every input of the model with noise.
use broch::{Cancel, Component, Dtype, Error, Host, Input, PointWriter, Result};

broch::options! {
    pub struct Options {
        /// For unknown dimensions.
        batch: i64 [minimum = 1] = 8,
        /// Values lie in [0, high).
        high: f64 [exclusive_minimum = 0] = 1,
    }
}

struct @CLASS@ {
    options: Options,
    shapes: Vec<Vec<i64>>,
    index: u64,
}

impl Component for @CLASS@ {
    type Options = Options;
    fn new(_: Host, options: Options) -> Result<Self> {
        Ok(@CLASS@ { options, shapes: Vec::new(), index: 0 })
    }
}

broch::role! {
    impl InputSource for @CLASS@ {
        fn setup(&mut self, inputs: &[Input]) -> Result<()> {
            for input in inputs {
                if input.dtype != Dtype::Float32 {
                    return Err(Error::invalid(format!("input {} is not float32", input.name)));
                }
                let known = |&extent: &i64| if extent < 0 { self.options.batch } else { extent };
                self.shapes.push(input.shape.iter().map(known).collect());
            }
            Ok(())
        }

        // Point number k depends on k only, so k is its cursor. Towers take the points in turn.
        fn reset_state(&mut self) -> Result<()> {
            self.index = 0;
            Ok(())
        }
        fn resume(&mut self, cursors: &[&[u8]]) -> Result<()> {
            self.index = match cursors.last() {
                None | Some([]) => 0,
                Some(cursor) => std::str::from_utf8(cursor)?.parse::<u64>()? + 1,
            };
            Ok(())
        }
        fn next(&mut self, _tower: u32, _: &Cancel, point: &mut PointWriter) -> Result<bool> {
            let mut state = self.index + 1;
            for shape in &self.shapes {
                let elements = shape.iter().product();
                let noise: Vec<f32> = (0..elements).map(|_: i64| self.noise(&mut state)).collect();
                point.add(&noise, shape)?;
            }
            point.set_cursor(self.index.to_string())?;
            self.index += 1;
            Ok(true)
        }
    }
}

impl @CLASS@ {
    // A uniform number in [0, high) from a linear congruential generator (Knuth's MMIX).
    fn noise(&self, state: &mut u64) -> f32 {
        *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.options.high * (*state >> 11) as f64 / (1u64 << 53) as f64) as f32
    }
}

broch::plugin! {
    @CLASS@: InputSource {
        id: "@ID@",
        version: "0.1.0",
        summary: "Fills every input of the model with noise.",
    }
}
