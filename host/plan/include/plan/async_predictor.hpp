// async_predictor.hpp: predictors that many threads ask, in batches. tensorpack:
// `MultiThreadAsyncPredictor`.
#pragma once
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "plan/predictor.hpp"

namespace broch::plan {

class AsyncPredictor {
 public:
  struct Limits {
    size_t batch = 1;                  // questions in a batch
    std::chrono::nanoseconds wait{0};  // of the first question of a batch that is not full
  };
  struct Answer {
    std::vector<runtime::Tensor> outputs = {};  // rows, on the CPU
    std::exception_ptr failure = nullptr;
    bool closed = false;  // before it was computed
  };
  // An exception that it throws closes the predictor.
  using Receiver = std::function<void(Answer)>;
  static constexpr size_t kMostWaiting = 65536;

  // Starts a thread for each predictor. Throws abi::CallError if they do not fit together.
  AsyncPredictor(std::vector<std::shared_ptr<Predictor>> predictors, Limits limits);
  ~AsyncPredictor();  // closes
  AsyncPredictor(const AsyncPredictor&) = delete;
  AsyncPredictor& operator=(const AsyncPredictor&) = delete;

  size_t input_count() const { return predictors_.front()->inputs().size(); }
  size_t output_count() const { return predictors_.front()->outputs().size(); }

  // sample: by input. Returns false after close; then receive is not called. Before, rethrows what
  // a receiver threw. Throws abi::CallError if too many questions wait. [any]
  bool ask(std::vector<runtime::Tensor> sample, Receiver receive);
  // Asks and waits. Rethrows the failure of the batch. REQUIRES: this thread is none of its own.
  Answer call(std::vector<runtime::Tensor> sample);
  // Returns when all questions have been answered. [any] REQUIRES: this thread is none of its own.
  void close();
  bool is_closed();  // [any]
  // Whether this thread is one of its own, on which receivers are called.
  bool is_own_thread() const;

  // What has been computed so far, for tests and measurements. [any]
  uint64_t answered() const { return answered_.load(std::memory_order_relaxed); }
  uint64_t batches() const { return batches_.load(std::memory_order_relaxed); }

 private:
  struct Question {
    std::vector<runtime::Tensor> sample;
    std::vector<runtime::TensorInfo> infos;  // of the sample
    Receiver receive;
    std::chrono::steady_clock::time_point when;
  };
  using Batch = std::vector<Question>;

  void work(Predictor& predictor);
  Batch gather();
  void take_like_first(Batch& batch);
  void compute(Predictor& predictor, Batch& batch);
  void deliver(Question& question, Answer answer);
  void answer_the_rest();

  std::vector<std::shared_ptr<Predictor>> predictors_;
  const Limits limits_;
  std::mutex gathering_;  // held by the thread that collects the next batch
  std::mutex mutex_;      // guards the members below
  std::condition_variable asked_;
  std::deque<Question> questions_;
  bool closed_ = false;  // nothing is computed any more
  bool is_closed_by_owner_ = false;
  std::exception_ptr failure_;  // what a receiver threw
  std::atomic<uint64_t> answered_{0}, batches_{0};
  std::once_flag ended_;
  std::vector<std::thread> threads_;
};

}  // namespace broch::plan
