// program_joined_test.cpp: operators that a recorded program computes in one call.
#include <cmath>

#include "runtime/program.hpp"
#include "step_operators.hpp"

using namespace broch::runtime;

namespace {

// The factor that makes all of them together at most as long as the limit, as a 0-dim tensor.
Tensor clip_factor(const Tensors& all, double limit) {
  const auto length = [](const Tensor& x) {
    return call1(
        "aten::linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, "
        "*, ScalarType? dtype=None) -> Tensor",
        {of(x), of(2.0), none(), of(false), none()});
  };
  Tensors lengths;
  std::vector<broch_tensor> pointers;
  for (const Tensor& one : all) {
    lengths.push_back(length(one));
    pointers.push_back(of(lengths.back()).u.tensor);
  }
  const Tensor whole = length(call1("aten::stack(Tensor[] tensors, int dim=0) -> Tensor",
                                    {list(pointers), of(int64_t{0})}));
  const Tensor ratio =
      call1("aten::mul.Scalar(Tensor self, Scalar other) -> Tensor",
            {of(call1("aten::reciprocal(Tensor self) -> Tensor", {of(whole)})), of(limit)});
  return call1("aten::clamp_max(Tensor self, Scalar max) -> Tensor", {of(ratio), of(1.0)});
}

}  // namespace

TEST_CASE("program: a list of tensors is measured together and scaled together") {
  const Tensors inputs = all_waves({{3, 40}, {7}, {2, 3, 5}, {4097}}, 1);
  const Step step = [](const Tensors& in, const Tensors&) {
    const Tensor factor = clip_factor(in, 0.5);
    Tensors outputs;
    for (const Tensor& one : in) outputs.push_back(mul(one, factor));
    return outputs;
  };
  const auto program = record(step, all_waves({{3, 40}, {7}, {2, 3, 5}, {4097}}, 2), {});
  const Tensors expected = eager(step, inputs, {});
  CHECK(program->operators() == 13);
  for (const Level level : {Level::bitwise, Level::fast}) {
    const auto executable = program->compile(all_of(expected.size(), level));
    run(*executable, inputs);
    check_same(*executable, expected, level == Level::fast ? 1e-6 : kExact);
    CHECK(executable->info().calls == (level == Level::fast ? 5 : 10));
  }
}

TEST_CASE("program: a list that is read or written before all of it is scaled stays in order") {
  const Step step = [](const Tensors& in, const Tensors&) {
    const Tensor factor = clip_factor(in, 0.5);
    const Tensor first = mul(in[0], factor);
    const Tensor own = mul(first, first);
    const Tensor second = mul(in[1], factor);
    const Tensor third = mul(own, factor);
    add_in_place(own, own);
    return Tensors{second, third, own, mul(own, factor)};
  };
  const Tensors inputs = all_waves({{6}, {9}}, 1);
  const auto executable = record(step, all_waves({{6}, {9}}, 2), {})->compile(all_of(4));
  run(*executable, inputs);
  check_same(*executable, eager(step, inputs, {}), kExact);
}

TEST_CASE("program: one number for all elements, and constants, keep the bits") {
  const Step step = [](const Tensors& in, const Tensors& variables) {
    const Tensor number = variables[0];
    const auto scalar_call = [](const char* schema, const Tensor& x, double constant) {
      return call1(schema, {of(x), of(constant)});
    };
    const Tensor scaled = mul(in[0], number);
    add_in_place(scaled, number);
    const char* const kScale = "aten::mul.Scalar(Tensor self, Scalar other) -> Tensor";
    const char* const kClamp = "aten::clamp_max(Tensor self, Scalar max) -> Tensor";
    const Tensor inverse = call1("aten::reciprocal(Tensor self) -> Tensor", {of(scaled)});
    return Tensors{scaled,
                   mul(number, in[0]),
                   inverse,
                   scalar_call(kScale, inverse, 0.1),
                   scalar_call(kClamp, scaled, 0.3),
                   scalar_call(kScale, sum(in[0]), 0.1),
                   scalar_call(kClamp, sum(in[0]), 0.3),
                   call1("aten::reciprocal(Tensor self) -> Tensor", {of(sum(in[0]))})};
  };
  const Tensors variables{scalar(0.3f)};
  Tensors inputs = all_waves({{5, 13}}, 1);
  const auto executable = record(step, all_waves({{5, 13}}, 2), variables)->compile(all_of(8));
  run(*executable, inputs);
  check_same(*executable, eager(step, inputs, variables), kExact);
  std::vector<float> special(65, std::nanf(""));
  special[1] = 0, special[2] = -0.0f, special[3] = INFINITY, special[4] = -INFINITY;
  special[64] = 0.3f;
  inputs = {floats(special, {5, 13})};
  run(*executable, inputs);
  check_same(*executable, eager(step, inputs, variables), kExact);
}

