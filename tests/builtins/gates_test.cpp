// gates_test.cpp: enable-callback-if and periodic-callback.
#include "project.hpp"

using namespace broch::test;

namespace {

const char* const kEvents[] = {"before_epoch", "before_run",  "after_run",
                               "trigger_step", "after_epoch", "trigger_epoch"};

// "epoch,local,global" of an event of a recorder behind the gate.
Lines passed(Project& project, const std::string& gate, const std::string& options,
             const std::string& event, int steps, int epochs, const std::string& before = "") {
  const std::string inner =
      recorder("{" + project.trace_option() + R"(, "events": [")" + event + "\"]}");
  const std::string callback =
      R"({"use": ")" + gate + R"(", "with": {"callback": )" + inner + ", " + options + "}}";
  REQUIRE(project.train({"callbacks=[" + before + callback + "]",
                         "steps_per_epoch=" + std::to_string(steps),
                         "max_epoch=" + std::to_string(epochs)}) == Exit::ok);
  return project.trace(event + " ");
}

}  // namespace

TEST_CASE("periodic-callback: every second epoch and in the very last step") {
  Project project;  // expected: tensorpack, run with five epochs of one step
  const auto in = [&](const std::string& event) {
    return passed(project, "periodic-callback", R"("every_k_epochs": 2)", event, 1, 5);
  };
  for (const char* event : {"trigger_step", "after_epoch", "trigger_epoch"})
    CHECK(in(event) == Lines{"2,0,2", "4,0,4", "5,0,5"});
  for (const char* event : {"before_run", "after_run"}) {
    const Lines lines = in(event);
    REQUIRE(lines.size() == 3);
    for (size_t i = 0; i < 3; ++i) CHECK(lines[i].substr(0, 2) == Lines{"2,", "4,", "5,"}[i]);
  }
}

TEST_CASE("periodic-callback: all events of a step go by its number when it has finished") {
  Project project;
  const auto in = [&](const std::string& event) {
    return passed(project, "periodic-callback", R"("every_k_steps": 2)", event, 4, 1);
  };
  CHECK(in("before_run") == Lines{"1,1,1", "1,3,3"});
  for (const char* event : {"after_run", "trigger_step"})
    CHECK(in(event) == Lines{"1,1,2", "1,3,4"});
  CHECK(in("trigger_epoch") == Lines{"1,3,4"});
  CHECK(project.train({R"(callbacks=[{"use": "periodic-callback", "with": {"callback":
      {"use": "test.recorder"}}}])"}) == Exit::manifest);
  CHECK(project.failure.find("neither every_k_steps nor every_k_epochs") != std::string::npos);
}

TEST_CASE("enable-callback-if: a condition over the progress and over metrics") {
  Project project;
  const std::string put_loss =
      recorder("{\"put\": [" + put("trigger_step", "loss", "global_step") + "]}") + ", ";
  for (const char* event : kEvents)
    CHECK(passed(project, "enable-callback-if", R"("condition": "epoch_num > 1")", event, 1, 3)
              .size() == 2);
  CHECK(passed(project, "enable-callback-if", R"("condition": "stat(\"loss\") >= 3")",
               "trigger_step", 1, 4, put_loss) == Lines{"3,0,3", "4,0,4"});
  for (const char* event : {"before_train", "after_train", "setup_graph"})
    CHECK(passed(project, "enable-callback-if", R"("condition": 0)", event, 1, 1).size() == 1);
  for (const char* event : kEvents)
    CHECK(passed(project, "enable-callback-if", R"("condition": 0)", event, 1, 1).empty());
}

TEST_CASE("enable-callback-if: a trigger from outside passes") {
  Project project;
  const std::string inner = recorder("{" + project.trace_option() + R"(, "events": ["trigger"]})");
  const std::string gate =
      R"({"use": "enable-callback-if", "with": {"callback": )" + inner + R"(, "condition": 0}})";
  const std::string outer =
      R"({"use": "periodic-trigger", "with": {"callback": )" + gate + R"(, "every_k_steps": 1}})";
  CHECK(project.train({"callbacks=[" + outer + "]"}) == Exit::ok);
  CHECK(project.trace("trigger ") == Lines{"1,0,1"});
}
