//! Plans of a trainer or a callback. The C header plan.h describes the kinds of nodes.
use crate::tensor::c_text;
use crate::{sys, Host, Result};

/// Built node by node in setup_graph, and then sealed.
#[derive(Clone, Copy)]
pub struct Plan {
    host: Host,
    table: &'static sys::broch_host_plan,
    plan: sys::broch_plan,
}

impl Plan {
    pub fn new(host: Host, name: &str) -> Result<Plan> {
        let table: &sys::broch_host_plan = host.require()?;
        let (name, mut plan) = (c_text(name)?, 0);
        call!(host, table, create, name.as_ptr(), &mut plan)?;
        Ok(Plan { host, table, plan })
    }
    pub fn handle(&self) -> sys::broch_plan {
        self.plan
    }

    /// A node of any kind: "broch.plan.tower/1". options: JSON text. inputs: the nodes that it
    /// depends on.
    pub fn add(&self, kind: &str, inputs: &[u64], options: &str) -> Result<sys::broch_node> {
        let (kind, options, n) = (c_text(kind)?, c_text(options)?, inputs.len() as u32);
        let (kind, options, inputs, mut node) =
            (kind.as_ptr(), options.as_ptr(), inputs.as_ptr(), 0);
        call!(self.host, self.table, add, self.plan, kind, inputs, n, options, &mut node)?;
        Ok(node)
    }
    /// Takes one data point for each of these towers.
    pub fn input(&self, towers: &[u32]) -> Result<sys::broch_node> {
        self.add("broch.plan.input/1", &[], &format!(r#"{{"towers":{:?}}}"#, towers))
    }
    /// A training tower without a name, the only one. device: "cpu:0".
    pub fn tower(&self, input: sys::broch_node, device: &str) -> Result<sys::broch_node> {
        let options = format!(r#"{{"device":{}}}"#, json_text(device));
        self.add("broch.plan.tower/1", &[input], &options)
    }
    /// The gradients of the cost for all trainable variables of the tower.
    pub fn gradients(&self, tower: sys::broch_node) -> Result<sys::broch_node> {
        self.add("broch.plan.gradients/1", &[tower], "{}")
    }
    /// The mean of lists of the same variables.
    pub fn mean(&self, lists: &[sys::broch_node]) -> Result<sys::broch_node> {
        self.add("broch.plan.reduce/1", lists, "{}")
    }
    /// Applies the gradient processors of the manifest.
    pub fn process(&self, list: sys::broch_node) -> Result<sys::broch_node> {
        self.add("broch.plan.process/1", &[list], "{}")
    }
    /// Updates the variables with the optimizer of the manifest or the model.
    pub fn apply(&self, list: sys::broch_node) -> Result<sys::broch_node> {
        self.add("broch.plan.apply/1", &[list], "{}")
    }
    /// Checks the whole plan; call it after the last node was added.
    pub fn seal(&self) -> Result<()> {
        call!(self.host, self.table, seal, self.plan)?;
        Ok(())
    }

    /// Runs the plan once, as a hooked run of the trainer. If the result is not BROCH_OK, return it
    /// from run_step.
    pub fn run(&self) -> Result<i32> {
        call!(self.host, self.table, run, self.plan, 1, std::ptr::null())
    }
    /// The same without hooks, and not counted as a step.
    pub fn run_unhooked(&self) -> Result<i32> {
        call!(self.host, self.table, run, self.plan, 0, std::ptr::null())
    }
}

/// text as a JSON string, with quotes.
pub fn json_text(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c < ' ' => quoted += &format!("\\u{:04x}", c as u32),
            c => quoted.push(c),
        }
    }
    quoted + "\""
}
