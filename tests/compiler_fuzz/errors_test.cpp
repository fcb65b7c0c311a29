// errors_test.cpp: what is an error eagerly is one in a fused kernel, too, and not memory of
// others.
#include <ATen/ATen.h>

#include "runtime/program.hpp"
#include "tensors.hpp"

using namespace broch;
using namespace broch::programs;
using runtime::Tensor;

namespace {

at::Tensor whole_numbers(const std::vector<int64_t>& values) {
  return at::tensor(values, at::kLong);
}

// Of a matrix and whole numbers: a step and its derivative by the matrix.
template <class Step>
std::unique_ptr<runtime::RecordedProgram> recorded(const at::Tensor& floats,
                                                   const std::vector<int64_t>& numbers,
                                                   const Step& step) {
  REQUIRE(runtime::backend().recording_problem() == "");
  const std::unique_ptr<runtime::Recorder> recorder = runtime::backend().record();
  const runtime::Recording here(*recorder);
  const Tensor x = recorder->input(0, wrapped(floats)),
               known = recorder->input(1, wrapped(whole_numbers(numbers)));
  const auto guard = runtime::backend().enter(true, nullptr);
  const Tensor leaf = runtime::backend().leaf(x);
  const Tensor cost = wrapped(step(plain(leaf), plain(known)));
  std::vector<Tensor> outputs = runtime::backend().grad({&cost, 1}, {&leaf, 1}, {}, false, true);
  outputs.push_back(cost);
  return recorder->finish(outputs);
}

// What a program says at level fast that was recorded with good numbers and is run with bad ones.
template <class Step>
std::string error_with(const at::Tensor& floats, const std::vector<int64_t>& good,
                       const std::vector<int64_t>& bad, const std::string& kernel,
                       const Step& step) {
  const auto program = recorded(floats, good, step);
  REQUIRE(program);
  runtime::CompileOptions options;
  options.outputs = {0, 1};
  options.level = runtime::Level::fast;
  const auto executable = program->compile(options);
  INFO(executable->text());
  CHECK(runtime::has(executable->text(), kernel));
  executable->set(0, wrapped(floats));
  executable->set(1, wrapped(whole_numbers(good)));
  executable->run(1);
  executable->set(1, wrapped(whole_numbers(bad)));
  return runtime::error_of([&] { executable->run(2); });
}

}  // namespace

TEST_CASE("programs: a class that does not exist is an error of the fused cross entropy") {
  const auto loss = [](const at::Tensor& x, const at::Tensor& labels) {
    return at::cross_entropy_loss(x, labels);
  };
  for (const int64_t wrong : {3, -1, 1 << 20}) {
    CAPTURE(wrong);
    const std::string error =
        error_with(at::ones({2, 3}), {0, 2}, {0, wrong}, "cross_entropy", loss);
    CHECK(runtime::has(error, "target " + std::to_string(wrong)));
    CHECK(runtime::has(error, "0 to 2"));
  }
  CHECK(error_with(at::ones({2, 3}), {0, 2}, {1, -100}, "cross_entropy", loss) == "");
}

TEST_CASE("programs: a row that does not exist is an error of the embedding") {
  const auto rows = [](const at::Tensor& table, const at::Tensor& indices) {
    return at::square(at::embedding(table, indices)).sum();
  };
  CHECK(runtime::has(error_with(at::ones({4, 5}), {0, 3}, {0, 4}, "look_up", rows), "index 4"));
}
