// inference_test.cpp: inference-runner and the inferencers.
#include "slope.hpp"
#include "with_flows.hpp"

using namespace broch::test;

namespace {

std::string runner(const std::string& data, const std::string& inferencers,
                   const std::string& more = "") {
  return R"({"use": "inference-runner", "with": {)" + data + ", \"inferencers\": [" + inferencers +
         "]" + more + "}}";
}
std::string parallel(const std::string& data, const std::string& inferencers,
                     const std::string& devices) {
  std::string text = runner(data, inferencers, ", \"devices\": " + devices);
  return text.replace(text.find("inference-runner"), 0, "data-parallel-");
}
// The scalars of one round, as a monitor heard of them; not those of each run.
Lines inferred(Project& project, const std::string& callbacks, Exit expected = Exit::ok,
               int epochs = 1) {
  CHECK(train(project, {"callbacks=[" + callbacks + "]", "monitors=[" + project.listener() + "]",
                        "max_epoch=" + std::to_string(epochs)}) == expected);
  Lines scalars = project.trace("M.scalar ");
  std::erase_if(scalars, [](const std::string& scalar) {
    return scalar.starts_with("cost ") || scalar.starts_with("learning_rate ") ||
           scalar.starts_with("weight_decay ");
  });
  return scalars;
}
const std::string kStats = R"({"use": "scalar-stats", "with": {"names": ["mean"]}})";
const std::string kError = R"("classification-error")";

}  // namespace

TEST_CASE("inference-runner: unweighted means, exact errors, of a ragged last batch") {
  for (const std::string size : {"true", "false"}) {
    CAPTURE(size);
    Project project;
    const std::string data =
        "\"dataflow\": " + rows("[[1, 0, 1, 0], [1]]", ", \"known_size\": " + size);
    CHECK(inferred(project, runner(data, kStats + ", " + kError)) ==
          Lines{"validation_mean 0.75", "validation_error 0.6"});
    CHECK(project.logged("the data does not say its size") == (size == "false"));
  }
}

TEST_CASE("inference-runner: every round starts at the beginning, two share a tower") {
  Project project;
  const std::string feed =
      "\"data\": " + around("queue", rows("[[1], [0]]"), R"(, "infinite": false)");
  const std::string other = R"({"use": "scalar-stats", "with": {"names": "mean", "prefix": ""}})";
  CHECK(inferred(project, runner(feed, kError) + ", " +
                              runner("\"dataflow\": " + rows("[[4], [6]]"), other)) ==
        Lines{"validation_error 0.5", "mean 5"});
}

TEST_CASE("inference-runner: a resumed run goes on with the round that follows") {
  const std::string data =
      "\"dataflow\": " + around("fixed-size", rows("[[1], [2], [3]]"), R"(, "points": 1)");
  const std::string other = R"({"use": "scalar-stats", "with": {"names": "mean", "prefix": ""}})";
  for (const bool saves_first : {true, false}) {
    CAPTURE(saves_first);
    Project project;
    const std::string saver = R"("model-saver")", runs = runner(data, other);
    const Lines settings = {
        "callbacks=[" + (saves_first ? saver + ", " + runs : runs + ", " + saver) + "]",
        "monitors=[" + project.listener() + "]"};
    CHECK(until(project, 2, false, settings, "M.scalar mean ") == Lines{"1", "2"});
    const Lines again = saves_first ? Lines{"2"} : Lines{};  // at the end of the second epoch
    Lines expected = again;
    expected.insert(expected.end(), {"3", "1"});
    CHECK(until(project, 4, true, settings, "M.scalar mean ") == expected);
  }
}

TEST_CASE("inference-runner: a resumed run leaves out what no batch of the last round had") {
  const std::string part = around(
      "fixed-size", rows("[[1], [2], [3], [4], [5]]", R"(, "scalars": true)"), R"(, "points": 3)");
  const std::string data = "\"dataflow\": " + around("batch", part, R"(, "batch_size": 2)");
  const std::string other = R"({"use": "scalar-stats", "with": {"names": "mean", "prefix": ""}})";
  const Lines settings = {"callbacks=[" + runner(data, other) + ", \"model-saver\"]"};
  const auto means = [&](Project& project, int epoch, bool resume) {
    Lines all = settings;
    all.push_back("monitors=[" + project.listener() + "]");
    return until(project, epoch, resume, all, "M.scalar mean ");
  };
  Project whole, parts;
  const Lines expected = means(whole, 3, false);
  CHECK(expected == Lines{"1.5", "4.5", "2.5"});
  CHECK(means(parts, 2, false) == Lines{"1.5", "4.5"});
  CHECK(means(parts, 3, true) == Lines{"2.5"});
}

