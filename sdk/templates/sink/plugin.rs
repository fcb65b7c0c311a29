//! A sink that writes each point as a line of a .csv file.
use broch::{sys, Component, Error, Host, PointReader, Result};
use std::fs::File;
use std::io::{BufWriter, Write};

broch::options! {
    pub struct Options {
        /// Stands between two numbers.
        separator: String [min_length = 1] = ",",
    }
}

struct @CLASS@ {
    lines: Option<BufWriter<File>>,
    separator: String,
}

impl Component for @CLASS@ {
    type Options = Options;
    fn new(_: Host, options: Options) -> Result<Self> {
        Ok(@CLASS@ { lines: None, separator: options.separator })
    }
}

fn failed(error: std::io::Error) -> Error {
    Error::with_status(sys::BROCH_E_DATA_LOSS, format!("the file cannot be written: {error}"))
}

broch::role! {
    impl Sink for @CLASS@ {
        fn open(&mut self, path: &str) -> Result<()> {
            self.lines = Some(BufWriter::new(File::create(path).map_err(failed)?));
            Ok(())
        }

        fn put(&mut self, point: &PointReader) -> Result<()> {
            let mut numbers = Vec::new();
            for i in 0..point.size()? {
                let view = point.view(i)?;
                numbers.extend(view.values::<f32>()?.iter().map(|number| number.to_string()));
            }
            let line = numbers.join(&self.separator);
            let lines = self.lines.as_mut().expect("open comes first");
            writeln!(lines, "{line}").map_err(failed)
        }

        fn close(&mut self) -> Result<()> {
            let mut lines = self.lines.take().expect("open comes first");
            lines.flush().map_err(failed)
        }
    }
}

broch::plugin! {
    @CLASS@: Sink {
        id: "@ID@",
        version: "0.1.0",
        summary: "Writes points as lines of numbers.",
        extensions: [".csv"],
    }
}
