// program_test.cpp: a recorded program computes what the eager step computes, whatever passes are
// left out and wherever its outputs are wanted.
#include "runtime/program.hpp"

#include <cmath>
#include <set>

#include "recording.hpp"

using namespace broch::runtime;

namespace {

struct Computation {
  const char* name;
  std::vector<std::vector<int64_t>> inputs, variables;  // shapes
  Step step;
};

Tensor relu(const Tensor& x) { return call1("aten::relu(Tensor self) -> Tensor", {of(x)}); }
Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  return call1("aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor",
               {of(x), of(weight), of(bias)});
}
Tensor mul(const Tensor& a, const Tensor& b) {
  return call1("aten::mul.Tensor(Tensor self, Tensor other) -> Tensor", {of(a), of(b)});
}
Tensor add(const Tensor& a, const Tensor& b) {
  return call1("aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
               {of(a), of(b), of(int64_t{1})});
}
const std::vector<int64_t> kNone{0, 0}, kOne{1, 1}, kTwo{2, 2};
Tensor sum(const Tensor& x) { return call1("aten::sum(Tensor self) -> Tensor", {of(x)}); }
Tensor transpose(const Tensor& x) { return call1("aten::t(Tensor(a) self) -> Tensor(a)", {of(x)}); }
Tensor row(const Tensor& x, int64_t number) {
  return call1("aten::select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)",
               {of(x), of(int64_t{0}), of(number)});
}
void add_in_place(const Tensor& x, const Tensor& y) {
  call1("aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)",
        {of(x), of(y)});
}
Tensor dropout(const Tensor& x) {
  return call1("aten::dropout(Tensor input, float p, bool train) -> Tensor",
               {of(x), of(0.5), of(true)});
}
const Computation kComputations[] = {
    {"two layers and their derivatives",
     {{4, 6}},
     {{5, 6}, {5}, {3, 5}, {3}},
     [](const Tensors& in, const Tensors& variables) {
       const Tensors w = leaves(variables);
       const Tensor hidden = relu(linear(in[0], w[0], w[1]));
       const Tensor out = linear(hidden, w[2], w[3]);
       return with_gradients(sum(mul(out, out)), w);
     }},
    {"views that are written to",
     {{3, 4}, {4}},
     {},
     [](const Tensors& in, const Tensors&) {
       const Tensor square = mul(in[0], in[0]);
       add_in_place(row(square, 1), in[1]);
       const Tensor turned = transpose(square);
       add_in_place(turned, turned);
       return Tensors{relu(square), sum(turned)};
     }},
    {"normalisation, gelu and softmax",
     {{4, 8}},
     {{8}, {8}},
     [](const Tensors& in, const Tensors& variables) {
       const Tensors w = leaves(variables);
       const std::vector<int64_t> shape{8};
       const Tensor normal = call1(
           "aten::layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, "
           "Tensor? bias=None) -> Tensor",
           {of(in[0]), list(shape), of(w[0]), of(w[1])});
       const Tensor curved = call1("aten::gelu(Tensor self, *, str approximate='none') -> Tensor",
                                   {of(normal), of("none")});
       const Tensor shares =
           call1("aten::softmax.int(Tensor self, int dim) -> Tensor", {of(curved), of(int64_t{1})});
       return with_gradients(sum(mul(shares, in[0])), w);
     }},
    {"normalised images, a short cut, rectifiers and pooling",
     {{3, 4, 6, 5}},
     {{4}, {4}},
     [](const Tensors& in, const Tensors& variables) {
       const Tensors w = leaves(variables);
       const auto normal = [&](const Tensor& x) {
         return call1(
             "aten::batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, "
             "Tensor? running_var, bool training, float momentum, float eps, bool cudnn_enabled) "
             "-> Tensor",
             {of(x), of(w[0]), of(w[1]), none(), none(), of(true), of(0.1), of(1e-5), of(false)});
       };
       const Tensor first = relu(normal(in[0]));
       const Tensor sums = relu(add(normal(mul(first, in[0])), first));
       const Tensor pooled = call1(
           "aten::max_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, "
           "int[2] dilation=1, bool ceil_mode=False) -> Tensor",
           {of(sums), list(kTwo), list(kTwo), list(kNone), list(kOne), of(false)});
       return with_gradients(sum(mul(pooled, pooled)), w);
     }},
    {"numbers that are written into empty memory",
     {{2, 3}},
     {},
     [](const Tensors& in, const Tensors&) {
       const std::vector<int64_t> shape{2, 3};
       const Tensor numbers =
           call1("aten::empty.memory_format(SymInt[] size, *, ScalarType? dtype=None) -> Tensor",
                 {list(shape), dtype(BROCH_FLOAT32)});
       call1("aten::fill_.Scalar(Tensor(a!) self, Scalar value) -> Tensor(a!)",
             {of(numbers), of(3.0)});
       call1("aten::div_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)",
             {of(numbers), of(2.0)});
       return Tensors{mul(in[0], numbers)};
     }},
    {"rows by number, with one of them twice",
     {{3, 5}},
     {{4, 5}},
     [](const Tensors& in, const Tensors& variables) {
       const Tensors w = leaves(variables);
       const Tensor three = call1("aten::arange(Scalar end, *, ScalarType? dtype=None) -> Tensor",
                                  {of(int64_t{3}), dtype(BROCH_INT64)});
       const Tensor numbers = mul(three, three);  // 0, 1 and 4, which is 0 modulo 4
       const Tensor rows = call1("aten::remainder.Scalar(Tensor self, Scalar other) -> Tensor",
                                 {of(numbers), of(int64_t{4})});
       const std::vector<broch_tensor> indices{of(rows).u.tensor};
       const Tensor chosen = call1("aten::index.Tensor(Tensor self, Tensor?[] indices) -> Tensor",
                                   {of(w[0]), list(indices)});
       return with_gradients(sum(mul(chosen, in[0])), w);
     }},
};

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

