// hooks.cpp: components of several roles that write down each of their hooks, and a trainer that
// saves where nothing can be resumed.
#include <broch/broch.hpp>
#include <fstream>

namespace {

struct Options {
  std::string trace;

  static constexpr auto schema = broch::options(
      broch::option("trace", &Options::trace, "A file, to which lines are added.").is_path());
};

class Hooks : public broch::Callback {
 public:
  Hooks(const broch::Host& host, const Options& options)
      : name_(broch::Instance(host).name()), trace_(options.trace) {}

  void setup_graph() override { note("setup_graph"); }
  void before_train() override { note("before_train"); }
  void after_train() override { note("after_train"); }
  void before_epoch() override { note("before_epoch"); }
  void after_epoch() override { note("after_epoch"); }
  uint64_t before_run(broch_run, uint64_t fetches) override {
    note("before_run");
    return fetches;
  }
  void after_run(broch_run) override { note("after_run"); }
  void trigger_step() override { note("trigger_step"); }
  void trigger_epoch() override { note("trigger_epoch"); }
  void trigger() override { note("trigger"); }

 private:
  void note(const std::string& hook) const {
    std::ofstream(trace_, std::ios::app) << hook << ' ' << name_ << '\n';
  }

  std::string name_, trace_;
};

class Watcher final : public Hooks {
 public:
  using Hooks::Hooks;
};

class Flow final : public broch::DataFlow, public Hooks {
 public:
  using Hooks::Hooks;
  void open(const std::string&) override {}
  bool next(const broch::Cancel&, broch::PointWriter& point) override {
    point.add(std::vector<float>{1}, {});
    return true;
  }
};

class Listener final : public broch::Monitor, public Hooks {
 public:
  using Hooks::Hooks;
};

class Rash final : public broch::SteppingTrainer {
 public:
  explicit Rash(const broch::Host& host) : checkpoints_(host) {}
  void setup_graph() override {}
  broch_status run_step() override {
    checkpoints_.save();
    return BROCH_OK;
  }

 private:
  broch::Checkpoints checkpoints_;
};

// Stops in the first step, and saves when the training has ended.
class Late final : public broch::Callback {
 public:
  explicit Late(const broch::Host& host) : checkpoints_(host) {}
  void after_run(broch_run) override { throw broch::StopTraining("it is late"); }
  void after_train() override { checkpoints_.save(); }

 private:
  broch::Checkpoints checkpoints_;
};

}  // namespace

BROCH_COMPONENTS(broch::component<Watcher>("test.watcher", "callback", "1.0.0", "Its hooks.",
                                           Options::schema),
                 broch::component<Flow>("test.flow", "dataflow", "1.0.0", "Ones.", Options::schema,
                                        broch::roles("dataflow", "callback")),
                 broch::component<Listener>("test.listener", "monitor", "1.0.0", "Hears nothing.",
                                            Options::schema, broch::roles("monitor", "callback")),
                 broch::component<Late>("test.late", "callback", "1.0.0", "Saves too late."),
                 broch::component<Rash>("test.rash", "trainer", "1.0.0", "Saves in its step."))
