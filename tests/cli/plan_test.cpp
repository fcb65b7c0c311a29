// plan_test.cpp: broch plan: what would be trained, without training it.
#include <doctest/doctest.h>

#include <csignal>
#include <map>
#include <utility>

#include "cli/program.hpp"

using namespace broch::cli_test;

namespace {

const Json& plan() {
  static const Json json = json_of(digits({"plan"}, {"model.with.width=32"}));
  return json;
}

}  // namespace

TEST_CASE("plan: digits has one training tower on the first processor, defined and not yet run") {
  const Json towers = plan()["towers"];
  REQUIRE(towers.size() == 1);
  CHECK(towers[0]["mode"] == "train");
  CHECK(towers[0]["device"] == "cpu:0");
  CHECK(towers[0]["execution"] == "recorded at its first data point");
  CHECK(towers[0]["define_milliseconds"].get<double>() > 0.01);
  CHECK(towers[0]["define_peak_bytes"].get<int64_t>() > 1 << 20);
  CHECK_FALSE(towers[0].contains("operators"));
}

TEST_CASE("plan: a tower that is to be eager says by what") {
  const Json plan = json_of(digits({"plan"}, {"runtime.execution=eager"}));
  CHECK(plan["towers"][0]["execution"] == "eager: runtime.execution");
}

TEST_CASE("plan: --record runs steps, writes nothing and tells what the tower became") {
  const Folder folder;
  const std::string log_dir = folder.path() / "log";
  const Words words = digits({"plan", "--record"}, {"log_dir=" + log_dir});
  const Json tower = json_of(words)["towers"][0];
  CHECK(tower["execution"] == "recorded");
  CHECK(tower["operators"].get<int>() > tower["calls"].get<int>());
  CHECK(tower["unplanned_bytes"].get<int64_t>() > tower["planned_bytes"].get<int64_t>());
  CHECK(tower["planned_bytes"].get<int64_t>() > 1 << 10);
  CHECK(tower["record_milliseconds"].get<double>() > 0.01);
  const Outcome outcome = run(words);
  CHECK(holds_in_order(outcome.out,
                       {"recorded\n", "operators become ", " calls", "passes: ", "prune ",
                        "memory of values: ", " planned, ", " unplanned\n"}));
  CHECK_FALSE(std::filesystem::exists(log_dir));
}

TEST_CASE("plan: gradient processors have a program of their own, or a reason for none") {
  const std::string clip =
      R"(gradient_processors=[{"use":"global-norm-clip","with":{"global_norm":5}}])";
  const Json update = json_of(digits({"plan", "--record"}, {clip}))["updates"][0];
  CHECK(holds(update["name"].get<std::string>(), "(global-norm-clip)"));
  CHECK(update["execution"] == "recorded");
  CHECK(update["operators"].get<int>() > update["calls"].get<int>());
  CHECK(update["passes"].size() > 0);
  const Json eager = json_of(digits({"plan", "--record"}, {clip, "runtime.execution=eager"}));
  CHECK(eager["updates"][0]["execution"] == "eager: runtime.execution");
  CHECK_FALSE(eager["updates"][0].contains("operators"));
  CHECK(plan()["updates"].empty());
}

TEST_CASE("plan: digits lists its parameters with shapes that add up") {
  const Json expected = Json::parse(R"({
    "block1/conv/W": 288, "block1/bn/gamma": 32, "block1/bn/beta": 32,
    "block2/conv/W": 9216, "block2/bn/gamma": 32, "block2/bn/beta": 32,
    "block3/conv/W": 18432, "block3/bn/gamma": 64, "block3/bn/beta": 64,
    "fc/W": 2560, "fc/b": 10})");
  int64_t total = 0;
  Json found;
  for (const Json& parameter : plan()["parameters"]) {
    found[parameter["name"]] = parameter["elements"];
    total += parameter["elements"].get<int64_t>();
    if (parameter["name"] == "block3/conv/W") CHECK(parameter["shape"] == "(64, 32, 3, 3)");
  }
  CHECK(found == expected);
  CHECK(plan()["parameter_count"] == total);
  CHECK(total == 30762);
}

TEST_CASE("plan: digits lists what each layer costs in a forward step of 32 images") {
  // Multiplications and additions: 2 * elements of the result * inputs of each.
  const std::map<std::string, int64_t> expected = {
      {"block1/conv/output", 2 * (32 * 32 * 64) * (1 * 9)},
      {"block2/conv/output", 2 * (32 * 32 * 64) * (32 * 9)},
      {"block3/conv/output", 2 * (32 * 64 * 16) * (32 * 9)},
      {"fc/output", 2 * (32 * 10) * 256}};
  int64_t parameters = 0;
  std::map<std::string, int64_t> counted;
  for (const Json& layer : plan()["layers"]) {
    parameters += layer["parameters"].get<int64_t>();
    const int64_t flops = layer["flops"];
    if (flops > 0) counted[layer["name"]] = flops;
    if (layer["name"] != "block2/conv/output") continue;
    CHECK(layer["output"] == "float32 (32, 32, 8, 8)");
    CHECK(layer["parameters"] == 9216);
    CHECK(layer["bytes"] == 32 * 32 * 8 * 8 * 4);
  }
  CHECK(counted == expected);
  CHECK(parameters == 30762);
}

