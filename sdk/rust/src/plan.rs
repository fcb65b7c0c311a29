//! Plans of a trainer or a callback. The C header plan_nodes.h describes the kinds of nodes.
use crate::tensor::c_text;
use crate::{sys, Host, Result};
use std::ffi::CStr;

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

    /// A node of any kind. options: of the struct of the kind, in which common_options stands
    /// first, or NULL. inputs: the nodes that it depends on.
    ///
    /// # Safety
    /// options is NULL, or points to a struct of its own struct_size.
    pub unsafe fn add(
        &self,
        kind: &CStr,
        inputs: &[u64],
        options: *const sys::broch_node_options,
    ) -> Result<sys::broch_node> {
        let (n, inputs, mut node) = (inputs.len() as u32, inputs.as_ptr(), 0);
        call!(self.host, self.table, add, self.plan, kind.as_ptr(), inputs, n, options, &mut node)?;
        Ok(node)
    }
    /// A node whose options are all defaults.
    fn add_plain(&self, kind: &CStr, inputs: &[u64]) -> Result<sys::broch_node> {
        // SAFETY: NULL means the defaults.
        unsafe { self.add(kind, inputs, std::ptr::null()) }
    }
    /// Takes one data point for each of these towers.
    pub fn input(&self, towers: &[u32]) -> Result<sys::broch_node> {
        let options = sys::broch_input_node {
            node: common_options::<sys::broch_input_node>(),
            towers: towers.as_ptr(),
            tower_count: towers.len() as u32,
            reserved: 0,
        };
        // SAFETY: the struct of this kind.
        unsafe { self.add(sys::BROCH_NODE_INPUT, &[], &options.node) }
    }
    /// A training tower without a name, the only one. device: "cpu:0".
    pub fn tower(&self, input: sys::broch_node, device: &str) -> Result<sys::broch_node> {
        let device = c_text(device)?;
        let options = sys::broch_tower_node {
            node: common_options::<sys::broch_tower_node>(),
            name: std::ptr::null(),
            vs_name: std::ptr::null(),
            index: 0,
            total: 1,
            device: device.as_ptr(),
            variable_devices: std::ptr::null(),
            variable_device_count: 0,
            inference: 0,
        };
        // SAFETY: the struct of this kind.
        unsafe { self.add(sys::BROCH_NODE_TOWER, &[input], &options.node) }
    }
    /// The gradients of the cost for all trainable variables of the tower.
    pub fn gradients(&self, tower: sys::broch_node) -> Result<sys::broch_node> {
        self.add_plain(sys::BROCH_NODE_GRADIENTS, &[tower])
    }
    /// The mean of lists of the same variables.
    pub fn mean(&self, lists: &[sys::broch_node]) -> Result<sys::broch_node> {
        self.add_plain(sys::BROCH_NODE_REDUCE, lists)
    }
    /// Applies the gradient processors of the manifest.
    pub fn process(&self, list: sys::broch_node) -> Result<sys::broch_node> {
        self.add_plain(sys::BROCH_NODE_PROCESS, &[list])
    }
    /// Updates the variables with the optimizer of the manifest or the model.
    pub fn apply(&self, list: sys::broch_node) -> Result<sys::broch_node> {
        self.add_plain(sys::BROCH_NODE_APPLY, &[list])
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

/// What all options begin with, for a struct of this type: in all runs of the plan, without a name.
pub fn common_options<Options>() -> sys::broch_node_options {
    sys::broch_node_options {
        struct_size: std::mem::size_of::<Options>() as u32,
        every: 0,
        offsets: std::ptr::null(),
        offset_count: 0,
        flags: 0,
        name: std::ptr::null(),
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
