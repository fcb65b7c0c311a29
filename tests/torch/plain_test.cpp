// plain_test.cpp: the same numbers, bit for bit, from LibTorch called directly.
#include <ATen/Context.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/randn.h>
#include <c10/util/Exception.h>
#include <torch/optim/adagrad.h>
#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/rmsprop.h>
#include <torch/optim/sgd.h>

#include <algorithm>
#include <cstring>
#include <ctime>

#include "fixture.hpp"
#include "support/in_child.hpp"

using namespace broch::runtime;

namespace {

using Pointer = c10::intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>;

at::Tensor plain(const Tensor& tensor) {
  return at::Tensor(
      Pointer::unsafe_reclaim_from_nonowning(static_cast<c10::TensorImpl*>(tensor.impl())));
}
Tensor wrapped(at::Tensor tensor) {
  return {tensor.unsafeReleaseTensorImpl(), &backend().counting()};
}
bool same_bits(const at::Tensor& a, const at::Tensor& b) {
  const at::Tensor x = a.contiguous(), y = b.contiguous();
  return x.sizes() == y.sizes() && x.scalar_type() == y.scalar_type() &&
         std::memcmp(x.const_data_ptr(), y.const_data_ptr(), x.nbytes()) == 0;
}

// Sizes whose ends fall between the steps of vector loops.
const std::vector<int64_t> kSizes{7, 33, 51, 10, 1000, 1, 64, 129};

size_t slots_of(const UpdateStep& step) {
  if (step.rule == Rule::rmsprop) return size_t{1} + step.with_buffer + step.centered;
  if (step.rule == Rule::adam || step.rule == Rule::adamw) return size_t{2} + step.amsgrad;
  return step.rule == Rule::sgd ? 0 : 1;
}

// Our flat update beside torch::optim over separate parameters.
template <class Optimizer, class Options>
int first_difference(UpdateStep step, const Options& options, int steps) {
  std::vector<at::Tensor> theirs;
  std::vector<Tensor> initial;
  for (const int64_t size : kSizes) {
    theirs.push_back(at::randn({size}).requires_grad_(true));
    initial.push_back(wrapped(theirs.back().detach().clone()));
  }
  const Backend::Flat parameters = backend().flatten(initial);
  const Backend::Flat gradients = backend().flat_zeros_like(initial);
  step.parameters = parameters.buffer;
  step.gradients = gradients.buffer;
  while (step.slots.size() < slots_of(step)) {
    step.slots.push_back(backend().flat_zeros_like(initial).buffer);
  }
  Optimizer optimizer(theirs, options);
  for (step.step = 1; step.step <= steps; ++step.step) {
    for (size_t i = 0; i < theirs.size(); ++i) {
      const at::Tensor gradient = at::randn({kSizes[i]});
      theirs[i].mutable_grad() = gradient;
      backend().assign(gradients.views[i], wrapped(gradient));
    }
    optimizer.step();
    backend().update(step);
    for (size_t i = 0; i < theirs.size(); ++i) {
      if (!same_bits(theirs[i].detach(), plain(parameters.views[i]))) {
        return static_cast<int>(step.step);
      }
    }
  }
  return 0;
}

UpdateStep step_of(Rule rule) {
  UpdateStep step;
  step.rule = rule;
  step.learning_rate = 0.013;
  step.beta1 = 0.9;
  step.beta2 = 0.999;
  step.eps = 1e-8;
  return step;
}

}  // namespace

TEST_CASE("plain: sgd rounds like torch::optim::SGD over 1,000 steps") {
  UpdateStep step = step_of(Rule::sgd);
  CHECK(first_difference<torch::optim::SGD>(step, torch::optim::SGDOptions(0.013), 1000) == 0);
  step.weight_decay = 0.01;
  CHECK(first_difference<torch::optim::SGD>(
            step, torch::optim::SGDOptions(0.013).weight_decay(0.01), 1000) == 0);
}

TEST_CASE("plain: momentum rounds like torch::optim::SGD, first step, dampening and nesterov too") {
  UpdateStep step = step_of(Rule::momentum);
  step.momentum = 0.9;
  CHECK(first_difference<torch::optim::SGD>(step, torch::optim::SGDOptions(0.013).momentum(0.9),
                                            1000) == 0);
  step.dampening = 0.3;
  step.weight_decay = 0.01;
  CHECK(first_difference<torch::optim::SGD>(
            step, torch::optim::SGDOptions(0.013).momentum(0.9).dampening(0.3).weight_decay(0.01),
            1000) == 0);
  step.dampening = 0;
  step.nesterov = true;
  CHECK(first_difference<torch::optim::SGD>(
            step, torch::optim::SGDOptions(0.013).momentum(0.9).weight_decay(0.01).nesterov(true),
            1000) == 0);
}

TEST_CASE("plain: adam rounds like torch::optim::Adam over 1,000 steps") {
  UpdateStep step = step_of(Rule::adam);
  CHECK(first_difference<torch::optim::Adam>(step, torch::optim::AdamOptions(0.013), 1000) == 0);
  step.weight_decay = 0.01;
  CHECK(first_difference<torch::optim::Adam>(
            step, torch::optim::AdamOptions(0.013).weight_decay(0.01), 1000) == 0);
  step.amsgrad = true;
  CHECK(first_difference<torch::optim::Adam>(
            step, torch::optim::AdamOptions(0.013).weight_decay(0.01).amsgrad(true), 1000) == 0);
}

