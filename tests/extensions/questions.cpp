// questions.cpp: a callback that asks a predictor from many threads, compares the answers with
// those to one question at a time, and can measure both.
#include <algorithm>
#include <atomic>
#include <broch/broch.hpp>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace {

struct Options {
  std::string trace, input, output;
  std::vector<int64_t> shape;
  int64_t threads, questions, batch_size, predictors;
  double wait_ms, seconds;

  static constexpr auto schema = broch::options(
      broch::option("trace", &Options::trace, "A file, to which lines are added.").is_path(),
      broch::option("input", &Options::input, "The input.").by_default("x"),
      broch::option("output", &Options::output, "What is asked for.").by_default("output"),
      broch::option("shape", &Options::shape, "The shape of a sample."),
      broch::option("threads", &Options::threads, "Threads that ask.").by_default(32),
      broch::option("questions", &Options::questions, "Questions of each.").by_default(20),
      broch::option("batch_size", &Options::batch_size, "Questions in a batch.").by_default(32),
      broch::option("predictors", &Options::predictors, "Threads that compute.").by_default(1),
      broch::option("wait_ms", &Options::wait_ms, "How long a batch waits.").by_default(0.0),
      broch::option("seconds", &Options::seconds, "Of each measurement; 0: none.").by_default(0.0));
};

using Clock = std::chrono::steady_clock;
using Values = std::vector<float>;

bool close(const Values& a, const Values& b) {
  bool is = a.size() == b.size() && !a.empty();
  for (size_t i = 0; is && i < a.size(); ++i)
    is = std::abs(a[i] - b[i]) <= 1e-4F * (1 + std::abs(b[i]));
  return is;
}

class Questions final : public broch::Callback {
 public:
  Questions(const broch::Host& host, const Options& options)
      : host_(host), options_(options), data_(host) {}

  void setup_graph() override {
    std::vector<broch::Predictor> predictors;
    for (int64_t i = 0; i <= options_.predictors; ++i)
      predictors.emplace_back(host_, broch::Predictor::Names{options_.input},
                              broch::Predictor::Names{options_.output});
    single_.emplace(predictors.back());
    predictors.pop_back();
    const auto wait = std::chrono::nanoseconds(int64_t(options_.wait_ms * 1e6));
    batched_.emplace(host_, predictors,
                     broch::AsyncPredictor::Limits{uint32_t(options_.batch_size), wait});
    if (options_.seconds == 0) write("newer limits " + std::to_string(with_newer_limits()));
  }

  void before_train() override {
    if (options_.seconds > 0) return measure();
    before_ = one_by_one();
    write("wrong " + std::to_string(wrong_in_threads(before_)));
    write("wrong " + std::to_string(wrong_in_order(before_)));
    for (int64_t i = 0; i < 4; ++i) asking_.push_back(thread([this] { ask_until_closed(); }));
  }
  void trigger() override {
    if (options_.seconds > 0) return;
    const std::vector<Values> now = one_by_one();
    write("moved " + std::to_string(!close(now[0], before_[0])));
    write("wrong " + std::to_string(wrong_in_threads(now)));
  }
  void after_train() override {
    if (options_.seconds == 0) leave_open();
    batched_->close();
    for (std::thread& thread : asking_) thread.join();
    if (options_.seconds > 0) return;
    write("closed " + std::to_string(closed_));
    try {
      batched_->put({question(0)}, [](const broch::AsyncPredictor::Answer&) {});
    } catch (const broch::Cancelled&) {
      write("put after close: cancelled");
    }
  }

 private:
  int64_t count() const { return options_.threads * options_.questions; }

  // As a plugin that was compiled with a later header, and asks for what only that one has.
  broch_status with_newer_limits() const {
    struct Newer {
      broch_async_limits known;
      uint64_t more;
    };
    const Newer limits = {{sizeof(Newer), 1, 0}, 1};
    const auto* table = host_.require<broch_host_async_predict>(BROCH_EXT_ASYNC_PREDICT);
    const broch_predictor predictor = single_->handle();
    broch_async_predictor made = 0;
    return table->create(host_.c(), &predictor, 1, &limits.known, &made);
  }

