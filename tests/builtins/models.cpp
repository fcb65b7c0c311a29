// models.cpp: a dataflow of given rows, models of few numbers, a trainer of two hooked runs a step.
#include <atomic>
#include <broch/layers.hpp>
#include <chrono>
#include <thread>

#include "trace.hpp"

namespace {

using broch::test::Trace;

std::atomic<bool> waits{false};  // a dataflow of rows, at "wait_at"

class Rows final : public broch::DataFlow {
 public:
  explicit Rows(const broch::Host& host) : trace_(broch::Config(host)) {
    const broch::Config config(host);
    for (uint64_t row = 0, n = config.size("/rows"); row < n; ++row) {
      const std::string at = "/rows/" + std::to_string(row);
      rows_.emplace_back();
      for (uint64_t i = 0, m = config.size(at); i < m; ++i)
        rows_.back().push_back(float(config.number(at + "/" + std::to_string(i))));
    }
    scalars_ = config.boolean("/scalars");
    known_size_ = config.boolean("/known_size");
    fail_at_ = config.integer("/fail_at");
    is_data_loss_ = config.boolean("/data_loss");
    waits_at_ = config.integer("/wait_at");
  }

  void open(const std::string& cursor) override {
    trace_.write("open " + cursor);
    waits = false;
    next_ = cursor.empty() ? 0 : std::stoll(cursor) + 1;
  }
  std::optional<std::string> start_cursor() override { return std::to_string(next_ - 1); }
  bool next(const broch::Cancel& cancel, broch::PointWriter& point) override {
    if (next_ == fail_at_)
      throw broch::Error(is_data_loss_ ? BROCH_E_DATA_LOSS : BROCH_E_UNKNOWN,
                         "row " + std::to_string(next_) + " is torn");
    while (next_ == waits_at_) {
      waits = true;
      cancel.wait(1'000'000'000);
    }
    if (next_ >= int64_t(rows_.size())) return false;
    std::vector<float>& row = rows_[size_t(next_)];
    int64_t shape[1] = {int64_t(row.size())};
    point.add(broch::dl_view(row.data(), {BROCH_DL_FLOAT, 32, 1}, shape, scalars_ ? 0 : 1));
    point.set_cursor(std::to_string(next_++));
    return true;
  }
  std::optional<int64_t> size() override {
    return known_size_ ? std::optional<int64_t>(rows_.size()) : std::nullopt;
  }

 private:
  Trace trace_;
  std::vector<std::vector<float>> rows_;
  bool scalars_, known_size_, is_data_loss_;
  int64_t fail_at_, waits_at_, next_ = 0;
};

// Begins no step before the dataflow waits, so a queue has all points that it will get.
class Awaiter final : public broch::Callback {
 public:
  explicit Awaiter(const broch::Host&) {}
  uint64_t before_run(broch_run, uint64_t fetches) override {
    while (!waits) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return fetches;
  }
};

// Yields 1, 2, … up to "rounds". For each it reads a round of "dataflow", and reads it again from
// its start in "again", a dataflow with the same options, which has to yield the same points.
class StartedAgain final : public broch::DataFlow {
 public:
  explicit StartedAgain(const broch::Host& host)
      : host_(host),
        trace_(broch::Config(host)),
        first_(host, "/dataflow"),
        again_(host, "/again"),
        rounds_(broch::Config(host).integer("/rounds")) {}

  void reset_state() override {
    first_.reset_state();
    again_.reset_state();
  }
  void open(const std::string&) override {}
  bool next(const broch::Cancel& cancel, broch::PointWriter& point) override {
    if (round_++ == rounds_) return false;
    first_.open("");
    const std::optional<std::string> start = first_.start_cursor();
    if (!start) throw broch::Error(BROCH_E_FAILED_PRECONDITION, "no cursor of the start");
    trace_.write("start " + *start);
    const std::string round = points(first_, cancel);
    again_.open(*start);
    if (again_.start_cursor() != start)
      throw broch::Error(BROCH_E_DATA_LOSS, "another cursor at the start " + *start);
    if (const std::string found = points(again_, cancel); found != round)
      throw broch::Error(BROCH_E_DATA_LOSS, *start + ": " + found + ", expected " + round);
    point.add(std::vector<float>{float(round_)}, {1});
    point.set_cursor(std::to_string(round_));
    return true;
  }

