// roles.hpp: the roles as base classes. Derive from one, override what you need, and register the
// class with a macro of plugin.hpp.
//
// An override throws broch::Error to report a failure, and StopTraining to end training without an
// error. role/*.h describes the functions.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "child_data.hpp"
#include "config.hpp"
#include "data_point.hpp"
#include "draws.hpp"
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
  // fetches has a bit for each fetch that was declared. Return the bits of those that are wanted in
  // this run.
  virtual uint64_t before_run(broch_run, uint64_t fetches) { return fetches; }
  virtual void after_run(broch_run) {}
  virtual void trigger_step() {}
  virtual void trigger_epoch() { trigger(); }
  virtual void trigger() {}
};

// A derived class may define kQueued as true: then it has a queue, see role/monitor.h.
class Monitor {
 public:
  static constexpr bool kQueued = false;
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
  std::vector<int64_t> shape;     // -1: depends on the data point
  std::vector<std::string> dims;  // names of the first dimensions; "": none
};

// Base of the roles that describe computations: it has the operators.
class GraphBuilder {
 public:
  explicit GraphBuilder(const Host& host) : host_(host), ops_(host) {}
  const Host& host() const { return host_; }
  Ops& ops() { return ops_; }

 private:
  Host host_;
  Ops ops_;
};

class Model : public GraphBuilder {
 public:
  using GraphBuilder::GraphBuilder;
  virtual ~Model() = default;
  virtual std::vector<Input> inputs() = 0;
  // Builds the model for inputs, which are in the order of inputs(). Returns the cost, a scalar; in
  // inference it may be undefined.
  virtual Tensor tower(Tower& tower, const std::vector<Tensor>& inputs) = 0;
  // Fills a data point for the set-up of the graph, which otherwise uses zeros. Override it if
  // zeros are not valid inputs.
  virtual void example(PointWriter&) {}
  // The default optimizer as a manifest entry, such as {"use": "adam"}, or "" for none.
  virtual std::string optimizer() { return ""; }
};

// A variable and its gradient.
struct Gradient {
  std::string name;
  broch_variable variable;
  Tensor gradient;  // replace it; do not write to it
};

class GradientProcessor : public GraphBuilder {
 public:
  using GraphBuilder::GraphBuilder;
  virtual ~GradientProcessor() = default;
  // Whether the variable with this name is updated. False: it stays as it is.
  virtual bool keeps(const std::string&) { return true; }
  // Replaces gradients; their number, shapes and order must stay the same.
  virtual void process(Tower&, std::vector<Gradient>&) {}
};

// A variable in an update.
struct Parameter {
  std::string name;
  broch_variable variable;
  Tensor gradient;
  // Replace these with the new ones; do not write to them.
  Tensor value;
  std::vector<Tensor> slots;
};

class Optimizer : public GraphBuilder {
 public:
  using GraphBuilder::GraphBuilder;
  virtual ~Optimizer() = default;
  struct Spec {
    std::vector<std::pair<std::string, double>> hyper_params, slots;  // names and initial values
  };
  virtual Spec spec() { return {}; }
  // The shape of a slot of a variable with this shape. slot: its place in the list of spec.
  virtual std::vector<int64_t> slot_shape(size_t slot, const std::vector<int64_t>& shape) {
    (void)slot;
    return shape;
  }
  // Replaces value and slots of each parameter. hyper_params: float64, 0-dim, in the order in which
  // the optimizer has listed them. number: int64, 0-dim, counts the updates from 1; 0 during
  // set-up.
  virtual void update(Tower& scope, std::vector<Parameter>& parameters,
                      const std::vector<Tensor>& hyper_params, const Tensor& number) = 0;
  // The list that the host was given, asked for only once.
  const Spec& fixed_spec() {
    if (!fixed_) fixed_ = spec();
    return *fixed_;
  }

 private:
  std::optional<Spec> fixed_;
};

class DataFlow {
 public:
  virtual ~DataFlow() = default;
  virtual void reset_state() {}
  // cursor "": start from the beginning; otherwise continue after the point that it describes.
  virtual void open(const std::string& cursor) = 0;
  // Called between open and the first next: the cursor of the place where this iteration starts.
  // open with it starts there again, in the same order. No value: there is none.
  virtual std::optional<std::string> start_cursor() { return std::nullopt; }
  // Fills point with the next data point. False: the iteration is over.
  virtual bool next(const Cancel& cancel, PointWriter& point) = 0;
  // The number of points of one iteration. No value: unknown or infinite.
  virtual std::optional<int64_t> size() { return std::nullopt; }
};

