// twins.cpp: a model of two variables that are equal after each step, and a callback whose thread
// asks a predictor how far apart they are.
#include <atomic>
#include <broch/broch.hpp>
#include <optional>
#include <string>
#include <thread>

namespace {

// Of two element types, so that their updates are two operations.
class Twins final : public broch::Model {
 public:
  explicit Twins(const broch::Host& host) : Model(host) {}
  std::vector<broch::Input> inputs() override { return {{"x", BROCH_FLOAT32, {-1}, {"B"}}}; }
  broch::Tensor tower(broch::Tower& t, const std::vector<broch::Tensor>&) override {
    broch::Ops& ops = t.ops();
    const auto twin = [&](const char* name, broch_dtype dtype) {
      return t.variable(name, {kSize}, broch::Init::constant(0), BROCH_VARIABLE_TRAINABLE, dtype)
          .value;
    };
    const broch::Tensor first = twin("first", BROCH_FLOAT32),
                        second = twin("second", BROCH_FLOAT64);
    const broch::Tensor both = ops.to_dtype(first, BROCH_FLOAT64);
    t.publish("apart", ops.to_dtype(ops.max(ops.abs(both - second)), BROCH_FLOAT32));
    return t.publish("cost", ops.sum(both) + ops.sum(second));
  }
  std::string optimizer() override { return R"({"use": "sgd", "with": {"learning_rate": 0.5}})"; }

 private:
  static constexpr int64_t kSize = 1 << 19;
};

class Asking final : public broch::Callback {
 public:
  explicit Asking(const broch::Host& host) : host_(host), data_(host) {}

  void setup_graph() override {
    predictor_.emplace(host_, broch::Predictor::Names{}, broch::Predictor::Names{"apart"});
  }
  void before_epoch() override {
    thread_ = std::thread([this] { ask(); });
  }
  void trigger_step() override {
    if (answers_ >= 100) throw broch::StopTraining("enough answers");
  }
  void after_train() override {
    over_ = true;
    thread_.join();
    host_.info("torn answers: " + std::to_string(torn_));
  }

 private:
  void ask() try {
    const broch::ThreadScope thread(host_, "asking");
    for (; !over_; ++answers_) {
      const broch::Scope scope(host_);
      torn_ += data_.floats(predictor_->call({})[0])[0] != 0;
    }
  } catch (const std::exception& error) {
    host_.error(error.what());
  }

  broch::Host host_;
  broch::TensorData data_;
  std::optional<broch::Predictor> predictor_;
  std::thread thread_;
  std::atomic<bool> over_{false};
  std::atomic<int> answers_{0}, torn_{0};
};

}  // namespace

BROCH_COMPONENTS(broch::component<Twins>("test.twins", "model", "1.0.0", "Two equal variables."),
                 broch::component<Asking>("test.asking-twins", "callback", "1.0.0",
                                          "Asks a model that is being trained."))