 private:
  // The mean of the first component and the cursor of each point.
  std::string points(const broch::ChildDataFlow& flow, const broch::Cancel& cancel) {
    std::string text;
    for (;;) {
      broch::Point point(host_);
      if (!flow.next(cancel.c(), point.handle())) return text;
      const broch_dl_tensor view = point.view(0);
      int64_t elements = 1;
      for (int32_t i = 0; i < view.ndim; ++i) elements *= view.shape[i];
      const auto* values =
          reinterpret_cast<const float*>(static_cast<const char*>(view.data) + view.byte_offset);
      double sum = 0;
      for (int64_t i = 0; i < elements; ++i) sum += double(values[i]);
      text += std::to_string(sum / double(elements)) + "@" + point.cursor() + " ";
    }
  }

  broch::Host host_;
  Trace trace_;
  broch::ChildDataFlow first_, again_;
  int64_t rounds_, round_ = 0;
};

// cost = w · mean(x), so that w falls by learning_rate · mean(x) in each step; "seen" counts
// committed updates. kinds: a summary of x. regularizer: adds w² if it is found in the name of w.
// weighted: a second input, by which x is multiplied. anchor: of the update of "seen".
class Slope final : public broch::Model {
 public:
  explicit Slope(const broch::Host& host) : Model(host) {
    const broch::Config config(host);
    name_ = config.string("/name");
    start_ = config.number("/start");
    size_ = config.integer("/size");
    decay_ = config.number("/decay");
    dtype_ = config.boolean("/integers") ? BROCH_INT64 : BROCH_FLOAT32;
    picture_ = config.boolean("/picture");
    shows_cost_ = config.boolean("/shows_cost");
    nameless_ = config.boolean("/nameless");
    kinds_ = uint32_t(config.integer("/kinds"));
    regularizer_ = config.string("/regularizer");
    weighted_ = config.boolean("/weighted");
    adds_penalty_ = config.boolean("/adds_penalty");
    anchor_ = config.string("/anchor");
    collection_ = config.string("/collection");
  }
  std::vector<broch::Input> inputs() override {
    std::vector<broch::Input> inputs{{"x", dtype_, {-1}, {"B"}}};
    if (weighted_) inputs.push_back({"weight", BROCH_FLOAT32, {-1}, {"B"}});
    return inputs;
  }
  broch::Tensor tower(broch::Tower& t, const std::vector<broch::Tensor>& inputs) override {
    broch::Tensor x = t.ops().to_dtype(inputs[0], BROCH_FLOAT32);
    if (weighted_) x = x * inputs[1];
    const broch::Tensor w = t.variable(name_, {size_}, broch::Init::constant(start_)).value;
    const broch::Variable seen =
        t.variable("seen", {}, broch::Init::constant(0), BROCH_VARIABLE_MODEL);
    if (t.is_training()) t.update(seen.handle, seen.value + broch::Scalar(1), anchor_);
    const broch::Tensor mean = t.publish("mean", t.ops().mean(x));
    if (anchor_ != BROCH_UPDATE_OPS) t.collect(anchor_, mean);
    t.publish("incorrect_vector", x);
    t.moving_summary("x", mean, decay_, collection_);
    t.summary("now", mean);
    if (picture_) {
      const broch::Tensor pictures = t.publish("pictures", t.ops().reshape(x, {-1, 1, 2, 1}));
      t.summary("picture", pictures, BROCH_SHOW_IMAGE | BROCH_SHOW_HISTOGRAM);
      const broch::Tensor red = t.ops().reshape(x, {-1, 1, 1, 2});
      t.publish("colors",
                t.ops().cat({red, red * broch::Scalar(0.5), red * broch::Scalar(0.25)}, 1));
    }
    if (kinds_) t.summary("shown", x, kinds_);
    broch::Tensor cost = t.ops().mean(w) * mean;
    if (!regularizer_.empty()) {
      const broch::Tensor penalty =
          broch::regularize_cost(t, regularizer_, broch::l2_regularizer(2));
      if (adds_penalty_) cost = cost + penalty;
    }
    if (shows_cost_) t.summary("cost", cost);
    return nameless_ ? cost : t.publish("cost", cost);
  }
  std::string optimizer() override { return R"({"use": "sgd", "with": {"learning_rate": 1.0}})"; }

