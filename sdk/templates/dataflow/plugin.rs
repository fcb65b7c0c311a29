//! A dataflow that produces the points of a sine wave; each point is one number.
use broch::{Cancel, Component, Error, Host, PointWriter, Result};

broch::options! {
    pub struct Options {
        /// Points.
        size: i64 [minimum = 1] = 10,
        /// Points a period.
        period: f64 [exclusive_minimum = 0] = 20,
    }
}

struct @CLASS@ {
    options: Options,
    index: i64,
}

impl Component for @CLASS@ {
    type Options = Options;
    fn new(_: Host, options: Options) -> Result<Self> {
        Ok(@CLASS@ { options, index: 0 })
    }
}

broch::role! {
    impl DataFlow for @CLASS@ {
        // The cursor of a point is its index. An empty cursor: start from the beginning.
        fn open(&mut self, cursor: &[u8]) -> Result<()> {
            self.index = 0;
            if !cursor.is_empty() {
                let bytes = cursor.try_into().map_err(|_| Error::new("a cursor has 8 bytes"))?;
                self.index = i64::from_ne_bytes(bytes) + 1;
            }
            Ok(())
        }
        fn next(&mut self, _: &Cancel, point: &mut PointWriter) -> Result<bool> {
            if self.index >= self.options.size {
                return Ok(false);
            }
            let angle = std::f64::consts::TAU * self.index as f64 / self.options.period;
            point.add(&[angle.sin() as f32], &[])?;
            point.set_cursor(self.index.to_ne_bytes())?;
            self.index += 1;
            Ok(true)
        }
        fn size(&self) -> Result<Option<i64>> {
            Ok(Some(self.options.size))
        }
    }
}

broch::plugin! {
    @CLASS@: DataFlow {
        id: "@ID@",
        version: "0.1.0",
        summary: "The points of a sine wave.",
    }
}
