// comparison.cpp: runs on both sides, and how far apart they may be.
#include "comparison.hpp"

#include <ATen/ATen.h>

#include <cmath>

#include "base/text.hpp"
#include "tensors.hpp"

namespace broch::programs {
namespace {

using namespace runtime;

constexpr uint64_t kCounter = 7;
// At level fast: of the largest element, and times what a last bit of the inputs moves.
constexpr double kNear = 2e-4, kMoved = 50;
constexpr double kMove = 1e-5;  // of an input, to see what its last bits move
// Of sums of some hundred terms of the order of ten, as gradients through a batch norm are.
constexpr double kLastBit = 6e-5;

// Each site draws by a key of its own, all by one counter, as towers do.
struct SiteDraws final : Draws {
  DrawKey next(std::string_view) override { return {++site, kCounter}; }
  Device device() const override { return {}; }
  uint64_t site = 0;
};

std::vector<Tensor> moved(const std::vector<Tensor>& inputs) {
  std::vector<Tensor> result;
  for (const Tensor& input : inputs) {
    const at::Tensor x = plain(input);
    result.push_back(x.is_floating_point() ? wrapped(x * (1 + kMove)) : input);
  }
  return result;
}

struct Distance {
  double largest = 0, apart = 0;
  bool alike = true;  // not a number at the same places
};

Distance distance(const Tensor& a, const Tensor& b) {
  const std::vector<double> x = numbers(a), y = numbers(b);
  Distance found;
  for (size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(x[i]) || std::isnan(y[i])) {
      found.alike = found.alike && std::isnan(x[i]) && std::isnan(y[i]);
    } else if (x[i] != y[i]) {
      found.apart = std::max(found.apart, std::fabs(x[i] - y[i]));
    }
    if (std::isfinite(x[i])) found.largest = std::max(found.largest, std::fabs(x[i]));
  }
  return found;
}

std::vector<uint32_t> chosen_outputs(size_t count, uint64_t seed) {
  std::vector<uint32_t> outputs;
  fuzzed::Choice choice(seed);
  for (uint32_t i = 0; i < count; ++i)
    if (!seed || choice.one_in(4)) outputs.push_back(i);
  if (outputs.empty()) outputs.push_back(static_cast<uint32_t>(choice.below(count)));
  return outputs;
}

}  // namespace

std::string text_of(const Compilation& compilation) {
  std::string text = compilation.level == Level::fast ? "fast" : "bitwise";
  text += compilation.without.empty() ? ", all passes" : ", without";
  for (const std::string& pass : compilation.without) text += " " + pass;
  if (compilation.outputs) text += ", outputs by " + std::to_string(compilation.outputs);
  return text + (compilation.placed ? ", placed" : "");
}

std::vector<Compilation> compilations(const Case& of) {
  constexpr int kSubsets = 3;
  fuzzed::Choice choice(static_cast<uint64_t>(of.seed));
  std::vector<Compilation> found;
  for (const Level level : {Level::bitwise, Level::fast}) {
    if (level == Level::fast && !of.smooth) break;
    found.push_back({level, {}, 0, choice.one_in(2)});
    for (int i = 0; i < kSubsets; ++i) {
      Compilation& next = found.emplace_back();
      next.level = level;
      next.outputs = choice.one_in(2) ? choice.below(1000) : 0;
      next.placed = choice.one_in(3);
      const uint64_t rarely = choice.between(2, 5);
      for (const std::string& pass : backend().passes())
        if (choice.one_in(rarely)) next.without.insert(pass);
    }
  }
  return found;
}

Comparison::Comparison(const Case& of)
    : case_(of), program_(of), refusal_(backend().recording_problem()) {
  if (!refusal_.empty()) return;
  eager(program_.inputs(0));  // makes the variables
  record();
  if (!refusal_.empty()) return;
  add_point(1);
  add_point(2);
}

std::vector<Tensor> Comparison::eager(const std::vector<Tensor>& inputs) {
  std::vector<Tensor> copies;
  for (const Tensor& input : inputs) copies.push_back(backend().copy(input, {}));
  SiteDraws draws;
  const auto guard = backend().enter(true, &draws);
  std::vector<Tensor> outputs = program_.run(copies);
  for (Tensor& output : outputs)
    if (output) output = backend().copy(output, {});
  return outputs;
}

void Comparison::record() {
  const std::unique_ptr<Recorder> recorder = backend().record();
  const Recording here(*recorder);
  const std::vector<Tensor>& variables = program_.variables();
  for (size_t i = 0; i < variables.size(); ++i) {
    recorder->variable("v" + std::to_string(i), variables[i]);
    if (case_.seed % 2) recorder->constant(variables[i]);  // as weights are in inference
  }
  std::vector<Tensor> known;
  for (const Tensor& input : program_.inputs(0))
    known.push_back(recorder->input(static_cast<uint32_t>(known.size()), input));
  SiteDraws draws;
  const auto guard = backend().enter(true, &draws);
  const std::vector<Tensor> outputs = program_.run(known);
  recorded_ = recorder->finish(outputs);
  refusal_ = recorder->refusal();
}

void Comparison::add_point(int number) {
  Point point;
  point.inputs = program_.inputs(number);
  point.expected = eager(point.inputs);
  if (case_.smooth) point.nearby = eager(moved(point.inputs));
  points_.push_back(std::move(point));
}

std::string Comparison::differs(const Tensor& found, const Point& point, size_t output,
                                Level level) const {
  const Tensor& expected = point.expected[output];
  if (!expected && !found) return "";
  if (!expected || !found) return found ? "is there" : "is missing";
  if (level == Level::bitwise) return backend().difference(expected, found, 0);
  const Distance nearby = distance(expected, point.nearby[output]),
                 here = distance(expected, found);
  const double allowed = kNear * nearby.largest + kMoved * nearby.apart + kLastBit;
  if (here.alike && here.apart <= allowed) return "";
  return "is " + base::general(here.apart, 3) + " off, with elements up to " +
         base::general(here.largest, 3) + " and " + base::general(allowed, 3) + " allowed" +
         (here.alike ? "" : ", and not everywhere a number");
}

std::string Comparison::difference(const Compilation& compilation) {
  CompileOptions options;
  options.level = compilation.level;
  options.without = compilation.without;
  options.outputs = chosen_outputs(points_[0].expected.size(), compilation.outputs);
  for (const uint32_t output : options.outputs) {
    const Tensor& expected = points_[0].expected[output];
    if (!compilation.placed) break;
    options.output_buffers.push_back(
        expected && output % 2
            ? wrapped(at::empty_like(plain(expected), at::MemoryFormat::Contiguous))
            : Tensor());
  }
  const auto executable = recorded_->compile(options);
  text_ = executable->text();
  std::string what;
  for (const Point& point : points_) {
    for (size_t i = 0; i < point.inputs.size(); ++i)
      executable->set(static_cast<uint32_t>(i), point.inputs[i]);
    executable->poison();
    executable->run(kCounter);
    std::string here;
    for (size_t i = 0; i < options.outputs.size() && here.empty(); ++i) {
      here = differs(executable->output(i), point, options.outputs[i], compilation.level);
      if (!here.empty()) here = "output " + std::to_string(options.outputs[i]) + ": " + here;
    }
    if (compilation.level == Level::bitwise && !here.empty()) return here;
    // A gate at zero may let a gradient through or not for a last bit: not at every data point.
    if (here.empty() && compilation.level == Level::fast) return "";
    what = here;
  }
  return what;
}

}  // namespace broch::programs
