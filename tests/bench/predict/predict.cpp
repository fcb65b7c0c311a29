// predict.cpp: computes the model of a bundle through libbroch, in turn with other programs.
//   broch_bench_predict BUNDLE THREADS CLASSES BATCH
// Its one input, x, varies in nothing but the batch. CLASSES: it has integers below; 0: real
// numbers.
#include <libbroch.h>

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <span>

#include "formula.hpp"
#include "turns.hpp"

namespace broch::bench {
namespace {

void check(libbroch_status status, const libbroch_error& error) {
  if (status == LIBBROCH_OK) return;
  std::cerr << error.message << '\n';
  std::exit(1);
}

class Predictor {
 public:
  Predictor(const char* file, int threads, int64_t classes, int64_t size) {
    libbroch_options options = libbroch_default_options();
    options.threads = threads;
    options.log = [](void*, const char* what) { std::cerr << what << '\n'; };
    check(libbroch_open(file, &options, &model_, &error_), error_);
    libbroch_info info;
    check(libbroch_input(model_, 0, &info, &error_), error_);
    info.shape[0] = size;
    const Component component{info.name, {info.shape, info.shape + info.rank}, classes, 32};
    for (int64_t batch = 0; batch < kBatches; ++batch) {
      if (classes)
        inputs_.push_back(bytes_of(integers(component, batch)));
      else
        inputs_.push_back(bytes_of(numbers(component, batch)));
      tensors_.push_back(
          libbroch_tensor_of(inputs_.back().data(), info.dtype, info.rank, info.shape));
    }
    libbroch_tensor output{};
    check(libbroch_output_shapes(model_, tensors_.data(), 1, &output, 1, &error_), error_);
    scores_.resize(output.bytes / sizeof(float));
  }
  ~Predictor() { libbroch_close(model_); }
  Predictor(const Predictor&) = delete;
  Predictor& operator=(const Predictor&) = delete;

  void run() {
    libbroch_tensor output = libbroch_memory(scores_.data(), scores_.size() * sizeof(float));
    check(libbroch_run(model_, &tensors_[step_++ % kBatches], 1, &output, 1, nullptr, &error_),
          error_);
  }

  double mean() const {
    double sum = 0;
    for (const float score : scores_) sum += std::abs(score);
    return sum / static_cast<double>(scores_.size());
  }

 private:
  template <class Element>
  static std::vector<std::byte> bytes_of(const std::vector<Element>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    return {bytes.begin(), bytes.end()};
  }

  libbroch_model* model_ = nullptr;
  libbroch_error error_{};
  std::vector<std::vector<std::byte>> inputs_;  // by batch
  std::vector<libbroch_tensor> tensors_;
  std::vector<float> scores_;
  int64_t step_ = 0;
};

}  // namespace
}  // namespace broch::bench

int main(int count, char** words) {
  if (count != 5) return 2;
  broch::bench::Predictor predictor(words[1], std::atoi(words[2]), std::atoll(words[3]),
                                    std::atoll(words[4]));
  broch::bench::Turns turns;
  if (!turns.ready()) return 0;
  do {
    predictor.run();
    if (turns.is_last()) turns.set_cost(predictor.mean());
  } while (turns.step_done());
}
