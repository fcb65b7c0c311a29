// driver.cpp: one training of a conformance tower, and arithmetic that is not LibTorch's.
#include "conformance/driver.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <sstream>

namespace broch::conformance {

cli_harness::Json manifest(const std::string& tower, const std::vector<std::string>& fetched) {
  using cli_harness::Json;
  const auto plugin = [](const std::string& name) { return PLUGIN_DIR "/" + name + ".so"; };
  std::string id = tower;
  std::ranges::replace(id, '_', '-');
  const Json point{{"shape", {5, 4}}, {"low", -1}, {"name", "x"}};
  return {{"broch", 1},
          {"name", tower},
          {"seed", 11},
          {"plugins",
           {plugin(tower), plugin("probe"), plugin("trainers"), plugin("copier"), plugin("dreamer"),
            plugin("lengths")}},
          {"model", {{"use", "conformance." + id}}},
          {"optimizer", {{"use", "sgd"}, {"with", {{"learning_rate", kRate}}}}},
          {"dataflow",
           {{"use", "fake"}, {"with", {{"size", 6}, {"components", Json::array({point})}}}}},
          {"callbacks", Json::array({{{"use", "conformance.probe"}, {"with", {{"names", fetched}}}},
                                     {{"use", "model-saver"},
                                      {"when", {{"before_train", true}, {"every_k_epochs", 1}}}}})},
          {"max_epoch", 1}};
}

cli_harness::Json long_manifest(const std::string& tower, const std::vector<std::string>& fetched) {
  cli_harness::Json made = manifest(tower, fetched);
  made["dataflow"]["with"]["size"] = 17;
  made["max_epoch"] = 8;
  made["optimizer"]["with"]["learning_rate"] = kSlowRate;
  made["callbacks"][1]["when"] = {{"every_k_epochs", 8}};
  made["monitors"] = {"json-writer"};
  return made;
}

Result::Result(const cli_harness::Json& manifest)
    : training_(folder_, manifest.at("name").get<std::string>(), manifest) {
  const int exit_code = training_.run();
  INFO(training_.talk());
  REQUIRE(exit_code == 0);
  std::istringstream lines(training_.text("probe.txt"));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    words >> name;
    Numbers& numbers = seen_[name].emplace_back();
    for (double number = 0; words >> number;) numbers.push_back(number);
  }
}

Numbers linear(const Numbers& x, const Numbers& w, size_t in) {
  Numbers y;
  for (size_t row = 0; row < x.size(); row += in)
    for (size_t out = 0; out < w.size(); out += in) {
      double sum = 0;
      for (size_t i = 0; i < in; ++i) sum += x[row + i] * w[out + i];
      y.push_back(sum);
    }
  return y;
}

double mean(const Numbers& x) {
  double sum = 0;
  for (const double value : x) sum += value;
  return sum / static_cast<double>(x.size());
}

double mean_square(const Numbers& x) {
  double sum = 0;
  for (const double value : x) sum += value * value;
  return sum / static_cast<double>(x.size());
}

double descent_error(const Numbers& before, const Numbers& after, const Numbers& slope) {
  double error = 0;
  for (size_t i = 0; i < before.size(); ++i)
    error = std::max(error, std::fabs(after.at(i) - (before[i] - kRate * slope.at(i))));
  return error;
}

}  // namespace broch::conformance
