//! A callback that reports the mean of a value over each epoch.
use broch::sys::broch_run;
use broch::{Component, Host, Metrics, Result, Run};

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
        fn before_epoch(&mut self) -> Result<()> {
            (self.sum, self.steps) = (0.0, 0);
            Ok(())
        }
        fn after_run(&mut self, run: broch_run) -> Result<()> {
            if let Some(value) = self.run.scalar(run, self.fetch)? {
                self.sum += value;
                self.steps += 1;
            }
            Ok(())
        }
        fn trigger_epoch(&mut self) -> Result<()> {
            if self.steps == 0 {
                return Ok(());
            }
            self.metrics.put_scalar(&self.options.metric, self.sum / self.steps as f64)
        }
    }
}

broch::plugin! {
    @CLASS@: Callback {
        id: "@ID@",
        version: "0.1.0",
        summary: "Reports the mean of a value over each epoch.",
    }
}