TEST_CASE("program: a sum and what scales it are one call, with the bits of several") {
  const Step mean = [](const Tensors& in, const Tensors&) {
    return Tensors{call1("aten::mul.Scalar(Tensor self, Scalar other) -> Tensor",
                         {of(add(add(in[0], in[1]), in[2])), of(1.0 / 3)})};
  };
  const std::vector<std::vector<int64_t>> shapes(3, {7, 19});
  const auto executable = record(mean, all_waves(shapes, 1), {})->compile(all_of(1));
  CHECK(executable->info().calls == 1);
  const Tensors others = all_waves(shapes, 4);
  run(*executable, others);
  check_same(*executable, eager(mean, others, {}), kExact);
}

TEST_CASE("program: numbers that are 0 and -0 stay apart when their calls are joined") {
  const Step step = [](const Tensors& in, const Tensors&) {
    const Tensor product =
        call1("aten::mul.Scalar(Tensor self, Scalar other) -> Tensor", {of(in[0]), of(-0.0)});
    const Tensor sum =
        call1("aten::add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
              {of(product), of(0.0), of(int64_t{1})});
    return Tensors{call1("aten::reciprocal(Tensor self) -> Tensor", {of(sum)})};
  };
  const Tensors inputs{floats({1, 2, 3}, {3})};
  const auto executable = record(step, inputs, {})->compile(all_of(1));
  run(*executable, inputs);
  CHECK(numbers(executable->output(0)) == numbers(eager(step, inputs, {})[0]));
}

TEST_CASE("program: a result that one call reads in two ways stays in memory") {
  const Step turned = [](const Tensors& in, const Tensors&) {
    const std::vector<int64_t> column{6, 1};
    const Tensor row = relu(in[0]);
    const Tensor other = transpose(
        call1("aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)", {of(row), list(column)}));
    return Tensors{add(row, other)};
  };
  const Step gated_by_itself = [](const Tensors& in, const Tensors& v) {
    const auto gate = [](const Tensor& x) {
      return call1(
          "aten::threshold_backward(Tensor grad_output, Tensor self, Scalar threshold) -> Tensor",
          {of(x), of(x), of(0.0)});
    };
    return Tensors{gate(linear(in[1], v[0], v[1])), gate(conv(in[2], v[2], v[3], 1)),
                   gate(conv(in[2], v[4], v[5], 4))};
  };
  const auto shapes = {std::vector<int64_t>{1, 6}, {4, 6}, {2, 4, 7, 6}};
  const Tensors variables = all_waves({{70, 6}, {70}, {20, 4, 3, 3}, {20}, {4, 1, 3, 3}, {4}}, 9);
  const Tensors inputs = all_waves(shapes, 2);
  for (const Step& step : {turned, gated_by_itself}) {
    const Tensors expected = eager(step, inputs, variables);
    const auto program = record(step, all_waves(shapes, 1), variables);
    for (const Level level : {Level::bitwise, Level::fast}) {
      const auto executable = program->compile(all_of(expected.size(), level));
      run(*executable, inputs);
      check_same(*executable, expected, level == Level::fast ? kNear : kExact);
    }
  }
}
