// operations.cpp: what a random program is made of.
#include <algorithm>
#include <numeric>

#include "program.hpp"

namespace broch::fuzzed {

void Program::add_operation() {
  using Operation = void (Program::*)();
  static constexpr Operation kOperations[] = {
      &Program::pointwise, &Program::pointwise, &Program::combine,       &Program::combine,
      &Program::multiply,  &Program::view,      &Program::view,          &Program::view,
      &Program::reduce,    &Program::join,      &Program::index,         &Program::write_in_place,
      &Program::draw,      &Program::convert,   &Program::differentiate, &Program::detach};
  (this->*kOperations[choice_.below(std::size(kOperations))])();
}

void Program::pointwise() {
  const Tensor x = any();
  switch (choice_.below(14)) {
    case 0:
      return keep(ops_.relu(x));
    case 1:
      return keep(ops_.tanh(x));
    case 2:
      return keep(ops_.sigmoid(x));
    case 3:
      return keep(bounded(ops_.exp(bounded(x))));
    case 4:
      return keep(bounded(ops_.square(x)));
    case 5:
      return keep(ops_.neg(x));
    case 6:
      return keep(ops_.abs(x));
    case 7:
      return keep(ops_.silu(x));
    case 8:
      return keep(ops_.gelu(x));
    case 9:
      return keep(ops_.softplus(x));
    case 10:
      return keep(ops_.sin(x));
    case 11:
      return keep(ops_.clamp(x, -0.5, 0.75));
    case 12:
      return keep(ops_.rsub_scalar(x, 2));
    default:
      return keep(ops_.leaky_relu(x, 0.1));
  }
}

void Program::combine() {
  const Tensor x = any(), y = like(x);
  switch (choice_.below(7)) {
    case 0:
      return keep(bounded(ops_.add(x, y, 2)));
    case 1:
      return keep(x - y);
    case 2:
      return keep(bounded(x * y));
    case 3:
      return keep(ops_.maximum(x, y));
    case 4:
      return keep(ops_.minimum(x, y));
    case 5:
      return keep(bounded(x / ops_.add_scalar(ops_.square(y), 1)));
    default:
      return keep(ops_.where(ops_.gt(x, y), x, y));
  }
}

void Program::multiply() {
  const Tensor x = of_rank(2);
  if (choice_.one_in(3)) return keep(bounded(ops_.matmul(x, ops_.transpose(x, -1, -2))));
  const Tensor flat = ops_.reshape(x, {-1, shape(x).back()});
  for (const Tensor& y : variables_)
    if (shape(y).size() == 2 && shape(y)[1] == shape(flat)[1])
      return keep(bounded(ops_.linear(flat, y)));
  keep(bounded(ops_.mm(ops_.t(flat), flat)));
}

void Program::view() {
  const Tensor x = of_rank(1);
  const int64_t dim = dim_of(x), size = shape(x)[size_t(dim)];
  const auto rank = static_cast<int64_t>(shape(x).size());
  switch (choice_.below(10)) {
    case 0:
      return keep(ops_.reshape(x, {-1}));
    case 1:
      return keep(ops_.transpose(x, dim, dim_of(x)));
    case 2:
      return keep(ops_.unsqueeze(x, dim));
    case 3:
      return keep(ops_.squeeze(x, dim));
    case 4:
      return keep(ops_.select(x, dim, choice_.between(0, size - 1)));
    case 5:
      return keep(ops_.slice(x, dim, choice_.between(0, size - 1), {}, choice_.between(1, 2)));
    case 6:
      return keep(ops_.narrow(x, dim, 0, choice_.between(1, size)));
    case 7: {
      Shape wide = shape(x);
      wide.insert(wide.begin(), 2);
      return keep(ops_.expand(x, wide));
    }
    case 8: {
      Shape order(static_cast<size_t>(rank));
      std::iota(order.begin(), order.end(), 0);
      std::reverse(order.begin(), order.end());
      return keep(ops_.permute(x, order));
    }
    default:
      return keep(ops_.contiguous(x));
  }
}

void Program::reduce() {
  const Tensor x = of_rank(1);
  const int64_t dim = dim_of(x);
  const bool keepdim = choice_.one_in(2);
  switch (choice_.below(10)) {
    case 0:
      return keep(bounded(ops_.sum_dim(x, {dim}, keepdim)));
    case 1:
      return keep(ops_.mean_dim(x, {dim}, keepdim));
    case 2:
      return keep(ops_.amax(x, {dim}, keepdim));
    case 3:
      return keep(ops_.logsumexp(x, {dim}, keepdim));
    case 4:
      return keep(ops_.softmax(x, dim));
    case 5:
      return keep(bounded(ops_.log_softmax(x, dim)));
    case 6:
      return keep(bounded(ops_.cumsum(x, dim)));
    case 7:
      return keep(bounded(ops_.var(x, {dim}, 0, keepdim)));
    case 8:
      return keep(ops_.mean(x));
    default:
      return keep(bounded(ops_.layer_norm(x, {shape(x).back()})));
  }
}

void Program::join() {
  const Tensor x = of_rank(1);
  const int64_t dim = dim_of(x);
  switch (choice_.below(4)) {
    case 0:
      return keep(ops_.cat({x, ops_.neg(x), x}, dim));
    case 1:
      return keep(ops_.stack({x, bounded(x)}, dim));
    case 2:
      return keep(ops_.repeat(ops_.reshape(x, {-1}), {2}));
    default:
      return keep(ops_.cat({ops_.narrow(x, dim, 0, 1), x}, dim));
  }
}

void Program::index() {
  const Tensor x = of_rank(2);
  const int64_t dim = dim_of(x);
  switch (choice_.below(4)) {
    case 0:
      return keep(ops_.gather(x, dim, ops_.argmax(x, dim, true)));
    case 1:
      return keep(ops_.sort(x, dim, choice_.one_in(2))[0]);
    case 2:
      return keep(ops_.topk(x, 1, dim)[0]);
    default: {
      const Tensor rows = ops_.reshape(ops_.argmax(x, dim), {-1});
      return keep(ops_.index_select(x, dim, rows));
    }
  }
}

// On memory of its own, so that no value that a gradient needs is overwritten.
void Program::write_in_place() {
  const Tensor x = of_rank(1);
  const Tensor whole = ops_.clone(choice_.one_in(2) ? x : ops_.detach(x));
  const int64_t dim = dim_of(whole), size = shape(whole)[size_t(dim)];
  const Tensor part = ops_.narrow(whole, dim, choice_.between(0, size - 1), 1);
  raw("aten::mul_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)",
      {broch_of(part.handle()), broch_double(0.5)});
  if (choice_.one_in(2))
    raw("aten::add_.Scalar(Tensor(a!) self, Scalar other, Scalar alpha=1) -> Tensor(a!)",
        {broch_of(whole.handle()), broch_double(0.25), broch_int(1)});
  if (choice_.one_in(2)) keep(part);
  keep(whole);
}

void Program::draw() {
  const Tensor x = any();
  switch (choice_.below(3)) {
    case 0:
      return keep(x * ops_.bernoulli(ops_.detach(x), 0.75));
    case 1:
      return keep(x + ops_.rand_like(x));
    default:
      return keep(bounded(x * ops_.normal_like(ops_.detach(x))));
  }
}

void Program::convert() {
  const Tensor x = any();
  const Tensor wide = ops_.to_dtype(x, BROCH_FLOAT64) * Scalar(1.0 / 3);
  const Tensor whole = ops_.to_dtype(ops_.detach(x) * Scalar(100), BROCH_INT64);
  keep(ops_.to_dtype(wide, BROCH_FLOAT32));
  keep(bounded(x * ops_.add_scalar(whole, 1)));
}

// The slope of a value at a variable, which can be differentiated again.
void Program::differentiate() {
  if (!tower_.is_training()) return;
  const Tensor x = ops_.mean(bounded(any()));
  if (!TensorData(tower_.host()).info(x.handle()).requires_grad) return;
  const Tensor to = variables_[choice_.below(variables_.size())];
  const Tensor slope = Autograd(tower_.host(), ops_).grad({x}, {to}, {{}, true, true})[0];
  if (slope) keep(bounded(slope));
}

void Program::detach() { keep(ops_.detach(any())); }

}  // namespace broch::fuzzed
