// first_asked.cpp: a callback whose threads ask predictors for the first time while the model is
// being trained. It ends the training when all of them have got enough answers. And a model whose
// output depends on the step of the training.
#include <atomic>
#include <broch/broch.hpp>
#include <thread>

namespace {

struct Options {
  int64_t threads, answers, rows;
  std::vector<int64_t> shape;
  bool waits;

  static constexpr auto schema = broch::options(
      broch::option("threads", &Options::threads, "Each has a predictor.").by_default(1),
      broch::option("answers", &Options::answers, "Enough for a predictor.").by_default(80),
      broch::option("rows", &Options::rows, "Samples in a question.").by_default(256),
      broch::option("shape", &Options::shape, "The shape of a sample."),
      broch::option("waits", &Options::waits, "Each step ends with an answer of each predictor.")
          .by_default(false));
};

class FirstAsked final : public broch::Callback {
 public:
  FirstAsked(const broch::Host& host, const Options& options)
      : host_(host), options_(options), data_(host), answers_(size_t(options.threads)) {}

  void setup_graph() override {
    for (int64_t i = 0; i < options_.threads; ++i)
      predictors_.emplace_back(host_, broch::Predictor::Names{"x"},
                               broch::Predictor::Names{"output"});
  }
  void before_epoch() override {
    for (size_t i = 0; i < predictors_.size(); ++i)
      threads_.emplace_back([this, i] { ask_from_thread(i); });
  }
  void trigger_step() override {
    bool enough = true;
    for (size_t i = 0; i < predictors_.size(); ++i) {
      if (options_.waits) ask(i);
      enough = enough && answers_[i] >= options_.answers;
    }
    if (enough) throw broch::StopTraining("enough answers");
  }
  void after_train() override {
    over_ = true;
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  void ask_from_thread(size_t number) {
    const broch::ThreadScope thread(host_, "asking");
    try {
      for (int64_t i = 0; !over_ && i < 100 * options_.answers; ++i) ask(number);
    } catch (const std::exception& error) {
      host_.error(error.what());
    }
  }
  void ask(size_t number) {
    const broch::Scope scope(host_);
    std::vector<int64_t> shape = options_.shape;
    shape.insert(shape.begin(), options_.rows);
    std::vector<float> values(size_t(broch::element_count(shape.data(), shape.size())));
    const size_t question = number + size_t(answers_[number]);
    for (size_t k = 0; k < values.size(); ++k) values[k] = float((question * 7 + k) % 31) / 16 - 1;
    predictors_[number].call({data_.from_data(values, shape)});
    ++answers_[number];
  }

  broch::Host host_;
  Options options_;
  broch::TensorData data_;
  std::vector<broch::Predictor> predictors_;
  std::vector<std::atomic<int64_t>> answers_;
  std::vector<std::thread> threads_;
  std::atomic<bool> over_{false};
};

class Counting final : public broch::Model {
 public:
  explicit Counting(const broch::Host& host) : Model(host) {}
  std::vector<broch::Input> inputs() override {
    return {{"x", BROCH_FLOAT32, {-1, kWidth}, {"B", ""}}};
  }
  broch::Tensor tower(broch::Tower& t, const std::vector<broch::Tensor>& inputs) override {
    broch::Ops& ops = t.ops();
    const broch::Tensor weights =
        t.variable("W", {kWidth, kWidth}, broch::Init::constant(0.01), BROCH_VARIABLE_TRAINABLE)
            .value;
    broch::Tensor values = inputs[0];
    for (int i = 0; i < 3; ++i) values = ops.tanh(ops.matmul(values, weights));
    t.publish("output", values + ops.to_dtype(t.hyper_param("global_step"), BROCH_FLOAT32));
    return t.publish("cost", ops.mean(ops.square(values)));
  }
  std::string optimizer() override { return R"({"use": "sgd", "with": {"learning_rate": 0.1}})"; }

 private:
  static constexpr int64_t kWidth = 256;
};

}  // namespace

BROCH_COMPONENTS(broch::component<FirstAsked>("test.first-asked", "callback", "1.0.0",
                                              "Asks a model that is being trained.",
                                              Options::schema),
                 broch::component<Counting>("test.counting", "model", "1.0.0", "Counts steps."))