 private:
  std::string name_, regularizer_, anchor_, collection_;
  double start_, decay_;
  uint32_t kinds_;
  int64_t size_;
  broch_dtype dtype_;
  bool picture_, shows_cost_, nameless_, weighted_, adds_penalty_;
};

// A batch normalization of one channel and the mean of what comes out.
class Normed final : public broch::Model {
 public:
  explicit Normed(const broch::Host& host) : Model(host) {}
  std::vector<broch::Input> inputs() override { return {{"x", BROCH_FLOAT32, {-1}, {"B"}}}; }
  broch::Tensor tower(broch::Tower& t, const std::vector<broch::Tensor>& inputs) override {
    const broch::Tensor y = broch::batch_norm(t, "bn", t.ops().reshape(inputs[0], {-1, 1}));
    return t.publish("out", t.ops().mean(y));
  }
  std::string optimizer() override { return R"({"use": "sgd", "with": {"learning_rate": 1.0}})"; }
};

// For the null runtime, whose operators keep the shape of their operand: cost = w.
class Flat final : public broch::Model {
 public:
  explicit Flat(const broch::Host& host) : Model(host) {}
  std::vector<broch::Input> inputs() override { return {{"x", BROCH_FLOAT32, {-1}, {"B"}}}; }
  broch::Tensor tower(broch::Tower& t, const std::vector<broch::Tensor>&) override {
    return t.publish("cost", t.variable("w", {}, broch::Init::constant(1)).value);
  }
  std::string optimizer() override { return R"({"use": "sgd", "with": {"learning_rate": 1.0}})"; }
};

// A part that is used three times: out = w x + (times used before), times being counted by a
// variable of the part that each use updates. name, size: what the last use asks for as w.
class Reused final : public broch::Model {
 public:
  explicit Reused(const broch::Host& host) : Model(host) {
    const broch::Config config(host);
    name_ = config.string("/name");
    size_ = config.integer("/size");
  }
  std::vector<broch::Input> inputs() override { return {{"x", BROCH_FLOAT32, {-1}, {"B"}}}; }
  broch::Tensor tower(broch::Tower& t, const std::vector<broch::Tensor>& inputs) override {
    broch::Tensor total;
    {
      const auto scope = t.scope("part");
      total = used(t, inputs[0], "w", 1);
    }
    {
      const auto scope = t.reuse("part");
      total = total + used(t, inputs[0], "w", 1);
    }
    const auto scope = t.reuse("part");
    return t.publish("cost", total + used(t, inputs[0], name_, size_));
  }
  std::string optimizer() override { return R"({"use": "sgd", "with": {"learning_rate": 1.0}})"; }

 private:
  static broch::Tensor used(broch::Tower& t, const broch::Tensor& x, const std::string& name,
                            int64_t size) {
    const auto scope = t.scope("inner");
    const broch::Tensor w = t.variable(name, {size}, broch::Init::constant(1)).value;
    const broch::Variable times =
        t.variable("times", {}, broch::Init::constant(0), BROCH_VARIABLE_MODEL);
    t.update(times.handle, times.value + broch::Scalar(1));
    return t.publish(t.scoped("out"), t.ops().mean(w) * t.ops().mean(x) + times.value);
  }

  std::string name_;
  int64_t size_;
};

// Two hooked runs a step.
class Twice final : public broch::SteppingTrainer {
 public:
  explicit Twice(const broch::Host& host) : host_(host) {}
  void setup_graph() override {
    plan_.emplace(host_, "train");
    plan_->tower({plan_->input()}, {});
    plan_->seal();
  }
  broch_status run_step() override {
    const broch_status first = plan_->run();
    return first == BROCH_OK ? plan_->run() : first;
  }

