// program.cpp: the pool, and what becomes of it in the end; the operations are in operations.cpp.
#include "program.hpp"

namespace broch::fuzzed {

Program::Program(Tower& tower, uint64_t seed, const Tensor& input,
                 const std::vector<Tensor>& variables)
    : tower_(tower), ops_(tower.ops()), choice_(seed), pool_(variables), variables_(variables) {
  pool_.push_back(input);
}

void Program::add_operations(int64_t count) {
  for (int64_t i = 0; i < count; ++i) add_operation();
}

void Program::plant(double number) {
  planted_ = any() * Scalar(number);
  keep(planted_);
}

void Program::publish(int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    Tensor& value = pool_[choice_.below(pool_.size())];
    value = tower_.publish('v' + std::to_string(i), value);
  }
}

Tensor Program::cost() {
  Tensor total = ops_.mean(ops_.square(pool_.front()));
  if (planted_) total = total + ops_.mean(planted_);  // whatever became of it in the pool
  for (const Tensor& value : pool_) total = total + ops_.mean(bounded(value));
  return total;
}

// Nothing grows without end, neither in size nor in number.
void Program::keep(const Tensor& value) {
  constexpr int64_t kMaxElements = 512;
  constexpr size_t kMaxRank = 5, kMaxPool = 24;
  int64_t elements = 1;
  const Shape extents = shape(value);
  for (const int64_t extent : extents) elements *= extent;
  if (elements == 0 || elements > kMaxElements || extents.size() > kMaxRank) return;
  if (pool_.size() < kMaxPool)
    pool_.push_back(value);
  else
    pool_[choice_.below(kMaxPool)] = value;
}

const Tensor& Program::any() { return pool_[choice_.below(pool_.size())]; }

Tensor Program::of_rank(size_t rank) {
  for (int tries = 0; tries < 4; ++tries)
    if (const Tensor& x = any(); shape(x).size() >= rank) return x;
  Tensor x = any();
  while (shape(x).size() < rank) x = ops_.unsqueeze(x, 0);
  return x;
}

Tensor Program::like(const Tensor& x) {
  const Shape wanted = shape(x);
  for (int tries = 0; tries < 6; ++tries) {
    const Tensor& other = any();
    const Shape own = shape(other);
    bool fits = true;
    for (size_t i = 1; i <= std::min(own.size(), wanted.size()); ++i) {
      const int64_t a = own[own.size() - i], b = wanted[wanted.size() - i];
      fits = fits && (a == b || a == 1 || b == 1);
    }
    if (fits) return other;
  }
  return x;
}

int64_t Program::dim_of(const Tensor& x) {
  return choice_.between(0, static_cast<int64_t>(shape(x).size()) - 1);
}

Tensor Program::raw(const char* schema, const std::vector<broch_value>& arguments) {
  return Operator(ops_, tower_.host(), schema)(arguments);
}

}  // namespace broch::fuzzed
