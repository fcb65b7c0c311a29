// regularizers_test.cpp: regularize_cost of the C++ interface.
#include "slope.hpp"

using namespace broch::test;

TEST_CASE("regularize_cost: variables whose names contain a match, in training alone") {
  // The cost is w + w², so that w falls by 1 + 2 w: it is 1, then -2.
  const auto penalties = [](const std::string& regex) {
    Project project;
    const std::string model =
        R"(model={"use": "test.slope", "with": {"name": "big/w", "regularizer": ")" + regex +
        "\"}}";
    const std::string fetch =
        recorder("{" + project.trace_option() + R"(, "fetch": ["regularize_cost"]})");
    const std::string round = R"({"use": "inference-runner", "with": {"dataflow": )" +
                              rows("[[1]]") + R"(, "inferencers": [
        {"use": "scalar-stats", "with": {"names": "regularize_cost"}}]}})";
    CHECK(train(project, {model, "dataflow=" + rows("[[1]]"), "steps_per_epoch=2",
                          "callbacks=[" + fetch + ", " + round + "]",
                          "monitors=[" + project.listener() + "]"}) == Exit::ok);
    CHECK(project.failure == "");
    CHECK(project.trace("M.scalar validation_regularize_cost ") == Lines{"0"});
    return project.trace("regularize_cost ");
  };
  CHECK(penalties("w$") == Lines{"1", "4"});
  CHECK(penalties("ig/") == Lines{"1", "4"});
  CHECK(penalties("^w") == Lines{"0", "0"});
}

TEST_CASE("regularize_cost: in each replica, names are those that the model gave") {
  const auto penalties = [](const std::string& regex, const std::string& tower) {
    Project project;
    const std::string model =
        R"(model={"use": "test.slope", "with": {"name": "big/w", "regularizer": ")" + regex +
        "\"}}";
    const std::string name = tower + "regularize_cost";
    const std::string fetch =
        recorder("{" + project.trace_option() + R"(, "fetch": [")" + name + "\"]}");
    CHECK(train(project, {model, "dataflow=" + rows("[[1]]"), "steps_per_epoch=2",
                          R"(trainer={"use": "sync-replicated",
                                      "with": {"devices": ["cpu:0", "cpu:1"]}})",
                          "callbacks=[" + fetch + "]"}) == Exit::ok);
    CHECK(project.failure == "");
    return project.trace(name + " ");
  };
  for (const std::string tower : {"", "1:"}) {
    CAPTURE(tower);
    CHECK(penalties("^big/w$", tower) == Lines{"1", "4"});
    CHECK(penalties("1", tower) == Lines{"0", "0"});  // of tower1, which is no part of the name
  }
}

TEST_CASE("regularize_cost: a penalty that the cost does not contain is told") {
  for (const char* const adds : {"true", "false"}) {
    CAPTURE(adds);
    Project project;
    const std::string model =
        std::string(
            R"(model={"use": "test.slope", "with": {"regularizer": "w", "adds_penalty": )") +
        adds + "}}";
    CHECK(train(project, {model, "dataflow=" + rows("[[1]]")}) == Exit::ok);
    CHECK(project.logged("the cost does not contain these penalties in the collection "
                         "REGULARIZATION_LOSSES of ") == (std::string(adds) == "false"));
    CHECK(project.logged(": 'regularize_cost'; add them to the cost") ==
          (std::string(adds) == "false"));
  }
}

TEST_CASE("regularize_cost: an expression that no name matches is told") {
  for (const char* const regex : {"w", "W"}) {
    CAPTURE(regex);
    Project project;
    const std::string model =
        std::string(R"(model={"use": "test.slope", "with": {"regularizer": ")") + regex + "\"}}";
    CHECK(train(project, {model, "dataflow=" + rows("[[1]]")}) == Exit::ok);
    CHECK(project.log_lines("depend on no variable that is trained: 'regularize_cost'").size() ==
          size_t(std::string(regex) == "W"));
  }
}
