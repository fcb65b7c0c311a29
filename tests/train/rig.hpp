// rig.hpp: a run over the null runtime, made of the components of a test.
#pragma once
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>

#include "abi/extensions.hpp"
#include "base/log.hpp"
#include "components.hpp"
#include "replay/extensions.hpp"
#include "runtime/extensions.hpp"
#include "tower/extensions.hpp"
#include "train/trainer.hpp"

namespace broch::test {

// What is logged while it lives.
class LogCapture {
 public:
  LogCapture() {
    const int file = mkstemp(path_);
    if (file >= 0) close(file);
    base::set_log_level(base::Level::misbehavior);
    base::set_log_file(path_);
  }
  ~LogCapture() {
    base::set_log_file("");
    base::set_log_level(base::Level::info);
    unlink(path_);
  }
  std::string text() const {
    std::ostringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
  }
  bool has(const std::string& words) const { return text().find(words) != std::string::npos; }

 private:
  char path_[32] = "/tmp/broch_log_XXXXXX";
};

class Rig {
 public:
  Rig() {
    progress.struct_size = sizeof progress;
    progress.is_chief = 1;
    backend = runtime::make_null_backend();
    store = std::make_unique<runtime::VariableStore>(*backend, 1);
    hypers = std::make_unique<runtime::HyperParams>(*store, runtime::Device{});
    world.backend = backend.get();
    world.variables = store.get();
    world.hypers = hypers.get();
    context.provide(backend.get());
    context.provide(store.get());
    context.provide(hypers.get());
    context.provide(&world);
    context.provide(&progress);
    abi::register_extensions(context);
    runtime::register_extensions(context);
    tower::register_extensions(context);
    replay::register_extensions(context);
    train::register_extensions(context);
    parts.context = &context;
    parts.progress = &progress;
    parts.backend = backend.get();
    parts.variables = store.get();
    parts.hypers = hypers.get();
    parts.run_context = &world;
    parts.interrupt = &interrupt;
  }
  ~Rig() {
    run.reset();
    while (!instances.empty()) instances.pop_back();
  }

  abi::Instance& make(Component& component, const std::string& name, const std::string& role) {
    abi::InstanceSpec spec;
    spec.name = name;
    spec.component_id = "test." + role;
    spec.role = role;
    spec.vtable = &kVtable;
    being_created = &component;
    instances.push_back(
        std::make_unique<abi::Instance>(context, spec, std::vector<abi::Instance::Child>{}));
    return *instances.back();
  }
  void add(Callback& callback, const std::string& name, bool chief_only = false) {
    parts.callbacks.push_back({&make(callback, name, "callback"), chief_only});
  }
  void add(Monitor& monitor) { parts.monitors.push_back(&make(monitor, monitor.name, "monitor")); }

  // The usual parts where the test has set no others.
  void build() {
    if (!parts.model && with_model) parts.model = &make(model, "model", "model");
    if (!parts.input && with_input) parts.input = &make(input, "input", "input_source");
    parts.trainer = &make(trainer, "trainer", "trainer");
    run.emplace(parts);
  }
  void prepare() {
    build();
    run->setup_graph();
    run->setup_callbacks();
    run->initialize();
  }
  base::Exit train(int64_t steps, int64_t epochs, int64_t starting_epoch = 1) {
    if (!run) prepare();
    train::MainLoop main;
    main.config = {steps, starting_epoch, epochs};
    return run->main_loop(main);
  }
  // "1,0,1": epoch_num, local_step, global_step.
  std::string at() const {
    return std::to_string(progress.epoch_num) + "," + std::to_string(progress.local_step) + "," +
           std::to_string(progress.global_step);
  }
  double variable(const char* name) { return backend->item(store->at(name).value); }

  Model model;
  Input input;
  Trainer trainer;
  bool with_model = true, with_input = true;

  abi::Context context;
  broch_progress progress{};
  std::unique_ptr<runtime::Backend> backend;
  std::unique_ptr<runtime::VariableStore> store;
  std::unique_ptr<runtime::HyperParams> hypers;
  tower::RunContext world;
  plan::Interrupt interrupt;
  std::vector<std::unique_ptr<abi::Instance>> instances;
  train::TrainerParts parts;
  std::optional<train::Trainer> run;
};

// Writes "event e,l,g" for every event.
inline void record(Callback& callback, Rig& rig, std::vector<std::string>& trace,
                   const std::string& prefix = "") {
  const auto note = [&rig, &trace, prefix](const char* event) {
    return [&rig, &trace, text = prefix + event] {
      trace.push_back(text + " " + rig.at());
      return broch_status{BROCH_OK};
    };
  };
  callback.before_train = note("before_train");
  callback.after_train = note("after_train");
  callback.before_epoch = note("before_epoch");
  callback.after_epoch = note("after_epoch");
  callback.trigger_step = note("trigger_step");
  callback.trigger_epoch = note("trigger_epoch");
  callback.before_run = [event = note("before_run")](broch_run, uint64_t*) { return event(); };
  callback.after_run = [event = note("after_run")](broch_run) { return event(); };
}

}  // namespace broch::test
