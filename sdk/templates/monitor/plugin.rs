//! A monitor that writes each number to a file, as a line "global_step,name,value".
use broch::{Component, Error, Host, LogDir, Result, Run};
use std::fs::{File, OpenOptions};
use std::io::Write;

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
    lines: Option<File>,
    size: u64, // of the file
}

impl Component for @CLASS@ {
    type Options = Options;
    fn new(host: Host, options: Options) -> Result<Self> {
        let (run, log_dir) = (Run::new(host)?, LogDir::new(host)?);
        Ok(@CLASS@ { options, run, log_dir, lines: None, size: 0 })
    }
}

broch::role! {
    impl Monitor for @CLASS@ {
        fn process_scalar(&mut self, name: &str, value: f64) -> Result<()> {
            if let Some(lines) = &mut self.lines {
                let line = format!("{},{},{}\n", self.run.progress()?.global_step, name, value);
                lines.write_all(line.as_bytes())?;
                self.size += line.len() as u64;
            }
            Ok(())
        }
    }
}

broch::role! {
    impl Callback for @CLASS@ {
        // A resumed run reports again what came after its checkpoint, so that is cut off. Only the
        // chief has a log folder.
        fn before_train(&mut self) -> Result<()> {
            if let Some(folder) = self.log_dir.path()? {
                let path = format!("{}/{}", folder, self.options.file);
                let refused = |error| Error::new(format!("cannot write {path}: {error}"));
                let file = OpenOptions::new().create(true).append(true).open(&path);
                let file = file.map_err(refused)?;
                self.size = self.size.min(file.metadata()?.len());
                file.set_len(self.size).map_err(refused)?;
                self.lines = Some(file);
            }
            Ok(())
        }
    }
}

impl broch::Stateful for @CLASS@ {
    const VERSION: u32 = 1;
    fn save_state(&self) -> Result<Vec<u8>> {
        Ok(self.size.to_string().into_bytes())
    }
    fn load_state(&mut self, _version: u32, bytes: &[u8]) -> Result<()> {
        self.size = std::str::from_utf8(bytes)?.parse()?;
        Ok(())
    }
}

broch::plugin! {
    @CLASS@: Monitor + Callback + Stateful {
        id: "@ID@",
        version: "0.1.0",
        summary: "Writes every number to a file of lines.",
    }
}
