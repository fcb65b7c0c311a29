// periodic_trigger_test.cpp: periodic-trigger, and the key "when", which stands for it.
#include "saving.hpp"

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

const std::string kNamed = R"("name": "drift", "use": "early-stopping", "with": {
    "monitor_stat": "val-err", "patience": 5})";
const std::string kPeriod = R"(, "when": {"every_k_epochs": 1}})";
const std::string kPlain = "{" + kNamed + "}, " + saver();
const std::string kWhen = "{" + kNamed + kPeriod + R"(, {"use": "model-saver")" + kPeriod;

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

TEST_CASE("periodic-trigger: when changes neither names nor what a resumed run goes on with") {
  // As programs up to 0.1 called what "when" triggers.
  const std::string former = R"({"name": "periodic-trigger", "use": "periodic-trigger", "with": {
      "every_k_epochs": 1, "callback": {)" +
                             kNamed + "}}}, " + saver();
  for (const auto& [first, second] :
       {std::pair{kPlain, kWhen}, {kWhen, kPlain}, {kWhen, kWhen}, {former, kWhen}}) {
    CAPTURE(first);
    CAPTURE(second);
    Project project;
    CHECK(train(project, metric() + ", " + first, 1) == Exit::ok);
    broch::session::RunOptions resume = Project::null_runtime();
    resume.resume = true;
    CHECK(train(project, metric() + ", " + second, 2, resume) == Exit::ok);
    CHECK(project.failure == "");
    CHECK(!project.logged("the checkpoint has"));
    CHECK(project.logged("model-saver: Model saved"));
  }
}

TEST_CASE("periodic-trigger: an option of what when triggers is called as without when") {
  for (const std::string& callbacks : {kPlain, kWhen}) {
    Project project;
    const std::string setter = R"({"use": "scheduled-hyper-param-setter", "with": {
        "param": "drift/patience", "schedule": [[1, 7]]}})";
    CHECK(train(project, metric() + ", " + callbacks + ", " + setter, 2) == Exit::ok);
    CHECK(project.failure == "");
    CHECK(project.logged("drift/patience"));
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
