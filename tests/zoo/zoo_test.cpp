// zoo_test.cpp: the models of the zoo, and recurrent layers of the model sequential, compute what
// their Python originals compute with the same weights: outputs in training and in inference,
// gradients, and the statistics of batch norm. recorded/ has the results of small configurations.
// The script that wrote them also makes those of well-known ones, if BROCH_REFERENCE_PYTHON names a
// Python that can run it.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdio>
#include <fstream>

#include "cli_harness/cli_harness.hpp"
#include "formula.hpp"

using namespace broch;
using cli_harness::Folder;
using cli_harness::Json;

namespace {

// The largest differences: of outputs and the statistics of batch norm, and of gradients, each in
// parts of the largest number of its tensor.
struct Distances {
  double outputs = 0, gradients = 0;
};
constexpr Distances kLimits{1e-5, 1e-4};
constexpr double kAlike = 4;  // no worse than PyTorch: at most so many times its distance

// The place of a sample among all elements.
size_t place(size_t sample, size_t samples, size_t count) {
  return samples == count ? sample : sample * (count - 1) / (samples - 1);
}

// How far two lists of numbers are apart, in parts of the largest number: elements, norm and a
// product with other numbers, so that no element can be wrong alone.
double distance(const std::string& name, const std::vector<double>& ours, const Json& digest) {
  const size_t count = digest.at("count");
  if (ours.size() != count) return INFINITY;
  const std::vector<double> samples = digest.at("samples");
  const auto unit = [&](const char* size) {  // of errors; zeros have none of their own
    const double value = digest.at(size);
    return value > 0 ? value : 1;
  };
  const double largest = unit("largest"), norm = unit("norm");
  double worst = 0;
  for (size_t i = 0; i < samples.size(); ++i)
    worst = std::max(worst, std::abs(ours[place(i, samples.size(), count)] - samples[i]) / largest);
  const zoo_test::Draws draws(name + "/product");
  double squares = 0, product = 0;
  for (size_t i = 0; i < count; ++i) {
    squares += ours[i] * ours[i];
    product += ours[i] * draws.number(i);
  }
  worst = std::max(worst, std::abs(std::sqrt(squares) - digest.at("norm").get<double>()) / norm);
  worst = std::max(worst, std::abs(product - digest.at("product").get<double>()) / norm);
  return std::isfinite(worst) ? worst : INFINITY;
}

std::vector<double> written(const Folder& folder, const std::string& name) {
  std::ifstream file(folder / name);
  std::vector<double> values;
  for (double value; file >> value;) values.push_back(value);
  return values;
}

std::vector<std::string> names_in(const Json& digests) {
  std::vector<std::string> names;
  for (const auto& [name, digest] : digests.items()) names.push_back(name);
  return names;
}

// A first value is drawn, so its mean and its root of the mean square may differ from those of the
// original as far as is usual for that many draws. A constant is the same.
void check_first_values(const std::string& name, const Json& recorded) {
  CAPTURE(name);
  const Folder folder;
  const cli_harness::Training training(
      folder, "run",
      {{"broch", 1},
       {"model", {{"use", recorded.at("model")}, {"with", recorded.at("with")}}},
       {"dataflow", {{"use", "zoo.data"}, {"with", {{"components", recorded.at("inputs")}}}}},
       {"plugins", {INSTRUMENTS}},
       {"trainer", recorded.value("trainer", "simple")},
       {"optimizer", "zoo.keep-gradients"},
       {"callbacks", {{{"use", "model-saver"}, {"when", {{"before_train", true}}}}}},
       {"max_epoch", 0}});
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  cli_harness::Values variables = training.checkpoint(0);
  for (const auto& [variable, expected] : recorded.at("first_values").items()) {
    CAPTURE(variable);
    const std::vector<double>& values = variables[variable];
    const double count = expected.at(0), mean = expected.at(1), root = expected.at(2);
    REQUIRE(double(values.size()) == count);
    double sum = 0, squares = 0;
    for (const double value : values) sum += value, squares += value * value;
    const double deviation = std::sqrt(std::max(0.0, root * root - mean * mean));
    const double usual = 6 * deviation / std::sqrt(count);
    CHECK(std::abs(sum / count - mean) <= usual + 1e-7);
    CHECK(std::abs(std::sqrt(squares / count) - root) <= usual + 1e-7);
  }
}

// One step, which changes no weight, and inference after it.
Json manifest(const Folder& folder, const Json& recorded, const std::string& level) {
  const Json dataflow{{"use", "zoo.data"}, {"with", {{"components", recorded.at("inputs")}}}};
  Json witness{{"folder", folder.path()}, {"names", names_in(recorded.at("train"))}};
  if (recorded.contains("feeds")) witness["feeds"] = recorded.at("feeds");
  const Json weights = recorded.value("weights", Json::object());
  std::ofstream others(folder / "weights");
  for (const auto& [name, values] : weights.items()) {
    others << name << ' ' << values.size();
    for (const Json& value : values) others << ' ' << value;
    others << '\n';
  }
  Json callbacks{{{"use", "zoo.witness"}, {"with", witness}}, "model-saver"};
  if (!recorded.at("inference").empty()) {
    const Json inference{{"folder", folder.path()}, {"names", names_in(recorded.at("inference"))}};
    callbacks.push_back(
        {{"use", "inference-runner"},
         {"with",
          {{"dataflow", dataflow},
           {"inferencers", {{{"use", "zoo.inference-witness"}, {"with", inference}}}}}}});
  }
  return {{"broch", 1},
          {"plugins", {INSTRUMENTS}},
          {"model", {{"use", recorded.at("model")}, {"with", recorded.at("with")}}},
          {"dataflow", dataflow},
          {"optimizer", "zoo.keep-gradients"},
          {"trainer", recorded.value("trainer", "simple")},
          {"session_init", {{"use", "zoo.weights"}, {"with", {{"others", folder / "weights"}}}}},
          {"callbacks", callbacks},
          {"runtime", {{"level", level}}},
          {"max_epoch", 1}};
}

// At level bitwise the operators are PyTorch's own, and so is their rounding; those of another
// device round in another order than the recorded ones, which are of the CPU.
bool rounds_as_pytorch(const std::string& level) {
  return level == "bitwise" && !std::getenv("BROCH_TEST_DEVICE");
}

Distances compare(const std::string& name, const Json& recorded, const std::string& level,
                  const Distances& limits) {
  CAPTURE(name);
  CAPTURE(level);
  const Folder folder;
  const cli_harness::Training training(folder, "run", manifest(folder, recorded, level));
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  const Json& expected =
      rounds_as_pytorch(level) && recorded.contains("float32") ? recorded.at("float32") : recorded;
  Distances all;
  const auto check = [](const std::string& what, const std::vector<double>& ours,
                        const Json& digest, double limit, double& largest) {
    CAPTURE(what);
    const double here = distance(what, ours, digest);
    CHECK(here <= limit);
    largest = std::max(largest, here);
  };
  for (const std::string mode : {"train", "inference"})
    for (const auto& [output, digest] : expected.at(mode).items())
      check(output, written(folder, mode + "." + output), digest, limits.outputs, all.outputs);
  cli_harness::Values variables = training.checkpoint(1);
  for (const auto& [variable, digest] : expected.at("statistics").items())
    check(variable, variables[variable], digest, limits.outputs, all.outputs);
  for (const auto& [variable, digest] : expected.at("gradients").items())
    check(variable, variables[variable + "/gradient"], digest, limits.gradients, all.gradients);
  size_t trained = 0;
  for (const auto& [variable, values] : variables)
    trained += zoo_test::ends_with(variable, "/gradient") && !values.empty();
  CHECK(trained == recorded.at("gradients").size());
  return all;
}

void compare_all(const std::filesystem::path& folder, size_t expected,
                 const std::function<Distances(const Json&, const std::string& level)>& limits) {
  std::map<std::string, std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    files[entry.path().stem()] = entry.path();
  CHECK(files.size() == expected);
  for (const auto& [name, path] : files) {
    const Json recorded = Json::parse(test::read_file(path));
    check_first_values(name, recorded);
    for (const std::string level : {"bitwise", "fast"}) {
      const Distances found = compare(name, recorded, level, limits(recorded, level));
      MESSAGE(name << ", " << level << ": outputs " << found.outputs << ", gradients "
                   << found.gradients << "; rounding of float32 " << recorded.at("rounding"));
    }
  }
}

}  // namespace

