//! A session init that sets variables to a value given in the manifest.
use broch::{sys, Component, Dtype, Error, Host, Result, Variables};

broch::options! {
    pub struct Options {
        /// Of the names of the variables.
        prefix: String = "",
        /// Of all their elements.
        value: f64 = 0,
    }
}

struct @CLASS@ {
    host: Host,
    variables: Variables,
    options: Options,
}

impl Component for @CLASS@ {
    type Options = Options;
    fn new(host: Host, options: Options) -> Result<Self> {
        Ok(@CLASS@ { host, variables: Variables::new(host)?, options })
    }
}

broch::role! {
    impl SessionInit for @CLASS@ {
        fn init(&mut self) -> Result<()> {
            for variable in self.variables.list(sys::BROCH_VARIABLE_TRAINABLE)? {
                let info = self.variables.info(variable)?;
                if !info.name.starts_with(&self.options.prefix) {
                    continue;
                }
                if info.dtype != Dtype::Float32 {
                    return Err(Error::invalid(format!("{} is not float32", info.name)));
                }
                let elements = info.shape.iter().product::<i64>() as usize;
                self.variables.assign(variable, &vec![self.options.value as f32; elements])?;
                self.host.info(format!("{} starts at {:.6}", info.name, self.options.value));
            }
            Ok(())
        }
    }
}

broch::plugin! {
    @CLASS@: SessionInit {
        id: "@ID@",
        version: "0.1.0",
        summary: "Starts trainable variables at a value.",
    }
}
