// preprocessor.cpp: each thread has the dataflows of all models for itself.
#include "preprocessor.hpp"

#include <map>

#include "base/error.hpp"
#include "base/signals.hpp"
#include "predict/file_inputs.hpp"
#include "refusal.hpp"

namespace broch::serve {
namespace {

using ByModel = std::map<const Model*, predict::FileInputs>;

void fill(InferRequest& request, runtime::Backend& backend, const runtime::Tensor& tensor) {
  const runtime::TensorInfo info = backend.info(tensor);
  std::vector<std::byte>& bytes =
      request.decoded.emplace_back(size_t(info.shape.elements()) * runtime::dtype_size(info.dtype));
  backend.copy_out(tensor, info.dtype, bytes.data(), bytes.size());
  request.inputs.push_back({info.dtype, info.shape, {}, false});
  request.data.push_back(bytes.data());
}

void preprocess(Preprocessor::Task& task, ByModel& all, runtime::Backend& backend) {
  const Clock::time_point start = Clock::now();
  const Model& model = *task.model;
  predict::FileInputs& files =
      all.try_emplace(&model, model.preprocessing(), model.ports(), backend).first->second;
  InferRequest& request = task.request;
  request.inputs.clear();
  request.data.clear();
  for (const runtime::Tensor& tensor : files.read(request.files)) fill(request, backend, tensor);
  request.files.clear();
  request.texts.clear();
  request.body.reset();
  task.model->metrics().preprocessed(std::chrono::duration<double>(Clock::now() - start).count());
}

void fail(const Preprocessor::Task& task, const Refusal& refusal) noexcept {
  try {
    task.failed(refusal);
  } catch (const std::exception&) {  // no memory for an answer; the connection is closed
  }
}

}  // namespace

Preprocessor::Preprocessor(runtime::Backend& backend, unsigned threads, size_t most_waiting)
    : backend_(backend), most_waiting_(most_waiting) {
  try {
    for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  } catch (...) {
    end();
    throw;
  }
}

Preprocessor::~Preprocessor() { end(); }

void Preprocessor::end() {
  std::deque<Task> left;
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
    left.swap(tasks_);
  }
  arrived_.notify_all();
  for (const Task& task : left) fail(task, server_ends());
  for (std::thread& thread : threads_) thread.join();
}

void Preprocessor::add(Task task) {
  {
    const std::lock_guard lock(mutex_);
    if (tasks_.size() >= most_waiting_) refuse_more(tasks_.size(), most_waiting_);
    tasks_.push_back(std::move(task));
  }
  arrived_.notify_one();
}

size_t Preprocessor::waiting() const {
  const std::lock_guard lock(mutex_);
  return tasks_.size();
}

void Preprocessor::work() {
  base::block_signals();
  ByModel all;
  std::unique_lock lock(mutex_);
  while (true) {
    arrived_.wait(lock, [this] { return ends_ || !tasks_.empty(); });
    if (ends_) return;
    Task task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    try {
      if (task.deadline <= Clock::now()) throw too_late();
      preprocess(task, all, backend_);
      task.done(std::move(task.request));
    } catch (const std::exception&) {
      fail(task, current_refusal());
    }
    lock.lock();
  }
}

}  // namespace broch::serve