TEST_CASE("inference-runner: a round that a signal ends is read again by the resumed run") {
  const auto settings = [](Project& project, int at) {
    const std::string mapped =
        around("map", rows("[[1], [2], [3]]"),
               R"(, "transforms": [{"use": "test.interrupting", "with": {"at": )" +
                   std::to_string(at) + "}}]");
    const std::string data = "\"dataflow\": " + around("fixed-size", mapped, R"(, "points": 2)");
    const std::string other = R"({"use": "scalar-stats", "with": {"names": "mean", "prefix": ""}})";
    return Lines{kWithFlows, "callbacks=[" + runner(data, other) + ", \"model-saver\"]",
                 "monitors=[" + project.listener() + "]"};
  };
  Project whole, parts;
  CHECK(until(whole, 4, false, settings(whole, 0), "M.scalar mean ") ==
        Lines{"1.5", "2", "2.5", "1.5"});
  Lines interrupted = settings(parts, 3);  // in the second round
  interrupted.push_back("max_epoch=4");
  CHECK(train(parts, interrupted) == Exit::saved);
  CHECK(parts.trace("M.scalar mean ") == Lines{"1.5"});
  CHECK(until(parts, 4, true, settings(parts, 0), "M.scalar mean ") == Lines{"2", "2.5", "1.5"});
}

TEST_CASE("inference-runner: another model has the trained variables of the same names") {
  const auto points = [](int count) {
    return R"({"use": "fake", "with": {"components": [{"shape": [1, 3], "name": "x"},)"
           R"( {"shape": [1], "name": "y"}], "size": )" +
           std::to_string(count) + "}}";
  };
  // Of one sample, the cost of one is the square of the other's.
  const auto model = [](const std::string& loss, const std::string& first,
                        const std::string& second = "last") {
    return R"({"use": "sequential", "with": {"inputs": [{"name": "x", "shape": [-1, 3]},)"
           R"( {"name": "y", "shape": [-1]}], "layers": [{"layer": "fully_connected", "units": 4,)"
           R"( "name": ")" +
           first + R"("}, {"layer": "fully_connected", "units": 1, "name": ")" + second +
           R"("}], "loss": ")" + loss + "\"}}";
  };
  const std::string stats = R"({"use": "scalar-stats", "with": {"names": ["cost"]}})";
  const std::string data = "\"dataflow\": " + points(1);
  const auto trained = [&](Project& project, const std::string& callbacks) {
    return project.train(
        {"model=" + model("mse", "first"), "dataflow=" + points(5), "callbacks=[" + callbacks + "]",
         "monitors=[" + project.listener() + "]",
         R"(optimizer={"use": "sgd", "with": {"learning_rate": 0.01}})", "max_epoch=2"},
        {});
  };
  for (const bool is_parallel : {false, true}) {
    CAPTURE(is_parallel);
    Project project;
    const std::string other = R"(, "prefix": "other", "model": )" + model("l1", "first") +
                              (is_parallel ? R"(, "devices": [0])" : "");
    std::string second = runner(data, stats, other);
    if (is_parallel) second.replace(second.find("inference-runner"), 0, "data-parallel-");
    REQUIRE_MESSAGE(trained(project, runner(data, stats) + ", " + second) == Exit::ok,
                    project.failure);
    const Lines squares = project.trace("M.scalar validation_cost ");
    const Lines lengths = project.trace("M.scalar other_validation_cost ");
    REQUIRE(squares.size() == 2);
    REQUIRE(lengths.size() == 2);
    for (size_t i = 0; i < 2; ++i) {
      const double length = std::stod(lengths[i]);
      CHECK(length * length == doctest::Approx(std::stod(squares[i])).epsilon(1e-4));
    }
    CHECK(squares[0] != squares[1]);  // it follows the training
  }
  Project project;
  CHECK(trained(project, runner(data, stats, ", \"model\": " + model("l1", "first", "lost"))) !=
        Exit::ok);
  CHECK(project.failure.find("variable 'lost/W'") != std::string::npos);
}

