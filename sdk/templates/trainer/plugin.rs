//! A trainer whose step consists of several updates, each with a new data point.
use broch::{sys, Component, Error, Host, Plan, Result};

broch::options! {
    pub struct Options {
        /// Of the one tower.
        device: String = "cpu:0",
        /// In each step.
        updates: i64 [minimum = 1] = 2,
    }
}

struct @CLASS@ {
    host: Host,
    options: Options,
    plan: Option<Plan>,
}

impl Component for @CLASS@ {
    type Options = Options;
    fn new(host: Host, options: Options) -> Result<Self> {
        Ok(@CLASS@ { host, options, plan: None })
    }
}

broch::role! {
    impl Trainer for @CLASS@ {
        fn setup_graph(&mut self) -> Result<()> {
            let plan = Plan::new(self.host, "train")?;
            let tower = plan.tower(plan.input(&[0])?, &self.options.device)?;
            plan.apply(plan.process(plan.gradients(tower)?)?)?;
            plan.seal()?;
            self.plan = Some(plan);
            Ok(())
        }

        // Each run is hooked: callbacks are called, and global_step advances by one.
        fn run_step(&mut self) -> Result<i32> {
            let plan = self.plan.ok_or_else(|| Error::new("run_step before setup_graph"))?;
            for _ in 0..self.options.updates {
                let status = plan.run()?;
                if status != sys::BROCH_OK {
                    return Ok(status);
                }
            }
            Ok(sys::BROCH_OK)
        }
    }
}

broch::plugin! {
    @CLASS@: Trainer {
        id: "@ID@",
        version: "0.1.0",
        summary: "Several updates in each step.",
    }
}
