// ranks_test.cpp: broch train --ranks N, beside towers in one process.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "trainings.hpp"

using namespace broch::ranks_test;

namespace {

// So many ranks have the bits of as many towers in what is taken of a checkpoint, both eager or
// both replayed.
void check_as_towers(int count, Json inside, const std::function<Saved(const Outcome&)>& taken) {
  inside["trainer"] = towers(count);
  Json together = inside;
  together["trainer"] = "allreduce";
  together["dataflow"] = sharded(batches(points()));
  const auto expected = outcomes(inside, {"auto", "eager"});
  for (const char* mode : {"auto", "eager"}) {
    CAPTURE(mode);
    CHECK(taken(outcomes(together, {mode}, ranks(count)).at(mode)) == taken(expected.at(mode)));
  }
}

Json of_model(const char* model) {
  Json inside = manifest(towers(2), batches(points()));
  inside["model"]["use"] = model;
  return inside;
}

}  // namespace

TEST_CASE("ranks: over Gloo, the bits of as many towers in one process, eager or replayed") {
  for (const int count : {2, 4}) {
    CAPTURE(count);
    check_as_towers(count, of_model("recorded.mlp"), weights);
  }
}

TEST_CASE("ranks: gradients of several buckets have the bits of as many towers") {
  check_as_towers(2, of_model("recorded.wide"), weights);
}

TEST_CASE("ranks: the update rule of a plugin has the bits of as many towers") {
  Json inside = manifest(towers(2), batches(points()), "test.heavy-ball");
  inside["plugins"].push_back(OWN_RULES);
  inside["optimizer"]["with"]["momentum"] = 0.9;
  check_as_towers(2, inside, [](const Outcome& outcome) {
    CHECK(outcome.saved.contains("fc1/W/velocity"));
    return weights(outcome);
  });
}

TEST_CASE("ranks: clipped sums of several runs have the bits of as many towers") {
  Json inside = manifest(towers(2), batches(points()), "adam");
  Json clipped;
  clipped["use"] = "apply-grad-processors";
  clipped["with"]["gradient_processors"] =
      Json::array({{{"use", "global-norm-clip"}, {"with", {{"global_norm", 0.1}}}}});
  clipped["with"]["optimizer"] = inside["optimizer"];
  inside["optimizer"] = {{"use", "accum-grad"}, {"with", {{"niter", 3}, {"optimizer", clipped}}}};
  check_as_towers(2, inside, weights);
}

TEST_CASE("ranks: batch norm with the statistics of all ranks has the bits of as many towers") {
  const auto weights_of = [](const Outcome& outcome) {
    INFO(outcome.talk);
    REQUIRE(outcome.exit_code == 0);
    Saved found;
    for (const auto& [name, bytes] : outcome.saved)
      if (name.ends_with("W") || name.ends_with("gamma") || name.ends_with("EMA"))
        found[name] = bytes;
    REQUIRE(found.size() >= 6);
    return found;
  };
  check_as_towers(2, of_model("recorded.synchronized"), weights_of);
}

TEST_CASE("ranks: averages of the weights have the bits of as many towers, evaluated or not") {
  Json data = batches(points());
  data["with"]["dataflow"]["with"]["size"] = 32;
  const Json evaluation = {
      {"use", "inference-runner"},
      {"with",
       {{"dataflow", data},
        {"inferencers", {{{"use", "scalar-stats"}, {"with", {{"names", "cost"}}}}}}}}};
  Json inside = of_model("recorded.mlp");
  inside["max_epoch"] = 2;
  inside["callbacks"] = {{{"use", "weight-average"}, {"with", {{"decay", 0.5}, {"period", 3}}}},
                         {{"use", "averaged-weights"}, {"with", {{"callback", evaluation}}}},
                         "model-saver"};
  check_as_towers(2, inside, [](const Outcome& outcome) {
    Saved found = weights(outcome);
    for (const auto& [name, bytes] : outcome.saved)
      if (name.starts_with("average/fc")) found[name] = bytes;
    REQUIRE(found.size() >= 12);
    CHECK(found.at("average/fc1/W") != found.at("fc1/W"));
    return found;
  });
}