TEST_CASE("inference-runner: no data at all logs no mean and an error of 0") {
  Project project;
  CHECK(inferred(project, runner("\"dataflow\": " + rows("[]"), kStats + ", " + kError)) ==
        Lines{"validation_error 0"});
}

TEST_CASE("binary-classification-stats: 0 where there is nothing to divide by") {
  const std::string stats = R"({"use": "binary-classification-stats", "with":
      {"pred_tensor_name": "incorrect_vector", "label_tensor_name": "x"}})";
  Project project;
  CHECK(inferred(project, runner("\"dataflow\": " + rows("[[0, 0], [0]]"), stats)) ==
        Lines{"val_precision 0", "val_recall 0"});
  CHECK(inferred(project, runner("\"dataflow\": " + rows("[[0, 1], [0]]"), stats)) ==
        Lines{"val_precision 1", "val_recall 1"});
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

TEST_CASE("inference-runner: a source that never ends is read up to its size, from its beginning") {
  for (const std::string use : {"queue", "feed"}) {
    CAPTURE(use);
    Project project;
    const std::string endless = "\"data\": " + around(use, rows("[[1], [0], [0], [0]]"));
    CHECK(inferred(project, runner(endless, kError), Exit::ok, 2) ==
          Lines{"validation_error 0.25", "validation_error 0.25"});
  }
}

TEST_CASE("inference-runner: its rounds do not depend on what a queue has read in advance") {
  const std::string some =
      around("take", around("shuffle", rows("[[1], [2], [4], [8], [16], [32]]"), R"(, "seed": 3)"),
             R"(, "points": 2)");
  const auto rounds = [&](const std::string& more) {
    Project project;
    return inferred(project, runner("\"data\": " + around("queue", some, more), kStats), Exit::ok,
                    3);
  };
  const Lines expected = rounds(R"(, "infinite": false)");
  CHECK(expected.size() == 3);
  for (const char* more : {"", R"(, "capacity": 1)"}) CHECK(rounds(more) == expected);
}

TEST_CASE("inference-runner: the model's data, variables and averages stay as they are") {
  Project project;
  const std::string round = runner("\"dataflow\": " + rows("[[8], [9]]"), kStats);
  for (const std::string use : {"queue", "feed"}) {
    CAPTURE(use);
    CHECK(means(project, "data=" + around(use, rows("[[1], [2], [3], [4]]")), 1, 4, false,
                ", " + round) == Lines{"1", "2", "3", "4"});
  }
  const std::string watch =
      recorder("{" + project.trace_option() + R"(, "events": ["trigger_epoch"], "watch": "w"})");
  CHECK(train(project, {"dataflow=" + rows("[[1]]"), "callbacks=[" + round + ", " + watch + "]",
                        "max_epoch=2"}) == Exit::ok);
  CHECK(project.trace("trigger_epoch ") == Lines{"1,0,1 0", "2,0,2 -1"});
}

TEST_CASE("inference-runners: on several devices, each has a tower of its own") {
  const std::string data = "\"dataflow\": " + rows("[[1], [2]]");
  const auto stats = [](const std::string& prefix) {
    return R"({"use": "scalar-stats", "with": {"names": "mean", "prefix": ")" + prefix + "\"}}";
  };
  const std::string second = R"(, "device": 1)";
  Project project;
  REQUIRE_MESSAGE(train(project, {R"(predict_devices=["cpu:0", "cpu:1"])",
                                  "callbacks=[" + runner(data, stats("a")) + ", " +
                                      runner(data, stats("b"), second) + ", " +
                                      runner(data, stats("c"), second) + ", " +
                                      parallel(data, stats("d"), "[0, 1]") + ", " +
                                      parallel(data, stats("e"), "[1, 0]") + "]",
                                  "monitors=[" + project.listener() + "]"}) == Exit::ok,
                  project.failure);
  for (const std::string prefix : {"a", "b", "c", "d", "e"})
    CHECK(project.trace("M.scalar " + prefix + "_mean ") == Lines{"1.5"});
  const auto defined = [&](const std::string& name) {
    const Lines lines = project.log_lines("tower '" + name + "' of ");
    return std::count_if(lines.begin(), lines.end(), [](const std::string& line) {
      return line.find(": defined in ") != std::string::npos;
    });
  };
  CHECK(defined("InferenceTower") == 1);
  CHECK(defined("InferenceTower-1") == 1);
}

