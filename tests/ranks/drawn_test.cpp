// drawn_test.cpp: cases drawn from a seed, trained by several processes, end where a few lines of
// plain arithmetic end. BROCH_DRAWN_CASES: how many of each strategy.
#include "cli_harness/cli_harness.hpp"
#include "strategies/descent.hpp"

using namespace broch::test;
using broch::cli_harness::Json;
using broch::cli_harness::Training;

namespace {

int64_t case_count() { return broch::from_environment("BROCH_DRAWN_CASES", 4); }

// slope.c: the gradient of w is the data point.
struct Case {
  Json trainer;
  std::vector<std::string> arguments;
  Optimizer optimizer;
  std::vector<double> points;  // in the order in which workers and their towers take them
  int64_t steps = 1;
};

double trained(const Case& one) {
  Json rows = Json::array();
  for (const double point : one.points) rows.push_back({point});
  const Json data{{"use", "test.rows"}, {"with", {{"rows", rows}}}};
  const Folder folder;
  const Training training(
      folder, "run",
      {{"broch", 1},
       {"plugins", {SLOPE, MODELS}},
       {"model", {{"use", "conformance.slope"}}},
       {"trainer", one.trainer},
       {"dataflow", {{"use", "shard"}, {"with", {{"dataflow", data}}}}},
       {"optimizer",
        {{"use", one.optimizer.use}, {"with", {{"learning_rate", one.optimizer.rate}}}}},
       {"callbacks", {"model-saver"}},
       {"steps_per_epoch", one.steps},
       {"max_epoch", 1}});
  const int code = training.run(one.arguments);
  INFO(training.talk());
  REQUIRE(code == 0);
  return training.checkpoint(one.steps).at("w").front();
}

// For each worker, in the order of ranks, the points of its towers in one step.
std::vector<std::vector<double>> of_workers(const std::vector<double>& points, int64_t step,
                                            int64_t workers, int64_t towers) {
  std::vector<std::vector<double>> all(static_cast<size_t>(workers));
  for (int64_t worker = 0; worker < workers; ++worker)
    for (int64_t tower = 0; tower < towers; ++tower)
      all[static_cast<size_t>(worker)].push_back(
          points[static_cast<size_t>((step * towers + tower) * workers + worker)]);
  return all;
}

std::vector<double> drawn_points(Cases& cases, int64_t count) {
  std::vector<double> points;
  for (int64_t i = 0; i < count; ++i)
    points.push_back(static_cast<double>(static_cast<float>(cases.number(-3, 3))));
  return points;
}

}  // namespace

TEST_CASE("drawn: allreduce applies the mean or the sum over the ranks") {
  const uint64_t seed = first_seed();
  for (int64_t i = 0; i < case_count(); ++i) {
    CAPTURE(seed + static_cast<uint64_t>(i));
    Cases cases(seed + static_cast<uint64_t>(i));
    const int64_t ranks = cases.integer(2, 3);
    const bool average = cases.integer(0, 1) == 1;
    Case one;
    one.trainer = {{"use", "allreduce"}, {"with", {{"average", average}}}};
    one.arguments = {"--ranks", std::to_string(ranks)};
    one.optimizer = cases.optimizer();
    one.steps = cases.integer(1, 5);
    one.points = drawn_points(cases, one.steps * ranks);
    Descent plain(one.optimizer);
    for (int64_t step = 0; step < one.steps; ++step) {
      std::vector<double> gradients;
      for (const auto& of_one : of_workers(one.points, step, ranks, 1))
        gradients.push_back(of_one.front());
      plain.apply(average ? mean_of(gradients) : sum_of(gradients));
    }
    check_near({trained(one)}, {plain.w});
  }
}

TEST_CASE("drawn: parameter servers apply each worker's mean over its towers, by rank") {
  const uint64_t seed = first_seed();
  for (int64_t i = 0; i < case_count(); ++i) {
    CAPTURE(seed + static_cast<uint64_t>(i));
    Cases cases(seed + static_cast<uint64_t>(i));
    const int64_t workers = cases.integer(1, 2), servers = cases.integer(1, 2);
    const int64_t towers = cases.integer(1, 3);
    Json devices = Json::array();
    for (int64_t tower = 0; tower < towers; ++tower)
      devices.push_back("cpu:" + std::to_string(tower));
    Case one;
    one.trainer = {{"use", cases.integer(0, 1) == 1 ? "distributed-replicated"
                                                    : "distributed-parameter-server"},
                   {"with", {{"devices", devices}}}};
    one.arguments = {"--ranks", std::to_string(workers + servers), "--ps", std::to_string(servers)};
    one.optimizer = cases.optimizer();
    one.steps = cases.integer(1, 5);
    one.points = drawn_points(cases, one.steps * workers * towers);
    Descent plain(one.optimizer);
    for (int64_t step = 0; step < one.steps; ++step)
      for (const auto& of_one : of_workers(one.points, step, workers, towers))
        plain.apply(mean_of(of_one));
    check_near({trained(one)}, {plain.w});
  }
}
