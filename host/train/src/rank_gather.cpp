// rank_gather.cpp: gradients laid out one behind the other, so that ranks talk once a step.
#include "train/rank_gather.hpp"

#include <map>

#include "backend_calls.hpp"

namespace broch::train {

std::span<std::byte> bytes_of(runtime::Backend& backend, const runtime::Tensor& tensor) {
  const broch_dl_tensor data = backend.view(tensor);
  const runtime::TensorInfo info = backend.info(tensor);
  const size_t size = static_cast<size_t>(info.shape.elements()) * runtime::dtype_size(info.dtype);
  return {static_cast<std::byte*>(data.data) + data.byte_offset, size};
}

RankGather::RankGather(runtime::Backend& backend, dist::Group& group,
                       const std::vector<runtime::Variable*>& variables, bool halves)
    : backend_(backend),
      group_(group),
      copy_(backend.resolve("aten::copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> "
                            "Tensor(a!)")),
      places_(variables.size()),
      gathered_(group.ranks().world * variables.size()) {
  std::map<broch_dtype, std::vector<size_t>> by_dtype;
  for (size_t i = 0; i < variables.size(); ++i) by_dtype[variables[i]->dtype].push_back(i);
  for (const auto& [dtype, members] : by_dtype) {
    std::vector<runtime::Tensor> values;
    for (const size_t i : members) values.push_back(variables[i]->value);
    buckets_.push_back(make_bucket(std::move(values), dtype, halves && dtype == BROCH_FLOAT32));
    const Bucket& bucket = buckets_.back();
    for (size_t k = 0; k < members.size(); ++k) {
      places_[members[k]] = bucket.mine.views[k];
      for (size_t rank = 0; rank < bucket.theirs.size(); ++rank)
        gathered_[rank * variables.size() + members[k]] = bucket.theirs[rank].views[k];
    }
  }
}

RankGather::Bucket RankGather::make_bucket(std::vector<runtime::Tensor> values, broch_dtype dtype,
                                           bool halves) {
  Bucket bucket;
  runtime::Shape one;
  one.rank = 1;
  one.dims[0] = 1;
  goes_on_ = backend_.zeros(dtype, one, runtime::Device{});
  ends_ = call(backend_,
               backend_.resolve("aten::ones_like(Tensor self, *, ScalarType? dtype=None, Layout? "
                                "layout=None, Device? device=None, bool? pin_memory=None, "
                                "MemoryFormat? memory_format=None) -> Tensor"),
               {raw(goes_on_), kNone, kNone, kNone, kNone, kNone});
  values.push_back(goes_on_);  // a place for the flag
  bucket.mine = backend_.flat_zeros_like(values);
  const runtime::Shape shape = backend_.info(bucket.mine.buffer).shape;
  const auto on_the_line = [&](const runtime::Tensor& buffer) {
    return halves ? backend_.zeros(BROCH_FLOAT16, shape, runtime::Device{}) : buffer;
  };
  bucket.sent = on_the_line(bucket.mine.buffer);
  for (uint32_t rank = 0; rank < group_.ranks().world; ++rank) {
    bucket.theirs.push_back(backend_.flat_zeros_like(values));
    bucket.received.push_back(on_the_line(bucket.theirs.back().buffer));
  }
  return bucket;
}

// Nothing where both are the same memory.
void RankGather::convert(const runtime::Tensor& to, const runtime::Tensor& from) {
  if (to.impl() == from.impl()) return;
  const auto guard = backend_.enter(false, nullptr);
  call(backend_, copy_, {raw(to), raw(from), raw(false)});
}

const std::vector<runtime::Tensor>& RankGather::gather(
    const std::vector<runtime::Tensor>& gradients, bool ends) {
  for (size_t i = 0; i < gradients.size(); ++i) backend_.assign(places_[i], gradients[i]);
  // The last bucket has what goes_on_ and ends_ were made for.
  backend_.assign(buckets_.back().mine.views.back(), ends ? ends_ : goes_on_);
  for (const Bucket& bucket : buckets_) {
    convert(bucket.sent, bucket.mine.buffer);
    std::vector<std::span<std::byte>> places;
    for (const runtime::Tensor& part : bucket.received) places.push_back(bytes_of(backend_, part));
    group_.all_gather(bytes_of(backend_, bucket.sent), places);
    for (size_t rank = 0; rank < bucket.theirs.size(); ++rank)
      convert(bucket.theirs[rank].buffer, bucket.received[rank]);
  }
  anyone_ends_ = false;
  for (const runtime::Backend::Flat& flat : buckets_.back().theirs)
    anyone_ends_ |= backend_.item(flat.views.back()) != 0;
  return gathered_;
}

}  // namespace broch::train
