// recording.hpp: a step computed eagerly, recorded, and run as a program, on waves.
#pragma once
#include <cmath>
#include <functional>
#include <memory>

#include "fixture.hpp"
#include "runtime/program.hpp"

namespace broch::runtime {

constexpr uint64_t kCounter = 7;
constexpr double kExact = 0, kNear = 1e-4;  // of the largest element

using Tensors = std::vector<Tensor>;
// From inputs and variables to outputs.
using Step = std::function<Tensors(const Tensors& inputs, const Tensors& variables)>;

// Each site draws by a key of its own, all by one counter, as towers do.
struct SiteDraws final : Draws {
  explicit SiteDraws(uint64_t counter) : counter(counter) {}
  DrawKey next(std::string_view) override { return {++site, counter}; }
  Device device() const override { return {}; }
  uint64_t counter, site = 0;
};

// Also makes LibTorch ready for it.
inline std::unique_ptr<Recorder> recorder() {
  REQUIRE(backend().recording_problem() == "");
  return backend().record();
}

inline Tensor waves(const std::vector<int64_t>& shape, double phase) {
  int64_t count = 1;
  for (const int64_t size : shape) count *= size;
  std::vector<float> values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(static_cast<float>(std::sin(phase + 1.7 * static_cast<double>(i))));
  return floats(values, shape);
}

inline Tensors all_waves(const std::vector<std::vector<int64_t>>& shapes, double phase) {
  Tensors tensors;
  for (const auto& shape : shapes) tensors.push_back(waves(shape, phase += 0.3));
  return tensors;
}

inline Tensors eager(const Step& step, const Tensors& inputs, const Tensors& variables,
                     uint64_t counter = kCounter) {
  Tensors copies;  // a step may write to what it was given
  for (const Tensor& input : inputs) copies.push_back(backend().copy(input, {}));
  SiteDraws draws(counter);
  const auto guard = backend().enter(true, &draws);
  Tensors outputs = step(copies, variables);
  for (Tensor& output : outputs)
    if (output) output = backend().copy(output, {});
  return outputs;
}

inline std::unique_ptr<RecordedProgram> record(const Step& step, const Tensors& inputs,
                                               const Tensors& variables) {
  const std::unique_ptr<Recorder> watching = recorder();
  const Recording here(*watching);
  for (size_t i = 0; i < variables.size(); ++i)
    watching->variable("v" + std::to_string(i), variables[i]);
  Tensors known;
  for (size_t i = 0; i < inputs.size(); ++i)
    known.push_back(watching->input(static_cast<uint32_t>(i), inputs[i]));
  SiteDraws draws(0);
  const auto guard = backend().enter(true, &draws);
  const Tensors outputs = step(known, variables);
  auto program = watching->finish(outputs);
  INFO(watching->refusal());
  REQUIRE(program);
  return program;
}

inline CompileOptions all_of(size_t outputs, Level level = Level::bitwise) {
  CompileOptions options;
  for (uint32_t i = 0; i < outputs; ++i) options.outputs.push_back(i);
  options.level = level;
  return options;
}

inline void run(Executable& executable, const Tensors& inputs, uint64_t counter = kCounter) {
  for (size_t i = 0; i < inputs.size(); ++i) executable.set(static_cast<uint32_t>(i), inputs[i]);
  executable.poison();
  executable.run(counter);
}

inline void check_same(const Executable& executable, const Tensors& expected, double tolerance) {
  for (size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i);
    CHECK(backend().difference(expected[i], executable.output(i), tolerance) == "");
  }
}

inline Tensors leaves(const Tensors& variables) {
  Tensors leaves;
  for (const Tensor& variable : variables) leaves.push_back(backend().leaf(variable));
  return leaves;
}
// The cost, and its derivatives after it.
inline Tensors with_gradients(const Tensor& cost, const Tensors& of) {
  Tensors outputs{cost};
  for (Tensor& gradient : backend().grad({&cost, 1}, of, {}, false, true))
    outputs.push_back(std::move(gradient));
  return outputs;
}

}  // namespace broch::runtime
