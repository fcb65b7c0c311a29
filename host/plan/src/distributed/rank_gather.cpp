// rank_gather.cpp: puts gradients into buckets, so that ranks exchange few messages per step.
#include "plan/rank_gather.hpp"

#include "base/signals.hpp"
#include "optimizer/backend_calls.hpp"

namespace broch::plan {

namespace {

constexpr size_t kFirstBytes = size_t{1} << 20, kBytes = size_t{25} << 20;

size_t bytes_of(const runtime::Variable& variable) {
  return static_cast<size_t>(variable.shape.elements()) * runtime::dtype_size(variable.dtype);
}

}  // namespace

std::span<std::byte> bytes_of(runtime::Backend& backend, const runtime::Tensor& tensor) {
  const broch_dl_tensor data = backend.view(tensor);
  const runtime::TensorInfo info = backend.info(tensor);
  const size_t size = static_cast<size_t>(info.shape.elements()) * runtime::dtype_size(info.dtype);
  return {static_cast<std::byte*>(data.data) + data.byte_offset, size};
}

RankGather::RankGather(runtime::Backend& backend, Ranks ranks,
                       const std::vector<runtime::Variable*>& variables, bool halves)
    : backend_(backend),
      ranks_(std::move(ranks)),
      copy_(backend.resolve("aten::copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> "
                            "Tensor(a!)")),
      device_(variables[0]->device),
      line_(ranks_.group->reaches(memory_of(device_)) ? device_ : runtime::Device{}),
      buffers_(variables.size()),
      gathered_(ranks_.group->ranks().world * variables.size()) {
  divide(variables);
  make_flags(variables[buckets_.back().members[0]]->dtype);
  for (Bucket& bucket : buckets_) make(bucket, variables, halves);
  if (buckets_.size() == 1) return;
  parts_.resize(variables.size());
  for (uint32_t k = 0; k < buckets_.size(); ++k)
    for (const size_t member : buckets_[k].members) parts_[member] = k;
}

RankGather::~RankGather() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

// All tensors of a bucket have the same dtype.
void RankGather::divide(const std::vector<runtime::Variable*>& variables) {
  size_t bytes = 0;
  broch_dtype dtype{};
  for (size_t i = variables.size(); i-- > 0;) {
    const bool is_full = bytes >= (buckets_.size() < 2 ? kFirstBytes : kBytes);
    if (buckets_.empty() || is_full || variables[i]->dtype != dtype) {
      buckets_.emplace_back();
      bytes = 0;
      dtype = variables[i]->dtype;
    }
    buckets_.back().members.push_back(i);
    bytes += bytes_of(*variables[i]);
  }
}

void RankGather::make_flags(broch_dtype dtype) {
  runtime::Shape one;
  one.rank = 1;
  one.dims[0] = 1;
  flag_tensors_[0] = backend_.zeros(dtype, one, device_);
  flag_tensors_[1] =
      call(backend_,
           backend_.resolve("aten::ones_like(Tensor self, *, ScalarType? dtype=None, Layout? "
                            "layout=None, Device? device=None, bool? pin_memory=None, "
                            "MemoryFormat? memory_format=None) -> Tensor"),
           {raw(flag_tensors_[0]), kNone, kNone, kNone, kNone, kNone});
  for (size_t flags = 2; flags < flag_tensors_.size(); ++flags)
    flag_tensors_[flags] =
        call(backend_,
             backend_.resolve("aten::add.Tensor(Tensor self, Tensor other, *, Scalar "
                              "alpha=1) -> Tensor"),
             {raw(flag_tensors_[flags - 1]), raw(flag_tensors_[1]), raw(int64_t{1})});
}

void RankGather::make(Bucket& bucket, const std::vector<runtime::Variable*>& variables,
                      bool halves) {
  std::vector<runtime::Tensor> values;
  for (const size_t i : bucket.members) values.push_back(variables[i]->value);
  halves = halves && variables[bucket.members[0]]->dtype == BROCH_FLOAT32;
  if (&bucket == &buckets_.back()) values.push_back(flag_tensors_[0]);
  bucket.mine = backend_.flat_zeros_like(values);
  bucket.sent = on_the_line(bucket.mine.buffer, halves);
  for (uint32_t rank = 0; rank < ranks_.group->ranks().world; ++rank) {
    bucket.theirs.push_back(backend_.flat_zeros_like(values));
    bucket.received.push_back(on_the_line(bucket.theirs.back().buffer, halves));
  }
  for (size_t k = 0; k < bucket.members.size(); ++k) {
    const size_t member = bucket.members[k];
    buffers_[member] = bucket.mine.views[k];
    for (size_t rank = 0; rank < bucket.theirs.size(); ++rank)
      gathered_[rank * variables.size() + member] = bucket.theirs[rank].views[k];
  }
}

runtime::Tensor RankGather::on_the_line(const runtime::Tensor& buffer, bool halves) {
  if (!halves && runtime::share_memory(line_, device_)) return buffer;
  const runtime::TensorInfo info = backend_.info(buffer);
  return backend_.zeros(halves ? BROCH_FLOAT16 : info.dtype, info.shape, line_);
}

// Does nothing if both are the same tensor.
void RankGather::convert(const runtime::Tensor& to, const runtime::Tensor& from) {
  if (to.impl() == from.impl()) return;
  const auto guard = backend_.enter(/*gradients=*/false, nullptr);
  call(backend_, copy_, {raw(to), raw(from), raw(false)});
}

void RankGather::exchange(Bucket& bucket, dist::Group& group) {
  if (&bucket == &buckets_.back())
    backend_.assign(bucket.mine.views.back(), flag_tensors_[ranks_.rank_flags()]);
  convert(bucket.sent, bucket.mine.buffer);
  std::vector<std::span<std::byte>> places;
  for (const runtime::Tensor& part : bucket.received) places.push_back(bytes_of(backend_, part));
  group.all_gather(bytes_of(backend_, bucket.sent), places, memory_of(line_));
  for (size_t rank = 0; rank < bucket.theirs.size(); ++rank)
    convert(bucket.theirs[rank].buffer, bucket.received[rank]);
}

// All ranks send their buckets in the same order, whichever is ready first.
void RankGather::run() {
  base::block_signals();
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock,
                  [&] { return stops_ || (next_ < buckets_.size() && buckets_[next_].is_ready); });
    if (stops_) return;
    lock.unlock();
    std::exception_ptr failure;
    try {
      exchange(buckets_[next_], *apart_);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    if (failure) {
      failure_ = failure;
      stops_ = true;
    }
    ++next_;
    changed_.notify_all();
  }
}

