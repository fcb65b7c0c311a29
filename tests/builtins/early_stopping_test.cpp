// early_stopping_test.cpp: early-stopping.
#include <cstring>

#include "saving.hpp"
#include "store/checkpoint.hpp"

using namespace broch::test;

namespace {

// The one number of a variable in a checkpoint of the log folder.
float saved(const Project& project, const std::string& file, const std::string& variable) {
  const auto checkpoint = broch::store::read_checkpoint(project.log_dir() / file);
  float value = NAN;
  for (const auto& one : checkpoint.contents.variables)
    if (one.value.name == variable) std::memcpy(&value, one.value.bytes.data(), sizeof value);
  return value;
}

}  // namespace

TEST_CASE("early-stopping: ends after `patience` observations without improvement") {
  const auto stops_at = [](const std::string& values, const std::string& options) {
    Project project;
    REQUIRE(train(project,
                  metric(values) +
                      ", {\"use\": \"early-stopping\", \"with\": {\"monitor_stat\": "
                      "\"val-err\"" +
                      options + "}}",
                  9) == Exit::ok);
    return int(project.log_lines("Start Epoch").size());
  };
  CHECK(stops_at("5", R"(, "patience": 2)") == 3);
  CHECK(stops_at("max(0, 4 - epoch_num)", R"(, "patience": 3)") == 7);
  CHECK(stops_at("0 - epoch_num", R"(, "patience": 1)") == 9);
  CHECK(stops_at("0 - epoch_num", R"(, "patience": 3, "mode": "max")") == 4);
  CHECK(stops_at("0 - epoch_num", R"(, "patience": 3, "min_delta": 2)") == 9);
  CHECK(stops_at("epoch_num == 1 ? log(-1) : 0 - epoch_num", R"(, "patience": 2)") == 9);
}

TEST_CASE("early-stopping: a metric that is never a number is told as such") {
  Project project;
  REQUIRE(train(project,
                metric("log(-1)") +
                    R"(, {"use": "early-stopping", "with": {"monitor_stat": "val-err",
                         "patience": 2}})",
                9) == Exit::ok);
  CHECK(project.logged("val-err has not been a number for 2 observations"));
}

TEST_CASE("early-stopping: only what is better than the baseline counts") {
  Project project;
  const auto stops_at = [&](const std::string& more) {
    std::filesystem::remove_all(project.log_dir());
    REQUIRE(train(project,
                  metric("0 - epoch_num") +
                      R"(, {"use": "early-stopping", "with": {"monitor_stat": "val-err")" + more +
                      "}}",
                  9) == Exit::ok);
    return int(project.log_lines("Start Epoch").size());
  };
  CHECK(stops_at(R"(, "patience": 2, "baseline": -2)") == 2);
  CHECK(project.logged("val-err has not become better than -2 for 2 observations"));
  CHECK(stops_at(R"(, "patience": 2, "baseline": -1.25e-7, "mode": "max")") == 2);
  CHECK(project.logged("val-err has not become better than -1.25e-07 for 2 observations"));
  CHECK(stops_at(R"(, "patience": 3, "baseline": -2)") == 9);
  CHECK(stops_at(R"(, "patience": 4, "baseline": -1.5, "mode": "max")") == 5);
}

TEST_CASE("early-stopping: a value beyond a threshold ends the training at once") {
  Project project;
  const auto stops_at = [&](const std::string& more) {
    std::filesystem::remove_all(project.log_dir());
    REQUIRE(train(project,
                  metric("epoch_num == 4 ? log(-1) : epoch_num") +
                      R"(, {"use": "early-stopping", "with": {"monitor_stat": "val-err",
                           "patience": 20)" +
                      more + "}}",
                  9) == Exit::ok);
    return int(project.log_lines("Start Epoch").size());
  };
  CHECK(stops_at(R"(, "mode": "max", "stopping_threshold": 2)") == 3);  // 2 is not better than 2
  CHECK(project.logged("val-err is 3, better than 2"));
  CHECK(stops_at(R"(, "stopping_threshold": 1)") == 9);
  CHECK(stops_at(R"(, "divergence_threshold": 6)") == 7);
  CHECK(project.logged("val-err is 7, worse than 6"));
  CHECK(stops_at(R"(, "mode": "max", "divergence_threshold": 1)") == 9);
  CHECK(stops_at(R"(, "stopping_threshold": 1.5, "restore_best": true)") == 1);
  CHECK(stops_at(R"(, "divergence_threshold": 2, "from_epoch": 6)") == 6);
}

