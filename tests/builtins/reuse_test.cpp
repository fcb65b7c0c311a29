// reuse_test.cpp: a part of a model that is used more than once, as C++ authors write it.
#include "slope.hpp"

using namespace broch::test;

namespace {

std::string model(const std::string& options) {
  return R"(model={"use": "test.reused", "with": )" + options + "}";
}

}  // namespace

TEST_CASE("reuse: a scope once more has the same variables, and names of its own") {
  Project project;
  const std::string fetch =
      recorder("{" + project.trace_option() +
               R"(, "fetch": ["part/inner/out", "part_1/inner/out", "part_2/inner/out"]})");
  CHECK(train(project, {model("{}"), "dataflow=" + rows("[[2], [2]]"), "callbacks=[" + fetch + "]",
                        R"(extra_callbacks=["run-update-ops"])", "steps_per_epoch=2"}) == Exit::ok);
  CHECK(project.failure == "");
  // w is 1, then 1 - 3 * 2; what a use updates the next one reads, and the next step goes on.
  CHECK(project.trace("part/inner/out ") == Lines{"2", "-7"});
  CHECK(project.trace("part_1/inner/out ") == Lines{"3", "-6"});
  CHECK(project.trace("part_2/inner/out ") == Lines{"4", "-5"});
}

TEST_CASE("reuse: a variable that is new there, or of another shape, is refused by name") {
  Project project;
  const std::string flow = "dataflow=" + rows("[[2]]");
  CHECK(train(project, {model(R"({"name": "v"})"), flow}) == Exit::training);
  CHECK(project.failure.find("variable 'part/inner/v' is not there") != std::string::npos);
  CHECK(train(project, {model(R"({"size": 2})"), flow}) == Exit::training);
  CHECK(project.failure.find("variable 'part/inner/w' has another shape") != std::string::npos);
}
