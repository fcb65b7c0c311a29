// summary_test.cpp: what the model shows and updates along with its steps.
#include "broch/ext/summary.h"

#include "slope.hpp"

using namespace broch::test;

TEST_CASE("moving averages: start without bias") {
  Project project;
  const std::string flow = "dataflow=" + rows("[[1], [2], [3], [4], [5]]");
  const std::string listener = "monitors=[" + project.listener() + "]";
  const std::string defaults =
      R"(extra_callbacks=["moving-average-summary", "merge-all-summaries", "run-update-ops"])";
  CHECK(train(project, {flow, listener, defaults, "max_epoch=5"}) == Exit::ok);
  CHECK(project.trace("M.scalar x ") ==
        Lines{"1", "1.51282051", "2.03418054", "2.56406887", "3.10246981"});
  CHECK(train(project, {"dataflow=" + rows("[[5]]"), listener, defaults, "max_epoch=3"}) ==
        Exit::ok);
  CHECK(project.trace("M.scalar x ") == Lines{"5", "5", "5"});
  CHECK(train(project, {"dataflow=" + rows("[[1], [3]]"), listener, defaults, "max_epoch=2",
                        R"(model={"use": "test.slope", "with": {"decay": 0.5}})"}) == Exit::ok);
  CHECK(project.trace("M.scalar x ") == Lines{"1", "2.33333333"});
  CHECK(train(project, {flow, listener, R"(extra_callbacks=["merge-all-summaries"])"}) == Exit::ok);
  CHECK(project.trace("M.scalar now ") == Lines{"1"});
  CHECK(project.trace("M.scalar x ").empty());
}

TEST_CASE("moving averages: those of another collection, if somebody runs it") {
  const std::string mine = R"({"use": "moving-average-summary", "with": {"collection": "MINE"}})";
  const auto seen = [](const std::string& collection, const std::string& callbacks) {
    Project project;
    CHECK(train(project,
                {"dataflow=" + rows("[[1], [2], [3], [4], [5]]"),
                 "monitors=[" + project.listener() + "]", "max_epoch=5",
                 R"(model={"use": "test.slope", "with": {"collection": ")" + collection + "\"}}",
                 "extra_callbacks=[" + callbacks + R"(, "merge-all-summaries"])"}) == Exit::ok);
    CHECK(project.failure == "");
    return project.trace("M.scalar x ");
  };
  const Lines golden = {"1", "1.51282051", "2.03418054", "2.56406887", "3.10246981"};
  CHECK(seen("MINE", mine) == golden);
  CHECK(seen("MINE", R"("moving-average-summary")").empty());
  CHECK(seen("MINE", R"("moving-average-summary", )" + mine) == golden);
  CHECK(seen("MOVING_SUMMARY_OPS", mine).empty());
  CHECK(seen("UPDATE_OPS", R"("run-update-ops")") == golden);
}

TEST_CASE("moving averages: a resumed run continues them") {
  Project project;
  const Lines overrides = {"dataflow=" + rows("[[1], [2], [3]]"), R"(callbacks=["model-saver"])",
                           "monitors=[" + project.listener() + "]",
                           R"(extra_callbacks=["moving-average-summary", "merge-all-summaries"])"};
  CHECK(until(project, 2, false, overrides, "M.scalar x ") == Lines{"1", "1.51282051"});
  CHECK(until(project, 3, true, overrides, "M.scalar x ") == Lines{"2.03418054"});
}

TEST_CASE("merge-all-summaries: at the last step and every `period` steps") {
  const auto seen = [](const std::string& options, int steps) {
    Project project;
    const std::string listener = "monitors=[" + project.listener() + "]";
    CHECK(train(project, {"dataflow=" + rows("[[1], [2], [3], [4], [5], [6], [7], [8], [9]]"),
                          listener, "steps_per_epoch=" + std::to_string(steps),
                          "callbacks=[{\"use\": \"merge-all-summaries\", \"with\": " + options +
                              "}]"}) == Exit::ok);
    CHECK(project.failure == "");
    return project.trace("M.scalar now ");
  };
  CHECK(seen("{}", 5) == Lines{"5"});
  CHECK(seen(R"({"period": 2})", 5) == Lines{"2", "4", "5"});
  CHECK(seen(R"({"period": 2})", 4) == Lines{"2", "4"});
}

