// periodic_trigger_test.cpp: periodic-trigger, and the key "when", which stands for it.
#include "slope.hpp"

using namespace broch::test;

namespace {

// Events of a recorder inside the given schedule.
Lines fired(Project& project, const std::string& schedule, const std::string& event, int steps,
            int epochs) {
  const std::string inner = R"({"use": "test.recorder", "with": {)" + project.trace_option() +
                            R"(, "events": [")" + event + "\"]}";
  const std::string callback = schedule.starts_with("\"when")
                                   ? inner + ", " + schedule + "}"
                                   : R"({"use": "periodic-trigger", "with": {"callback": )" +
                                         inner + "}, " + schedule + "}}";
  CHECK(project.train({"callbacks=[" + callback + "]", "steps_per_epoch=" + std::to_string(steps),
                       "max_epoch=" + std::to_string(epochs)}) == Exit::ok);
  return project.trace(event + " ");
}

}  // namespace

TEST_CASE("periodic-trigger: every k steps counts global steps") {
  Project project;
  CHECK(fired(project, R"("every_k_steps": 2)", "trigger", 3, 2) ==
        Lines{"1,1,2", "2,0,4", "2,2,6"});
  CHECK(fired(project, R"("when": {"every_k_steps": 2})", "trigger", 3, 2) ==
        Lines{"1,1,2", "2,0,4", "2,2,6"});
  CHECK(fired(project, R"("every_k_steps": 4)", "trigger", 3, 4) ==
        Lines{"2,0,4", "3,1,8", "4,2,12"});
}

TEST_CASE("periodic-trigger: every k epochs, not at the last one") {
  Project project;
  CHECK(fired(project, R"("every_k_epochs": 2)", "trigger", 1, 5) == Lines{"2,0,2", "4,0,4"});
  CHECK(fired(project, R"("when": {"every_k_epochs": 2})", "trigger", 1, 5) ==
        Lines{"2,0,2", "4,0,4"});
  CHECK(fired(project, R"("every_k_epochs": 2, "every_k_steps": 3, "before_train": true)",
              "trigger", 1, 4) == Lines{"0,-1,0", "2,0,2", "3,0,3", "4,0,4"});
}

TEST_CASE("periodic-trigger: all other events pass through, trigger_epoch does not") {
  Project project;
  const std::string never = R"("every_k_epochs": 9)";
  CHECK(fired(project, never, "trigger_step", 2, 2) == Lines{"1,0,1", "1,1,2", "2,0,3", "2,1,4"});
  CHECK(fired(project, never, "after_run", 2, 1) == Lines{"1,0,1", "1,1,2"});
  CHECK(fired(project, never, "before_train", 1, 1) == Lines{"0,-1,0"});
  CHECK(fired(project, never, "after_train", 1, 1) == Lines{"1,0,1"});
  CHECK(fired(project, never, "trigger_epoch", 1, 9).empty());
}

TEST_CASE("periodic-trigger: a trigger from outside passes") {
  Project project;
  const auto every = [](const std::string& callback, const std::string& period) {
    return use("periodic-trigger", "\"callback\": " + callback + ", " + period);
  };
  const std::string inner = recorder("{" + project.trace_option() + R"(, "events": ["trigger"]})");
  const std::string both = every(every(inner, R"("every_k_epochs": 2)"), R"("every_k_steps": 2)");
  CHECK(project.train({"callbacks=[" + both + "]", "steps_per_epoch=3", "max_epoch=2"}) ==
        Exit::ok);
  CHECK(project.trace() == Lines{"trigger 1,1,2", "trigger 2,0,4", "trigger 2,2,6"});
}

TEST_CASE("periodic-trigger: without a period it is refused") {
  Project project;
  CHECK(project.train({R"(callbacks=[{"use": "periodic-trigger", "with": {"callback":
      {"use": "test.recorder"}}}])"}) == Exit::manifest);
  CHECK(project.failure.find("every_k_steps") != std::string::npos);
}

TEST_CASE("periodic-trigger: a callback without trigger is told, others are not") {
  const std::string words = "has no trigger, so \"when\" never calls it";
  for (const bool lacks_it : {true, false}) {
    CAPTURE(lacks_it);
    Project project;
    const std::string callback = lacks_it ? "progress-bar" : "model-saver";
    CHECK(project.train({R"(callbacks=[{"use": ")" + callback +
                         R"(", "when": {"every_k_epochs": 2}}])"}) == Exit::ok);
    CHECK(project.logged(words) == lacks_it);
  }
}

TEST_CASE("periodic-trigger: runs on the ranks of what it wraps") {
  Project project;
  broch::session::RunOptions second = Project::null_runtime();
  second.rank = 1;
  second.world = 2;
  const std::string setter = R"("use": "scheduled-hyper-param-setter", "with": {
      "param": "learning_rate", "schedule": [[2, 0.5]]}, "when": {"every_k_epochs": 2})";
  const std::string watch = R"({"use": "test.recorder", "run_on": "all", "with": {)" +
                            project.trace_option() +
                            R"(, "events": ["trigger_epoch"], "watch": "learning_rate"}})";
  CHECK(project.train({"callbacks=[{" + setter + "}, " + watch + "]", "max_epoch=2"}, second) ==
        Exit::ok);
  CHECK(project.trace() == Lines{"trigger_epoch 1,0,1 1", "trigger_epoch 2,0,2 0.5"});
}
