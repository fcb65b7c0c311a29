// gpu.cpp: trainings on GPUs.
#include "gpu.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace broch::test_cuda {
namespace {

// The line of `broch env` about GPUs.
std::string line_of_env() {
  setenv("NVIDIA_TF32_OVERRIDE", "0", 1);  // float32 with all its digits, to be compared
  const Folder folder;
  const std::string file = folder / "env";
  const std::string command = std::string(BROCH_PROGRAM) + " env > " + file + " 2>&1";
  REQUIRE(std::system(command.c_str()) == 0);
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);)
    if (line.starts_with("cuda: ")) return line;
  return "";
}

// The largest difference of a variable's elements, in parts of its largest element.
double distance(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return INFINITY;
  double largest = 1e-3, apart = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(b[i]));
    apart = std::max(apart, std::abs(a[i] - b[i]));
    if (!std::isfinite(a[i])) return INFINITY;
  }
  return apart / largest;
}

}  // namespace

bool has_gpus(int count) {
  static const std::string line = line_of_env();
  if (line.find("cuda:" + std::to_string(count - 1)) != std::string::npos) return true;
  if (count == 1) std::puts("no CUDA device: skipped");
  return false;
}

bool is_simulated() { return std::getenv("BROCH_SIMULATED_GPUS") != nullptr; }

Json digits(const Json& devices, int64_t steps) {
  return {{"broch", 1},
          {"extends", SAMPLES "/strategies/strategies.json"},
          {"plugins", {DIGITS}},
          {"trainer", {{"use", "simple"}, {"with", {{"devices", devices}}}}},
          {"callbacks", {"model-saver"}},
          {"steps_per_epoch", steps},
          {"max_epoch", 1}};
}

Json towers(const std::string& trainer, const Json& devices) {
  Json manifest = digits(devices);
  manifest["trainer"]["use"] = trainer;
  return manifest;
}

Values trained(const Json& manifest, int64_t step, const std::vector<std::string>& words) {
  const Folder folder;
  const Training training(folder, "run", manifest);
  const int code = training.run(words);
  CHECK_MESSAGE(code == 0, training.talk());
  return code == 0 ? training.checkpoint(step) : Values{};
}

double cost(const Json& manifest) {
  const Folder folder;
  const Training training(folder, "run", manifest);
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  return training.stats().back().at("cost");
}

void check_repeats(Json manifest) {
  const Folder folder;
  const int64_t steps = manifest["steps_per_epoch"];
  manifest["max_epoch"] = 2;
  const Training first(folder, "first", manifest), second(folder, "second", manifest);
  REQUIRE_MESSAGE(first.run() == 0, first.talk());
  REQUIRE_MESSAGE(second.run({"max_epoch=1"}) == 0, second.talk());
  REQUIRE_MESSAGE(second.run({"resume=true"}) == 0, second.talk());
  CHECK((first.checkpoint(steps) == second.checkpoint(steps)));
  CHECK((first.checkpoint(2 * steps) == second.checkpoint(2 * steps)));
}

void check_alike(const Values& found, const Values& expected) {
  CHECK(expected.size() >= 8);
  double worst = 0;
  for (const auto& [name, values] : expected) {
    CAPTURE(name);
    REQUIRE(found.contains(name));
    const double apart = distance(found.at(name), values);
    CHECK(apart < (is_simulated() ? 2e-5 : 2e-3));
    worst = std::max(worst, apart);
  }
  MESSAGE("largest difference: ", worst);
}

}  // namespace broch::test_cuda