TEST_CASE("early-stopping: values before an epoch do not count") {
  const auto stops_at = [&](const std::string& more) {
    Project project;
    REQUIRE(train(project,
                  metric("epoch_num < 3 ? 0 : 5") +
                      R"(, {"use": "early-stopping", "with": {"monitor_stat": "val-err",
                           "patience": 2)" +
                      more + "}}",
                  9) == Exit::ok);
    return int(project.log_lines("Start Epoch").size());
  };
  CHECK(stops_at("") == 3);
  CHECK(stops_at(R"(, "from_epoch": 4)") == 6);
}

TEST_CASE("early-stopping: a value from before the first epoch does not count in it") {
  Project project;
  const std::string every_other = R"({"use": "test.recorder", "when": {"every_k_epochs": 2},
                                      "with": {"put": [)" +
                                  put("trigger", "val-err", "epoch_num") + "]}}";
  REQUIRE(train(project,
                every_other + R"(, {"use": "early-stopping", "with": {"monitor_stat": "val-err",
                    "divergence_threshold": 3, "from_epoch": 5}})",
                9) == Exit::ok);
  // In epoch 5, the newest value is that of epoch 4.
  CHECK(project.log_lines("Start Epoch").size() == 6);
  CHECK(project.logged("val-err is 6, worse than 3"));
}

TEST_CASE("early-stopping: puts the best weights back, and a resumed run takes the last ones") {
  const auto callbacks = [](const Project& project, int patience) {
    return "callbacks=[" + metric("epoch_num == 2 ? 1 : 5") +
           R"(, "model-saver", {"use": "early-stopping", "with": {"monitor_stat": "val-err",
               "restore_best": true, "patience": )" +
           std::to_string(patience) + "}}, " +
           recorder("{" + project.trace_option() +
                    R"(, "events": ["trigger_epoch"], "watch": "w"})") +
           "]";
  };
  const std::string data = "dataflow=" + rows("[[1], [2], [3], [4]]");
  Project project, whole;
  // w is 0, -2, -5, -9 after the epochs 1 to 4; epoch 5 begins the data again.
  until(project, 6, false, {data, callbacks(project, 2)}, "");
  CHECK(project.logged("The weights of global_step=2 with val-err=1, the best ones"));
  CHECK(saved(project, "model-4.safetensors", "w") == -2);
  CHECK(saved(project, "model-4.safetensors", "best_weights/w") == -9);
  // The recorder comes after early-stopping, so epoch 4 was not over for it.
  CHECK(until(project, 5, true, {data, callbacks(project, 9)}, "trigger_epoch ") ==
        Lines{"4,0,4 -9", "5,0,5 -10"});
  CHECK(saved(project, "model-5.safetensors", "w") == -2);  // the last epoch is over

  until(whole, 5, false, {data, callbacks(whole, 9)}, "");
  for (const char* variable : {"w", "best_weights/w", "seen"})
    CHECK(saved(whole, "model-5.safetensors", variable) ==
          saved(project, "model-5.safetensors", variable));
}

TEST_CASE("early-stopping: weights of another step than the best value are told") {
  const auto told = [](const std::string& first, const std::string& then) {
    Project project;
    REQUIRE(train(project, first + ", " + then, 4) == Exit::ok);
    return project.log_lines("the best val-err so far is of step ");
  };
  const std::string falls = metric("0 - epoch_num");
  const std::string restores = R"({"use": "early-stopping", "with": {"monitor_stat": "val-err",
                                   "restore_best": true}})";
  CHECK(told(falls, restores).empty());
  const Lines lines = told(restores, falls);
  REQUIRE(lines.size() == 1);
  CHECK(has(lines[0], "of step 1, but kept for it are weights of step 2"));
}

TEST_CASE("early-stopping: saves nothing when the very last step has failed") {
  Project project;
  // w is -2 in the third step, so the cost is beyond the largest float.
  const std::string callbacks = metric("5") + R"(, "nan-guard", {"use": "early-stopping", "with": {
                       "monitor_stat": "val-err", "restore_best": true}})";
  CHECK(broch::test::train(project, {"dataflow=" + rows("[[1], [2], [3e38]]"),
                                     "callbacks=[" + callbacks + "]", "max_epoch=3"}) ==
        Exit::numbers);
  CHECK(project.files("model-").empty());
}

TEST_CASE("early-stopping: what it has seen outlives a restart") {
  Project project;
  const std::string callbacks =
      metric("5") +
      R"(, {"use": "early-stopping", "with": {"monitor_stat": "val-err", "patience": 3}}, )" +
      saver();
  REQUIRE(train(project, callbacks, 2) == Exit::ok);
  broch::session::RunOptions resume = Project::null_runtime();
  resume.resume = true;
  REQUIRE(train(project, callbacks, 9, resume) == Exit::ok);
  CHECK(project.log_lines("Start Epoch").back() == "Start Epoch 4 ...");
  CHECK(project.logged("val-err has not improved on 5 for 3 observations"));
}