// Makes the second group in the first execution only, after the ranks have compared their plans.
void RankGather::begin() {
  if (!parts_.empty() && !thread_.joinable()) {
    apart_ = ranks_.another();
    thread_ = std::thread([this] { run(); });
  }
  const std::lock_guard lock(mutex_);
  gathers_ = true;
  next_ = 0;
  for (Bucket& bucket : buckets_) bucket.is_ready = false;
}

void RankGather::ready(uint32_t bucket) {
  if (!gathers_) return;
  {
    const std::lock_guard lock(mutex_);
    buckets_[bucket].is_ready = true;
  }
  changed_.notify_all();
}

const std::vector<runtime::Tensor>& RankGather::gather(
    const std::vector<runtime::Tensor>& gradients) {
  for (uint32_t k = 0; k < buckets_.size(); ++k) {
    if (buckets_[k].is_ready) continue;
    for (const size_t i : buckets_[k].members) backend_.assign(buffers_[i], gradients[i]);
    if (thread_.joinable())
      ready(k);
    else
      exchange(buckets_[k], *ranks_.group);
  }
  if (thread_.joinable()) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stops_ || next_ == buckets_.size(); });
    if (failure_) std::rethrow_exception(failure_);
  }
  gathers_ = false;
  rank_flags_ = 0;
  for (const runtime::Backend::Flat& flat : buckets_.back().theirs)
    rank_flags_ |= static_cast<uint8_t>(backend_.item(flat.views.back()));
  return gathered_;
}

}  // namespace broch::plan
