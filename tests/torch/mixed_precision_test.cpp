// mixed_precision_test.cpp: in which types operators compute, and gradients come back.
#include <algorithm>
#include <cstdlib>

#include "broch/value.h"
#include "fixture.hpp"
#include "recording.hpp"

using namespace broch::runtime;

namespace {

const char* kMm = "aten::mm(Tensor self, Tensor mat2) -> Tensor";
const char* kRelu = "aten::relu(Tensor self) -> Tensor";
const char* kSum = "aten::sum(Tensor self) -> Tensor";
const char* kMul = "aten::mul.Tensor(Tensor self, Tensor other) -> Tensor";
const char* kAddInPlace =
    "aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)";
const char* kCat = "aten::cat(Tensor[] tensors, int dim=0) -> Tensor";
const char* kGelu = "aten::gelu(Tensor self, *, str approximate='none') -> Tensor";
const char* kConvolution =
    "aten::convolution(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] "
    "padding,"
    " SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups) -> Tensor";

broch_dtype type_of(const Tensor& tensor) { return backend().info(tensor).dtype; }

Tensor product(const Tensor& a, const Tensor& b) { return call1(kMm, {of(a), of(b)}); }

Tensor square(float value) { return floats({value, 2, 3, 4}, {2, 2}); }

}  // namespace

TEST_CASE("mixed precision: products are bfloat16, what follows has its type") {
  const auto mixed = backend().mix_precision();
  const auto guard = backend().enter(false, nullptr);
  const Tensor y = product(square(1), square(1));
  CHECK(type_of(y) == BROCH_BFLOAT16);
  CHECK(numbers(y) == std::vector<double>{7, 10, 15, 22});
  CHECK(type_of(call1(kRelu, {of(y)})) == BROCH_BFLOAT16);
  CHECK(type_of(call1(kMul, {of(y), of(square(1))})) == BROCH_FLOAT32);
}

TEST_CASE("mixed precision: LibTorch's lists are completed") {
  const auto mixed = backend().mix_precision();
  const auto guard = backend().enter(false, nullptr);
  const Tensor y = product(square(1), square(1));
  CHECK(type_of(call1(kSum, {of(y)})) == BROCH_FLOAT32);
  CHECK(type_of(call1(kGelu, {of(y)})) == BROCH_FLOAT32);
  const Tensor wide = square(1);
  const std::vector<broch_tensor> both{of(y).u.tensor, of(wide).u.tensor};
  CHECK(type_of(call1(kCat, {list(both)})) == BROCH_FLOAT32);
  const std::vector<int64_t> one{1, 1}, zero{0, 0};
  const Tensor image = floats({1, 2, 3, 4}, {1, 1, 2, 2}), weight = floats({2}, {1, 1, 1, 1});
  CHECK(type_of(call1(kConvolution, {of(image), of(weight), none(), list(one), list(zero),
                                     list(one), of(false), list(zero), of(int64_t{1})})) ==
        BROCH_BFLOAT16);
}

TEST_CASE("mixed precision: gradients of float32 are float32") {
  const auto mixed = backend().mix_precision();
  const auto guard = backend().enter(true, nullptr);
  const Tensor x = backend().leaf(square(1));
  const Tensor cost = call1(kSum, {of(product(x, square(1)))});
  const Tensor gradient = backend().grad({&cost, 1}, {&x, 1}, {}, false, false)[0];
  CHECK(type_of(gradient) == BROCH_FLOAT32);
  CHECK(numbers(gradient) == std::vector<double>{3, 7, 3, 7});
}

TEST_CASE("mixed precision: a function's derivative computes like the function") {
  auto function = std::make_shared<Backend::CustomFunction>();
  function->name = "triple";
  broch_dtype forward = 0, backward = 0;
  const auto triple = [](const Tensor& x, broch_dtype& type) {
    const Tensor y = product(x, floats({3, 0, 0, 3}, {2, 2}));
    type = type_of(y);
    return y;
  };
  function->forward = [&](std::span<const Tensor> inputs, std::vector<Tensor>&) {
    return std::vector<Tensor>{triple(inputs[0], forward)};
  };
  function->backward = [&](std::span<const Tensor> grads, std::span<const Tensor>) {
    return std::vector<Tensor>{triple(grads[0], backward)};
  };
  const auto mixed = backend().mix_precision();
  const auto guard = backend().enter(true, nullptr);
  const Tensor x = backend().leaf(square(1));
  const Tensor y = backend().apply(function, {&x, 1})[0];
  const Tensor cost = call1(kSum, {of(y)});
  const Tensor gradient = backend().grad({&cost, 1}, {&x, 1}, {}, false, false)[0];
  CHECK(forward == BROCH_BFLOAT16);
  CHECK(backward == BROCH_BFLOAT16);
  CHECK(numbers(gradient) == std::vector<double>(4, 3));
}

TEST_CASE("mixed precision: ends with its scope") {
  { const auto mixed = backend().mix_precision(); }
  const auto guard = backend().enter(false, nullptr);
  CHECK(type_of(product(square(1), square(1))) == BROCH_FLOAT32);
}