// A dataflow whose points have numbers, see role/indexed.h. A class may derive from DataFlow as
// well; then the host reads it by index whenever indexed returns true.
class Indexed {
 public:
  virtual ~Indexed() = default;
  virtual void reset_state() {}
  // Whether it can be read by index. It is false in a dataflow around one that cannot; always the
  // same for one instance.
  virtual bool indexed() const { return true; }
  // The number of points of one round. No value: unknown or endless. Any thread.
  virtual std::optional<int64_t> size() = 0;
  // Fills point with the point at this position. False: the round ends before it. Called on several
  // threads at once.
  virtual bool read(const Position& position, const Cancel& cancel, PointWriter& point) = 0;
  // Whether read sets cursors that only locate understands; always the same for one instance.
  virtual bool has_locate() const { return false; }
  // The position at which to continue after the point with this cursor.
  virtual Position locate(const std::string&) { return {}; }
  // What the point at this index is, such as the name of its file, for messages. "": nothing to
  // say. Any thread.
  virtual std::string describe(uint64_t) { return ""; }
};

// Makes a point from a point, see role/transform.h. Called on several threads at once.
class Transform {
 public:
  virtual ~Transform() = default;
  // Fills out, which is empty. The content of in may be moved to it.
  virtual void apply(PointReader& in, PointWriter& out, Draws draws) = 0;
};
// A transform that makes none or several points from one: call out.emit() after each of them.
class ManyTransform : public Transform {};

// Writes data points into a file, or sends them to an address, see role/sink.h. extensions() in its
// metadata says into or to which.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void open(const std::string& path) = 0;
  virtual void put(PointReader& point) = 0;
  virtual void close() = 0;
};

// A derived class must also define its flags, BROCH_INPUT_… of role/input_source.h or 0:
//   static constexpr uint32_t kFlags = 0;
class InputSource {
 public:
  virtual ~InputSource() = default;
  virtual void setup(const broch_input_spec* inputs, uint32_t n) = 0;
  virtual void reset_state() {}
  // Continues a resumed run after the points with these cursors, one per tower, "" for none; the
  // last one is the newest (role/input_source.h). If it is not overridden, reset_state is called
  // instead.
  virtual void resume(const std::vector<std::string>&) {}
  // Fills point for a tower. False: no more data.
  virtual bool next(uint32_t tower, const Cancel& cancel, PointWriter& point) = 0;
  // The number of points of one round. No value: unknown.
  virtual std::optional<int64_t> size() { return std::nullopt; }
  virtual void stop() {}
  virtual void set_towers(uint32_t) {}
};

// If the class is also a Callback, setup_graph is called once; it may then also request what
// callbacks request, such as fetches.
class Trainer {
 public:
  virtual ~Trainer() = default;
  virtual void setup_graph() = 0;
};
// A trainer that defines its own step.
class SteppingTrainer : public Trainer {
 public:
  // Returns BROCH_OK, or what Plan::run returned. May throw Cancelled before the first run.
  virtual broch_status run_step() = 0;
};

class Inferencer {
 public:
  virtual ~Inferencer() = default;
  // The names of the outputs of the inference tower that on_fetches gets, in this order.
  virtual std::vector<std::string> fetches() = 0;
  virtual void before_inference() {}
  virtual void on_fetches(const broch_tensor* values, uint32_t n) = 0;
  // The metrics of this round, each with its full name.
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
  // The new value. No value: change nothing.
  virtual std::optional<double> call(const broch_function_args& args) = 0;
};

// Keeps the state of an instance when a run is resumed. A derived class must also define the
// version of the data that it writes:
//   static constexpr uint32_t kStateVersion = 1;
// load_state must be able to read every version that was ever written.
class Stateful {
 public:
  virtual ~Stateful() = default;
  virtual std::string save_state() = 0;
  virtual void load_state(uint32_t version, const std::string& bytes) = 0;
};

// For components that copy options marked "x-broch-mutable", which may change during training; see
// plugin/options.h. options_changed gets the JSON pointer of the option, and throws broch::Error to
// refuse the new value.
class Adjustable {
 public:
  virtual ~Adjustable() = default;
  virtual void options_changed(const std::string& pointer) = 0;
};

// Threads or processes of the plugin that run beside the training; see plugin/service.h.
class Service {
 public:
  virtual ~Service() = default;
  virtual void start_service() = 0;
  virtual void stop_service() = 0;
};

}  // namespace v0
}  // namespace broch