TEST_CASE("plan: gan counts transposed convolutions by their inputs") {
  const Json gan = json_of({"plan", SAMPLE_DIR "/../gan/gan.json", "plugins=[\"" GAN_PLUGIN "\"]"});
  int found = 0;
  for (const Json& layer : gan["layers"]) {
    if (layer["name"] != "gen/up1/output") continue;
    ++found;
    // 64 images of (64, 2, 2), each element of which goes into 32 channels through 4x4 weights.
    CHECK(layer["flops"] == 2 * (64 * 64 * 2 * 2) * (32 * 4 * 4));
  }
  CHECK(found == 1);
}

TEST_CASE("plan: batch, total batch, steps and samples of an epoch are those of the data") {
  // 1,797 rows less every fifth (359) less every tenth of the rest (143): 1,295, 40 whole batches.
  CHECK(plan()["inputs"] == Json::parse(R"([{"input": "image", "shape": "(32, 1, 8, 8) float32"},
                                            {"input": "label", "shape": "(32,) int64"}])"));
  CHECK(plan()["batch_per_tower"] == 32);
  CHECK(plan()["total_batch"] == 32);
  CHECK(plan()["steps_per_epoch"] == 40);
  CHECK(plan()["samples_per_epoch"] == 1280);
  const Json wide = json_of(digits({"plan"}, {"dataflow.with.batch_size=100"}));
  CHECK(wide["batch_per_tower"] == 100);
  CHECK(wide["steps_per_epoch"] == 12);
  CHECK(wide["samples_per_epoch"] == 1200);
}

TEST_CASE("plan: callbacks stand in the order of their events, each with where it runs") {
  Words order;
  for (const Json& callback : plan()["callbacks"])
    order.push_back(callback["name"].get<std::string>() + " " +
                    callback["run_on"].get<std::string>());
  const Words expected = {"input all",
                          "step-counter all",
                          "epoch-stats all",
                          "scheduled-hyper-param-setter all",
                          "model-saver chief",
                          "validation chief",
                          "min-saver chief",
                          "periodic-trigger chief",
                          "moving-average-summary chief",
                          "progress-bar all",
                          "merge-all-summaries chief",
                          "run-update-ops all"};
  REQUIRE(order.size() >= expected.size());
  for (size_t i = 0; i < expected.size(); ++i) CHECK(order[i] == expected[i]);
}

TEST_CASE("plan: the text says what the JSON says and writes no folder") {
  const Folder folder;
  const std::string log_dir = folder.path() / "log";
  const Outcome outcome = run(digits({"plan"}, {"model.with.width=32", "log_dir=" + log_dir}));
  CHECK(outcome.exit_code == 0);
  CHECK(holds_in_order(outcome.out, {"runtime: LibTorch",
                                     "tower ",
                                     "train ",
                                     "cpu:0 ",
                                     " ms ",
                                     " MiB ",
                                     "recorded at its first data point",
                                     "block3/conv/W ",
                                     "[64, 32, 3, 3] ",
                                     "18432",
                                     "Number of parameters (elements): 30762",
                                     "image ",
                                     "(32, 1, 8, 8)",
                                     "batch per tower: 32\n",
                                     "total batch: 32\n",
                                     "steps per epoch: 40\n",
                                     "samples per epoch: 1280\n",
                                     "layer ",
                                     "block2/conv ",
                                     " float32 (32, 32, 8, 8) ",
                                     " 9216 ",
                                     " 37.75 ",
                                     " 0.25 MiB\n",
                                     "(all) ",
                                     " 30762 ",
                                     "model-saver ",
                                     "broch.callback.model-saver ",
                                     "chief"}));
  CHECK_FALSE(std::filesystem::exists(log_dir));
}

TEST_CASE("plan: without LibTorch it refuses a model, whose shapes it would have to invent") {
  const Outcome outcome = run(digits({"plan", "--runtime", "null"}));
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.out == "");
  CHECK(holds_in_order(outcome.err, {"plan --runtime null", "a model", "computes no shapes",
                                     "hint: leave --runtime out"}));
}

TEST_CASE("plan: without a model it names the parts of a data point by their numbers") {
  const Quick quick;
  const Json json = json_of(
      {"plan", "--runtime", "null", quick.manifest(), "model=null", "trainer=test.idle",
       "data=null", R"(dataflow={"use": "fake", "with": {"components": [{"shape": [2, 3]}]}})"});
  CHECK(json["inputs"] == Json::parse(R"([{"input": "0", "shape": "(2, 3) float32"}])"));
  CHECK(json["batch_per_tower"] == 2);
}

TEST_CASE("plan: a signal ends the wait for the data point, with the exit code of the signal") {
  for (const auto& [number, exit_code] : {std::pair{SIGINT, 130}, {SIGTERM, 143}}) {
    const Quick quick;
    const std::string begun = quick.folder() / "begun";
    Start start({"plan", "--runtime", "null", quick.manifest(), "model=null", "trainer=test.idle",
                 "data=null",
                 R"(dataflow={"use": "pipe", "with": {"command": ["sh", "-c", "echo yes > )" +
                     begun + R"(; exec sleep 100"]}})"});
    REQUIRE(Start::wait_for(begun, "yes"));
    start.signal(number);
    const Outcome outcome = start.finish();
    INFO(outcome.err);
    CHECK(outcome.exit_code == exit_code);
    CHECK(outcome.out == "");
    CHECK(holds_in_order(outcome.err, {"ended by a signal", "expected a data point", "hint: "}));
  }
}

TEST_CASE("plan: a training without LibTorch of a model that reduces is refused") {
  const Folder folder;
  const Outcome outcome =
      run(digits({"train", "--runtime", "null"}, {"log_dir=" + (folder.path() / "log").string()}));
  CHECK(outcome.exit_code == 1);
  CHECK(holds_in_order(outcome.err, {"regularize_cost", "expected a 0-dim tensor"}));
}
