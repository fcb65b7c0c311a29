// random_program.cpp: the pool, what goes in and what comes out; the operations are in
// operations.cpp.
#include "random_program.hpp"

#include <ATen/ATen.h>

#include <cmath>

#include "tensors.hpp"

namespace broch::programs {
namespace {

constexpr int64_t kNumbers = 512;

at::Tensor waves(const std::vector<int64_t>& shape, double phase, double size) {
  at::Tensor made = at::empty(shape);
  auto* values = made.mutable_data_ptr<float>();
  for (int64_t i = 0; i < made.numel(); ++i)
    values[i] = static_cast<float>(size * std::sin(phase + 1.7 * static_cast<double>(i)));
  return made;
}

}  // namespace

RandomProgram::RandomProgram(Case of)
    : case_(std::move(of)), choice_(static_cast<uint64_t>(case_.seed)) {
  constexpr int64_t kBatches[] = {1, 2, 3, 4, 5, 8, 9};
  batch_ = kBatches[choice_.below(std::size(kBatches))];
}

// A matrix, a sequence, images, a turned matrix, and whole numbers.
std::vector<runtime::Tensor> RandomProgram::inputs(int number) const {
  RandomProgram shapes(Case{.seed = case_.seed});
  const int64_t width = shapes.size(), time = shapes.choice_.between(1, 9);
  const int64_t features = int64_t{1} << shapes.choice_.below(6);
  const int64_t channels = shapes.choice_.between(1, 9), height = shapes.choice_.between(1, 12);
  const double phase = 1 + number;
  at::Tensor whole = at::empty({kNumbers}, at::kLong);
  for (int64_t i = 0; i < kNumbers; ++i)
    whole.mutable_data_ptr<int64_t>()[i] = (i * 7919 + number * 31 + i * i) % 1009;
  return {wrapped(waves({batch_, width}, phase, 1)),
          wrapped(waves({batch_, time, features}, phase + 0.1, 1)),
          wrapped(waves({batch_, channels, height, height + shapes.choice_.between(0, 2)},
                        phase + 0.2, 1)),
          wrapped(waves({width, batch_}, phase + 0.3, 1).t()), wrapped(whole)};
}

std::vector<runtime::Tensor> RandomProgram::run(const std::vector<runtime::Tensor>& inputs) {
  pool_.clear();
  leaves_.clear();
  roots_.clear();
  twice_ = true;
  for (size_t i = 0; i + 1 < inputs.size(); ++i) pool_.push_back(plain(inputs[i]));
  numbers_ = plain(inputs.back());
  for (int i = 0; i < case_.operations; ++i)
    if (!case_.without.contains(i)) add_operation(i);
  return results();
}

at::Tensor RandomProgram::weight(const Shape& shape) {
  const size_t number = leaves_.size();
  if (number == variables_.size()) {
    const double fan = shape.size() > 1 ? std::sqrt(static_cast<double>(shape[1])) : 1;
    variables_.push_back(wrapped(waves(shape, 9 + static_cast<double>(number), 1 / fan)));
  }
  leaves_.push_back(plain(runtime::backend().leaf(variables_[number])));
  return leaves_.back();
}

// Everything is in the first root, losses are roots of their own, too.
std::vector<runtime::Tensor> RandomProgram::results() {
  at::Tensor all = at::mean(at::square(pool_.front()));
  for (const at::Tensor& value : pool_) all = all + at::mean(at::tanh(value));
  roots_.insert(roots_.begin(), all);
  std::vector<runtime::Tensor> found, leaves;
  for (const at::Tensor& leaf : leaves_) leaves.push_back(wrapped(leaf));
  for (const at::Tensor& root : roots_) found.push_back(wrapped(root.detach()));
  for (const at::Tensor& value : pool_) found.push_back(wrapped(value.detach()));
  for (size_t i = roots_.size(); i-- > 0;) {
    if (!roots_[i].requires_grad()) continue;
    const runtime::Tensor root = wrapped(roots_[i]);
    for (runtime::Tensor& gradient : runtime::backend().grad({&root, 1}, leaves, {}, i > 0, true))
      found.push_back(gradient ? runtime::backend().detach(gradient) : gradient);
  }
  return found;
}

// Nothing grows without end, neither in size nor in number.
void RandomProgram::keep(const at::Tensor& value) {
  constexpr int64_t kMaxElements = 4096, kMaxRank = 5;
  constexpr size_t kMaxPool = 20;
  if (value.numel() == 0 || value.numel() > kMaxElements || value.dim() > kMaxRank) return;
  if (pool_.size() < kMaxPool)
    pool_.push_back(value);
  else
    pool_[choice_.below(kMaxPool)] = value;
}

at::Tensor RandomProgram::any() { return pool_[choice_.below(pool_.size())]; }

at::Tensor RandomProgram::of_rank(int64_t least) {
  for (int tries = 0; tries < 4; ++tries)
    if (const at::Tensor x = any(); x.dim() >= least) return x;
  at::Tensor x = any();
  while (x.dim() < least) x = x.unsqueeze(0);
  return x;
}

at::Tensor RandomProgram::image() {
  for (int tries = 0; tries < 12; ++tries)
    if (const at::Tensor x = any(); x.dim() == 4) return x;
  at::Tensor x = any();
  while (x.dim() < 4) x = x.unsqueeze(0);
  return x.dim() == 4 ? x : x.flatten(3);
}

at::Tensor RandomProgram::like(const at::Tensor& x) {
  for (int tries = 0; tries < 6; ++tries) {
    const at::Tensor other = any();
    bool fits = true;
    for (int64_t i = 1; i <= std::min(x.dim(), other.dim()); ++i)
      fits = fits && (x.size(-i) == other.size(-i) || x.size(-i) == 1 || other.size(-i) == 1);
    if (fits) return other;
  }
  return x;
}

at::Tensor RandomProgram::labels(int64_t count, int64_t classes) {
  return at::remainder(numbers_.narrow(0, 0, count), classes);
}

int64_t RandomProgram::dim_of(const at::Tensor& x) { return choice_.between(0, x.dim() - 1); }

int64_t RandomProgram::size() {
  constexpr int64_t kSizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 10, 12, 15, 16, 17, 24, 31, 32, 33, 48, 65};
  return kSizes[choice_.below(std::size(kSizes))];
}

}  // namespace broch::programs
