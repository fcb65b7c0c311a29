// threads_test.cpp: programs whose kernels are divided among threads compute what eager computes.
#include "recording.hpp"

using namespace broch::runtime;

namespace {

Tensor conv(const Tensor& x, const Tensor& weights) {
  const std::vector<int64_t> ones{1, 1};
  return call1(
      "aten::conv2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, "
      "SymInt[2] padding=0, SymInt[2] dilation=1, SymInt groups=1) -> Tensor",
      {of(x), of(weights), none(), list(ones), list(ones), list(ones), of(int64_t{1})});
}

Tensor rectified_norm(const Tensor& x, const Tensor& gamma, const Tensor& beta) {
  const Tensor normal = call1(
      "aten::batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, "
      "Tensor? running_var, bool training, float momentum, float eps, bool cudnn_enabled) "
      "-> Tensor",
      {of(x), of(gamma), of(beta), none(), none(), of(true), of(0.1), of(1e-5), of(false)});
  return call1("aten::relu(Tensor self) -> Tensor", {of(normal)});
}

Tensor linear(const Tensor& x, const Tensor& weight) {
  return call1("aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor",
               {of(x), of(weight), none()});
}

Tensor mean_square(const Tensor& x) {
  const Tensor square =
      call1("aten::mul.Tensor(Tensor self, Tensor other) -> Tensor", {of(x), of(x)});
  return call1("aten::mean(Tensor self, *, ScalarType? dtype=None) -> Tensor",
               {of(square), none()});
}

// Sizes for which each kernel has enough work for three threads, and images that these do not
// share evenly.
const std::vector<std::vector<int64_t>> kImages{{7, 16, 24, 24}};
const std::vector<std::vector<int64_t>> kConvolutions{{32, 16, 3, 3}, {32}, {32},
                                                      {24, 32, 3, 3}, {24}, {24}};
const std::vector<std::vector<int64_t>> kRowShapes{{500, 120}};
const std::vector<std::vector<int64_t>> kProducts{{130, 120}, {130}, {130}, {90, 130}};

Tensors images_step(const Tensors& in, const Tensors& variables) {
  const Tensors w = leaves(variables);
  const Tensor first = rectified_norm(conv(in[0], w[0]), w[1], w[2]);
  return with_gradients(mean_square(rectified_norm(conv(first, w[3]), w[4], w[5])), w);
}

Tensors rows_step(const Tensors& in, const Tensors& variables) {
  const Tensors w = leaves(variables);
  const Tensor first = rectified_norm(linear(in[0], w[0]), w[1], w[2]);
  return with_gradients(mean_square(linear(first, w[3])), w);
}

struct Threads {
  explicit Threads(int count) { set(count); }
  ~Threads() { set(1); }
  static void set(int count) { backend().configure({.threads = count, .deterministic = true}); }
};

void check_threads(const Step& step, const std::vector<std::vector<int64_t>>& shapes,
                   const std::vector<std::vector<int64_t>>& variable_shapes) {
  const Tensors variables = all_waves(variable_shapes, 9), inputs = all_waves(shapes, 2);
  const auto program = record(step, all_waves(shapes, 1), variables);
  const Tensors expected = eager(step, inputs, variables);
  for (const int count : {1, 2, 3}) {
    CAPTURE(count);
    const Threads threads(count);
    const auto executable = program->compile(all_of(expected.size(), Level::fast));
    run(*executable, inputs);
    check_same(*executable, expected, kNear);
  }
}

}  // namespace

TEST_CASE("threads: convolutions, batch norm and their gradients on one, two and three") {
  check_threads(images_step, kImages, kConvolutions);
}

TEST_CASE("threads: products and batch norm of rows on one, two and three") {
  check_threads(rows_step, kRowShapes, kProducts);
}