TEST_CASE("zoo: small configurations compute what their originals compute") {
  compare_all(RECORDED, 19, [](const Json&, const std::string&) { return kLimits; });
}

// In the deepest networks, PyTorch's own float32 differs from float64 by more than the limits.
// There, unless the operators are PyTorch's own, ours may differ as much.
TEST_CASE("zoo: well-known configurations compute what their originals compute") {
  const char* const python = std::getenv("BROCH_REFERENCE_PYTHON");
  if (!python) {
    MESSAGE("skipped: BROCH_REFERENCE_PYTHON is not set");
    return;
  }
  const Folder folder;
  const std::string command =
      std::string(python) + " " REFERENCE_DIR "/make_zoo.py --full " + folder.path().string();
  REQUIRE(std::system(command.c_str()) == 0);
  compare_all(folder.path(), 10, [](const Json& recorded, const std::string& level) {
    if (rounds_as_pytorch(level)) return kLimits;
    Distances limits = kLimits;
    const auto relax = [&](double& limit, const char* part) {
      const double rounding = recorded.at("rounding").at(part);
      if (rounding > limit) limit = kAlike * rounding;
    };
    for (const char* part : {"train", "inference", "statistics"}) relax(limits.outputs, part);
    relax(limits.gradients, "gradients");
    return limits;
  });
}
