// instances_test.cpp: names of instances, and what they may do when.
#include "project.hpp"

using namespace broch::test;

namespace {

std::string named(const Project& project, const std::string& name, const std::string& more = "") {
  return R"({"use": "test.recorder", "name": ")" + name + R"(", "with": {)" +
         project.trace_option() + R"(, "events": ["trigger"]})" + more + "}";
}
const std::string kEachStep = R"({"use": "periodic-trigger", "with":
    {"callback": {"ref": "inner"}, "every_k_steps": 1, "every_k_epochs": null}})";

}  // namespace

TEST_CASE("instances: a reference finds an entry with \"when\", before it and behind it") {
  Project project;
  const std::string inner = named(project, "inner", R"(, "when": {"every_k_epochs": 1})");
  for (const std::string& list : {inner + ", " + kEachStep, kEachStep + ", " + inner}) {
    CHECK(project.train({"callbacks=[" + list + "]", "steps_per_epoch=2"}) == Exit::ok);
    CHECK(project.failure == "");
    CHECK(project.trace() == Lines{"trigger 1,0,1", "trigger 1,1,2", "trigger 1,1,2"});
  }
}

TEST_CASE("instances: an entry that refers to what is inside of it is an error") {
  Project project;
  const std::string circle = R"({"use": "periodic-trigger", "name": "outer", "with":
      {"every_k_steps": 1, "callback": {"use": "periodic-trigger", "name": "inner", "with":
          {"every_k_steps": 1, "callback": {"ref": "inner"}}}}})";
  CHECK(project.train({"callbacks=[" + circle + "]"}) == Exit::manifest);
  CHECK(project.failure.find("refers to itself") != std::string::npos);
}

TEST_CASE("instances: a name that was given is not taken by an entry without one") {
  Project project;
  const std::string unnamed = R"({"use": "test.recorder"})";
  const std::string other = R"({"use": "periodic-trigger", "with":
      {"callback": {"ref": "recorder"}, "every_k_steps": 1}})";
  CHECK(project.train({"callbacks=[" + unnamed + ", " + named(project, "recorder") + ", " + other +
                       "]"}) == Exit::ok);
  CHECK(project.trace() == Lines{"trigger 1,0,1", "trigger 1,0,1"});
}

TEST_CASE("instances: checkpoints are refused before there is a run, inside its steps and after") {
  Project project;
  CHECK(project.train({"callbacks=[{\"use\": \"test.keeper\", \"with\": {" +
                       project.trace_option() + "}}]"}) == Exit::ok);
  CHECK(project.failure == "");
  CHECK(project.trace() == Lines{"create refused refused", "setup_graph refused refused",
                                 "before_train ok ok", "before_run refused refused",
                                 "after_run refused refused", "trigger_step ok ok", "trigger ok ok",
                                 "after_train ok ok", "destroy refused refused"});
}

TEST_CASE("instances: another working directory behind create is an error that names the plugin") {
  Project project;
  const std::filesystem::path before = std::filesystem::current_path();
  CHECK(project.train({"callbacks=[\"test.wanderer\"]"}) == Exit::training);
  CHECK(project.failure.find("test.wanderer") != std::string::npos);
  CHECK(project.failure.find("working directory") != std::string::npos);
  CHECK(std::filesystem::current_path() == before);
}

TEST_CASE("instances: a stop in setup_graph, where there is no training yet, is an error") {
  Project project;
  CHECK(project.train({"callbacks=[" +
                       recorder("{\"put\": [" + put("setup_graph", "stop", "stop()") + "]}") +
                       "]"}) == Exit::training);
  CHECK(project.failure.find("from setup_graph, expected 0 or a failure") != std::string::npos);
}

TEST_CASE("instances: what has state and none in the checkpoint is named on resuming") {
  Project project;
  const auto train = [&](const std::string& more, bool resume) {
    broch::session::RunOptions run = Project::null_runtime();
    run.resume = resume;
    CHECK(project.train({"callbacks=[\"model-saver\"" + more + "]"}, run) == Exit::ok);
  };
  train("", false);
  train("", true);
  CHECK_FALSE(project.logged("has no state for"));
  train(R"(, {"use": "min-saver", "with": {"monitor_stat": "learning_rate"}})", true);
  CHECK(
      project.logged("has no state for these instances, which start afresh: callback 'min-saver'"));
}