TEST_CASE("merge-all-summaries: alone, it takes data points of its own") {
  const auto seen = [](Project& project, const std::string& options) {
    return means(project, "data=" + around("queue", rows("[[1], [2], [3], [4], [5], [6], [7]]")), 2,
                 2, false,
                 R"(, {"use": "merge-all-summaries", "with": {"run_alone": true)" + options + "}}",
                 {"monitors=[" + project.listener() + "]"});
  };
  Project project;
  CHECK(seen(project, "") == Lines{"1", "2", "4", "5"});
  CHECK(project.trace("M.scalar now ") == Lines{"3", "6"});
  CHECK(seen(project, R"(, "period": 2)") == Lines{"1", "2", "5", "6"});
  CHECK(project.trace("M.scalar now ") == Lines{"3", "4", "7", "1"});
}

TEST_CASE("merge-all-summaries: alone, it cannot share the points of a feed") {
  Project project;
  CHECK(
      train(project, {"data=" + around("feed", rows("[[1]]")),
                      R"(callbacks=[{"use": "merge-all-summaries", "with": {"run_alone": true}}])",
                      "monitors=[" + project.listener() + "]"}) == Exit::training);
  CHECK(project.failure.find("the input 'x'") != std::string::npos);
}

TEST_CASE("summaries: pictures are numbered and clipped, the event file has them as PNG") {
  Project project;
  CHECK(train(project, {"dataflow=" + rows("[[0, 300, -5, 7.9]]"),
                        R"(model={"use": "test.slope", "with": {"picture": true}})",
                        R"(callbacks=["merge-all-summaries"])",
                        "monitors=[" + project.listener() + ", \"tf-event-writer\"]"}) == Exit::ok);
  CHECK(project.failure == "");
  CHECK(project.trace("M.summary now ") ==
        Lines{"picture/0(1,2,1:0 255) picture/1(1,2,1:0 7) picture-histogram"});
  const Lines files = project.files("events.out.tfevents.");
  REQUIRE(files.size() == 1);
  const std::string events = read_file(project.log_dir() / files[0]);
  for (const std::string part : {"picture/0", "picture/1", "\x89PNG", "picture-histogram"})
    CHECK_MESSAGE(events.find(part) != std::string::npos, part);
}

TEST_CASE("summaries: sparsity, mean and root mean square of a tensor") {
  Project project;
  const std::string kinds = std::to_string(BROCH_SHOW_SPARSITY | BROCH_SHOW_MEAN | BROCH_SHOW_RMS);
  CHECK(train(project, {"dataflow=" + rows("[[0, 3, 0, 4]]"),
                        R"(model={"use": "test.slope", "with": {"kinds": )" + kinds + "}}",
                        R"(callbacks=["merge-all-summaries"])",
                        "monitors=[" + project.listener() + "]"}) == Exit::ok);
  CHECK(project.failure == "");
  CHECK(project.trace("M.scalar shown-") == Lines{"sparsity 0.5", "mean 1.75", "rms 2.5"});
}

TEST_CASE("run-update-ops: without it updates are not committed, and the log says so") {
  const auto seen = [](Project& project, const std::string& extra) {
    CHECK(train(project, {"extra_callbacks=[" + extra + "]", "steps_per_epoch=3",
                          "callbacks=[" +
                              recorder("{" + project.trace_option() +
                                       R"(, "events": ["trigger_epoch"],
                                                      "watch": "seen"})") +
                              "]"}) == Exit::ok);
    return project.trace("trigger_epoch ");
  };
  Project with, without;
  CHECK(seen(with, "\"run-update-ops\"") == Lines{"1,2,3 3"});
  CHECK(seen(without, "") == Lines{"1,2,3 0"});
  CHECK(without.logged("UPDATE_OPS"));
}

