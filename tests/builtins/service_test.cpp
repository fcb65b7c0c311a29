// service_test.cpp: broch.service/1: started before the callbacks of a training, stopped after
// them.
#include "project.hpp"

using namespace broch::test;

namespace {

std::string servant(const Project& project, const std::string& name,
                    const std::string& fails_in = "") {
  return R"({"use": "test.servant", "name": ")" + name + R"(", "with": {)" +
         project.trace_option() + R"(, "fails_in": ")" + fails_in + "\"}}";
}
std::string plugins() { return "plugins=[\"" RECORDER "\", \"" MODELS "\", \"" SERVANT "\"]"; }
std::string callbacks(const std::string& a, const std::string& b) {
  return "callbacks=[" + a + ", " + b + "]";
}
const std::string kStopped = " stop, signals were blocked";

}  // namespace

TEST_CASE("service: starts in order before before_train, stops in reverse after after_train") {
  Project project;
  CHECK(project.train({plugins(), callbacks(servant(project, "a"), servant(project, "b"))}) ==
        Exit::ok);
  CHECK(project.failure == "");
  CHECK(project.trace() == Lines{"a start", "b start", "a before_train", "b before_train",
                                 "a after_train", "b after_train", "b" + kStopped, "a" + kStopped,
                                 "b destroy", "a destroy"});
}

TEST_CASE("service: one inside another component is started too, before it") {
  Project project;
  const std::string outer = R"({"use": "periodic-trigger", "with": {"every_k_steps": 1,
      "callback": )" + servant(project, "inner") +
                            "}}";
  CHECK(project.train({plugins(), "callbacks=[" + outer + "]"}) == Exit::ok);
  CHECK(project.trace().front() == "inner start");
  CHECK(project.trace("inner stop").size() == 1);
}

TEST_CASE("service: one that does not start ends the run, and stops those before it") {
  Project project;
  CHECK(project.train({plugins(), callbacks(servant(project, "a"),
                                            servant(project, "b", "start"))}) == Exit::training);
  CHECK(project.failure.find("callback 'b' (test.servant) failed in start: no start today") !=
        std::string::npos);
  CHECK(project.trace() == Lines{"a start", "b start", "a" + kStopped, "b destroy", "a destroy"});
}

TEST_CASE("service: stops after a run that failed") {
  Project project;
  CHECK(project.train(
            {plugins(), callbacks(servant(project, "a"), servant(project, "b", "before_train"))}) ==
        Exit::training);
  CHECK(project.failure.find("no before_train today") != std::string::npos);
  CHECK(project.trace() == Lines{"a start", "b start", "a before_train", "b before_train",
                                 "a after_train", "b after_train", "b" + kStopped, "a" + kStopped,
                                 "b destroy", "a destroy"});
}

TEST_CASE("service: one that does not stop well is logged, and the others stop") {
  Project project;
  CHECK(project.train({plugins(), callbacks(servant(project, "a"),
                                            servant(project, "b", "stop"))}) == Exit::ok);
  CHECK(project.logged("callback 'b' (test.servant) failed in stop: no stop today"));
  CHECK(project.trace("a stop").size() == 1);
}

TEST_CASE("service: a callback for rank 0 starts none on another rank") {
  Project project;
  auto options = Project::null_runtime();
  options.rank = 1;
  options.world = 2;
  CHECK(project.train({plugins(), callbacks(servant(project, "a"), servant(project, "b"))},
                      options) == Exit::ok);
  CHECK(project.failure == "");
  CHECK(project.trace() == Lines{"b destroy", "a destroy"});
}
