// data_test.cpp: dataflows, input sources and inference on the LibTorch runtime: 3.11, 3.12, 3.17,
// 3.19, golden value 4.6.
#include <chrono>

#include "project.hpp"

using broch::base::Exit;
using broch::test::Lines;
using broch::test::Project;
using broch::test::put;
using broch::test::recorder;

namespace {

const Lines kSlope = {"model={\"use\": \"test.slope\"}"};

Exit train(Project& project, Lines overrides, bool resume = false) {
  overrides.insert(overrides.begin(), kSlope.begin(), kSlope.end());
  for (const std::string& override : overrides)
    if (override.starts_with("data=")) {
      overrides.insert(overrides.begin(), "dataflow=null");
      break;
    }
  broch::session::RunOptions options;
  options.resume = resume;
  return project.train(overrides, options);
}

std::string rows(const std::string& list, const std::string& more = "") {
  return "{\"use\": \"test.rows\", \"with\": {\"rows\": " + list + more + "}}";
}
std::string around(const std::string& use, const std::string& dataflow,
                   const std::string& more = "") {
  return "{\"use\": \"" + use + "\", \"with\": {\"dataflow\": " + dataflow + more + "}}";
}
const std::string kFour = rows("[[1], [2], [3], [4]]");
const std::string kScalars = R"(, "scalars": true)";

// What the model's "mean" was in each step.
Lines means(Project& project, const std::string& input, int steps, int epochs = 1,
            bool resume = false, const std::string& more = "") {
  const std::string fetch =
      recorder("{" + project.trace_option() + ", \"fetch\": [\"mean\"]}") + more;
  CHECK(train(project,
              {input, "callbacks=[" + fetch + "]", "steps_per_epoch=" + std::to_string(steps),
               "max_epoch=" + std::to_string(epochs)},
              resume) == Exit::ok);
  CHECK(project.failure == "");
  return project.trace("mean ");
}

}  // namespace

TEST_CASE("feed: starts over at the end, or ends training gracefully when finite (T5)") {
  Project project;
  CHECK(means(project, "data=" + around("feed", kFour), 6) == Lines{"1", "2", "3", "4", "1", "2"});
  CHECK(means(project, "data=" + around("feed", kFour, R"(, "infinite": false)"), 6) ==
        Lines{"1", "2", "3", "4"});
  CHECK(project.logged("Training was stopped by exception"));
}

TEST_CASE("queue: keeps the order, ends gracefully when finite") {
  Project project;
  CHECK(means(project, "data=" + around("queue", kFour, R"(, "capacity": 2)"), 10) ==
        Lines{"1", "2", "3", "4", "1", "2", "3", "4", "1", "2"});
  CHECK(means(project, "data=" + around("queue", kFour, R"(, "infinite": false)"), 6) ==
        Lines{"1", "2", "3", "4"});
}

TEST_CASE("queue: a failing dataflow fails training with its own words (T6)") {
  for (const std::string use : {"queue", "feed"}) {
    CAPTURE(use);
    Project project;
    const std::string torn = R"(, "fail_at": 2)";
    CHECK(train(project, {"data=" + around(use, rows("[[1], [2], [3]]", torn)),
                          "steps_per_epoch=5"}) == Exit::training);
    CHECK(project.failure.find("row 2 is torn") != std::string::npos);
    CHECK(train(project,
                {"data=" + around(use, rows("[[1], [2], [3]]", torn + R"(, "data_loss": true)")),
                 "steps_per_epoch=5"}) == Exit::data);
    CHECK(project.failure.find("row 2 is torn") != std::string::npos);
  }
}

TEST_CASE("queue: a dataflow that waits for ever does not hold up the end") {
  Project project;
  const auto start = std::chrono::steady_clock::now();
  CHECK(means(project, "data=" + around("queue", rows("[[1], [2]]", R"(, "wait_at": 1)")), 1) ==
        Lines{"1"});
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(3));
}

TEST_CASE("queue: a resumed run continues after the consumed point, not after the queued ones") {
  for (const std::string use : {"queue", "feed"}) {
    CAPTURE(use);
    Project project;
    const std::string data = "data=" + around(use, rows("[[1], [2], [3], [4], [5]]"));
    const std::string saver = R"(, "model-saver")";
    CHECK(means(project, data, 3, 1, false, saver) == Lines{"1", "2", "3"});
    CHECK(means(project, data, 3, 2, true, saver) == Lines{"4", "5", "1"});
  }
}

TEST_CASE("placeholder: a step that nobody feeds fails and names the input") {
  Project project;
  CHECK(train(project, {R"(data={"use": "placeholder"})"}) == Exit::training);
  CHECK(project.failure.find("x") != std::string::npos);
}

