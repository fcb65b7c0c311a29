//! A callback that reports the mean of a value, after each epoch or when it is told to.
use broch::sys::broch_run;
use broch::{Component, Error, Host, Metrics, Result, Run};

broch::options! {
    pub struct Options {
        /// Published name of one number.
        value: String = "cost",
        /// Name of what is reported.
        metric: String = "mean_cost",
    }
}

struct @CLASS@ {
    options: Options,
    run: Run,
    metrics: Metrics,
    fetch: u32,
    sum: f64,
    steps: i64,
}

impl Component for @CLASS@ {
    type Options = Options;
    fn new(host: Host, options: Options) -> Result<Self> {
        let (run, metrics) = (Run::new(host)?, Metrics::new(host)?);
        Ok(@CLASS@ { options, run, metrics, fetch: 0, sum: 0.0, steps: 0 })
    }
}

broch::role! {
    impl Callback for @CLASS@ {
        fn setup_graph(&mut self) -> Result<()> {
            self.fetch = self.run.fetch(&self.options.value)?;
            Ok(())
        }
        fn after_run(&mut self, run: broch_run) -> Result<()> {
            if let Some(value) = self.run.scalar(run, self.fetch)? {
                self.sum += value;
                self.steps += 1;
            }
            Ok(())
        }
        // After each epoch, or when "when" in the manifest says so.
        fn trigger(&mut self) -> Result<()> {
            if self.steps == 0 {
                return Ok(());
            }
            let mean = self.sum / self.steps as f64;
            (self.sum, self.steps) = (0.0, 0);
            self.metrics.put_scalar(&self.options.metric, mean)
        }
    }
}

// A run may be resumed between two reports.
impl broch::Stateful for @CLASS@ {
    const VERSION: u32 = 1;
    fn save_state(&self) -> Result<Vec<u8>> {
        Ok(format!("{} {}", self.sum, self.steps).into_bytes())
    }
    fn load_state(&mut self, _version: u32, bytes: &[u8]) -> Result<()> {
        let words = std::str::from_utf8(bytes)?.split_once(' ');
        let (sum, steps) = words.ok_or_else(|| Error::new("expected a sum and a number of steps"))?;
        (self.sum, self.steps) = (sum.parse()?, steps.parse()?);
        Ok(())
    }
}

broch::plugin! {
    @CLASS@: Callback + Stateful {
        id: "@ID@",
        version: "0.1.0",
        summary: "Reports the mean of a value.",
    }
}
