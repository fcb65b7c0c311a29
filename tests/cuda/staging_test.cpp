// staging_test.cpp: what is copied to GPUs ahead of the steps, as simulated GPUs count it. The
// numbers of the trainings show that every step waits for its data: simulated/README.md.
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "gpu.hpp"

using namespace broch::test_cuda;

namespace {

constexpr int kInputs = 2;  // of the digits sample

struct Copies {
  int at_once = 0, ahead = 0;
};

// Of a training that has to end well, by device.
std::vector<Copies> copies(const Json& manifest) {
  const Folder folder;
  const std::string log = folder / "copies";
  setenv("BROCH_SIMULATED_LOG", log.c_str(), 1);
  const Training training(folder, "run", manifest);
  const int code = training.run();
  unsetenv("BROCH_SIMULATED_LOG");
  REQUIRE_MESSAGE(code == 0, training.talk());
  std::vector<Copies> found;
  std::ifstream stream(log);
  std::string device, word;
  for (Copies c; stream >> device >> word >> c.at_once >> word >> c.ahead;) found.push_back(c);
  REQUIRE(found.size() == 2);
  return found;
}

Json two_towers(int64_t steps, bool gpu_prefetch, const Json& devices = {"cuda:0", "cuda:1"}) {
  Json manifest = towers("sync-replicated", devices);
  manifest["trainer"]["with"]["gpu_prefetch"] = gpu_prefetch;
  manifest["steps_per_epoch"] = steps;
  return manifest;
}

// One tower with this input source.
Json fed_by(const Json& data, const std::string& device, int64_t steps) {
  Json manifest = digits(Json::array({device}), steps);
  manifest["dataflow"] = nullptr;
  manifest["data"] = data;
  return manifest;
}

Json staged_queue(int64_t nr_stage) {
  const Json components = {{{"shape", {8, 1, 8, 8}}},
                           {{"shape", {8}}, {"dtype", "int64"}, {"high", 10}}};
  const Json fake = {{"use", "fake"}, {"with", {{"size", 100}, {"components", components}}}};
  const Json queue = {{"use", "queue"}, {"with", {{"dataflow", fake}}}};
  return {{"use", "staging"}, {"with", {{"nr_stage", nr_stage}, {"input", queue}}}};
}

const Json kZeros = {{"use", "dummy-constant"},
                     {"with", {{"shapes", {{8, 1, 8, 8}, Json::array({8})}}}}};

}  // namespace

TEST_CASE("staging: with several GPUs, the data of each step are copied ahead") {
  if (!has_gpus(2) || !is_simulated()) return;
  const std::vector<Copies> four = copies(two_towers(4, true)), nine = copies(two_towers(9, true));
  for (size_t device = 0; device < 2; ++device) {
    CAPTURE(device);
    CHECK(four[device].ahead == kInputs * (4 + 1));
    CHECK(nine[device].ahead == kInputs * (9 + 1));
    CHECK(four[device].at_once == nine[device].at_once);  // first values of variables
  }
}

TEST_CASE("staging: turned off, or as many points as the manifest asks for") {
  if (!has_gpus(2) || !is_simulated()) return;
  const std::vector<Copies> four = copies(two_towers(4, false)),
                            nine = copies(two_towers(9, false));
  for (size_t device = 0; device < 2; ++device) {
    CAPTURE(device);
    CHECK(four[device].ahead == 0);
    CHECK(nine[device].at_once == four[device].at_once + kInputs * 5);
  }
  CHECK(copies(fed_by(staged_queue(3), "cuda:1", 4))[1].ahead == kInputs * (4 + 3));
}

TEST_CASE("staging: a step finds the values of its points") {
  if (!has_gpus(2)) return;
  check_alike(trained(two_towers(6, true), 6), trained(two_towers(6, true, {"cpu:0", "cpu:1"}), 6));
  check_alike(trained(fed_by(staged_queue(2), "cuda:1", 4), 4),
              trained(fed_by(staged_queue(2), "cpu:0", 4), 4));
}

TEST_CASE("dummy-constant: the zeros are on the GPU, once and for all steps") {
  if (!has_gpus(2) || !is_simulated()) return;
  const std::vector<Copies> few = copies(fed_by(kZeros, "cuda:1", 2));
  const std::vector<Copies> many = copies(fed_by(kZeros, "cuda:1", 20));
  CHECK(few[1].ahead == kInputs);
  CHECK(many[1].ahead == kInputs);
  CHECK(few[1].at_once == many[1].at_once);
  check_alike(trained(fed_by(kZeros, "cuda:1", 4), 4), trained(fed_by(kZeros, "cpu:0", 4), 4));
}
