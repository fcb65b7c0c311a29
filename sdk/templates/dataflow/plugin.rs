//! A dataflow with the points of a sine wave; each point is one number.
use broch::{Cancel, Component, Host, PointWriter, Position, Result};

broch::options! {
    pub struct Options {
        /// Points.
        size: i64 [minimum = 1] = 10,
        /// Points a period.
        period: f64 [exclusive_minimum = 0] = 20,
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
    impl Indexed for @CLASS@ {
        fn size(&self) -> Result<Option<i64>> {
            Ok(Some(self.0.size))
        }
        // Called on several threads at once, in any order. at.round counts the passes over the
        // data.
        fn read(&self, at: Position, _: &Cancel, point: &mut PointWriter) -> Result<bool> {
            if at.index >= self.0.size as u64 {
                return Ok(false);
            }
            let angle = std::f64::consts::TAU * at.index as f64 / self.0.period;
            point.allocate::<f32>(&[], None)?[0] = angle.sin() as f32;
            Ok(true)
        }
    }
}

broch::plugin! {
    @CLASS@: Indexed {
        id: "@ID@",
        version: "0.1.0",
        summary: "The points of a sine wave.",
    }
}