// The passes that did something, without their counts.
std::vector<std::string> names_of(const std::vector<std::string>& passes) {
  std::vector<std::string> names;
  for (const std::string& pass : passes) names.push_back(pass.substr(0, pass.rfind(' ')));
  return names;
}

}  // namespace

TEST_CASE("program: computes on other data what eager computes, with every subset of passes") {
  for (const Level level : {Level::bitwise, Level::fast})
    for (const Computation& computation : kComputations) {
      CAPTURE(computation.name);
      CAPTURE(static_cast<int>(level));
      const Tensors variables = all_waves(computation.variables, 9),
                    others = all_waves(computation.inputs, 2);
      const auto program = record(computation.step, all_waves(computation.inputs, 1), variables);
      const Tensors expected = eager(computation.step, others, variables);
      const double tolerance = level == Level::fast ? kNear : kExact;
      CompileOptions options = all_of(expected.size(), level);
      const auto whole = program->compile(options);
      const std::vector<std::string> passes = names_of(whole->info().passes);
      REQUIRE(passes.size() >= 2);
      REQUIRE(passes.size() <= 10);
      for (size_t subset = 0; subset < size_t{1} << passes.size(); ++subset) {
        CAPTURE(subset);
        options.without.clear();
        for (size_t i = 0; i < passes.size(); ++i)
          if (subset >> i & 1) options.without.insert(passes[i]);
        const auto executable = program->compile(options);
        run(*executable, others);
        check_same(*executable, expected, tolerance);
      }
    }
}

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

TEST_CASE("program: an input that stands in its place is not copied, and is read there") {
  const Step step = [](const Tensors& in, const Tensors&) {
    return Tensors{mul(in[0], in[1]), in[0]};
  };
  const auto program = record(step, all_waves({{3, 4}, {3, 4}}, 1), {});
  CompileOptions options = all_of(2);
  const Tensor place = floats(std::vector<float>(12, 2), {3, 4});
  options.inputs = {place};
  options.output_buffers = {Tensor(), floats(std::vector<float>(12, 0), {3, 4})};
  const auto executable = program->compile(options);
  const Tensors elsewhere = all_waves({{3, 4}, {3, 4}}, 2);
  run(*executable, {place, elsewhere[1]});
  check_same(*executable, eager(step, {place, elsewhere[1]}, {}), kExact);
  CHECK(numbers(place) == std::vector<double>(12, 2));
  run(*executable, elsewhere);
  check_same(*executable, eager(step, elsewhere, {}), kExact);
  CHECK(numbers(place) == numbers(elsewhere[0]));
}