TEST_CASE("dummy-constant: zeros of the given shapes, with a warning") {
  Project project;
  CHECK(means(project, R"(data={"use": "dummy-constant", "with": {"shapes": [[3]]}})", 2) ==
        Lines{"0", "0"});
  CHECK(project.logged("constant zeros"));
  CHECK(train(project, {R"(data={"use": "dummy-constant", "with": {"shapes": []}})"}) != Exit::ok);
}

TEST_CASE("batch: drops or keeps a last, smaller batch and refuses mixed shapes") {
  Project project;
  const std::string five = rows("[[1], [2], [3], [4], [9]]", kScalars);
  const auto finite = [](const std::string& flow) {
    return "data=" + around("feed", flow, R"(, "infinite": false)");
  };
  CHECK(means(project, finite(around("batch", five, R"(, "batch_size": 2)")), 9) ==
        Lines{"1.5", "3.5"});
  CHECK(means(project, finite(around("batch", five, R"(, "batch_size": 2, "remainder": true)")),
              9) == Lines{"1.5", "3.5", "9"});
  CHECK(train(project, {"dataflow=" + around("batch", rows("[[1], [2, 3]]"),
                                             R"(, "batch_size": 2)")}) == Exit::training);
  CHECK(project.failure.find("points of one batch must agree") != std::string::npos);
}

TEST_CASE("shuffle: a permutation, another one each round, the same for the same seed") {
  const std::string list = "[[1], [2], [3], [4], [5], [6], [7], [8]]";
  const auto order = [&](const std::string& seed) {
    Project project;
    return means(project, "dataflow=" + around("shuffle", rows(list), ", \"seed\": " + seed), 8, 2);
  };
  const Lines first = order("7");
  REQUIRE(first.size() == 16);
  Lines round1(first.begin(), first.begin() + 8), round2(first.begin() + 8, first.end());
  CHECK(round1 != round2);
  CHECK(order("7") == first);
  CHECK(order("8") != first);
  std::sort(round1.begin(), round1.end());
  std::sort(round2.begin(), round2.end());
  CHECK(round1 == Lines{"1", "2", "3", "4", "5", "6", "7", "8"});
  CHECK(round2 == round1);

  Project project;
  const std::string flow = "dataflow=" + around("shuffle", rows(list), ", \"seed\": 7");
  const std::string saver = R"(, "model-saver")";
  CHECK(means(project, flow, 5, 1, false, saver) == Lines(first.begin(), first.begin() + 5));
  CHECK(means(project, flow, 5, 3, true, saver) == Lines(first.begin() + 5, first.begin() + 15));
}

TEST_CASE("repeat: so many rounds, and the size of all of them") {
  Project project;
  const std::string twice = around("repeat", rows("[[1], [2]]"), R"(, "times": 2)");
  CHECK(means(project, "data=" + around("feed", twice, R"(, "infinite": false)"), 9) ==
        Lines{"1", "2", "1", "2"});
  CHECK(train(project, {"dataflow=" + twice, "steps_per_epoch=null"}) == Exit::ok);
  CHECK(project.logged("Epoch 1 (global_step 4) finished"));
  CHECK(train(project, {"dataflow=" + around("repeat", rows("[[1]]")), "steps_per_epoch=null"}) ==
        Exit::manifest);
}

TEST_CASE("fake: repeats itself, and covers the whole of a range with negative numbers") {
  const std::string flow =
      R"(dataflow={"use": "fake", "with": {"components": [{"shape": [1], "dtype": "float32",
         "low": -2, "high": 2}], "size": 40, "seed": 3}})";
  Project a, b;
  const Lines values = means(a, flow, 40);
  CHECK(means(b, flow, 40) == values);
  for (const std::string& value : values) CHECK(std::abs(std::stod(value)) <= 2);
}

TEST_CASE("moving averages: start without bias (4.6)") {
  Project project;
  const std::string flow = "dataflow=" + rows("[[1], [2], [3], [4], [5]]");
  const std::string listener = "monitors=[{\"use\": \"test.listener\", \"with\": {" +
                               project.trace_option() + ", \"label\": \"M\"}}]";
  const std::string defaults =
      R"(extra_callbacks=["moving-average-summary", "merge-all-summaries", "run-update-ops"])";
  CHECK(train(project, {flow, listener, defaults, "max_epoch=5"}) == Exit::ok);
  CHECK(project.trace("M.scalar x ") ==
        Lines{"1", "1.51282051", "2.03418054", "2.56406888", "3.10246988"});
}

