// stats_test.cpp: costs and hyper-parameters are recorded whatever the model shows.
#include <cmath>

#include "slope.hpp"

using namespace broch::test;

namespace {

const std::string kRows = "dataflow=" + rows("[[1], [2], [3], [4]]");

std::string listener(const Project& project) {
  return "monitors=[" + project.listener() + ", \"json-writer\"]";
}
std::string slope(const std::string& options) {
  return R"(model={"use": "test.slope", "with": {)" + options + "}}";
}

// Moving averages, as a model's own would be, of the costs of these steps: one number an epoch.
Lines averages(const std::vector<double>& costs, size_t steps_per_epoch) {
  Lines values;
  double biased = 0;
  for (size_t i = 0; i < costs.size(); ++i) {
    biased += 0.05 * (costs[i] - biased);
    if ((i + 1) % steps_per_epoch != 0) continue;
    char text[40];
    std::snprintf(text, sizeof text, "%.9g", biased / (1 - std::pow(0.95, double(i + 1))));
    values.emplace_back(text);
  }
  return values;
}

// w is 1 and falls by the mean of each row: the costs of eight steps over the rows.
const std::vector<double> kCosts = {1 * 1,  0 * 2,   -2 * 3,  -5 * 4,
                                    -9 * 1, -10 * 2, -12 * 3, -15 * 4};

}  // namespace

TEST_CASE("stats: the cost is recorded as its moving average, and so is the learning rate") {
  Project project;
  const std::string seen = listener(project);
  for (const char* model : {"", R"("nameless": true)"}) {
    CAPTURE(model);
    std::filesystem::remove_all(project.log_dir());
    REQUIRE(train(project, {kRows, seen, slope(model), "steps_per_epoch=4", "max_epoch=2"}) ==
            Exit::ok);
    CHECK(project.trace("M.scalar cost ") == averages(kCosts, 4));
    CHECK(project.trace("M.scalar learning_rate ") == Lines{"1", "1"});
    CHECK(project.trace("M.summary cost").size() == 2);  // what event files are made of
    CHECK(project.records().size() == 2);
    CHECK(project.records()[1].find("\"learning_rate\":1") != std::string::npos);
  }
}

TEST_CASE("stats: what summaries bring under the same name is not recorded twice") {
  Project project;
  REQUIRE(
      train(project, {kRows, listener(project), slope(R"("shows_cost": true)"), "steps_per_epoch=4",
                      "max_epoch=2", R"(extra_callbacks=["merge-all-summaries"])"}) == Exit::ok);
  CHECK(project.trace("M.scalar cost ") == Lines{"-20", "-60"});
}

TEST_CASE("stats: a hyper-parameter is recorded as the steps of the epoch had it") {
  Project project;
  const std::string setter = R"({"use": "scheduled-hyper-param-setter", "with":
      {"param": "learning_rate", "schedule": [[1, 0.5], [2, 0.25]]}})";
  REQUIRE(train(project, {kRows, listener(project), "callbacks=[" + setter + "]",
                          "steps_per_epoch=1", "max_epoch=3"}) == Exit::ok);
  CHECK(project.trace("M.scalar learning_rate ") == Lines{"1", "0.5", "0.25"});
}

TEST_CASE("stats: a callback can wait for the cost, and finds it in the first epoch") {
  Project project;
  const std::string best = R"({"use": "min-saver", "with": {"monitor_stat": "cost"}})";
  REQUIRE(train(project, {kRows, "callbacks=[\"model-saver\", " + best + "]", "steps_per_epoch=4",
                          "max_epoch=2"}) == Exit::ok);
  CHECK(project.log_lines("Model at global_step").size() == 2);
}

TEST_CASE("stats: a resumed run goes on with the average") {
  Project project;
  const Lines overrides = {kRows, listener(project), R"(callbacks=["model-saver"])",
                           "steps_per_epoch=4"};
  until(project, 1, false, overrides, "M.scalar cost ");
  CHECK(until(project, 2, true, overrides, "M.scalar cost ") == Lines{averages(kCosts, 4)[1]});
}
