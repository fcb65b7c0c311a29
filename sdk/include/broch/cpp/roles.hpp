// roles.hpp: the roles as base classes. Derive, override what is wanted, register with plugin.hpp.
//
// An override throws broch::Error to fail and StopTraining to end training quietly; the glue turns
// both into what the C interface wants. What each hook means stands in role/*.h.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "config.hpp"
#include "data.hpp"
#include "tower.hpp"

namespace broch {
inline namespace v0 {

class Callback {
 public:
  virtual ~Callback() = default;
  virtual void setup_graph() {}
  virtual void before_train() {}
  virtual void after_train() {}
  virtual void before_epoch() {}
  virtual void after_epoch() {}
  // The mask of fetches that are wanted this time; fetches has all that were declared.
  virtual uint64_t before_run(broch_run, uint64_t fetches) { return fetches; }
  virtual void after_run(broch_run) {}
  virtual void trigger_step() {}
  virtual void trigger_epoch() { trigger(); }
  virtual void trigger() {}
};

class Monitor {
 public:
  virtual ~Monitor() = default;
  virtual void process_scalar(const std::string&, double) {}
  virtual void process_summary(const broch_summary_value*, uint32_t) {}
  virtual void process_image(const std::string&, const broch_dl_tensor&) {}
  virtual void process_event(const std::string&, const std::string&) {}
};

// One input of a model.
struct Input {
  std::string name;
  broch_dtype dtype;
  std::vector<int64_t> shape;     // -1: unknown
  std::vector<std::string> dims;  // empty, or a name or "" for each dimension
};

// What describes computations: it has operators.
class Describer {
 public:
  explicit Describer(const Host& host) : host_(host), ops_(host) {}
  const Host& host() const { return host_; }
  Ops& ops() { return ops_; }

 private:
  Host host_;
  Ops ops_;
};

class Model : public Describer {
 public:
  using Describer::Describer;
  virtual ~Model() = default;
  virtual std::vector<Input> inputs() = 0;
  // The cost in training, anything (or nothing) in inference.
  virtual Tensor tower(Tower& tower, const std::vector<Tensor>& inputs) = 0;
  // A data point to define the tower on, when zeros are no legal input.
  virtual void example(PointWriter&) {}
  // A manifest entry, or "" for none.
  virtual std::string optimizer() { return ""; }
};

// A variable and its gradient.
struct Gradient {
  std::string name;
  broch_variable variable;
  Tensor gradient;  // to be replaced by what goes on, not written to
};

class GradientProcessor : public Describer {
 public:
  using Describer::Describer;
  virtual ~GradientProcessor() = default;
  // False: the variable is left alone from here on.
  virtual bool keeps(const std::string&) { return true; }
  virtual void process(Tower&, std::vector<Gradient>&) {}
};

// A variable in an update.
struct Parameter {
  std::string name;
  broch_variable variable;
  Tensor gradient;
  Tensor value;               // these two are to be replaced by
  std::vector<Tensor> slots;  // the new ones, not written to
};

class Optimizer : public Describer {
 public:
  using Describer::Describer;
  virtual ~Optimizer() = default;
  struct Outline {
    std::vector<std::pair<std::string, double>> hypers, slots;  // names with first values
  };
  virtual Outline outline() { return {}; }
  // hypers in the order of the outline, float64; number of this update, from 1, int64; all 0-dim.
  virtual void update(Tower& scope, std::vector<Parameter>& parameters,
                      const std::vector<Tensor>& hypers, const Tensor& number) = 0;
  // What outline answered first.
  const Outline& fixed_outline() {
    if (!fixed_) fixed_ = outline();
    return *fixed_;
  }

 private:
  std::optional<Outline> fixed_;
};

class DataFlow {
 public:
  virtual ~DataFlow() = default;
  virtual void reset_state() {}
  // cursor "": from the beginning, else continue after that point.
  virtual void open(const std::string& cursor) = 0;
  // False: the iteration is over.
  virtual bool next(const Cancel& cancel, PointWriter& point) = 0;
  virtual std::optional<int64_t> size() { return std::nullopt; }
};

// The class also says what it is (BROCH_INPUT_… of role/input_source.h, 0 for none):
//   static constexpr uint32_t kFlags = 0;
class InputSource {
 public:
  virtual ~InputSource() = default;
  virtual void setup(const broch_input_spec* inputs, uint32_t n) = 0;
  virtual void reset_state() {}
  // After the points with these cursors, one a tower, "" for none. Without it a resumed run calls
  // reset_state.
  virtual void resume(const std::vector<std::string>&) {}
  // False: no more data.
  virtual bool next(uint32_t tower, const Cancel& cancel, PointWriter& point) = 0;
  virtual std::optional<int64_t> size() { return std::nullopt; }
  virtual void stop() {}
  virtual void set_towers(uint32_t) {}
};

// A class that is a Callback, too, gets setup_graph once, as the trainer, and may ask there for
// what callbacks ask for.
class Trainer {
 public:
  virtual ~Trainer() = default;
  virtual void setup_graph() = 0;
};
// A trainer whose step is its own.
class SteppingTrainer : public Trainer {
 public:
  virtual broch_status run_step() = 0;  // what ext/plan.h's run answered
};

class Inferencer {
 public:
  virtual ~Inferencer() = default;
  virtual std::vector<std::string> fetches() = 0;
  virtual void before_inference() {}
  virtual void on_fetches(const broch_tensor* values, uint32_t n) = 0;
  virtual std::vector<std::pair<std::string, double>> after_inference() = 0;
};

class SessionInit {
 public:
  virtual ~SessionInit() = default;
  virtual void init() = 0;
};

class Function {
 public:
  virtual ~Function() = default;
  // No value: change nothing.
  virtual std::optional<double> call(const broch_function_args& args) = 0;
};

// What an instance keeps across a restart. The class also says which version it writes:
//   static constexpr uint32_t kStateVersion = 1;
// load_state gets every version that was ever written.
class Stateful {
 public:
  virtual ~Stateful() = default;
  virtual std::string save_state() = 0;
  virtual void load_state(uint32_t version, const std::string& bytes) = 0;
};

// Whose options marked "x-broch-mutable" may be set while it trains and that keeps copies of them;
// see ext/options.h. options_changed throws broch::Error to refuse the new value.
class Adjustable {
 public:
  virtual ~Adjustable() = default;
  virtual void options_changed(const std::string& pointer) = 0;
};

// What runs beside training: threads or processes of the plugin's own; see ext/service.h.
class Service {
 public:
  virtual ~Service() = default;
  virtual void start_service() = 0;
  virtual void stop_service() = 0;
};

}  // namespace v0
}  // namespace broch