TEST_CASE("ranks: the best weights are put back, and a resumed training takes the last ones") {
  const Json stopping = {
      {"use", "early-stopping"},
      {"with",
       {{"monitor_stat", "cost"}, {"mode", "max"}, {"patience", 9}, {"restore_best", true}}}};
  const auto check_trained = [&](const Json& trainer, const Json& data,
                                 const std::vector<std::string>& started) {
    CAPTURE(trainer.dump());
    const Folder folder;
    Json whole = manifest(trainer, data);
    whole["callbacks"].push_back(stopping);
    whole["max_epoch"] = 2;
    const Training training(folder, "run", whole);
    REQUIRE(training.run(started) == 0);
    CHECK(broch::cli_harness::count(training.talk(), "The weights of global_step=20") == 1);
    check_continues(folder, training, whole, started);
  };
  check_trained("allreduce", sharded(batches(points())), ranks(2));
  check_trained(on_devices("sync-replicated", 2), batches(points()), {});
}

TEST_CASE("ranks: what is divided among them is shuffled alike on all") {
  const auto shuffled = [](Json data) {
    return Json{{"use", "shuffle"}, {"with", {{"dataflow", std::move(data)}}}};
  };
  Json together = manifest(towers(2), sharded(batches(shuffled(points()))));
  together["trainer"]["with"]["gpu_prefetch"] = false;
  const Saved expected = weights(outcomes(together, {"auto"}).at("auto"));
  together["trainer"] = "allreduce";
  CHECK(weights(outcomes(together, {"auto"}, ranks(2)).at("auto")) == expected);
}

TEST_CASE("ranks: the sum instead of the mean, and one rank alone") {
  Json summed = manifest({{"use", "allreduce"}, {"with", {{"average", false}}}},
                         sharded(batches(points())), "sgd");
  Json mean = manifest("allreduce", sharded(batches(points())), "sgd");
  mean["optimizer"]["with"]["learning_rate"] = 0.02;
  const Saved sum = weights(outcomes(summed, {"auto"}, ranks(2)).at("auto"));
  const Saved twice = weights(outcomes(mean, {"auto"}, ranks(2)).at("auto"));
  REQUIRE(sum.size() == twice.size());
  const Json alone = manifest("allreduce", batches(points()));
  CHECK(weights(outcomes(alone, {"auto"}).at("auto")) ==
        weights(outcomes(manifest(towers(1), batches(points())), {"auto"}).at("auto")));
}

TEST_CASE("ranks: compressed gradients end near the others, all ranks with the same bits") {
  Json halves = manifest("allreduce", sharded(batches(points())), "sgd");
  const Saved whole = weights(outcomes(halves, {"auto"}, ranks(2)).at("auto"));
  halves["trainer"] = {{"use", "allreduce"}, {"with", {{"compression", "fp16"}}}};
  const Saved rounded = weights(outcomes(halves, {"auto"}, ranks(2)).at("auto"));
  CHECK(rounded != whole);
  for (const auto& [name, bytes] : whole) {
    CAPTURE(name);
    const auto numbers = [](const std::string& text) {
      std::vector<float> values(text.size() / sizeof(float));
      std::memcpy(values.data(), text.data(), text.size());
      return values;
    };
    const std::vector<float> a = numbers(bytes), b = numbers(rounded.at(name));
    for (size_t i = 0; i < a.size(); ++i) CHECK(std::abs(a[i] - b[i]) < 1e-3);
  }
}

TEST_CASE("ranks: rank 0 talks and writes, the others have log files") {
  const Folder folder;
  const Training training(folder, "run", manifest("allreduce", sharded(batches(points()))));
  REQUIRE(training.run(ranks(3)) == 0);
  CHECK(broch::cli_harness::count(training.talk(),
                                  "3 ranks met over Gloo (c10d), started by broch") == 1);
  CHECK(training.text("rank1.log").find("each step takes") != std::string::npos);
  CHECK(training.text("rank2.log").find("each step takes") != std::string::npos);
  CHECK(broch::cli_harness::count(training.talk(), "each step takes") == 1);
  const std::string note = "have the metrics of rank 0, not those of this rank";
  CHECK(training.text("rank1.log").find(note) != std::string::npos);
  CHECK(training.text("log.log").find(note) == std::string::npos);
  CHECK(training.stats().size() == 1);
}

TEST_CASE("ranks: each has a profile of its own") {
  const Folder folder;
  const Training training(folder, "run", manifest("allreduce", sharded(batches(points()))));
  const std::string file = folder / "profile.json";
  REQUIRE(training.run({"--ranks", "2", "--profile", file}) == 0);
  for (const char* of : {"", ".rank1"}) {
    const Json profile = Json::parse(broch::test::read_file(file + of));
    const auto& events = profile.at("traceEvents");
    CHECK(std::ranges::count(events, "step", [](const Json& event) { return event.at("name"); }) ==
          kSteps);
  }
}

