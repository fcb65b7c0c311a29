// program_bytes_test.cpp: what a recorded program makes of pictures of bytes.
#include "runtime/program.hpp"
#include "step_operators.hpp"

using namespace broch::runtime;

namespace {

// 2 images of 6 x 10 pixels with 3 channels.
Tensor pixels(uint8_t first, const std::vector<int64_t>& shape = {2, 3, 6, 10}) {
  std::vector<uint8_t> values(360);
  for (uint8_t& value : values) value = first = static_cast<uint8_t>(first * 5 + 3);
  return bytes(values, shape);
}
Tensor as_floats(const Tensor& x) {
  return call1(
      "aten::to.dtype(Tensor(a) self, ScalarType dtype, bool non_blocking=False, bool copy=False, "
      "MemoryFormat? memory_format=None) -> Tensor(a)",
      {of(x), dtype(BROCH_FLOAT32)});
}
Tensor permuted(const Tensor& x, const std::vector<int64_t>& order) {
  return call1("aten::permute(Tensor(a) self, int[] dims) -> Tensor(a)", {of(x), list(order)});
}
// The elements 1 to 3 along a dimension.
Tensor part(const Tensor& x, int64_t dimension) {
  return call1(
      "aten::slice.Tensor(Tensor(a) self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt "
      "step=1) -> Tensor(a)",
      {of(x), of(dimension), of(int64_t{1}), of(int64_t{4}), of(int64_t{1})});
}
Tensor scaled(const Tensor& x) {
  return call1("aten::mul.Scalar(Tensor self, Scalar other) -> Tensor", {of(x), of(1.0 / 255)});
}

}  // namespace

TEST_CASE("program: bytes become floats in the call that reads them, with the bits of two") {
  const auto check_calls = [](const Step& step, size_t calls) {
    const auto executable = record(step, {pixels(1)}, {})->compile(all_of(1));
    CHECK(executable->info().calls == calls);
    run(*executable, {pixels(2)});
    check_same(*executable, eager(step, {pixels(2)}, {}), kExact);
  };
  check_calls([](const Tensors& in, const Tensors&) { return Tensors{scaled(as_floats(in[0]))}; },
              1);
  // Only read by others, read twice, and read in another order.
  check_calls([](const Tensors& in, const Tensors&) { return Tensors{sum(as_floats(in[0]))}; }, 2);
  check_calls(
      [](const Tensors& in, const Tensors&) {
        const Tensor x = as_floats(in[0]);
        return Tensors{mul(scaled(x), sum(x))};
      },
      4);
  check_calls(
      [](const Tensors& in, const Tensors&) {  // made twice
        return Tensors{mul(as_floats(in[0]), as_floats(in[0]))};
      },
      1);
  check_calls(
      [](const Tensors& in, const Tensors&) {
        return Tensors{scaled(transpose(as_floats(row(row(in[0], 1), 2))))};
      },
      2);
}

TEST_CASE("program: a convolution and its gradient read bytes, unless somebody else wants floats") {
  const auto rectified = [](const Tensor& x, const Tensors& w) {
    return relu(conv(x, w[0], w[1], 1));
  };
  const Step step = [=](const Tensors& in, const Tensors& variables) {
    const Tensors w = leaves(variables);
    const Tensor y = rectified(scaled(as_floats(in[0])), w);
    return with_gradients(sum(mul(y, y)), w);
  };
  const Step with_floats = [=](const Tensors& in, const Tensors& w) {
    const Tensor x = as_floats(in[0]);
    return Tensors{rectified(x, w), x};
  };
  const Step of_floats = [=](const Tensors& in, const Tensors& variables) {
    const Tensors w = leaves(variables);
    const Tensor y = rectified(in[0], w);
    return with_gradients(sum(mul(y, y)), w);
  };
  const Tensors variables = all_waves({{16, 3, 3, 3}, {16}}, 9), others{pixels(2)};
  for (const Step& each : {step, with_floats}) {
    const Tensors expected = eager(each, others, variables);
    const auto executable =
        record(each, {pixels(1)}, variables)->compile(all_of(expected.size(), Level::fast));
    run(*executable, others);
    check_same(*executable, expected, kNear);
  }
  // Images that are themselves a matrix; images that the weights are a part of.
  const auto check = [](const Step& each, const std::vector<int64_t>& shape, const Tensors& w) {
    const Tensors inputs{pixels(2, shape)};
    const auto executable = record(each, {pixels(1, shape)}, w)->compile(all_of(1, Level::fast));
    run(*executable, inputs);
    check_same(*executable, eager(each, inputs, w), kNear);
  };
  check(
      [](const Tensors& in, const Tensors& w) {
        const Tensor x = permuted(in[0], {0, 3, 1, 2});
        return Tensors{conv(as_floats(x), w[0], {}, 1)};
      },
      {2, 6, 10, 3}, all_waves({{16, 3, 1, 1}}, 9));
  check(
      [](const Tensors& in, const Tensors&) {
        const Tensor x = as_floats(in[0]);
        return Tensors{conv(x, part(part(x, 2), 3), {}, 1)};
      },
      {2, 3, 6, 10}, {});
  const auto calls = [&](const Step& each, const Tensor& input) {
    return record(each, {input}, variables)->compile(all_of(3, Level::fast))->info().calls;
  };
  CHECK(calls(step, pixels(1)) == calls(of_floats, waves({2, 3, 6, 10}, 1)));
}