TEST_CASE("widened: float32 in place of bfloat16, and nothing else") {
  const auto mixed = backend().mix_precision();
  const auto guard = backend().enter(true, nullptr);
  const Tensor x = backend().leaf(square(1)), wide = backend().widened(product(x, square(1)));
  CHECK(type_of(wide) == BROCH_FLOAT32);
  const Tensor cost = call1(kSum, {of(wide)});
  CHECK(numbers(backend().grad({&cost, 1}, {&x, 1}, {}, false, false)[0]) ==
        std::vector<double>{3, 7, 3, 7});
  CHECK(backend().widened(x).impl() == x.impl());
}

// The product of a square and a weight, twice; `writes`: the square is doubled in between.
Step two_products(bool writes) {
  return [writes](const Tensors& inputs, const Tensors& variables) -> Tensors {
    const Tensor x = call1(kMul, {of(inputs[0]), of(inputs[0])});
    const Tensor first = product(x, variables[0]);
    if (writes) call1(kAddInPlace, {of(x), of(x)});
    return {first, product(x, variables[0])};
  };
}

TEST_CASE("casts: the same cast of the same value is made once") {
  const auto mixed = backend().mix_precision();
  const Tensors inputs{square(1)}, variables{square(2)};
  for (const bool writes : {false, true}) {
    CAPTURE(writes);
    const Step step = two_products(writes);
    const auto program = record(step, inputs, variables);
    const auto executable = program->compile(all_of(2));
    const std::vector<std::string>& passes = executable->info().passes;
    CHECK(std::ranges::count(passes, writes ? "casts 1" : "casts 2") == 1);
    executable->set(0, inputs[0]);
    executable->run(kCounter);
    const Tensors expected = eager(step, inputs, variables);
    for (size_t i = 0; i < 2; ++i) CHECK(numbers(executable->output(i)) == numbers(expected[i]));
  }
}

namespace {

// Two layers with a short cut around the second one, and their derivatives. What is float32 in
// between makes casts on both sides of the products.
Tensors layers(const Tensors& in, const Tensors& variables) {
  const auto mixed = backend().mix_precision();
  const Tensors w = leaves(variables);
  const auto linear = [](const Tensor& x, const Tensor& weight, const Tensor& bias) {
    return call1("aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor",
                 {of(x), of(weight), of(bias)});
  };
  const Tensor hidden = call1(kGelu, {of(linear(in[0], w[0], w[1])), of("none")});
  const Tensor sums =
      call1("aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
            {of(linear(hidden, w[2], w[3])), of(in[0]), of(int64_t{1})});
  const Tensor out = product(call1(kRelu, {of(sums)}), w[4]);
  return with_gradients(call1(kSum, {of(call1(kMul, {of(out), of(out)}))}), w);
}

}  // namespace

TEST_CASE("mixed precision: products with their casts, with every subset of passes") {
  const std::vector<std::vector<int64_t>> inputs{{9, 6}}, weights{{7, 6}, {7}, {6, 7}, {6}, {6, 5}};
  const Tensors variables = all_waves(weights, 9), others = all_waves(inputs, 2);
  const auto program = record(layers, all_waves(inputs, 1), variables);
  const Tensors expected = eager(layers, others, variables);
  CompileOptions options = all_of(expected.size(), Level::fast);
  const auto whole = program->compile(options);
  std::vector<std::string> passes;
  for (const std::string& pass : whole->info().passes)
    passes.push_back(pass.substr(0, pass.rfind(' ')));
  const bool is_limited = std::getenv("BROCH_ISA") || std::getenv("ATEN_CPU_CAPABILITY");
  if (backend().multiplies_bf16() && !is_limited) {
    CHECK(std::ranges::count(passes, "products-16") == 1);
    CHECK(whole->text().find("gemm16+bias(") != std::string::npos);
  }
  REQUIRE(passes.size() <= 10);
  constexpr double kHalf = 0.02;  // of the largest element
  for (size_t subset = 0; subset < size_t{1} << passes.size(); ++subset) {
    CAPTURE(subset);
    options.without.clear();
    for (size_t i = 0; i < passes.size(); ++i)
      if (subset >> i & 1) options.without.insert(passes[i]);
    const auto executable = program->compile(options);
    run(*executable, others);
    check_same(*executable, expected, kHalf);
  }
}

TEST_CASE("mixed precision: a product of places that lie apart") {
  const Step step = [](const Tensors& in, const Tensors& variables) {
    const auto mixed = backend().mix_precision();
    const Tensors w = leaves(variables);
    const Tensor first =
        call1("aten::select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)",
              {of(in[0]), of(int64_t{1}), of(int64_t{0})});
    const Tensor out =
        call1("aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor",
              {of(first), of(w[0]), of(w[1])});
    return with_gradients(call1(kSum, {of(call1(kMul, {of(out), of(out)}))}), w);
  };
  const std::vector<std::vector<int64_t>> inputs{{9, 4, 6}};  // the first of four places
  const Tensors variables = all_waves({{7, 6}, {7}}, 9), others = all_waves(inputs, 2);
  const auto program = record(step, all_waves(inputs, 1), variables);
  const Tensors expected = eager(step, others, variables);
  const auto executable = program->compile(all_of(expected.size(), Level::fast));
  run(*executable, others);
  constexpr double kHalf = 0.02;  // of the largest element
  check_same(*executable, expected, kHalf);
}