TEST_CASE("program: every pass can be left out by the name that the backend gives it") {
  const Computation& computation = kComputations[0];
  const Tensors variables = all_waves(computation.variables, 9),
                inputs = all_waves(computation.inputs, 1);
  const auto program = record(computation.step, inputs, variables);
  const Tensors expected = eager(computation.step, inputs, variables);
  CompileOptions options = all_of(expected.size(), Level::fast);
  for (const std::string& pass : backend().passes()) options.without.insert(pass);
  const auto executable = program->compile(options);
  CHECK(executable->info().passes.empty());
  CHECK(executable->info().calls == program->operators());
  run(*executable, inputs);
  check_same(*executable, expected, kExact);
}

TEST_CASE("program: what a run computes it computes anew, and its outputs stay in their place") {
  const Computation& computation = kComputations[0];
  const Tensors variables = all_waves(computation.variables, 9);
  const auto program = record(computation.step, all_waves(computation.inputs, 1), variables);
  const auto executable = program->compile(all_of(5));
  const Tensors first = all_waves(computation.inputs, 2), second = all_waves(computation.inputs, 3);
  run(*executable, first);
  const void* const place = backend().view(executable->output(1)).data;
  run(*executable, second);
  CHECK(backend().view(executable->output(1)).data == place);
  check_same(*executable, eager(computation.step, second, variables), kExact);
  executable->poison();
  CHECK(std::isnan(numbers(executable->output(1))[0]));
}

TEST_CASE("program: a variable is read anew in every run") {
  const Step step = [](const Tensors& in, const Tensors& variables) {
    return Tensors{mul(in[0], variables[0])};
  };
  const Tensors variables{floats({1, 2, 3}, {3})}, inputs{floats({4, 5, 6}, {3})};
  const auto executable = record(step, inputs, variables)->compile(all_of(1));
  backend().assign(variables[0], floats({10, 20, 30}, {3}));
  run(*executable, inputs);
  CHECK(numbers(executable->output(0)) == std::vector<double>{40, 100, 180});
}

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

