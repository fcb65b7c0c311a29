// models.cpp: models that the checker has to find data, an optimizer and options for.
#include <broch/layers.hpp>
#include <fstream>

namespace {

using namespace broch;

FullyConnectedOptions units_of(int64_t units) {
  return with(FullyConnectedOptions(), &FullyConnectedOptions::units, units);
}

// The example of docs/plugins/model.md: a cost that is a mean, and no optimizer.
class Line final : public Model {
 public:
  explicit Line(const Host& host) : Model(host) {}
  std::vector<Input> inputs() override {
    return {{"x", BROCH_FLOAT32, {-1, 3}, {"B", ""}}, {"y", BROCH_FLOAT32, {-1, 1}, {"B", ""}}};
  }
  Tensor tower(Tower& t, const std::vector<Tensor>& inputs) override {
    return t.publish(
        "cost", t.ops().mse_loss(fully_connected(t, "line", inputs[0], units_of(1)), inputs[1]));
  }
};

// Four dtypes, and dimensions that inputs share.
class Words final : public Model {
 public:
  explicit Words(const Host& host) : Model(host) {}
  std::vector<Input> inputs() override {
    return {{"words", BROCH_INT64, {-1, -1}, {"B", "T"}},
            {"weights", BROCH_FLOAT64, {-1}, {"T"}},
            {"picture", BROCH_UINT8, {-1, 1, 4, 4}, {"B", "", "", ""}},
            {"label", BROCH_INT64, {-1}, {"B"}}};
  }
  Tensor tower(Tower& t, const std::vector<Tensor>& inputs) override {
    Ops& ops = t.ops();
    EmbeddingOptions table;
    table.rows = 10;
    table.width = 4;
    const Tensor words = embedding(t, "table", inputs[0], table);
    const Tensor weights = ops.to_dtype(ops.reshape(inputs[1], {1, -1, 1}), BROCH_FLOAT32);
    Conv2dOptions conv;
    conv.channels = 3;
    const Tensor pixels = ops.to_dtype(inputs[2], BROCH_FLOAT32) * Scalar(1.0 / 255);
    const Tensor picture =
        global_avg_pool(t, "pool", batch_norm(t, "bn", conv2d(t, "conv", pixels, conv)));
    const Tensor both = ops.cat({ops.mean_dim(words * weights, {1}), picture}, 1);
    const Tensor logits = fully_connected(t, "logits", both, units_of(3));
    return t.publish("cost", ops.cross_entropy_loss(logits, inputs[3]));
  }
  std::string optimizer() override { return R"({"use": "adam", "with": {"learning_rate": 0.01}})"; }
};

// Zeros are no legal input: its ids begin with 1. The example says so.
class FromOne final : public Model {
 public:
  explicit FromOne(const Host& host) : Model(host) {}
  std::vector<Input> inputs() override { return {{"ids", BROCH_INT64, {-1}, {"B"}}}; }
  void example(PointWriter& point) override { point.add(std::vector<int64_t>{1, 2, 3}, {3}); }
  Tensor tower(Tower& t, const std::vector<Tensor>& inputs) override {
    EmbeddingOptions table;
    table.rows = 3;
    table.width = 2;
    const Tensor y = embedding(t, "table", inputs[0] - Scalar(1), table);
    return t.publish("cost", t.ops().mean(t.ops().square(y)));
  }
};

// Needs two options, one of them a file that is there.
class FromFile final : public Model {
 public:
  explicit FromFile(const Host& host) : Model(host) {
    const Config config(host);
    width_ = config.integer("/width");
    const std::string file = config.string("/file");
    if (!std::ifstream(file)) throw Error(BROCH_E_NOT_FOUND, file + " is not there");
  }
  std::vector<Input> inputs() override { return {{"x", BROCH_FLOAT32, {-1, width_}, {}}}; }
  Tensor tower(Tower& t, const std::vector<Tensor>& inputs) override {
    return t.publish("cost", t.ops().mean(fully_connected(t, "fc", inputs[0], units_of(2))));
  }

 private:
  int64_t width_;
};

constexpr broch_component kComponents[] = {
    component<Line>("valid.line", "model"), component<Words>("valid.words", "model"),
    component<FromOne>("valid.from-one", "model"), component<FromFile>("valid.from-file", "model")};

}  // namespace

#define NO_OPTIONS R"({"type": "object", "properties": {}, "additionalProperties": false})"
#define MODEL(name, options) BROCH_META("valid." name, "model", "1.0.0", "A model.", options)

BROCH_PLUGIN(kComponents,
             "{\"components\": [" MODEL("line", NO_OPTIONS) ", " MODEL(
                 "words", NO_OPTIONS) ", " MODEL("from-one", NO_OPTIONS) ", " MODEL("from-file",
                                                                                    R"({
  "type": "object",
  "properties": {"file": {"type": "string", "x-broch-path": true},
                 "width": {"type": "integer", "minimum": 1}},
  "required": ["file", "width"], "additionalProperties": false})") "]}")