TEST_CASE("ranks: a trainer that combines nothing of them is warned of") {
  const Folder folder;
  for (const bool combines : {true, false}) {
    CAPTURE(combines);
    const Training training(
        folder, combines ? "together" : "apart",
        manifest(combines ? Json("allreduce") : towers(1), sharded(batches(points()))));
    REQUIRE(training.run(ranks(2)) == 0);
    INFO(training.talk());
    CHECK(broch::cli_harness::count(training.talk(), "each rank trains a model of its own") ==
          (combines ? 0 : 1));
  }
}

TEST_CASE("ranks: other variables on one rank are found before the first step, by name") {
  const Folder folder;
  Json odd = manifest("allreduce", points());
  odd["plugins"] = {ODD};
  odd["model"] = {{"use", "conformance.odd"}};
  odd["dataflow"]["with"]["components"] = {{{"shape", {4}}, {"name", "x"}}};
  const Training training(folder, "run", odd);
  CHECK(training.run(ranks(2)) == 8);
  INFO(training.talk());
  CHECK(training.talk().find("variable 'odd'") != std::string::npos);
  CHECK(training.run() == 0);
}

TEST_CASE("ranks: another seed on one rank is found before the first step") {
  const Folder folder;
  Json other = manifest("allreduce", sharded(batches(points())));
  other["seed"] = "${env:RANK:-0}";
  const Training training(folder, "run", other);
  CHECK(training.run(ranks(2)) == 8);
  INFO(training.talk());
  for (const char* const part : {"rank 1: seed 1", "what rank 0 has: seed 0"})
    CHECK_MESSAGE(training.talk().find(part) != std::string::npos, part);
  CHECK(training.run() == 0);
}

TEST_CASE("ranks: another number of steps or epochs on one rank is found before the first step") {
  const Folder folder;
  Json longer = manifest("allreduce", sharded(batches(points())));
  longer["max_epoch"] = "${env:RANK:-0}";
  const Training training(folder, "run", longer);
  CHECK(training.run(ranks(2)) == 8);
  INFO(training.talk());
  for (const char* const part :
       {"steps_per_epoch 20, epochs 1 to 1", "rank 0 has: steps_per_epoch 20, epochs 1 to 0"})
    CHECK_MESSAGE(training.talk().find(part) != std::string::npos, part);
}

TEST_CASE("ranks: another exchange on one rank is found before the first step") {
  const Folder folder;
  Json other = manifest("allreduce", sharded(batches(points())), "sgd");
  // On rank 1 the gradients of fc1 are not exchanged, and nothing else tells the ranks apart.
  const Json frozen = {{"variables", "fc[3${env:RANK:-3}]/.*"}, {"frozen", true}};
  other["optimizer"] = {
      {"use", "variable-groups"},
      {"with", {{"optimizer", other["optimizer"]}, {"groups", std::vector<Json>{frozen}}}}};
  const Training training(folder, "run", other);
  CHECK(training.run(ranks(2)) == 8);
  INFO(training.talk());
  CHECK(training.talk().find("rank 1: the gradient of 'fc") != std::string::npos);
  CHECK(training.talk().find("what rank 0 has: the gradient of 'fc1/") != std::string::npos);
  CHECK(training.run() == 0);
}