Tensor conv(const Tensor& x, const Tensor& weights, const Tensor& bias, int64_t groups) {
  return call1(
      "aten::conv2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, "
      "SymInt[2] padding=0, SymInt[2] dilation=1, SymInt groups=1) -> Tensor",
      {of(x), of(weights), bias ? of(bias) : none(), list(kOne), list(kOne), list(kOne),
       of(groups)});
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

TEST_CASE("program: outputs are computed, or end up, in the memory that is given for them") {
  const Computation& computation = kComputations[0];
  const Tensors variables = all_waves(computation.variables, 9),
                inputs = all_waves(computation.inputs, 2);
  const auto program = record(computation.step, all_waves(computation.inputs, 1), variables);
  const Tensors expected = eager(computation.step, inputs, variables);
  const Tensors gradients{expected.begin() + 1, expected.end()};
  const Backend::Flat flat = backend().flat_zeros_like(gradients);
  for (const Level level : {Level::bitwise, Level::fast}) {
    CompileOptions options = all_of(expected.size(), level);
    options.output_buffers = {Tensor()};
    options.output_buffers.insert(options.output_buffers.end(), flat.views.begin(),
                                  flat.views.end());
    const auto executable = program->compile(options);
    run(*executable, inputs);
    const double tolerance = level == Level::fast ? kNear : kExact;
    check_same(*executable, expected, tolerance);
    for (size_t i = 0; i < flat.views.size(); ++i)
      CHECK(backend().difference(expected[i + 1], flat.views[i], tolerance) == "");
  }
}

TEST_CASE("program: parts are told of when they are there, while others are still computed") {
  const Computation& computation = kComputations[0];
  const Tensors variables = all_waves(computation.variables, 9),
                inputs = all_waves(computation.inputs, 2);
  const auto program = record(computation.step, all_waves(computation.inputs, 1), variables);
  const Tensors expected = eager(computation.step, inputs, variables);
  const Backend::Flat flat =
      backend().flat_zeros_like(Tensors{expected.begin() + 1, expected.end()});
  for (const Level level : {Level::bitwise, Level::fast})
    for (const bool placed : {false, true}) {
      CompileOptions options = all_of(expected.size(), level);
      options.output_buffers.resize(expected.size());
      if (placed) std::ranges::copy(flat.views, options.output_buffers.begin() + 1);
      options.parts = {{1, 2}, {3, 4}, {0}};  // of the first layer, of the second, the sum
      const auto executable = program->compile(options);
      for (size_t i = 0; i < inputs.size(); ++i)
        executable->set(static_cast<uint32_t>(i), inputs[i]);
      executable->poison();
      const auto is_there = [&](uint32_t output) {
        const double tolerance = level == Level::fast ? kNear : kExact;
        return backend().difference(expected[output], executable->output(output), tolerance) == "";
      };
      std::vector<size_t> order;
      executable->run(kCounter, [&](size_t part) {
        order.push_back(part);
        for (const uint32_t output : options.parts[part]) CHECK(is_there(output));
        if (part == 1) CHECK_FALSE(is_there(1));
      });
      REQUIRE(order.size() == 3);
      CHECK(order.back() == 0);  // the derivatives of the first layer come last
      check_same(*executable, expected, level == Level::fast ? kNear : kExact);
    }
}

TEST_CASE("program: two outputs in one memory, one of them wanted elsewhere, both come out") {
  const Step step = [](const Tensors& in, const Tensors&) {
    const Tensor square = mul(in[0], in[0]);
    return Tensors{square, transpose(square), row(square, 1)};
  };
  const Tensors inputs = all_waves({{2, 3}}, 2);
  const Tensors expected = eager(step, inputs, {});
  const auto program = record(step, all_waves({{2, 3}}, 1), {});
  for (size_t placed = 0; placed < expected.size(); ++placed) {
    CAPTURE(placed);
    CompileOptions options = all_of(expected.size());
    options.output_buffers.resize(expected.size());
    const TensorInfo info = backend().info(expected[placed]);
    options.output_buffers[placed] = backend().zeros(info.dtype, info.shape, {});
    const auto executable = program->compile(options);
    run(*executable, inputs);
    check_same(*executable, expected, kExact);
    // The transposed one keeps its layout, and so is not there.
    if (placed != 1)
      CHECK(backend().difference(expected[placed], options.output_buffers[placed], kExact) == "");
  }
}

TEST_CASE("program: what nobody reads is not computed, and what is read alone is the same") {
  const Computation& computation = kComputations[0];
  const Tensors variables = all_waves(computation.variables, 9),
                inputs = all_waves(computation.inputs, 2);
  const auto program = record(computation.step, all_waves(computation.inputs, 1), variables);
  const Tensors expected = eager(computation.step, inputs, variables);
  const size_t calls = program->compile(all_of(expected.size()))->info().calls;
  for (uint32_t i = 0; i < expected.size(); ++i) {
    CompileOptions options;
    options.outputs = {i};
    const auto executable = program->compile(options);
    CHECK(executable->info().calls < calls);
    run(*executable, inputs);
    check_same(*executable, {expected[i]}, kExact);
  }
}

TEST_CASE("program: random operators repeat with a counter, differ with another, site by site") {
  const Step step = [](const Tensors& in, const Tensors&) {
    return Tensors{dropout(in[0]), dropout(in[0])};
  };
  const Tensors inputs{floats(std::vector<float>(256, 1), {256})};
  const auto program = record(step, inputs, {});
  for (const char* left_out : {"", "prune", "views", "pointwise"}) {
    CAPTURE(left_out);
    CompileOptions options = all_of(2);
    options.without = {left_out};
    const auto executable = program->compile(options);
    for (const uint64_t counter : {kCounter, kCounter + 1, kCounter}) {
      run(*executable, inputs, counter);
      check_same(*executable, eager(step, inputs, {}, counter), kExact);
    }
    CHECK(numbers(executable->output(0)) != numbers(executable->output(1)));
    const std::vector<double> first = numbers(executable->output(0));
    run(*executable, inputs, kCounter + 1);
    CHECK(numbers(executable->output(0)) != first);
  }
}

TEST_CASE("program: a draw that nobody reads moves no other one") {
  const Step step = [](const Tensors& in, const Tensors&) {
    return Tensors{dropout(in[0]), dropout(in[0])};
  };
  const Tensors inputs{floats(std::vector<float>(256, 1), {256})};
  CompileOptions options;
  options.outputs = {1};
  const auto executable = record(step, inputs, {})->compile(options);
  run(*executable, inputs);
  check_same(*executable, {eager(step, inputs, {})[1]}, kExact);
}

TEST_CASE("program: memory is planned: values that are never needed together share it") {
  const Step step = [](const Tensors& in, const Tensors&) {
    Tensor x = in[0];
    for (int i = 0; i < 10; ++i)
      x = sum(mul(call1("aten::exp(Tensor self) -> Tensor", {of(x)}), x));
    return Tensors{x};
  };
  const Step chain = [](const Tensors& in, const Tensors&) {
    Tensor x = in[0];
    for (int i = 0; i < 10; ++i) x = call1("aten::tanh(Tensor self) -> Tensor", {of(x)});
    return Tensors{x};
  };
  const Tensors inputs = all_waves({{64, 64}}, 1);
  const auto executable = record(chain, inputs, {})->compile(all_of(1));
  const size_t value = 64 * 64 * sizeof(float);
  CHECK(executable->info().unplanned_bytes >= 9 * value);
  CHECK(executable->info().planned_bytes <= 3 * value);
  CHECK(record(step, inputs, {})->compile(all_of(1))->info().planned_bytes <= 4 * value);
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

TEST_CASE("program: executables that run in turn may share their memory") {
  const Computation& computation = kComputations[0];
  const Tensors variables = all_waves(computation.variables, 9);
  const auto program = record(computation.step, all_waves(computation.inputs, 1), variables);
  Workspace workspace;
  CompileOptions cost = all_of(1), all = all_of(5);
  cost.workspace = all.workspace = &workspace;
  const auto small = program->compile(cost), large = program->compile(all);
  const Tensors inputs = all_waves(computation.inputs, 2);
  const Tensors expected = eager(computation.step, inputs, variables);
  for (int turn = 0; turn < 2; ++turn) {
    run(*large, inputs);
    check_same(*large, expected, kExact);
    run(*small, inputs);
    check_same(*small, {expected[0]}, kExact);
  }
  const auto* const base = workspace.at_least(1);
  const auto* const at = static_cast<const std::byte*>(backend().view(large->output(1)).data);
  CHECK((at >= base && at < base + large->info().planned_bytes));
}

TEST_CASE("program: a timed run gives each call a time and computes the same") {
  const Computation& computation = kComputations[0];
  const Tensors variables = all_waves(computation.variables, 9),
                inputs = all_waves(computation.inputs, 2);
  const auto executable =
      record(computation.step, all_waves(computation.inputs, 1), variables)->compile(all_of(5));
  run(*executable, inputs);
  executable->poison();
  const std::vector<double> times = executable->time(kCounter);
  CHECK(times.size() == executable->info().calls);
  for (const double time : times) CHECK(time > 0);
  check_same(*executable, eager(computation.step, inputs, variables), kExact);
}

TEST_CASE("program: a value for the host, a shape from values, a write to a variable are refused") {
  const auto refusal = [](const Step& step) {
    const std::unique_ptr<Recorder> watching = recorder();
    const Recording here(*watching);
    const Tensor variable = floats({1, 2}, {2});
    watching->variable("weight", variable);
    const Tensor input = watching->input(0, floats({1, 0}, {2}));
    const auto guard = backend().enter(false, nullptr);
    CHECK(watching->finish(step({input}, {variable})) == nullptr);
    return watching->refusal();
  };
  CHECK(has(refusal([](const Tensors& in, const Tensors&) {
              return Tensors{call1("aten::nonzero(Tensor self) -> Tensor", {of(in[0])})};
            }),
            "aten::nonzero makes depends on values"));
  CHECK(has(refusal([](const Tensors& in, const Tensors&) {
              (void)backend().item(sum(in[0]));
              return in;
            }),
            "on the host"));
  CHECK(has(refusal([](const Tensors& in, const Tensors& variables) {
              add_in_place(variables[0], in[0]);
              return in;
            }),
            "writes to variable 'weight'"));
  CHECK(has(refusal([](const Tensors& in, const Tensors&) {
              return Tensors{mul(in[0], floats({3, 4}, {2}))};
            }),
            "no input, variable, hyper-parameter or recorded value"));
}