TEST_CASE("data-parallel-inference-runner: what one tower says, in the order of the data") {
  Project project;
  // Ragged rows, a number of them that three towers do not divide, and a sum in which order counts.
  const std::string data =
      "\"dataflow\": " +
      rows("[[1e8], [1, 0, 1, 0], [1], [-1e8], [0.5, 0.25], [3], [7, 1], [1e-3]]");
  const std::string both = kStats + ", " + R"({"use": "classification-error"})";
  const Lines expected = inferred(project, runner(data, both), Exit::ok, 2);
  REQUIRE(expected.size() == 4);
  for (const std::string devices : {"[0]", "[0, 0]", "[0, 1, 2]", "[0, 0, 0, 0, 0, 0, 0, 0, 0]"}) {
    CAPTURE(devices);
    Project other;
    const Lines found = inferred(other, parallel(data, both, devices), Exit::ok, 2);
    INFO(other.failure);
    CHECK(found == expected);
  }
  const std::string endless = "\"data\": " + around("queue", rows("[[1], [0], [0], [0], [0]]"));
  Project queued;
  CHECK(inferred(queued, parallel(endless, kError, "[0, 0]"), Exit::ok, 2) ==
        Lines{"validation_error 0.2", "validation_error 0.2"});
}

TEST_CASE("data-parallel-inference-runner: data of unknown size, and data that fail") {
  Project project;
  const std::string data = "\"dataflow\": " + rows("[[1], [0], [1]]", R"(, "known_size": false)");
  CHECK(inferred(project, parallel(data, kStats, "[0, 0]")) ==
        Lines{"validation_mean 0.666666667"});
  CHECK(project.logged("the data does not say its size"));
  inferred(
      project,
      parallel("\"dataflow\": " + rows("[[1], [2], [3]]", R"(, "fail_at": 2)"), kStats, "[0, 0]"),
      Exit::training);
  CHECK(project.failure.find("row 2 is torn") != std::string::npos);
}

TEST_CASE("inference-runners: data without a point are told, data without an end are refused") {
  const std::string parts[] = {runner("DATA", kError), parallel("DATA", kError, "[0, 0]")};
  for (const std::string& callback : parts) {
    const auto with = [&](const std::string& data) {
      std::string text = callback;
      return text.replace(text.find("DATA"), 4, data);
    };
    Project project;
    inferred(project, with("\"dataflow\": " + rows("[]")));
    CHECK(project.logged("the data has no point"));
    const std::string endless = around("repeat", rows("[[1], [2]]"));
    for (const std::string& data :
         {"\"dataflow\": " + endless,
          "\"dataflow\": " + around("batch", endless, R"(, "batch_size": 2)"),
          "\"dataflow\": " + around("shard", endless), "\"data\": " + around("queue", endless),
          std::string(R"("data": {"use": "dummy-constant", "with": {"shapes": [[1]]}})")}) {
      CAPTURE(data);
      Project other;
      inferred(other, with(data), Exit::manifest);
      CHECK(other.failure.find("found data that never end") != std::string::npos);
    }
    const std::string unknown = rows("[[1], [0]]", R"(, "known_size": false)");
    Project again;
    inferred(again, with("\"data\": " + around("queue", unknown)), Exit::manifest);
    CHECK(again.failure.find("found an input source that begins again") != std::string::npos);
    Project once;
    CHECK(inferred(once, with("\"data\": " + around("queue", unknown, R"(, "infinite": false)"))) ==
          Lines{"validation_error 0.5"});
    Project finite;
    CHECK(inferred(finite, with("\"dataflow\": " +
                                around("repeat", rows("[[1], [0]]"), R"(, "times": 2)"))) ==
          Lines{"validation_error 0.5"});
  }
}

