// export_test.cpp: broch export: a trained model as a bundle, whose outputs are computed by hand.
#include <cmath>
#include <cstdlib>

#include "bundle/bundle.hpp"
#include "cli_harness/cli_harness.hpp"
#include "fixture.hpp"
#include "folder.hpp"
#include "graph/runner.hpp"

using namespace broch;
using cli_harness::Json;
using cli_harness::Training;
using cli_harness::Values;
using runtime::backend;
using runtime::Tensor;
using test::Folder;

namespace {

// A network with dropout and batch norm, which are other functions in inference.
Json manifest(int64_t steps) {
  const Json layers = {{{"layer", "fully_connected"}, {"units", 5}, {"name", "first"}},
                       {{"layer", "batch_norm"}, {"name", "norm"}},
                       {{"layer", "activation"}, {"function", "relu"}},
                       {{"layer", "dropout"}, {"rate", 0.5}},
                       {{"layer", "fully_connected"}, {"units", 3}, {"name", "last"}}};
  const Json components = {{{"name", "x"}, {"shape", {16, 4}}},
                           {{"name", "label"}, {"shape", {16}}, {"dtype", "int64"}, {"high", 3}}};
  return {{"broch", 1},
          {"name", "small"},
          {"seed", 7},
          {"model",
           {{"use", "sequential"},
            {"with",
             {{"inputs",
               {{{"name", "x"}, {"shape", {-1, 4}}},
                {{"name", "label"}, {"dtype", "int64"}, {"shape", {-1}}}}},
              {"layers", layers},
              {"loss", "cross_entropy"}}}}},
          {"dataflow", {{"use", "fake"}, {"with", {{"components", components}}}}},
          {"optimizer", {{"use", "sgd"}, {"with", {{"learning_rate", 0.1}}}}},
          {"callbacks", {"model-saver"}},
          {"steps_per_epoch", steps},
          {"max_epoch", 1}};
}

// Exit code; what it says is in folder/talk.
int broch_export(const Folder& folder, const std::string& words) {
  const std::string command =
      std::string(BROCH_PROGRAM) + " export " + words + " > " + folder / "talk" + " 2>&1";
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::vector<double> dense(const std::vector<double>& x, size_t width, const std::vector<double>& w,
                          const std::vector<double>& b) {
  std::vector<double> y;
  for (size_t row = 0; row < x.size(); row += width)
    for (size_t unit = 0; unit < b.size(); ++unit) {
      double sum = b[unit];
      for (size_t k = 0; k < width; ++k) sum += x[row + k] * w[unit * width + k];
      y.push_back(sum);
    }
  return y;
}
// In inference: batch norm with the running statistics, no dropout.
std::vector<double> by_hand(const std::vector<double>& x, const Values& v) {
  std::vector<double> y = dense(x, 4, v.at("first/W"), v.at("first/b"));
  for (size_t i = 0; i < y.size(); ++i) {
    const size_t c = i % 5;
    y[i] = (y[i] - v.at("norm/mean/EMA")[c]) / std::sqrt(v.at("norm/variance/EMA")[c] + 1e-5);
    y[i] = std::max(0.0, y[i] * v.at("norm/gamma")[c] + v.at("norm/beta")[c]);
  }
  return dense(y, 5, v.at("last/W"), v.at("last/b"));
}

}  // namespace

TEST_CASE("export: a bundle computes what the model does in inference, for any batch") {
  const Folder folder;
  const Training training(folder, "run", manifest(20));
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  const std::string file = folder / "small.broch";
  REQUIRE_MESSAGE(broch_export(folder, training.log_dir().string() + " -o " + file) == 0,
                  folder.read("talk"));
  CHECK(folder.read("talk").find("inputs: x float32 (B, 4)") != std::string::npos);
  const bundle::Bundle bundle(file);
  CHECK(bundle.graph().inputs == std::vector<std::string>{"x"});  // the label is not needed
  CHECK(bundle.graph().least == std::vector<int64_t>{1});
  CHECK(bundle.about().at("name") == "small");
  CHECK(bundle.about().at("checkpoint") == "model-20.safetensors");
  graph::Runner runner(backend(), bundle.graph(), bundle.weights(backend()), {});
  const Values values = training.checkpoint(20);
  for (const int64_t batch : {1, 2, 33, 2}) {
    std::vector<float> x;
    for (int64_t i = 0; i < batch * 4; ++i) x.push_back(float(i % 11) / 5 - 1);
    const std::vector<Tensor> outputs = runner.run(std::vector{runtime::floats(x, {batch, 4})});
    const std::vector<double> y = runtime::numbers(outputs[0]);
    const std::vector<double> expected = by_hand({x.begin(), x.end()}, values);
    REQUIRE(y.size() == expected.size());
    for (size_t i = 0; i < y.size(); ++i) CHECK(y[i] == doctest::Approx(expected[i]).epsilon(1e-5));
  }
}

TEST_CASE("export: other outputs, fixed sizes, and what is refused") {
  const Folder folder;
  const Training training(folder, "run", manifest(2));
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  const std::string run = training.log_dir().string(), file = folder / "m";
  const auto check_refusal = [&](const std::string& words, int exit, const std::string& part) {
    CHECK(broch_export(folder, run + " " + words) == exit);
    CHECK_MESSAGE(folder.read("talk").find(part) != std::string::npos, folder.read("talk"));
    CHECK(!std::filesystem::exists(file));
  };
  check_refusal("-o " + file + " --name outptu", 3, "did you mean 'output'");
  check_refusal("-o " + file + " --size C=2", 2, "no dimension of this name, expected one of B");
  check_refusal("-o " + file + " --size B=", 2, "NAME=SIZE");
  check_refusal("-o " + folder / "none/m", 5, "none");
  REQUIRE(broch_export(folder,
                       run + " -o " + file + " --name cost --name first/output --size B=3") == 0);
  const bundle::Bundle bundle(file);
  CHECK(bundle.graph().inputs == std::vector<std::string>{"x", "label"});
  CHECK(bundle.graph().symbols.empty());
  CHECK(bundle.graph().outputs.size() == 2);
  CHECK(bundle.graph().type_of_output(1).shape == std::vector<graph::Number>{3, 5});
  CHECK(broch_export(folder, run + " -o " + file) == 5);
  CHECK(folder.read("talk").find("--force") != std::string::npos);
  CHECK(broch_export(folder, run + " -o " + file + " --force") == 0);
}

TEST_CASE("export: a function with a derivative of its own is what its operators compute") {
  const Folder folder;
  Json cut = manifest(2);
  cut["plugins"] = {BROCH_QUANTIZED, BROCH_SALIENCY};
  cut["dataflow"]["with"]["components"] = {{{"name", "x"}, {"shape", {16, 4}}}};
  cut["model"] = {{"use", "conformance.quantized"}};
  const Training training(folder, "run", cut);
  REQUIRE_MESSAGE(training.run() == 0, training.talk());
  const std::string file = folder / "m", run = training.log_dir().string();
  REQUIRE_MESSAGE(broch_export(folder, run + " --name rounded -o " + file) == 0,
                  folder.read("talk"));
  const bundle::Bundle bundle(file);
  graph::Runner runner(backend(), bundle.graph(), bundle.weights(backend()), {});
  const std::vector<double> rounded = runtime::numbers(runner.run({})[0]);
  const Values values = training.checkpoint(2);
  REQUIRE(rounded.size() == values.at("W").size());
  for (size_t i = 0; i < rounded.size(); ++i)
    CHECK(rounded[i] == doctest::Approx(std::nearbyint(values.at("W")[i] * 7) / 7).epsilon(1e-6));

  cut["model"] = {{"use", "conformance.saliency"}};
  const Training other(folder, "other", cut);
  REQUIRE_MESSAGE(other.run() == 0, other.talk());
  CHECK(broch_export(folder, other.log_dir().string() + " --name saliency -o " + folder / "n") ==
        1);
  CHECK_MESSAGE(
      folder.read("talk").find("a tensor that broch.autograd/1 grad made") != std::string::npos,
      folder.read("talk"));
}
