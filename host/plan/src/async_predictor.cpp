// async_predictor.cpp: collects questions, computes them as a batch, and gives each its row.
#include "plan/async_predictor.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <semaphore>
#include <utility>

#include "abi/serve.hpp"
#include "base/log.hpp"
#include "base/text.hpp"

namespace broch::plan {

namespace {

using runtime::Shape;
using runtime::Tensor;
using runtime::TensorInfo;

[[noreturn]] void refuse(broch_status status, const std::string& text) {
  throw abi::CallError(status, "asynchronous predictor: " + text);
}

void require_alike(const std::vector<std::shared_ptr<Predictor>>& predictors) {
  for (size_t i = 0; i < predictors.size(); ++i) {
    const Predictor& predictor = *predictors[i];
    if (predictor.inputs() != predictors[0]->inputs() ||
        predictor.outputs() != predictors[0]->outputs())
      refuse(BROCH_E_INVALID_ARGUMENT,
             "predictor " + std::to_string(i) + " has inputs and outputs (" +
                 base::join(predictor.inputs(), ", ") + "; " +
                 base::join(predictor.outputs(), ", ") + "), expected those of predictor 0 (" +
                 base::join(predictors[0]->inputs(), ", ") + "; " +
                 base::join(predictors[0]->outputs(), ", ") + ")");
    if (std::find(predictors.begin(), predictors.begin() + ptrdiff_t(i), predictors[i]) !=
        predictors.begin() + ptrdiff_t(i))
      refuse(BROCH_E_INVALID_ARGUMENT, "predictor " + std::to_string(i) +
                                           " is named twice, expected a predictor for each thread");
  }
}

size_t size_in_bytes(const TensorInfo& info) {
  return size_t(info.shape.elements()) * runtime::dtype_size(info.dtype);
}

Shape with_rows(const Shape& row, size_t rows) {
  Shape shape{.rank = row.rank + 1};
  shape.dims[0] = int64_t(rows);
  std::copy_n(row.dims.begin(), row.rank, shape.dims.begin() + 1);
  return shape;
}

Shape without_rows(const Shape& batch) {
  Shape shape{.rank = batch.rank - 1};
  std::copy_n(batch.dims.begin() + 1, shape.rank, shape.dims.begin());
  return shape;
}

Tensor from_bytes(runtime::Backend& backend, const std::byte* bytes, broch_dtype dtype,
                  Shape shape) {
  const broch_dl_tensor data = {const_cast<std::byte*>(bytes),
                                {BROCH_DL_CPU, 0},
                                int32_t(shape.rank),
                                runtime::to_dl(dtype),
                                shape.dims.data(),
                                nullptr,
                                0};
  return backend.copy_in(data, runtime::Device{});
}

bool alike(const std::vector<TensorInfo>& a, const std::vector<TensorInfo>& b) {
  return std::ranges::equal(a, b, [](const TensorInfo& one, const TensorInfo& other) {
    return one.dtype == other.dtype && one.shape == other.shape;
  });
}

thread_local const AsyncPredictor* owner_of_thread = nullptr;

}  // namespace

AsyncPredictor::AsyncPredictor(std::vector<std::shared_ptr<Predictor>> predictors, Limits limits)
    : predictors_(std::move(predictors)), limits_(limits) {
  if (predictors_.empty())
    refuse(BROCH_E_INVALID_ARGUMENT, "found no predictors, expected one or more");
  if (limits_.batch == 0)
    refuse(BROCH_E_INVALID_ARGUMENT, "found batch_size 0, expected 1 or more");
  require_alike(predictors_);
  for (const std::string& name : predictors_[0]->variables())
    refuse(BROCH_E_INVALID_ARGUMENT, "the output '" + name +
                                         "' is a variable, which has no row for each question; "
                                         "read it with broch.variables/1");
  try {
    for (const std::shared_ptr<Predictor>& predictor : predictors_)
      threads_.emplace_back([this, &predictor = *predictor] { work(predictor); });
  } catch (...) {
    close();
    throw;
  }
}

AsyncPredictor::~AsyncPredictor() { close(); }

bool AsyncPredictor::is_own_thread() const { return owner_of_thread == this; }

bool AsyncPredictor::is_closed() {
  const std::lock_guard lock(mutex_);
  return is_closed_by_owner_;
}

bool AsyncPredictor::ask(std::vector<Tensor> sample, Receiver receive) {
  Question question{std::move(sample), {}, std::move(receive), std::chrono::steady_clock::now()};
  runtime::Backend& backend = predictors_[0]->backend();
  for (const Tensor& tensor : question.sample) {
    question.infos.push_back(backend.info(tensor));
    if (question.infos.back().shape.rank == BROCH_RANK_MAX)
      refuse(BROCH_E_INVALID_ARGUMENT, "found an input of " + std::to_string(BROCH_RANK_MAX) +
                                           " dimensions, expected fewer, since that of the batch "
                                           "is added");
  }
  const std::lock_guard lock(mutex_);
  if (is_closed_by_owner_) return false;
  if (failure_) std::rethrow_exception(failure_);
  if (questions_.size() >= kMostWaiting)
    refuse(BROCH_E_RESOURCE_EXHAUSTED, std::to_string(kMostWaiting) +
                                           " questions are waiting for an answer; wait for some "
                                           "of them before you ask more");
  questions_.push_back(std::move(question));
  if (questions_.size() == 1 || questions_.size() >= limits_.batch) asked_.notify_one();
  return true;
}

AsyncPredictor::Answer AsyncPredictor::call(std::vector<Tensor> sample) {
  Answer answer;
  std::binary_semaphore answered(0);
  const bool open = ask(std::move(sample), [&](Answer given) {
    answer = std::move(given);
    answered.release();
  });
  if (!open) return {.closed = true};
  answered.acquire();
  if (answer.failure) std::rethrow_exception(answer.failure);
  return answer;
}

void AsyncPredictor::close() {
  std::call_once(ended_, [this] {
    {
      const std::lock_guard lock(mutex_);
      closed_ = is_closed_by_owner_ = true;
    }
    asked_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    base::debug("an asynchronous predictor answered " + std::to_string(answered()) +
                " questions in " + std::to_string(batches()) + " batches");
  });
}

void AsyncPredictor::work(Predictor& predictor) {
  owner_of_thread = this;
  for (Batch batch = gather(); !batch.empty(); batch = gather()) compute(predictor, batch);
  answer_the_rest();
}

// After it was closed, when no question is added any more.
void AsyncPredictor::answer_the_rest() {
  std::unique_lock lock(mutex_);
  const std::exception_ptr failure = failure_;
  std::deque<Question> rest = std::exchange(questions_, {});
  lock.unlock();
  for (Question& question : rest) deliver(question, {.failure = failure, .closed = !failure});
}

AsyncPredictor::Batch AsyncPredictor::gather() {
  const std::lock_guard turn(gathering_);
  std::unique_lock lock(mutex_);
  asked_.wait(lock, [this] { return closed_ || !questions_.empty(); });
  if (!closed_ && limits_.wait.count() > 0)
    asked_.wait_until(lock, questions_.front().when + limits_.wait,
                      [this] { return closed_ || questions_.size() >= limits_.batch; });
  Batch batch;
  if (!closed_) take_like_first(batch);
  return batch;
}

// Questions of other shapes keep their order.
void AsyncPredictor::take_like_first(Batch& batch) {
  batch.push_back(std::move(questions_.front()));
  questions_.pop_front();
  for (auto next = questions_.begin(); next != questions_.end() && batch.size() < limits_.batch;) {
    if (alike(next->infos, batch.front().infos)) {
      batch.push_back(std::move(*next));
      next = questions_.erase(next);
    } else {
      ++next;
    }
  }
}

namespace {

// The rows of one input, the last one repeated up to `rows`.
template <class Batch>
Tensor stacked(runtime::Backend& backend, const Batch& batch, size_t input, size_t rows) {
  const TensorInfo& info = batch.front().infos[input];
  const size_t size = size_in_bytes(info);
  std::vector<std::byte> bytes(size * rows);
  std::byte* row = bytes.data();
  for (const auto& question : batch) {
    backend.copy_out(question.sample[input], info.dtype, row, size);
    row += size;
  }
  for (const std::byte* last = row - size; row != bytes.data() + bytes.size(); row += size)
    std::memcpy(row, last, size);
  return from_bytes(backend, bytes.data(), info.dtype, with_rows(info.shape, rows));
}

// Adds a row of the output to each of the answers.
template <class Answers>
void split(runtime::Backend& backend, const Tensor& output, const std::string& name, size_t rows,
           Answers& answers) {
  const TensorInfo info = backend.info(output);
  if (info.shape.rank == 0 || info.shape.dims[0] != int64_t(rows))
    refuse(BROCH_E_FAILED_PRECONDITION, "found the output '" + name + "' with the shape " +
                                            runtime::to_string(info.shape) + " for a batch of " +
                                            std::to_string(rows) +
                                            " questions, expected a row for each of them");
  std::vector<std::byte> bytes(size_in_bytes(info));
  backend.copy_out(output, info.dtype, bytes.data(), bytes.size());
  const Shape shape = without_rows(info.shape);
  const std::byte* row = bytes.data();
  for (auto& answer : answers) {
    answer.outputs.push_back(from_bytes(backend, row, info.dtype, shape));
    row += bytes.size() / rows;
  }
}

}  // namespace

void AsyncPredictor::compute(Predictor& predictor, Batch& batch) {
  std::vector<Answer> answers(batch.size());
  try {
    const size_t rows = std::min(std::bit_ceil(batch.size()), limits_.batch);
    std::vector<Tensor> inputs;
    for (size_t i = 0; i < input_count(); ++i)
      inputs.push_back(stacked(predictor.backend(), batch, i, rows));
    const std::vector<Tensor> outputs = predictor.call(inputs);
    for (size_t i = 0; i < outputs.size(); ++i)
      split(predictor.backend(), outputs[i], predictor.outputs()[i], rows, answers);
  } catch (...) {
    answers.assign(batch.size(), {.failure = std::current_exception()});
  }
  answered_ += batch.size();
  ++batches_;
  for (size_t i = 0; i < batch.size(); ++i) deliver(batch[i], std::move(answers[i]));
}

void AsyncPredictor::deliver(Question& question, Answer answer) {
  try {
    question.receive(std::move(answer));
  } catch (const std::exception& error) {
    base::error(error.what());
    {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      closed_ = true;
    }
    asked_.notify_all();
  }
}

}  // namespace broch::plan
