// collected.cpp: a model whose towers fill collections, and a callback that writes down what it
// finds in them.
#include <broch/broch.hpp>

#include "builtins/trace.hpp"

namespace {

using broch::test::text_of;
using broch::test::Trace;

class Collecting final : public broch::Model {
 public:
  explicit Collecting(const broch::Host& host) : Model(host) {}
  std::vector<broch::Input> inputs() override { return {{"x", BROCH_FLOAT32, {-1}, {"B"}}}; }
  broch::Tensor tower(broch::Tower& t, const std::vector<broch::Tensor>& inputs) override {
    const broch::Tensor mean = t.publish("mean", t.ops().mean(inputs[0]));
    const broch::Tensor w = t.variable("w", {}, broch::Init::constant(1)).value;
    t.collect("HIDDEN", mean);
    t.collect("HIDDEN", mean + broch::Scalar(1));
    const broch::Variable seen =
        t.variable("seen", {}, broch::Init::constant(0), BROCH_VARIABLE_MODEL);
    t.update(seen.handle, seen.value + broch::Scalar(1));
    const broch::Tensor decay = t.publish("decay", w * w);
    t.collect(BROCH_REGULARIZATION_LOSSES, decay);
    t.collect("HIDDEN", inputs[0]);
    t.collect(BROCH_UPDATE_OPS, t.publish("twice", mean * broch::Scalar(2)));
    t.summary("mean", mean);
    t.moving_summary("decay", decay);
    t.collect(BROCH_SUMMARIES, w);
    return t.publish("cost", w * mean + decay);
  }
  std::string optimizer() override { return R"({"use": "sgd", "with": {"learning_rate": 0.1}})"; }
};

// "COLLECTION: name, name" a line for the towers that it is told of, and the value of a member in
// each hooked run.
class Reader final : public broch::Callback {
 public:
  explicit Reader(const broch::Host& host)
      : host_(host), run_(host), collections_(host), config_(host), trace_(config_) {}

  void setup_graph() override {
    for (uint64_t i = 0, n = config_.size("/towers"); i < n; ++i)
      show(uint32_t(config_.integer("/towers/" + std::to_string(i))));
    if (config_.boolean("/predicts")) show_predictor();
    if (config_.has("/fetch"))
      id_ = collections_.fetch(config_.string("/fetch"), uint32_t(config_.integer("/member")),
                               uint32_t(config_.integer("/tower")));
    mean_ = run_.fetch("mean");
  }
  void after_run(broch_run run) override {
    if (!config_.has("/fetch")) return;
    trace_.write("value " + text_of(*run_.scalar(run, id_)));
    trace_.write("mean " + text_of(*run_.scalar(run, mean_)));
  }
  void trigger() override {
    if (config_.boolean("/late")) collections_.fetch("HIDDEN", 0);
  }

 private:
  void show(uint32_t tower) {
    const std::string start = std::to_string(tower) + " ";
    write(start + "published:", collections_.published(tower));
    for (const std::string& name : collections_.list(tower))
      write(start + name + ":", collections_.members(name, tower));
    trace_.write(std::to_string(tower) + " none " +
                 std::to_string(collections_.members("NOBODYS", tower).size()));
  }
  void write(std::string line, const std::vector<std::string>& names) {
    for (const std::string& name : names) line += " '" + name + "'";
    trace_.write(line);
  }
  void show_predictor() {
    const broch::Predictor predictor(host_, {"x"}, {"mean"});
    write("predictor published:", collections_.published("tower-pred-0"));
    for (const std::string& name : collections_.list("tower-pred-0"))
      trace_.write("predictor " + name);
  }

  broch::Host host_;
  broch::Run run_;
  broch::Collections collections_;
  broch::Config config_;
  Trace trace_;
  uint32_t id_ = 0, mean_ = 0;
};

constexpr broch_component kComponents[] = {broch::component<Collecting>("test.collecting", "model"),
                                           broch::component<Reader>("test.reader", "callback")};

}  // namespace

// clang-format off
BROCH_PLUGIN(kComponents,
  "{\"components\": [" BROCH_META("test.collecting", "model", "1.0.0", "Fills collections.",
  R"({"type": "object", "additionalProperties": false})") ", "
  BROCH_META("test.reader", "callback", "1.0.0", "Reads collections.", R"({
    "type": "object",
    "properties": {
      "trace": {"type": ["string", "null"], "default": null},
      "towers": {"type": "array", "items": {"type": "integer"}, "default": [0]},
      "predicts": {"type": "boolean", "default": false},
      "late": {"type": "boolean", "default": false},
      "fetch": {"type": ["string", "null"], "default": null},
      "member": {"type": "integer", "default": 0},
      "tower": {"type": "integer", "default": 0}
    },
    "additionalProperties": false
  })") "]}")
// clang-format on