TEST_CASE("run-update-ops, moving-average-summary: the updates of one collection") {
  const auto seen = [](const std::string& anchor, const std::string& callback,
                       const std::string& collection) {
    Project project;
    CHECK(train(project, {R"(model={"use": "test.slope", "with": {"anchor": ")" + anchor + "\"}}",
                          R"(extra_callbacks=[{"use": ")" + callback +
                              R"(", "with": {"collection": ")" + collection + "\"}}]",
                          "steps_per_epoch=3",
                          "callbacks=[" +
                              recorder("{" + project.trace_option() +
                                       R"(, "events": ["trigger_epoch"], "watch": "seen"})") +
                              "]"}) == Exit::ok);
    return project.trace("trigger_epoch ").at(0);
  };
  for (const std::string callback : {"run-update-ops", "moving-average-summary"}) {
    CHECK(seen("MINE", callback, "MINE") == "1,2,3 3");
    CHECK(seen("MINE", callback, "UPDATE_OPS") == "1,2,3 0");
    CHECK(seen("UPDATE_OPS", callback, "MINE") == "1,2,3 0");
  }
}

TEST_CASE("updates: of each collection that nothing runs, the log says so once") {
  const auto told = [](const std::string& anchor, const std::string& collection) {
    Project project;
    CHECK(train(project, {R"(model={"use": "test.slope", "with": {"anchor": ")" + anchor + "\"}}",
                          R"(extra_callbacks=[{"use": "run-update-ops", "with": {"collection": ")" +
                              collection + "\"}}]",
                          kReplicated, "dataflow=" + rows("[[1], [2]]")}) == Exit::ok);
    CHECK(project.failure == "");
    return project.log_lines("the model has updates");
  };
  CHECK(told("MINE", "MINE").empty());
  CHECK(told("UPDATE_OPS", "UPDATE_OPS").empty());
  const std::string to_do = ", but nothing runs them: add a callback that runs this collection";
  CHECK(told("MINE", "UPDATE_OPS") == Lines{"the model has updates in MINE" + to_do});
  CHECK(told("UPDATE_OPS", "MINE") ==
        Lines{"the model has updates in UPDATE_OPS (as those of batch_norm)" + to_do});
}

TEST_CASE("batch_norm: training steps move the running statistics, inference only uses them") {
  Project project;
  const auto watch = [&](const std::string& variable) {
    return recorder("{" + project.trace_option() +
                    R"(, "events": ["trigger_epoch"], "watch": "bn/)" + variable + "/EMA\"}");
  };
  const std::string round = R"({"use": "inference-runner", "with": {"dataflow": )" +
                            rows("[[1], [1]]") + R"(, "inferencers": [
      {"use": "scalar-stats", "with": {"names": "out"}}]}})";
  CHECK(
      train(project, {R"(model={"use": "test.normed"})", "dataflow=" + rows("[[1, 3], [2, 6]]"),
                      "callbacks=[" + round + ", " + watch("mean") + ", " + watch("variance") + "]",
                      R"(extra_callbacks=["run-update-ops"])", "max_epoch=2",
                      "monitors=[" + project.listener() + "]"}) == Exit::ok);
  CHECK(project.failure == "");
  // 0.9 · old + 0.1 · (mean 2, then 4; unbiased variance 2, then 8)
  CHECK(project.trace("trigger_epoch ") ==
        Lines{"1,0,1 0.200000003", "1,0,1 1.10000002", "2,0,2 0.579999983", "2,0,2 1.78999996"});
  // (1 - mean) / sqrt(variance + 1e-5) + beta, which is -1, then -2
  const Lines out = project.trace("M.scalar validation_out ");
  REQUIRE(out.size() == 2);
  CHECK(std::stod(out[0]) == doctest::Approx(-0.2372334).epsilon(1e-6));
  CHECK(std::stod(out[1]) == doctest::Approx(-1.6860781).epsilon(1e-6));
}

TEST_CASE("batch_norm: of several towers, the batch of the main one moves the statistics") {
  Project project;
  const std::string watch = recorder("{" + project.trace_option() +
                                     R"(, "events": ["trigger_epoch"], "watch": "bn/mean/EMA"})");
  const std::string trainer = R"(trainer={"use": "sync-parameter-server", "with": {"devices":
      ["cpu:0", "cpu:1"]}})";
  CHECK(train(project,
              {R"(model={"use": "test.normed"})", "dataflow=" + rows("[[1, 3], [10, 30]]"), trainer,
               "callbacks=[" + watch + "]", R"(extra_callbacks=["run-update-ops"])"}) == Exit::ok);
  CHECK(project.failure == "");
  CHECK(project.trace("trigger_epoch ") == Lines{"1,0,1 0.200000003"});  // 0.1 · 2
}