TEST_CASE("plain: adamw rounds like torch::optim::AdamW over 1,000 steps") {
  UpdateStep step = step_of(Rule::adamw);
  step.weight_decay = 0.01;
  CHECK(first_difference<torch::optim::AdamW>(
            step, torch::optim::AdamWOptions(0.013).weight_decay(0.01), 1000) == 0);
  step.amsgrad = true;
  CHECK(first_difference<torch::optim::AdamW>(
            step, torch::optim::AdamWOptions(0.013).weight_decay(0.01).amsgrad(true), 1000) == 0);
}

TEST_CASE("plain: rmsprop rounds like torch::optim::RMSprop, with momentum and centered too") {
  for (const double decay : {0.0, 0.01})
    for (const bool centered : {false, true})
      for (const double momentum : {0.0, 0.9}) {
        CAPTURE(decay);
        CAPTURE(centered);
        CAPTURE(momentum);
        UpdateStep step = step_of(Rule::rmsprop);
        step.alpha = 0.97;
        step.eps = 1e-6;  // centered: a variance next to 0
        step.weight_decay = decay;
        step.centered = centered;
        step.momentum = momentum;
        step.with_buffer = momentum > 0;
        CHECK(first_difference<torch::optim::RMSprop>(step,
                                                      torch::optim::RMSpropOptions(0.013)
                                                          .alpha(0.97)
                                                          .eps(1e-6)
                                                          .weight_decay(decay)
                                                          .centered(centered)
                                                          .momentum(momentum),
                                                      1000) == 0);
      }
}

TEST_CASE("plain: adagrad rounds like torch::optim::Adagrad over 1,000 steps") {
  UpdateStep step = step_of(Rule::adagrad);
  step.eps = 1e-10;
  CHECK(first_difference<torch::optim::Adagrad>(step, torch::optim::AdagradOptions(0.013), 1000) ==
        0);
  step.weight_decay = 0.01;
  step.lr_decay = 0.1;
  CHECK(first_difference<torch::optim::Adagrad>(
            step, torch::optim::AdagradOptions(0.013).weight_decay(0.01).lr_decay(0.1), 1000) == 0);
}

TEST_CASE("plain: operators called by name give LibTorch's bits") {
  const at::Tensor x = at::randn({33, 51}), w = at::randn({7, 51}), b = at::randn({7});
  const Tensor linear =
      call1("aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor",
            {of(wrapped(x)), of(wrapped(w)), of(wrapped(b))});
  CHECK(same_bits(plain(linear), at::addmm(b, x, w.t())));
  const Tensor loss =
      call1("aten::log_softmax.int(Tensor self, int dim) -> Tensor", {of(linear), of(int64_t{1})});
  CHECK(same_bits(plain(loss), plain(linear).log_softmax(1)));
}

TEST_CASE("plain: a backend that is configured again warns where there is a GPU") {
  at::Context& context = at::globalContext();
  const bool has_gpu = backend().has_device({BROCH_DL_CUDA, 0});
  for (const bool deterministic : {false, true}) {
    CAPTURE(deterministic);
    const bool warns = deterministic && has_gpu;
    context.setDeterministicAlgorithms(!deterministic, !warns);
    context.setSDPUseMemEfficient(warns);
    backend().configure({.threads = 1, .deterministic = deterministic});
    CHECK(context.deterministicAlgorithms() == deterministic);
    CHECK(context.deterministicAlgorithmsWarnOnly() == warns);
    CHECK(context.userEnabledMemEfficientSDP() == !warns);
  }
}

TEST_CASE("plain: a warning of LibTorch that comes in every step is told once") {
  const auto death = broch::test::in_child([] {
    for (int step = 0; step < 3; ++step) {
      const auto guard = backend().enter(true, nullptr);
      TORCH_WARN("no such kernel");
      TORCH_WARN("nor such");
    }
  });
  for (const char* const text :
       {"warning LibTorch: no such kernel", "warning LibTorch: nor such"}) {
    const size_t first = death.text.find(text);
    CHECK(first != std::string::npos);
    CHECK(death.text.find(text, first + 1) == std::string::npos);
  }
}

TEST_CASE("plain: a boxed call costs little more than a direct one" * doctest::skip()) {
  const at::Tensor a = at::randn({16}), b = at::randn({16});
  const RawValue args[] = {of(wrapped(a)), of(wrapped(b)), of(int64_t{1})};
  Operator* op =
      backend().resolve("aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor");
  const auto guard = backend().enter(false, nullptr);
  const auto best = [](auto&& body) {
    double least = 1e9;
    for (int round = 0; round < 20; ++round) {
      const std::clock_t begin = std::clock();  // of this process, whatever else runs
      for (int i = 0; i < 20000; ++i) body();
      const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
      least = std::min(least, seconds / 20000 * 1e9);
    }
    return least;
  };
  const double direct = best([&] { a.add(b); });
  const double boxed = best([&] {
    RawValue result;
    backend().call(op, args, 3, &result, 1);
    Tensor(reinterpret_cast<void*>(result.u.tensor), &backend().counting());
  });
  MESSAGE("at::add " << direct << " ns, by name " << boxed << " ns");
}
