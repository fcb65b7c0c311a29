//! A monitor that writes each number to a file, as a line "global_step,name,value".
use broch::{Component, Error, Host, LogDir, Result, Run};
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};

broch::options! {
    pub struct Options {
        /// In the log folder.
        file: String [min_length = 1] = "scalars.csv",
    }
}

struct @CLASS@ {
    options: Options,
    run: Run,
    log_dir: LogDir,
    lines: Option<BufWriter<File>>,
}

impl Component for @CLASS@ {
    type Options = Options;
    fn new(host: Host, options: Options) -> Result<Self> {
        let (run, log_dir) = (Run::new(host)?, LogDir::new(host)?);
        Ok(@CLASS@ { options, run, log_dir, lines: None })
    }
}

broch::role! {
    impl Monitor for @CLASS@ {
        fn process_scalar(&mut self, name: &str, value: f64) -> Result<()> {
            if let Some(lines) = &mut self.lines {
                writeln!(lines, "{},{},{:.6}", self.run.progress()?.global_step, name, value)?;
            }
            Ok(())
        }
    }
}

broch::role! {
    impl Callback for @CLASS@ {
        // A resumed run appends to the file. Only the chief has a log folder.
        fn before_train(&mut self) -> Result<()> {
            if let Some(folder) = self.log_dir.path()? {
                let path = format!("{}/{}", folder, self.options.file);
                let file = OpenOptions::new().create(true).append(true).open(&path);
                let refused = |error| Error::new(format!("cannot write {path}: {error}"));
                self.lines = Some(BufWriter::new(file.map_err(refused)?));
            }
            Ok(())
        }
        fn trigger_epoch(&mut self) -> Result<()> {
            if let Some(lines) = &mut self.lines {
                lines.flush()?;
            }
            Ok(())
        }
    }
}

broch::plugin! {
    @CLASS@: Monitor + Callback {
        id: "@ID@",
        version: "0.1.0",
        summary: "Writes every number to a file of lines.",
    }
}
