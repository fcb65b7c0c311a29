// awaited_test.cpp: a metric that a callback waits for and that never comes.
#include "project.hpp"

using namespace broch::test;

namespace {

const std::string kPut = "\"put\": [" + put("trigger", "val-err", "1 / epoch_num") + "]";
const std::string kMetric = recorder("{" + kPut + "}");
const std::string kEarly = R"({"use": "early-stopping", "with": {"monitor_stat": "val-er"}})";
const std::string kRight = R"({"use": "early-stopping", "with": {"monitor_stat": "val-err"}})";

std::string promiser(const std::string& options) {
  return R"({"use": "test.promiser", "with": {)" + options + "}}";
}
// The same entry with "when".
std::string when(std::string entry, const std::string& period) {
  entry.pop_back();
  return entry + ", \"when\": {" + period + "}}";
}

struct Ended {
  Exit exit;
  int epochs;  // that were begun
};

Ended train_awaiting(Project& project, const std::string& callbacks, int epochs = 4,
                     int steps = 2) {
  const Exit exit =
      project.train({"callbacks=[" + callbacks + "]", "max_epoch=" + std::to_string(epochs),
                     "steps_per_epoch=" + std::to_string(steps)});
  return {exit, int(project.log_lines("Start Epoch").size())};
}

bool failed(const Project& project, const std::string& words) {
  CAPTURE(project.failure);
  return project.failure.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("awaited: a name that nothing puts ends the run at the first trigger, with names near") {
  for (const char* use : {"early-stopping", "min-saver", "max-saver"}) {
    CAPTURE(use);
    Project project;
    const std::string waits =
        std::string(R"({"use": ")") + use + R"(", "with": {"monitor_stat": "val-er"}})";
    const Ended ended = train_awaiting(project, "\"model-saver\", " + kMetric + ", " + waits);
    CHECK(ended.exit == Exit::manifest);
    CHECK(ended.epochs == 1);
    CHECK(failed(project, "/callbacks/2"));
    CHECK(failed(project, std::string("broch.callback.") + use));
    CHECK(failed(project,
                 "waits for the metric 'val-er', which nothing sets, did you mean "
                 "'val-err'?"));
    CHECK(failed(project, "a metric of this run: "));
  }
}

TEST_CASE("awaited: a metric may come from a callback behind, or every few epochs") {
  Project project;
  const std::string rare = when(kMetric, "\"every_k_epochs\": 3");
  for (const std::string& list : {kRight + ", " + kMetric, rare + ", " + kRight}) {
    CHECK(train_awaiting(project, list).exit == Exit::ok);
    CHECK(project.failure == "");
  }
  SUBCASE("a wrong name is known once those who say nothing have had their turn") {
    CHECK(train_awaiting(project, kEarly + ", " + kMetric).epochs == 2);
    CHECK(failed(project, "'val-er'"));
    CHECK(train_awaiting(project, rare + ", " + kEarly).epochs == 3);
    CHECK(failed(project, "'val-er'"));
    CHECK(train_awaiting(project, kEarly + ", " + rare).epochs == 4);
    CHECK(failed(project, "'val-er'"));
  }
  SUBCASE("and at the end of training at the latest") {
    CHECK(train_awaiting(project, kEarly + ", " + kMetric, 1).exit == Exit::manifest);
    CHECK(failed(project, "'val-er'"));
    CHECK(train_awaiting(project, rare + ", " + kEarly, 2).exit == Exit::ok);
    CHECK(project.logged(
        "/callbacks/1 waited for the metric 'val-er', which was never set: not every "
        "callback was triggered"));
  }
}

TEST_CASE("awaited: who says that it puts a metric may take its time") {
  Project project;
  const std::string waits = R"({"use": "early-stopping", "with": {"monitor_stat": "val_err"}})";
  const std::string never = promiser(R"("promises": ["err", "never"], "prefix": "val")");
  CHECK(train_awaiting(project, never + ", " + waits).exit == Exit::ok);
  CHECK(
      project.logged("/callbacks/1 waited for the metric 'val_err', which was never set: "
                     "/callbacks/0 may set it"));
}

TEST_CASE("awaited: if all list their metrics, a warning comes before the first step") {
  Project project;
  const std::string lists = promiser(R"("promises": ["err"], "prefix": "val")");
  const auto waits = [](const std::string& name) {
    return R"({"use": "early-stopping", "with": {"monitor_stat": ")" + name + "\"}}";
  };
  const std::string said = "which nothing is known to set";
  CHECK(train_awaiting(project, lists + ", " + waits("val_rmse")).exit == Exit::manifest);
  CHECK(project.logged("waits for the metric 'val_rmse', " + said));
  CHECK(project.log().find(said) < project.log().find("Start Epoch 1"));
  CHECK(train_awaiting(project, lists + ", " + waits("val_err")).exit == Exit::ok);
  CHECK_FALSE(project.logged(said));
  CHECK(train_awaiting(project, kMetric + ", " + kEarly).exit == Exit::manifest);
  CHECK_FALSE(project.logged(said));  // the recorder may set anything
}

TEST_CASE("awaited: inside of another callback, the error is the same") {
  Project project;
  const Ended ended =
      train_awaiting(project, kMetric + ", " + when(kEarly, "\"every_k_steps\": 1"), 4, 3);
  CHECK(ended.exit == Exit::manifest);
  CHECK(ended.epochs == 2);  // the recorder's turn is behind the steps
  CHECK(failed(project, "/callbacks/1"));
  CHECK(failed(project, "'val-er', which nothing sets"));
}

TEST_CASE("awaited: expressions wait, too") {
  Project project;
  const std::string setter = R"({"use": "hyper-param-setter-with-func", "with":
      {"param": "learning_rate", "func": "stat(\"val-er\") < 1 ? 0.1 : value"}})";
  CHECK(train_awaiting(project, kMetric + ", " + setter).exit == Exit::manifest);
  CHECK(failed(project, "/callbacks/1"));
  CHECK(failed(project, "'val-er', which nothing sets, did you mean 'val-err'?"));
}
