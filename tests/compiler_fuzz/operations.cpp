// operations.cpp: what a random program is made of.
#include <ATen/ATen.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "random_program.hpp"
#include "tensors.hpp"

namespace broch::programs {
namespace {

using runtime::backend;
using runtime::call1;
using runtime::of;

at::Tensor bounded(const at::Tensor& x) { return at::tanh(x); }

// Halves what it is given; a random one adds the low bits of its key.
struct Halving final : runtime::HostKernel {
  explicit Halving(bool draws) {
    name = draws ? "halving_noise" : "halving";
    random = draws;
  }
  void run(std::span<const broch_dl_tensor> inputs, std::span<const broch_dl_tensor> outputs,
           runtime::DrawKey draw) const override {
    int64_t count = 1;
    for (int32_t d = 0; d < inputs[0].ndim; ++d) count *= inputs[0].shape[d];
    const auto* from = static_cast<const float*>(inputs[0].data);
    auto* to = static_cast<float*>(outputs[0].data);
    const float noise = random ? static_cast<float>((draw.key + draw.counter) % 16) / 16 : 0;
    for (int64_t i = 0; i < count; ++i) to[i] = from[i] / 2 + noise;
  }
};

std::shared_ptr<const runtime::HostKernel> halving(bool draws) {
  static const auto pure = std::make_shared<Halving>(false),
                    noisy = std::make_shared<Halving>(true);
  return draws ? noisy : pure;
}

}  // namespace

void RandomProgram::add_operation(int number) {
  using Operation = void (RandomProgram::*)();
  static constexpr Operation kOperations[] = {
      &RandomProgram::pointwise,    &RandomProgram::pointwise,     &RandomProgram::combine,
      &RandomProgram::combine,      &RandomProgram::layers,        &RandomProgram::layers,
      &RandomProgram::product,      &RandomProgram::convolve,      &RandomProgram::convolve,
      &RandomProgram::normalize,    &RandomProgram::attend,        &RandomProgram::lose,
      &RandomProgram::look_up,      &RandomProgram::reduce,        &RandomProgram::reduce,
      &RandomProgram::view,         &RandomProgram::view,          &RandomProgram::separate,
      &RandomProgram::take_apart,   &RandomProgram::join,          &RandomProgram::write,
      &RandomProgram::write_behind, &RandomProgram::draw,          &RandomProgram::convert,
      &RandomProgram::choose,       &RandomProgram::differentiate, &RandomProgram::host_kernel};
  constexpr uint64_t kApart = 1000;
  choice_ =
      fuzzed::Choice(static_cast<uint64_t>(case_.seed) * kApart + static_cast<uint64_t>(number));
  (this->*kOperations[choice_.below(std::size(kOperations))])();
}

void RandomProgram::pointwise() {
  const at::Tensor x = any();
  switch (choice_.below(15)) {
    case 0:
      return keep(at::relu(x));
    case 1:
      return keep(at::tanh(x));
    case 2:
      return keep(at::sigmoid(x));
    case 3:
      return keep(at::exp(bounded(x)));
    case 4:
      return keep(at::pow(bounded(x), choice_.one_in(2) ? 2 : 3));
    case 5:
      return keep(at::neg(x));
    case 6:
      return keep(at::abs(x));
    case 7:
      return keep(at::silu(x));
    case 8:
      return keep(at::gelu(x, choice_.one_in(2) ? "tanh" : "none"));
    case 9:
      return keep(at::softplus(x));
    case 10:
      return keep(at::clamp(x, -0.5, 0.75));
    case 11:
      return keep(at::sqrt(at::square(x) + 1));
    case 12:
      return keep(at::leaky_relu(x, 0.1));
    case 13:
      return keep(at::mul(x, at::Scalar(0.3)) + 1);
    default:
      return keep(1 - x);
  }
}

void RandomProgram::combine() {
  const at::Tensor x = any(), y = like(x);
  switch (choice_.below(7)) {
    case 0:
      return keep(bounded(at::add(x, y, 2)));
    case 1:
      return keep(bounded(x + y));
    case 2:
      return keep(bounded(x - y));
    case 3:
      return keep(bounded(x * y));
    case 4:
      return keep(at::maximum(x, y));
    case 5:
      return keep(bounded(x / (at::square(y) + 1)));
    default:
      return keep(at::relu(x + y));
  }
}

at::Tensor RandomProgram::activated(const at::Tensor& x) {
  switch (choice_.below(6)) {
    case 0:
    case 1:
      return at::relu(x);
    case 2:
      return at::gelu(x);
    case 3:
      return at::gelu(x, "tanh");
    case 4:
      return at::tanh(x);
    default:
      return x;
  }
}

void RandomProgram::layers() {
  at::Tensor x = of_rank(2);
  for (int64_t count = choice_.between(1, 3); count > 0; --count) {
    const int64_t width = size();
    const at::Tensor w = weight({width, x.size(-1)});
    x = activated(choice_.one_in(4) ? at::linear(x, w) : at::linear(x, w, weight({width})));
  }
  keep(x);
}

void RandomProgram::product() {
  const at::Tensor x = of_rank(2);
  switch (choice_.below(5)) {
    case 0:
      return keep(bounded(at::matmul(x, x.transpose(-1, -2))));
    case 1: {
      const at::Tensor flat = x.flatten(0, -2);
      return keep(at::relu(at::mm(flat.t(), flat)));
    }
    case 2: {
      const at::Tensor flat = x.flatten(0, -2);
      return keep(bounded(at::addmm(weight({size()}).narrow(0, 0, 1), flat, flat.t())));
    }
    case 3: {
      const at::Tensor flat = x.flatten(0, -2);
      return keep(bounded(at::addmm(flat.mean(), flat.t(), flat, 0.5, 2)));
    }
    default: {
      const at::Tensor flat = x.flatten(0, -2);
      return keep(at::mm(flat, weight({flat.size(1), size()})));
    }
  }
}

at::Tensor RandomProgram::normalized(const at::Tensor& x) {
  const int64_t channels = x.size(1);
  const bool affine = !choice_.one_in(4), tracks = choice_.one_in(2);
  const at::Tensor gamma = affine ? weight({channels}) : at::Tensor(),
                   beta = affine ? weight({channels}) : at::Tensor(), none;
  const at::Tensor mean = tracks ? at::zeros({channels}) : none,
                   variance = tracks ? at::ones({channels}) : none;
  if (tracks) {
    pool_.push_back(mean);
    pool_.push_back(variance);
  }
  return std::get<0>(at::native_batch_norm(x, gamma, beta, mean, variance, true, 0.1, 1e-2));
}

void RandomProgram::convolve() {
  at::Tensor x = image();
  for (int64_t count = choice_.between(1, 2); count > 0; --count) {
    const int64_t channels = choice_.between(1, 9), kernel = choice_.one_in(3) ? 1 : 3;
    const int64_t padding = choice_.between(kernel > 2 ? 1 : 0, kernel / 2);
    const int64_t stride = choice_.between(1, 2);
    const at::Tensor w = weight({channels, x.size(1), kernel, kernel});
    const at::Tensor bias = choice_.one_in(2) ? weight({channels}) : at::Tensor();
    x = at::conv2d(x, w, bias, {stride, stride}, {padding, padding});
    if (choice_.one_in(2) && x.numel() > 2 * channels) x = normalized(x);
    if (!choice_.one_in(3)) x = at::relu(x);
    if (choice_.one_in(3)) x = at::max_pool2d(x, {2, 2}, {2, 2}, {1, 1});
    if (choice_.one_in(3)) keep(x);
  }
  keep(x);
}

// A convolution of single channels, one of single pixels, and weights for channels between them.
void RandomProgram::separate() {
  at::Tensor x = image();
  const int64_t channels = x.size(1), kernel = choice_.one_in(3) ? 5 : 3;
  const int64_t stride = choice_.between(1, 2), dilation = choice_.one_in(4) ? 2 : 1;
  const int64_t padding = dilation * (kernel / 2), out_channels = choice_.between(1, 20);
  const at::Tensor bias = choice_.one_in(2) ? weight({channels}) : at::Tensor();
  x = at::conv2d(x, weight({channels, 1, kernel, kernel}), bias, {stride, stride},
                 {padding, padding}, {dilation, dilation}, channels);
  if (choice_.one_in(2) && x.numel() > 2 * channels) x = normalized(x);
  switch (choice_.below(5)) {
    case 0:
      x = at::relu(x);
      break;
    case 1:
      x = at::hardswish(x);
      break;
    case 2:
      x = at::hardtanh(x, 0, 6);
      break;
    case 3:
      x = at::silu(x);
      break;
    default:
      break;
  }
  if (choice_.one_in(2)) {
    const at::Tensor w = weight({channels, channels, 1, 1}), mean = x.mean({2, 3}, true);
    const at::Tensor scale = at::hardsigmoid(at::conv2d(mean, w, weight({channels})));
    x = choice_.one_in(2) ? x * scale : scale * x;
    twice_ = false;
  }
  if (choice_.one_in(3)) keep(x);
  keep(at::conv2d(x, weight({out_channels, channels, 1, 1})));
}

void RandomProgram::normalize() {
  const at::Tensor x = of_rank(1);
  if (x.dim() > 1 && x.numel() > 2 * x.size(1) && choice_.one_in(3)) return keep(normalized(x));
  const int64_t rank = x.dim() > 1 && choice_.one_in(4) ? 2 : 1;
  const Shape shape = x.sizes().slice(static_cast<size_t>(x.dim() - rank)).vec();
  if (choice_.one_in(4)) return keep(at::layer_norm(x, shape, {}, {}, 1e-2));
  const at::Tensor gamma = weight(shape), beta = weight(shape);
  keep(at::layer_norm(x, shape, gamma, beta, 1e-2));
}

// (batch, time, features), by one projection or three, with one to four heads.
void RandomProgram::attend() {
  at::Tensor x = of_rank(3);
  while (x.dim() > 3) x = x.flatten(0, 1);
  const int64_t batch = x.size(0), time = x.size(1), width = x.size(2);
  const int64_t heads = int64_t{1} << choice_.below(3), features = choice_.between(1, 9);
  const bool causal = choice_.one_in(2);
  at::Tensor q, k, v;
  const auto split = [&](const at::Tensor& all) {
    return all.reshape({batch, time, heads, features}).transpose(1, 2);
  };
  const auto projected = [&](int64_t times) {
    return at::linear(x, weight({times * heads * features, width}),
                      weight({times * heads * features}));
  };
  switch (choice_.below(4)) {
    case 0: {
      const std::vector<at::Tensor> each = projected(3)
                                               .reshape({batch, time, 3, heads, features})
                                               .permute({2, 0, 1, 3, 4})
                                               .unbind(0);
      q = each[0].transpose(1, 2), k = each[1].transpose(1, 2), v = each[2].transpose(1, 2);
      break;
    }
    case 1: {
      const at::Tensor parts =
          projected(3).reshape({batch, time, 3, heads, features}).permute({2, 0, 3, 1, 4});
      const std::vector<at::Tensor> each = parts.unbind(0);
      q = each[0], k = each[1], v = each[2];
      break;
    }
    case 2: {
      const std::vector<at::Tensor> each = projected(3).chunk(3, -1);
      q = split(each[0]), k = split(each[1]), v = split(each[2]);
      break;
    }
    default: {
      const std::vector<at::Tensor> each =
          projected(3).reshape({batch, time, 3, heads, features}).unbind(2);
      q = each[0].transpose(1, 2), k = each[1].transpose(1, 2), v = each[2].transpose(1, 2);
      if (choice_.one_in(2)) q = split(projected(1));
    }
  }
  std::optional<at::Tensor> mask;
  if (!causal && choice_.one_in(2)) {
    mask = weight({choice_.one_in(2) ? batch : 1, choice_.one_in(2) ? heads : 1, time, time});
    mask = mask->detach();  // otherwise LibTorch computes attention in single operators
    if (choice_.one_in(2)) mask = at::where(*mask > 0, *mask, -HUGE_VAL);
  }
  const at::Tensor mixed = at::scaled_dot_product_attention(q, k, v, mask, 0, causal);
  twice_ = false;
  keep(mixed.transpose(1, 2).reshape({batch, time, heads * features}));
}

void RandomProgram::lose() {
  at::Tensor logits = of_rank(2).flatten(0, -2);
  if (logits.size(0) > numbers_.size(0)) return;
  if (choice_.one_in(2)) logits = at::linear(logits, weight({size(), logits.size(1)}));
  const at::Tensor targets = labels(logits.size(0), logits.size(1));
  const int64_t ignored = choice_.one_in(3) && logits.size(0) > 1 ? targets.size(0) % 3 : -100;
  const int64_t reduction = choice_.one_in(3) ? choice_.between(0, 2) : 1;
  // With everything ignored the mean is nothing over nothing.
  const at::Tensor loss =
      at::cross_entropy_loss(logits, targets, {}, reduction, reduction == 1 ? -100 : ignored);
  if (loss.dim() == 0 && choice_.one_in(2)) roots_.push_back(loss);
  keep(bounded(loss));
}

void RandomProgram::look_up() {
  const int64_t rows = choice_.between(1, 9), width = size();
  const int64_t count = choice_.between(1, 4) * choice_.between(1, 5);
  const at::Tensor indices = labels(count, rows);
  const int64_t padding = choice_.one_in(3) ? 0 : -1;
  keep(at::embedding(weight({rows, width}), indices.reshape({-1, count}), padding));
}

void RandomProgram::reduce() {
  const at::Tensor x = of_rank(1);
  const int64_t dim = dim_of(x);
  const bool keepdim = choice_.one_in(2);
  switch (choice_.below(12)) {
    case 0:
    case 1:
      return keep(bounded(at::sum(x, {dim}, keepdim)));
    case 2:
      return keep(bounded(at::sum(x, {0}, keepdim)));
    case 3:
      return keep(at::mean(x, {dim}, keepdim));
    case 4:
      return keep(at::amax(x, {dim}, keepdim));
    case 5:
      return keep(at::logsumexp(x, {dim}, keepdim));
    case 6:
      return keep(at::softmax(x, dim));
    case 7:
      return keep(bounded(at::log_softmax(x, dim)));
    case 8:
      return keep(bounded(at::cumsum(x, dim)));
    case 9:
      return keep(bounded(at::var(x, {dim}, false, keepdim)));
    case 10:
      return keep(at::mean(x));
    default:
      return keep(bounded(at::sum(x)));
  }
}

void RandomProgram::view() {
  const at::Tensor x = of_rank(1);
  const int64_t dim = dim_of(x), size = x.size(dim);
  switch (choice_.below(13)) {
    case 0:
      return keep(x.reshape({-1}));
    case 1:
      return keep(x.transpose(dim, dim_of(x)));
    case 2:
      return keep(x.unsqueeze(dim));
    case 3:
      return keep(x.squeeze(dim));
    case 4:
      return keep(x.select(dim, choice_.between(0, size - 1)));
    case 5:
      return keep(x.slice(dim, choice_.between(0, size - 1), {}, choice_.between(1, 2)));
    case 6:
      return keep(x.narrow(dim, 0, choice_.between(1, size)));
    case 7: {
      Shape wide = x.sizes().vec();
      wide.insert(wide.begin(), 2);
      return keep(x.expand(wide));
    }
    case 8: {
      Shape order(static_cast<size_t>(x.dim()));
      std::iota(order.begin(), order.end(), 0);
      std::ranges::reverse(order);
      return keep(x.permute(order));
    }
    case 9:
      return keep(at::flip(x, {dim}));
    case 10:
      return keep(x.unfold(dim, choice_.between(1, size), choice_.between(1, 2)));
    case 11:
      return keep(x.dim() > 1 ? at::diagonal(x) : x);
    default:
      return keep(x.contiguous());
  }
}

void RandomProgram::take_apart() {
  const at::Tensor x = of_rank(1);
  const int64_t dim = dim_of(x), size = x.size(dim);
  const auto keep_all = [&](std::vector<at::Tensor> parts) {
    if (parts.size() > 1 && choice_.one_in(2)) std::ranges::reverse(parts);
    for (size_t i = 0; i < std::min<size_t>(parts.size(), 3); ++i) keep(parts[i]);
  };
  switch (choice_.below(4)) {
    case 0:
      return keep_all(x.split(choice_.between(1, size), dim));
    case 1:
      return keep_all(x.chunk(choice_.between(1, 3), dim));
    case 2:
      return keep_all(x.unbind(dim));
    default: {
      std::vector<at::Tensor> parts = x.split((size + 1) / 2, dim);
      std::ranges::reverse(parts);
      return keep(at::cat(parts, dim));
    }
  }
}

void RandomProgram::join() {
  const at::Tensor x = of_rank(1);
  const int64_t dim = dim_of(x);
  switch (choice_.below(5)) {
    case 0:
      return keep(at::cat({x, at::neg(x), x}, dim));
    case 1:
      return keep(at::stack({x, bounded(x)}, dim));
    case 2:
      return keep(x.reshape({-1}).repeat({2}));
    case 3:
      return keep(at::cat({x.narrow(dim, 0, 1), x}, dim));
    default:
      return keep(at::constant_pad_nd(x, {1, 2}, 0.5));
  }
}

// On memory of its own, so that no value that a gradient needs is overwritten.
void RandomProgram::write() {
  const at::Tensor x = of_rank(1);
  const at::Tensor whole = (choice_.one_in(2) ? x : x.detach()).clone();
  const int64_t dim = dim_of(whole), size = whole.size(dim);
  const at::Tensor part = whole.narrow(dim, choice_.between(0, size - 1), 1);
  switch (choice_.below(5)) {
    case 0:
      part.mul_(0.5);
      break;
    case 1:
      part.add_(part.detach().clone(), 2);
      break;
    case 2:
      part.copy_(at::relu(part.detach()));
      break;
    case 3:
      part.zero_();
      break;
    default:
      whole.add_(like(whole).detach().mean());
  }
  if (choice_.one_in(2)) whole.add_(0.25);
  if (choice_.one_in(2)) keep(part);
  if (choice_.one_in(3)) whole.transpose(0, -1).mul_(0.75);
  keep(whole);
}

// Changes what an operator has read that needs its result alone for its derivative.
void RandomProgram::write_behind() {
  const at::Tensor x = of_rank(2).flatten(0, -2);
  const at::Tensor before = choice_.one_in(2) ? x.clone() : at::mm(x, weight({x.size(1), size()}));
  at::Tensor after;
  switch (choice_.below(4)) {
    case 0:
      after = at::relu(before);
      break;
    case 1:
      after = at::log_softmax(before, -1);
      break;
    case 2:
      after = at::softmax(before, -1);
      break;
    default:
      after = before + 1;
  }
  before.mul_(0.5);
  if (choice_.one_in(2) && x.size(0) <= numbers_.size(0))
    roots_.push_back(at::nll_loss(after, labels(after.size(0), after.size(1))));
  else
    keep(bounded(after));
  keep(before);
}

at::Tensor RandomProgram::drawn(const at::Tensor& x) {
  if (choice_.one_in(2))
    return plain(
        call1("aten::bernoulli.p(Tensor self, float p, *, Generator? generator=None) -> Tensor",
              {of(wrapped(x.detach())), of(0.75)}));
  return plain(
      call1("aten::rand_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, "
            "Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None)"
            " -> Tensor",
            {of(wrapped(x.detach())), runtime::none(), runtime::none(), runtime::none(),
             runtime::none(), runtime::none()}));
}

void RandomProgram::draw() {
  const at::Tensor x = any();
  if (choice_.one_in(2)) return keep(x * drawn(x));
  keep(plain(call1("aten::dropout(Tensor input, float p, bool train) -> Tensor",
                   {of(wrapped(x)), of(0.25), of(true)})));
}

void RandomProgram::convert() {
  const at::Tensor x = any();
  if (case_.smooth || choice_.one_in(2)) return keep((x.to(at::kDouble) / 3).to(at::kFloat));
  if (choice_.one_in(2)) return keep(x.to(at::kBFloat16).to(at::kFloat));
  keep(bounded(x * ((x.detach() * 100).to(at::kLong) + 1)));
}

void RandomProgram::choose() {
  if (case_.smooth) return pointwise();
  const at::Tensor x = of_rank(2);
  const int64_t dim = dim_of(x);
  switch (choice_.below(6)) {
    case 0:
      return keep(at::gather(x, dim, at::argmax(x, dim, true)));
    case 1:
      return keep(std::get<0>(at::sort(x, dim, choice_.one_in(2))));
    case 2:
      return keep(std::get<0>(at::topk(x, 1, dim)));
    case 3:
      return keep(at::index_select(x, dim, at::argmax(x, dim).reshape({-1})));
    case 4:
      return keep(at::where(x > 0.1, x, x * 0.5));
    default:
      return keep(at::masked_fill(x, x.detach().le(0), 0.5));
  }
}

// The slope of a value at a variable, which can be differentiated again.
void RandomProgram::differentiate() {
  if (!twice_ || leaves_.empty()) return;
  const at::Tensor x = at::mean(bounded(any()));
  if (!x.requires_grad()) return;
  const runtime::Tensor root = wrapped(x), leaf = wrapped(leaves_[choice_.below(leaves_.size())]);
  const auto slopes = backend().grad({&root, 1}, {&leaf, 1}, {}, true, true);
  if (slopes[0]) keep(bounded(plain(slopes[0])));
}

void RandomProgram::host_kernel() {
  const runtime::Tensor x = wrapped(any().detach().contiguous());
  const runtime::TensorInfo info = backend().info(x);
  keep(plain(backend().call(halving(choice_.one_in(3)), {&x, 1}, {&info, 1})[0]));
}

}  // namespace broch::programs