TEST_CASE("ranks: callbacks of all ranks add up, gather and share") {
  const auto with = [](const char* what, const char* run_on) {
    Json run = manifest("allreduce", sharded(batches(points())));
    run["plugins"].push_back(TOGETHER);
    Json callback{{"use", "test.together"}, {"with", {{"what", what}}}};
    if (*run_on) callback["run_on"] = run_on;
    run["callbacks"] = Json::array({callback});
    run["steps_per_epoch"] = 2;
    run["runtime"] = {{"collective_timeout", 5}};
    return run;
  };
  const Folder folder;
  for (const int count : {1, 3}) {
    CAPTURE(count);
    const Training training(folder, "run" + std::to_string(count), with("", "all"));
    REQUIRE(training.run(ranks(count)) == 0);
    const Json found = training.stats()[0];
    const double sum = count == 1 ? 1 : 6;
    CHECK(found["sum_0"] == sum);
    CHECK(found["sum_1"] == (count == 1 ? 0.1 : 0.1 * 1 + 0.1 * 2 + 0.1 * 3));
    CHECK(found["mean_0"] == sum / count);
    CHECK(found["min_0"] == 1);
    CHECK(found["max_1"] == 0.1 * count);
    CHECK(found["last"] == count - 1);
    CHECK(found["gathered"] == (count == 1 ? 1 : 123));
  }
  struct Row {
    const char *what, *run_on, *said;
    int code;  // 0: of whoever ends first, rank 0 or one that has lost it
  };
  const Row rows[] = {{"", "", "runs on rank 0 alone", 0},
                      {"differ", "all", "made another call", 8},
                      {"absent", "all", "rank 1 has ended the event without this call", 8},
                      {"wrong", "all", "expected a rank below 3", 1}};
  for (const Row& row : rows) {
    CAPTURE(row.said);
    const Training training(folder, "bad" + std::to_string(&row - rows),
                            with(row.what, row.run_on));
    const int code = training.run(ranks(3));
    CHECK((row.code ? code == row.code : code != 0));
    INFO(training.talk());
    CHECK(training.talk().find(row.said) != std::string::npos);
  }
}

TEST_CASE("ranks: a callback of all ranks waits for what rank 0 alone does before it in an event" *
          doctest::test_suite("long")) {
  Json run = manifest("allreduce", sharded(batches(points())));
  run["plugins"].push_back(SETTER);
  run["plugins"].push_back(TOGETHER);
  const Json slow = {{"use", "test.setter"},
                     {"run_on", "chief"},
                     {"with", {{"what", "sleep"}, {"when", "trigger_epoch"}}}};
  const Json together = {{"use", "test.together"}, {"run_on", "all"}, {"with", {{"what", ""}}}};
  const Json plan = {{"use", "test.setter"},
                     {"run_on", "all"},
                     {"with", {{"what", "plan"}, {"when", "trigger_epoch"}}}};
  run["steps_per_epoch"] = 2;
  run["runtime"] = {{"collective_timeout", 5}};
  for (const Json& last : {together, plan}) {
    run["callbacks"] = Json::array({slow, last});
    const Folder folder;
    const Training training(folder, "run", run);
    const int code = training.run(ranks(2));
    INFO(training.talk());
    REQUIRE(code == 0);
    if (last == together) CHECK(training.stats()[0]["sum_0"] == 3);
  }
}

TEST_CASE("ranks: a stop ends also those that wait for its rank in a call of a plugin") {
  const std::pair<const char*, const char*> kStops[] = {{"stop", "chief"}, {"stop of rank", "all"}};
  for (const auto& [what, run_on] : kStops) {
    CAPTURE(what);
    Json run = manifest("allreduce", sharded(batches(points())));
    run["plugins"].push_back(SETTER);
    run["plugins"].push_back(TOGETHER);
    const Json stopper = {{"use", "test.setter"},
                          {"run_on", run_on},
                          {"with", {{"what", what}, {"when", "trigger_epoch"}}}};
    const Json together = {{"use", "test.together"}, {"run_on", "all"}, {"with", {{"what", ""}}}};
    run["callbacks"] = Json::array({stopper, together});
    run["steps_per_epoch"] = 2;
    run["max_epoch"] = 9;
    const Folder folder;
    const Training training(folder, "run", run);
    const int code = training.run(ranks(3));
    INFO(training.talk());
    CHECK(code == 0);
    for (const char* log : {"log.log", "rank1.log", "rank2.log"})
      CHECK_MESSAGE(training.text(log).find("Training was stopped") != std::string::npos, log);
  }
}

TEST_CASE("ranks: over NCCL, one GPU a rank; a machine without says so") {
  const Folder folder;
  Json run = manifest({{"use", "allreduce"}, {"with", {{"devices", {"cuda"}}}}}, batches(points()));
  run["runtime"] = {{"collectives", "nccl"}};
  const Training training(folder, "run", run);
  const int code = training.run(ranks(2));
  INFO(training.talk());
  if (std::filesystem::exists("/dev/nvidia1")) {
    CHECK(code == 0);
    return;
  }
  MESSAGE("skipped: no two GPUs");
  CHECK((code == 4 || code == 8));
  CHECK(training.talk().find("nccl") != std::string::npos);
  CHECK(training.talk().find("Start Epoch") == std::string::npos);
}