TEST_CASE("merge-all-summaries: at the last step and every `period` steps") {
  const auto seen = [](const std::string& options, int steps) {
    Project project;
    const std::string listener = "monitors=[{\"use\": \"test.listener\", \"with\": {" +
                                 project.trace_option() + ", \"label\": \"M\"}}]";
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

TEST_CASE("run-update-ops: without it updates are not committed, and the log says so (T17)") {
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

TEST_CASE("nan-guard: ends the run with the exit code of numbers") {
  Project project;
  CHECK(train(project, {"dataflow=" + rows("[[1], [3e38, 3e38]]"), "steps_per_epoch=3",
                        R"(callbacks=[{"use": "nan-guard", "with": {"names": ["mean"]}}])"}) ==
        Exit::numbers);
  CHECK(project.failure.find("mean is inf at global_step 2") != std::string::npos);
}

namespace {

std::string runner(const std::string& data, const std::string& inferencers,
                   const std::string& more = "") {
  return R"({"use": "inference-runner", "with": {)" + data + ", \"inferencers\": [" + inferencers +
         "]" + more + "}}";
}
// The scalars of one round, as a monitor heard of them.
Lines inferred(Project& project, const std::string& callbacks, Exit expected = Exit::ok) {
  CHECK(train(project, {"callbacks=[" + callbacks + "]",
                        "monitors=[{\"use\": \"test.listener\", \"with\": {" +
                            project.trace_option() + ", \"label\": \"M\"}}]"}) == expected);
  return project.trace("M.scalar ");
}
const std::string kStats = R"({"use": "scalar-stats", "with": {"names": ["mean"]}})";
const std::string kError = R"("classification-error")";

}  // namespace

TEST_CASE("inference-runner: unweighted means, exact errors, of a ragged last batch (T38)") {
  for (const std::string size : {"true", "false"}) {
    CAPTURE(size);
    Project project;
    const std::string data =
        "\"dataflow\": " + rows("[[1, 0, 1, 0], [1]]", ", \"known_size\": " + size);
    CHECK(inferred(project, runner(data, kStats + ", " + kError)) ==
          Lines{"validation_mean 0.75", "validation_error 0.6"});
  }
}

TEST_CASE("inference-runner: every round starts at the beginning, two share a tower (T39, T40)") {
  Project project;
  const std::string feed =
      "\"data\": " + around("queue", rows("[[1], [0]]"), R"(, "infinite": false)");
  const std::string other = R"({"use": "scalar-stats", "with": {"names": "mean", "prefix": ""}})";
  CHECK(inferred(project, runner(feed, kError) + ", " +
                              runner("\"dataflow\": " + rows("[[4], [6]]"), other)) ==
        Lines{"validation_error 0.5", "mean 5"});
}

TEST_CASE("inference-runner: no data at all logs no mean and an error of 0") {
  Project project;
  CHECK(inferred(project, runner("\"dataflow\": " + rows("[]"), kStats + ", " + kError)) ==
        Lines{"validation_error 0"});
}

TEST_CASE("inference-runner: what is wrong ends training with its reason") {
  Project project;
  const std::string data = "\"dataflow\": " + rows("[[1], [2]]");
  inferred(project, runner(data, R"({"use": "classification-error", "with":
      {"wrong_tensor_name": "mean"}})"),
           Exit::training);
  CHECK(project.failure.find("mean has rank 0, expected a vector") != std::string::npos);
  inferred(project, runner("\"dataflow\": " + rows("[[1], [2]]", R"(, "fail_at": 1)"), kStats),
           Exit::training);
  CHECK(project.failure.find("row 1 is torn") != std::string::npos);
}

TEST_CASE("restore: exact names, a prefix, what is ignored, and two warnings (3.21)") {
  Project project;
  REQUIRE(train(project, {R"(callbacks=["model-saver"])", "dataflow=" + rows("[[3]]")}) ==
          Exit::ok);  // w = 1 - 3
  const auto restored = [&](const std::string& options, const std::string& model,
                            const std::string& watch) {
    std::filesystem::remove(project.log_dir() / "log.log");
    const Exit exit = train(
        project, {"model={\"use\": \"test.slope\", \"with\": {" + model + "}}", "max_epoch=0",
                  "session_init={\"use\": \"restore\", \"with\": {\"path\": \"" +
                      project.log_dir().string() + "\"" + options + "}}",
                  "callbacks=[" +
                      recorder("{" + project.trace_option() +
                               R"(, "events": ["before_train"], "watch": ")" + watch + "\"}") +
                      "]"});
    return exit == Exit::ok ? project.trace("before_train ") : Lines{project.failure};
  };
  CHECK(restored("", "", "w") == Lines{"0,-1,1 -2"});
  CHECK_FALSE(project.logged("variables"));
  CHECK(restored(R"(, "ignore": ["w"])", "", "w") == Lines{"0,-1,1 1"});
  CHECK(restored(R"(, "prefix": "big")", R"("name": "big/w")", "big/w") == Lines{"0,-1,0 -2"});
  CHECK(restored("", R"("name": "v")", "v") == Lines{"0,-1,1 1"});
  CHECK(project.logged("variables of the model that are not in"));
  CHECK(project.logged("that the model does not have: w"));
  CHECK(restored("", R"("size": 2)", "seen")[0].find("variable w") != std::string::npos);
  CHECK(restored(R"(, "relaxed": true)", R"("size": 2)", "seen") == Lines{"0,-1,1 0"});
  CHECK(project.logged("not loaded"));
}