  broch_tensor question(int64_t number, bool row = false) const {
    std::vector<int64_t> shape = options_.shape;
    Values values(size_t(broch::element_count(shape.data(), shape.size())));
    for (size_t k = 0; k < values.size(); ++k)
      values[k] = float((size_t(number) * 7 + k * 3) % 31) / 16 - 1;
    if (row) shape.insert(shape.begin(), 1);
    return data_.from_data(values, shape);
  }
  Values alone(int64_t number) const {
    const broch::Scope scope(host_);
    return data_.floats(single_->call({question(number, true)})[0]);
  }
  Values together(int64_t number) const {
    const broch::Scope scope(host_);
    return data_.floats(batched_->call({question(number)})[0]);
  }
  std::vector<Values> one_by_one() const {
    std::vector<Values> answers;
    for (int64_t i = 0; i < count(); ++i) answers.push_back(alone(i));
    return answers;
  }

  template <class Body>
  std::thread thread(Body body) const {
    return std::thread([this, body] {
      const broch::ThreadScope scope(host_, "questions");
      try {
        body();
      } catch (const std::exception& error) {
        host_.error(error.what());
      }
    });
  }
  template <class Body>
  void in_threads(Body body) const {
    std::vector<std::thread> threads;
    for (int64_t t = 0; t < options_.threads; ++t)
      threads.push_back(thread([&body, t] { body(t); }));
    for (std::thread& one : threads) one.join();
  }
  int wrong_in_threads(const std::vector<Values>& expected) const {
    std::atomic<int> right{0};
    in_threads([&](int64_t t) {
      for (int64_t i = t; i < count(); i += options_.threads)
        right += close(together(i), expected[size_t(i)]);
    });
    return int(count()) - right;
  }
  // Asks everything at once; the answers of one predictor come in the order of the questions.
  int wrong_in_order(const std::vector<Values>& expected) const {
    std::mutex mutex;
    std::condition_variable all;
    std::vector<int64_t> order;
    int right = 0;
    for (int64_t i = 0; i < count(); ++i) {
      const broch::Scope scope(host_);
      batched_->put({question(i)}, [&, i](const broch::AsyncPredictor::Answer& answer) {
        const Values values = data_.floats(answer.outputs()[0]);
        const std::lock_guard<std::mutex> lock(mutex);
        right += close(values, expected[size_t(i)]);
        order.push_back(i);
        if (int64_t(order.size()) == count()) all.notify_all();
      });
    }
    std::unique_lock<std::mutex> lock(mutex);
    all.wait(lock, [&] { return int64_t(order.size()) == count(); });
    if (options_.predictors == 1 && !std::is_sorted(order.begin(), order.end())) return -1;
    return int(count()) - right;
  }
  // Questions that are still open when it is closed, whose functions let Cancelled pass.
  void leave_open() const {
    for (int64_t i = 0; i < 2000; ++i) {
      const broch::Scope scope(host_);
      batched_->put({question(i)},
                    [](const broch::AsyncPredictor::Answer& answer) { answer.outputs(); });
    }
  }
  void ask_until_closed() {
    try {
      for (int64_t i = 0;; ++i) together(i % count());
    } catch (const broch::Cancelled&) {
      ++closed_;
    }
  }

  template <class Ask>
  double rate(Ask ask) const {
    for (int64_t i = 0; i < 3 * options_.threads; ++i) ask(i);
    const auto begin = Clock::now();
    const auto end = begin + std::chrono::duration<double>(options_.seconds);
    std::atomic<int64_t> answers{0};
    in_threads([&](int64_t t) {
      for (; Clock::now() < end; ++answers) ask(t);
    });
    return double(answers) / std::chrono::duration<double>(Clock::now() - begin).count();
  }
  void measure() {
    in_threads([&](int64_t t) {  // programs for all sizes of batches are recorded
      for (int i = 0; i < 200; ++i) together(t);
    });
    write("alone " + std::to_string(rate([this](int64_t i) { alone(i); })));
    write("batched " + std::to_string(rate([this](int64_t i) { together(i); })));
  }
  void write(const std::string& line) const {
    std::ofstream(options_.trace, std::ios::app) << line << '\n';
  }

  broch::Host host_;
  Options options_;
  broch::TensorData data_;
  std::optional<broch::Predictor> single_;
  std::optional<broch::AsyncPredictor> batched_;
  std::vector<Values> before_;
  std::vector<std::thread> asking_;
  std::atomic<int> closed_{0};
};

}  // namespace

BROCH_CALLBACK(Questions, "test.questions", "1.0.0", "Asks from many threads.", Options::schema)
