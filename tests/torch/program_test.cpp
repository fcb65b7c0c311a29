// program_test.cpp: a recorded program computes what the eager step computes, whatever passes are
// left out and wherever its outputs are wanted.
#include "runtime/program.hpp"

#include <cmath>
#include <set>

#include "step_operators.hpp"

using namespace broch::runtime;

namespace {

struct Computation {
  const char* name;
  std::vector<std::vector<int64_t>> inputs, variables;  // shapes
  Step step;
};

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
    {"normalization, gelu and softmax",
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
    {"normalized images, a short cut, rectifiers and pooling",
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
    {"statistics that an operator updates, which its schema does not say",
     {{6, 4}, {4}, {4}},
     {},
     [](const Tensors& in, const Tensors&) {
       const Tensor mean = mul(in[1], in[1]), variance = add(in[2], in[2]);
       call(
           "aten::batch_norm_update_stats(Tensor input, Tensor? running_mean, Tensor? running_var, "
           "float momentum) -> (Tensor, Tensor)",
           {of(in[0]), of(mean), of(variance), of(0.25)});
       return Tensors{relu(mean), variance, sum(transpose(in[0]))};
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
              return call(
                  "aten::_unique(Tensor self, bool sorted=True, bool return_inverse=False) -> "
                  "(Tensor, Tensor)",
                  {of(in[0])});
            }),
            "aten::_unique makes depends on values"));
  CHECK(has(refusal([](const Tensors& in, const Tensors&) {
              const std::vector<int64_t> one{1}, steps{2, 1, 1};
              const Tensor lengths =
                  call1("aten::ones(SymInt[] size, *, ScalarType? dtype=None) -> Tensor",
                        {list(one), dtype(BROCH_INT64)});
              const Tensor sequence =
                  call1("aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)",
                        {of(in[0]), list(steps)});
              return call(
                  "aten::_pack_padded_sequence(Tensor input, Tensor lengths, bool batch_first) -> "
                  "(Tensor, Tensor)",
                  {of(sequence), of(lengths), of(false)});
            }),
            "aten::_pack_padded_sequence makes depends on values"));
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
