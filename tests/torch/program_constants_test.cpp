// program_constants_test.cpp: what a recorded program makes of variables that never change.
#include "runtime/program.hpp"
#include "step_operators.hpp"

using namespace broch::runtime;

namespace {

// With all variables declared to be constants.
std::unique_ptr<RecordedProgram> record_constants(const Step& step, const Tensors& inputs,
                                                  const Tensors& variables) {
  const std::unique_ptr<Recorder> watching = recorder();
  const Recording here(*watching);
  for (size_t i = 0; i < variables.size(); ++i) {
    watching->variable("v" + std::to_string(i), variables[i]);
    watching->constant(variables[i]);
  }
  Tensors known;
  for (size_t i = 0; i < inputs.size(); ++i)
    known.push_back(watching->input(static_cast<uint32_t>(i), inputs[i]));
  const auto guard = backend().enter(false, nullptr);
  auto program = watching->finish(step(known, variables));
  INFO(watching->refusal());
  REQUIRE(program);
  return program;
}

bool changed_by(const Executable& executable, const std::string& pass) {
  return std::ranges::any_of(executable.info().passes,
                             [&](const std::string& one) { return one.starts_with(pass + " "); });
}

Tensor normal(const Tensor& x, const Tensors& of_norm, bool training) {
  return call1(
      "aten::batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, "
      "Tensor? running_var, bool training, float momentum, float eps, bool cudnn_enabled) "
      "-> Tensor",
      {of(x), of(of_norm[0]), of(of_norm[1]), of(of_norm[2]), of(of_norm[3]), of(training), of(0.1),
       of(1e-3), of(false)});
}

}  // namespace

TEST_CASE("program: what follows from constants alone is computed once, with the same bits") {
  const Step step = [](const Tensors& in, const Tensors& v) {
    return Tensors{mul(in[0], relu(mul(v[0], v[1]))), mul(in[0], v[0])};
  };
  const Tensors variables = all_waves({{5}, {5}}, 9), inputs = all_waves({{5}}, 2);
  const auto executable =
      record_constants(step, all_waves({{5}}, 1), variables)->compile(all_of(2));
  CHECK(executable->info().calls <= 2);
  CHECK(has(executable->text(), "'v0'"));
  CHECK_FALSE(has(executable->text(), "'v1'"));
  run(*executable, inputs);
  check_same(*executable, eager(step, inputs, variables), kExact);
}

TEST_CASE("program: a constant that is written to after it was read is computed in each run") {
  const Step step = [](const Tensors& in, const Tensors& v) {
    const Tensor constant = mul(v[0], v[1]);
    const Tensor before = mul(in[0], constant);
    add_in_place(constant, v[0]);
    return Tensors{before, mul(in[0], constant)};
  };
  const Tensors variables = all_waves({{5}, {5}}, 9), inputs = all_waves({{5}}, 2);
  const Tensors expected = eager(step, inputs, variables);
  const auto constant = record_constants(step, all_waves({{5}}, 1), variables);
  for (const Level level : {Level::bitwise, Level::fast}) {
    const auto executable = constant->compile(all_of(2, level));
    for (int i = 0; i < 2; ++i) run(*executable, inputs);
    check_same(*executable, expected, kExact);
  }
}

TEST_CASE("program: products and convolutions with constant weights, as without") {
  const Step step = [](const Tensors& in, const Tensors& v) {
    const Tensor hidden = relu(linear(in[0], v[0], v[1]));
    return Tensors{linear(hidden, v[2], v[3]), relu(conv(in[1], v[4], {}, 1)),
                   conv(in[1], v[5], v[6], 4)};
  };
  const Tensors variables =
      all_waves({{70, 6}, {70}, {3, 70}, {3}, {20, 4, 3, 3}, {4, 1, 3, 3}, {4}}, 9);
  const auto shapes = {std::vector<int64_t>{4, 6}, {2, 4, 7, 6}};
  const Tensors inputs = all_waves(shapes, 2), expected = eager(step, inputs, variables);
  const auto constant = record_constants(step, all_waves(shapes, 1), variables);
  for (const Level level : {Level::bitwise, Level::fast}) {
    const auto executable = constant->compile(all_of(3, level));
    for (int i = 0; i < 2; ++i) run(*executable, inputs);
    check_same(*executable, expected, level == Level::fast ? kNear : kExact);
  }
}

TEST_CASE("program: batch norm in inference becomes part of the convolution before it") {
  // With and without a bias, for single channels, and with a relu behind it.
  const Step step = [](const Tensors& in, const Tensors& v) {
    const Tensors norm(v.begin() + 4, v.end());
    return Tensors{relu(normal(conv(in[0], v[0], v[1], 1), norm, false)),
                   normal(conv(in[0], v[0], {}, 1), norm, false),
                   normal(conv(in[0], v[2], v[3], 4), norm, false)};
  };
  Tensors variables = all_waves({{4, 4, 3, 3}, {4}, {4, 1, 3, 3}, {4}, {4}, {4}, {4}}, 9);
  variables.push_back(floats({0.5, 2, 1e-6, 30}, {4}));
  const std::vector<int64_t> shape{2, 4, 7, 6};
  const Tensors inputs = all_waves({shape}, 2), expected = eager(step, inputs, variables);
  const auto constant = record_constants(step, all_waves({shape}, 1), variables);
  const auto executable = constant->compile(all_of(3, Level::fast));
  CHECK(changed_by(*executable, "batch-norm-fold"));
  CHECK_FALSE(has(executable->text(), "batch_norm"));
  run(*executable, inputs);
  check_same(*executable, expected, kNear);
  const auto bitwise = constant->compile(all_of(3));
  CHECK_FALSE(changed_by(*bitwise, "batch-norm-fold"));
  run(*bitwise, inputs);
  check_same(*bitwise, expected, kExact);
}

TEST_CASE("program: batch norm stays where its parameters change or its input is read elsewhere") {
  const Step reads_twice = [](const Tensors& in, const Tensors& v) {
    const Tensor between = conv(in[0], v[0], {}, 1);
    return Tensors{normal(between, {v.begin() + 1, v.end()}, false), relu(between)};
  };
  Tensors variables = all_waves({{4, 4, 3, 3}, {4}, {4}, {4}}, 9);
  variables.push_back(floats({0.5, 2, 1, 30}, {4}));
  const std::vector<int64_t> shape{2, 4, 7, 6};
  const Tensors inputs = all_waves({shape}, 2);
  const Tensors expected = eager(reads_twice, inputs, variables);
  for (const bool constant : {true, false}) {
    const Step step = [&](const Tensors& in, const Tensors& v) {
      Tensors outputs = reads_twice(in, v);
      if (!constant) outputs.pop_back();
      return outputs;
    };
    const auto program = constant ? record_constants(step, all_waves({shape}, 1), variables)
                                  : record(step, all_waves({shape}, 1), variables);
    const auto executable = program->compile(all_of(constant ? 2 : 1, Level::fast));
    CHECK_FALSE(changed_by(*executable, "batch-norm-fold"));
    run(*executable, inputs);
    check_same(*executable, {expected.begin(), expected.begin() + (constant ? 2 : 1)}, kNear);
  }
}