 private:
  broch::Host host_;
  std::optional<broch::Plan> plan_;
};

// The costs of a GAN whose logits are w x for real examples and v (x - 1) for generated ones.
class GanCosts final : public broch::Model {
 public:
  explicit GanCosts(const broch::Host& host) : Model(host) {}
  std::vector<broch::Input> inputs() override { return {{"x", BROCH_FLOAT32, {-1}, {"B"}}}; }
  broch::Tensor tower(broch::Tower& t, const std::vector<broch::Tensor>& inputs) override {
    const broch::Tensor w = t.variable("w", {}, broch::Init::constant(2)).value;
    const broch::Tensor v = t.variable("v", {}, broch::Init::constant(1)).value;
    const auto costs = broch::gan_losses(t, w * inputs[0], v * (inputs[0] - broch::Scalar(1)));
    return t.publish("cost", costs.generator + costs.discriminator);
  }
  std::string optimizer() override { return R"({"use": "sgd", "with": {"learning_rate": 1}})"; }
};

constexpr broch_component kComponents[] = {
    broch::component<Rows>("test.rows", "dataflow"),
    broch::component<Awaiter>("test.awaiter", "callback"),
    broch::component<StartedAgain>("test.started-again", "dataflow"),
    broch::component<Slope>("test.slope", "model"),
    broch::component<Normed>("test.normed", "model"),
    broch::component<Flat>("test.flat", "model"),
    broch::component<GanCosts>("test.gan-costs", "model"),
    broch::component<Reused>("test.reused", "model"),
    broch::component<Twice>("test.twice", "trainer")};

}  // namespace

#define NO_OPTIONS R"({"type": "object", "properties": {}, "additionalProperties": false})"

BROCH_PLUGIN(
    kComponents,
    "{\"components\": [" BROCH_META("test.awaiter", "callback", "1.0.0", "Waits for a dataflow.",
                                    NO_OPTIONS) ", " BROCH_META(
        "test.normed", "model", "1.0.0", "One layer.",
        NO_OPTIONS) ", " BROCH_META("test.flat", "model", "1.0.0", "Ignores its input.",
                                    NO_OPTIONS) ", " BROCH_META("test.twice", "trainer", "1.0.0",
                                                                "Two runs a step.",
                                                                NO_OPTIONS) ", " BROCH_META("test."
                                                                                            "rows",
                                                                                            "datafl"
                                                                                            "ow",
                                                                                            "1.0.0",
                                                                                            "Given "
                                                                                            "rows.",
                                                                                            R"({
  "type": "object",
  "properties": {
    "trace": {"type": ["string", "null"], "default": null},
    "rows": {"type": "array", "items": {"type": "array", "items": {"type": "number"}}},
    "scalars": {"type": "boolean", "default": false},
    "known_size": {"type": "boolean", "default": true},
    "fail_at": {"type": "integer", "default": -1},
    "data_loss": {"type": "boolean", "default": false},
    "wait_at": {"type": "integer", "default": -1}
  },
  "required": ["rows"],
  "additionalProperties": false
})") ", " BROCH_META("test.started-again", "dataflow", "1.0.0", "Reads each round twice.", R"({
  "type": "object",
  "properties": {
    "trace": {"type": ["string", "null"], "default": null},
    "dataflow": {"x-broch-component": "dataflow"},
    "again": {"x-broch-component": "dataflow"},
    "rounds": {"type": "integer", "default": 3}
  },
  "required": ["dataflow", "again"],
  "additionalProperties": false
})") ", " BROCH_META("test.gan-costs", "model", "1.0.0", "The costs of a GAN.", NO_OPTIONS)
    ", " BROCH_META("test.reused", "model", "1.0.0", "A part three times.", R"({
  "type": "object",
  "properties": {
    "name": {"type": "string", "default": "w"},
    "size": {"type": "integer", "default": 1}
  },
  "additionalProperties": false
})") ", " BROCH_META("test.slope", "model", "1.0.0", "One number.", R"({
  "type": "object",
  "properties": {
    "name": {"type": "string", "default": "w"},
    "start": {"type": "number", "default": 1},
    "size": {"type": "integer", "default": 1},
    "decay": {"type": "number", "default": 0.95},
    "integers": {"type": "boolean", "default": false},
    "picture": {"type": "boolean", "default": false},
    "shows_cost": {"type": "boolean", "default": false},
    "nameless": {"type": "boolean", "default": false},
    "kinds": {"type": "integer", "default": 0},
    "regularizer": {"type": "string", "default": ""},
    "weighted": {"type": "boolean", "default": false},
    "adds_penalty": {"type": "boolean", "default": true},
    "anchor": {"type": "string", "default": "UPDATE_OPS"},
    "collection": {"type": "string", "default": "MOVING_SUMMARY_OPS"}
  },
  "additionalProperties": false
})") "]}")
