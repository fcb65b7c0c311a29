// drawn.cpp: two models, and a callback that writes down the graph of the model.
#include <broch/layers.hpp>

#include "builtins/trace.hpp"

namespace {

// A linear layer with ReLU, whose sum is the output; the cost needs a label.
class Small final : public broch::Model {
 public:
  using Model::Model;
  std::vector<broch::Input> inputs() override {
    return {{"x", BROCH_FLOAT32, {-1, 2}, {"B"}}, {"y", BROCH_FLOAT32, {-1}, {"B"}}};
  }
  broch::Tensor tower(broch::Tower& t, const std::vector<broch::Tensor>& inputs) override {
    broch::FullyConnectedOptions three;
    three.units = 3;
    const broch::Tensor hidden = t.ops().relu(broch::fully_connected(t, "fc", inputs[0], three));
    const broch::Tensor output = t.publish("output", t.ops().sum_dim(hidden, {1}));
    return t.publish("cost", t.ops().mse_loss(output, inputs[1]));
  }
  std::string optimizer() override { return R"({"use": "sgd", "with": {"learning_rate": 0.1}})"; }
};

// Computes with what it has read of its input, so no graph of operators is this model.
class Reading final : public broch::Model {
 public:
  explicit Reading(const broch::Host& host) : Model(host), data_(host) {}
  std::vector<broch::Input> inputs() override { return {{"x", BROCH_FLOAT32, {-1}, {"B"}}}; }
  broch::Tensor tower(broch::Tower& t, const std::vector<broch::Tensor>& inputs) override {
    const broch::Tensor w = t.variable("w", {}, broch::Init::constant(1)).value;
    const double mean = data_.item(t.ops().mean(inputs[0]).handle());
    return t.publish("output", w * broch::Scalar(mean));
  }
  std::string optimizer() override { return R"({"use": "sgd", "with": {"learning_rate": 0.1}})"; }

 private:
  broch::TensorData data_;
};

struct Options {
  std::string trace;
  std::vector<std::string> outputs;
  bool late;

  static constexpr auto schema = broch::options(
      broch::option("trace", &Options::trace, "File for the graph."),
      broch::option("outputs", &Options::outputs, "Published names.").by_default(),
      broch::option("late", &Options::late, "Asks within a step.").by_default(false));
};

class Drawer final : public broch::Callback {
 public:
  Drawer(const broch::Host& host, Options options)
      : graph_(host), trace_(broch::Config(host)), options_(std::move(options)) {}
  void before_train() override {
    if (!options_.late) draw();
  }
  uint64_t before_run(broch_run, uint64_t fetches) override {
    if (options_.late) draw();
    return fetches;
  }

 private:
  void draw() const { trace_.write(graph_.of_model(options_.outputs)); }

  broch::ModelGraph graph_;
  broch::test::Trace trace_;
  Options options_;
};

}  // namespace

BROCH_COMPONENTS(broch::component<Small>("test.small", "model", "1.0.0", "A layer.",
                                         R"({"type": "object", "additionalProperties": false})"),
                 broch::component<Reading>("test.reading", "model", "1.0.0", "Reads its input.",
                                           R"({"type": "object", "additionalProperties": false})"),
                 broch::component<Drawer>("test.drawer", "callback", "1.0.0",
                                          "Writes the graph of the model.", Options::schema))