TEST_CASE("inference-runner: two inferencers that report one metric are told at the start") {
  const auto told = [](const std::string& inferencers) {
    Project project;
    inferred(project, runner("\"dataflow\": " + rows("[[1]]"), inferencers));
    return project.log_lines("both set validation_error: the later one wins").size();
  };
  const std::string other = R"({"use": "classification-error", "with": {"summary_name": "other"}})";
  CHECK(told(kError + ", " + kStats + ", " + kError) == 1);
  CHECK(told(kError + ", " + kStats + ", " + other) == 0);
}

TEST_CASE("inference-runner: it wants one source of data") {
  Project project;
  const std::string flow = "\"dataflow\": " + rows("[[1]]");
  inferred(project, runner(flow + ", \"data\": " + around("feed", rows("[[1]]")), kStats),
           Exit::manifest);
  CHECK(project.failure.find("exactly one of dataflow, data and datasets") != std::string::npos);
}

TEST_CASE("inference-runners: several data sets, whose names stand before the metrics") {
  const std::string sets = R"("datasets": [{"name": "a", "dataflow": )" + rows("[[1, 0], [1]]") +
                           R"(}, {"name": "b", "data": )" + around("queue", rows("[[0], [5]]")) +
                           "}]";
  const std::string both = kStats + ", " + kError;
  const Lines expected = {"a_validation_mean 0.75", "a_validation_error 0.666666667",
                          "b_validation_mean 2.5", "b_validation_error 2.5"};
  Lines twice = expected;
  twice.insert(twice.end(), expected.begin(), expected.end());
  Project project;
  CHECK(inferred(project, runner(sets, both), Exit::ok, 2) == twice);
  Project other;
  CHECK(inferred(other, parallel(sets, both, "[0, 0]"), Exit::ok, 2) == twice);
  Project prefixed;
  CHECK(inferred(prefixed, runner(sets, kError, R"(, "prefix": "ema")")) ==
        Lines{"ema_a_validation_error 0.666666667", "ema_b_validation_error 2.5"});
  Project single;
  CHECK(inferred(single, runner("\"dataflow\": " + rows("[[1], [0]]"), kError,
                                R"(, "prefix": "ema")")) == Lines{"ema_validation_error 0.5"});
}

TEST_CASE("inference-runner: metrics of data sets are known to callbacks that wait for them") {
  const auto waits = [](Project& project, const std::string& metric) {
    std::string every_other = runner(R"("datasets": [{"name": "a", "dataflow": )" + rows("[[1]]") +
                                         R"(}, {"name": "b", "dataflow": )" + rows("[[0]]") + "}]",
                                     kError, R"(, "prefix": "x")");
    every_other.pop_back();
    every_other += R"(, "when": {"every_k_epochs": 2}})";
    return train(project, {"max_epoch=2", "callbacks=[" + every_other +
                                              R"(, {"use": "early-stopping", "with":
                                              {"monitor_stat": ")" +
                                              metric + "\"}}]"});
  };
  Project project;
  CHECK(waits(project, "x_b_validation_error") == Exit::ok);
  Project wrong;
  CHECK(waits(wrong, "x_b_validation_eror") == Exit::manifest);
  CHECK(wrong.failure.find("did you mean 'x_b_validation_error'?") != std::string::npos);
  CHECK(wrong.failure.find("x_a_validation_error") != std::string::npos);
}

TEST_CASE("inference-runner: data sets that cannot be told apart, or have no data, are refused") {
  const std::string a = R"({"name": "a", "dataflow": )" + rows("[[1]]") + "}";
  const struct {
    std::string data, message;
  } cases[] = {
      {R"("datasets": [)" + a + ", " + a + "]", "found a twice"},
      {R"("datasets": [)" + a + R"(, {"name": "b"}])", "exactly one of dataflow and data"},
      {R"("datasets": [)" + a + R"(], "dataflow": )" + rows("[[1]]"),
       "exactly one of dataflow, data and datasets"},
      {R"("datasets": [{"name": "a", "dataflow": )" + around("repeat", rows("[[1]]")) + "}]",
       "found data that never end"},
      {R"("datasets": [{"name": "", "dataflow": )" + rows("[[1]]") + "}]", "/datasets/0/name"}};
  for (const auto& [data, message] : cases) {
    CAPTURE(data);
    Project project;
    inferred(project, runner(data, kError), Exit::manifest);
    INFO(project.failure);
    CHECK(project.failure.find(message) != std::string::npos);
  }
}
