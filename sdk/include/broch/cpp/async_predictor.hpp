// async_predictor.hpp: the model in inference mode for many threads, in batches.
#pragma once
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "error.hpp"
#include "host.hpp"
#include "predictor.hpp"

namespace broch {
inline namespace v0 {

// Computes what many threads ask in batches; see ext/async_predict.h. tensorpack:
// `MultiThreadAsyncPredictor`.
class AsyncPredictor {
 public:
  struct Limits {
    uint32_t batch_size = 32;
    std::chrono::nanoseconds wait{0};  // for a full batch, from its first question on
  };
  // The answer to a question; valid until the function that gets it returns.
  class Answer {
   public:
    // The rows of the outputs. Throws Cancelled if the predictor was closed first, which the
    // function may let pass, and Error if the computation failed.
    const std::vector<broch_tensor>& outputs() const {
      if (status_ == BROCH_CANCELLED) throw Cancelled();
      if (status_ != BROCH_OK) throw Error(status_, message_);
      return outputs_;
    }

   private:
    friend class AsyncPredictor;
    broch_status status_ = BROCH_OK;
    std::string message_;
    std::vector<broch_tensor> outputs_;
  };
  using Answered = std::function<void(const Answer& answer)>;

  // Call it in setup_graph. Each of the predictors, which are alike, gets a thread.
  AsyncPredictor(const Host& host, const std::vector<Predictor>& predictors, const Limits& limits)
      : host_(host), table_(host.require<broch_host_async_predict>(BROCH_EXT_ASYNC_PREDICT)) {
    std::vector<broch_predictor> handles;
    for (const Predictor& predictor : predictors) {
      handles.push_back(predictor.handle());
      outputs_ = uint32_t(predictor.outputs().size());
    }
    const broch_async_limits in_c = {sizeof in_c, limits.batch_size, uint64_t(limits.wait.count())};
    host_.check(
        table_->create(host_.c(), handles.data(), uint32_t(handles.size()), &in_c, &predictor_));
  }

  // The outputs for one sample, both without the dimension of the batch. Throws Cancelled once the
  // predictor is closed. On any thread.
  std::vector<broch_tensor> call(const std::vector<broch_tensor>& sample) const {
    std::vector<broch_tensor> outputs(outputs_);
    if (host_.check(table_->call(host_.c(), predictor_, sample.data(), uint32_t(sample.size()),
                                 outputs.data(), outputs_)) == BROCH_CANCELLED)
      throw Cancelled();
    return outputs;
  }
  // Asks without waiting: answered is called once, on a thread of the host, and must not wait for
  // other answers. An Error that it throws, or lets pass, closes the predictor, and is what later
  // questions get. Throws Cancelled once the predictor is closed. On any thread.
  void put(const std::vector<broch_tensor>& sample, Answered answered) const {
    auto question = std::make_unique<Question>(Question{host_, std::move(answered)});
    if (host_.check(table_->put(host_.c(), predictor_, sample.data(), uint32_t(sample.size()),
                                &answer, question.get())) == BROCH_CANCELLED)
      throw Cancelled();
    static_cast<void>(question.release());  // answer deletes it
  }
  // Ends waiting calls with Cancelled. No answer arrives after it returns.
  void close() const { host_.check(table_->close(host_.c(), predictor_)); }

 private:
  struct Question {
    Host host;
    Answered answered;
  };
  static broch_status answer(void* user, broch_status status, const broch_tensor* outputs,
                             uint32_t m) {
    const std::unique_ptr<Question> question(static_cast<Question*>(user));
    return at_border(question->host.c(), [&]() -> broch_status {
      Answer answer;
      answer.status_ = status;
      if (status < 0) answer.message_ = question->host.last_error();
      if (status == BROCH_OK) answer.outputs_.assign(outputs, outputs + m);
      try {
        question->answered(answer);
      } catch (const Cancelled&) {  // from outputs(): it was closed, and nobody waits any more
      }
      return BROCH_OK;
    });
  }

  Host host_;
  const broch_host_async_predict* table_;
  broch_async_predictor predictor_ = 0;
  uint32_t outputs_ = 0;
};

}  // namespace v0
}  // namespace broch
