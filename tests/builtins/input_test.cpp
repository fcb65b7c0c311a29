// input_test.cpp: input sources: what they yield, their ends and failures, resuming.
#include "slope.hpp"
#include "with_flows.hpp"

using namespace broch::test;

namespace {

const std::string kFour = rows("[[1], [2], [3], [4]]");
// The mean is that of x times weight.
const std::string kWeighted = R"(model={"use": "test.slope", "with": {"weighted": true}})";

std::string feeder(const std::string& names) {
  return R"(, {"use": "test.feeder", "with": {"names": )" + names + "}}";
}

}  // namespace

TEST_CASE("feed: starts over at the end, or ends training gracefully when finite") {
  Project project;
  CHECK(means(project, "data=" + around("feed", kFour), 6) == Lines{"1", "2", "3", "4", "1", "2"});
  CHECK(means(project, "data=" + around("feed", kFour, R"(, "infinite": false)"), 6) ==
        Lines{"1", "2", "3", "4"});
  CHECK(project.logged("Training was stopped by exception"));
}

TEST_CASE("input: a dataflow of one point is enough for ever, one of none is an error") {
  for (const std::string use : {"queue", "feed"}) {
    CAPTURE(use);
    Project project;
    CHECK(means(project, "data=" + around(use, rows("[[7]]")), 4) == Lines{"7", "7", "7", "7"});
    CHECK(train(project, {"data=" + around(use, rows("[]"))}) == Exit::data);
    CHECK(project.failure.find("no data points") != std::string::npos);
  }
}

TEST_CASE("queue: keeps the order, ends gracefully when finite") {
  Project project;
  CHECK(means(project, "data=" + around("queue", kFour, R"(, "capacity": 2)"), 10) ==
        Lines{"1", "2", "3", "4", "1", "2", "3", "4", "1", "2"});
  CHECK(means(project, "data=" + around("queue", kFour, R"(, "infinite": false)"), 6) ==
        Lines{"1", "2", "3", "4"});
}

TEST_CASE("queue: a failing dataflow fails training with its own words") {
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
  CHECK(means(project, "data=" + around("queue", rows("[[1], [2]]", R"(, "wait_at": 1)")), 1) ==
        Lines{"1"});
  CHECK(!project.logged("did not return from stop within"));
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

TEST_CASE("input: each hooked run takes one data point, whoever fetches from it") {
  for (const std::string use : {"queue", "feed"}) {
    CAPTURE(use);
    Project project;
    const std::string data = "data=" + around(use, kFour);
    CHECK(means(project, data, 3, 1, false, "", {"trainer=test.twice"}) ==
          Lines{"1", "2", "3", "4", "1", "2"});
    const std::string also =
        R"(, {"use": "progress-bar", "with": {"names": ["mean"]}}, "nan-guard")";
    CHECK(means(project, data, 2, 2, false, also) == Lines{"1", "2", "3", "4"});
  }
}

// What the two towers' "mean" was in each step, "tower 0, tower 1".
namespace {
Lines steps_of_two(Project& project, const std::string& input, int steps, int epochs = 1,
                   bool resume = false, const std::string& trainer = "",
                   const std::string& callbacks = "") {
  const std::string fetch =
      recorder("{" + project.trace_option() + R"(, "fetch": ["mean", "1:mean"]})");
  broch::session::RunOptions options;
  options.resume = resume;
  CHECK(
      train(project,
            {R"(trainer={"use": "sync-parameter-server", "with": {"devices": ["cpu:0", "cpu:1"])" +
                 trainer + "}}",
             input, "callbacks=[" + fetch + callbacks + R"(, "model-saver"])",
             "steps_per_epoch=" + std::to_string(steps), "max_epoch=" + std::to_string(epochs)},
            options) == Exit::ok);
  CHECK(project.failure == "");
  const Lines first = project.trace("mean "), second = project.trace("1:mean ");
  REQUIRE(first.size() == second.size());
  Lines both;
  for (size_t i = 0; i < first.size(); ++i) both.push_back(first[i] + ", " + second[i]);
  return both;
}

const std::string kEight = rows("[[1], [2], [3], [4], [5], [6], [7], [8]]");
std::string finite_queue() { return around("queue", kEight, R"(, "infinite": false)"); }
std::string staged(int stages) {
  return R"(data={"use": "staging", "with": {"nr_stage": )" + std::to_string(stages) +
         R"(, "input": )" + finite_queue() + "}}";
}
}  // namespace

TEST_CASE("staging: two towers take their points in turn, and n * (S + nr_stage) in all") {
  Project project;
  const std::string off = R"(, "gpu_prefetch": false)";
  const Lines all{"1, 2", "3, 4", "5, 6", "7, 8"};
  CHECK(steps_of_two(project, "data=" + finite_queue(), 9, 1, false, off) == all);
  // A queue of a trainer with two towers is staged, whoever names it.
  CHECK(steps_of_two(project, "data=" + finite_queue(), 9) == Lines(all.begin(), all.end() - 1));
  CHECK(steps_of_two(project, "dataflow=" + kEight, 5) ==
        Lines{"1, 2", "3, 4", "5, 6", "7, 8", "1, 2"});
  for (const int stages : {1, 2, 3}) {
    CAPTURE(stages);
    CHECK(steps_of_two(project, staged(stages), 9) == Lines(all.begin(), all.end() - stages));
  }
  CHECK(steps_of_two(project, staged(4), 9).empty());  // the end while it fills: not a step
}

TEST_CASE("queue: a resumed run continues after the point that an evaluation took for one tower") {
  Project project;
  const auto epoch = [&](int number) {
    return steps_of_two(project, "data=" + around("queue", kEight), 1, number, number > 1,
                        R"(, "gpu_prefetch": false)",
                        R"(, {"use": "merge-all-summaries", "with": {"run_alone": true}})");
  };
  CHECK(epoch(1) == Lines{"1, 2"});  // and 3 alone
  CHECK(epoch(2) == Lines{"4, 5"});
  CHECK(epoch(3) == Lines{"7, 8"});
}

TEST_CASE("staging: a resumed run takes again what was ready and not used") {
  Project project;
  CHECK(steps_of_two(project, "dataflow=" + kEight, 3) == Lines{"1, 2", "3, 4", "5, 6"});
  CHECK(steps_of_two(project, "dataflow=" + kEight, 3, 2, true) == Lines{"7, 8", "1, 2", "3, 4"});
}

TEST_CASE("staging: needs a source with data of its own, serves no inference, does not nest") {
  const auto failure = [](const std::string& data) {
    Project project;
    CHECK(train(project, {data}) != Exit::ok);
    return project.failure;
  };
  const auto around_input = [](const std::string& input) {
    return R"({"use": "staging", "with": {"input": )" + input + "}}";
  };
  CHECK(failure("data=" + around_input(around("feed", kFour))).find("such as a queue") !=
        std::string::npos);
  CHECK(failure("data=" + around_input(around_input(around("queue", kFour))))
            .find("leave one of them out") != std::string::npos);
  Project project;
  const std::string round =
      R"(callbacks=[{"use": "inference-runner", "with": {"data": )" +
      around_input(around("queue", kFour)) +
      R"(, "inferencers": [{"use": "scalar-stats", "with": {"names": "mean"}}]}}])";
  CHECK(train(project, {"data=" + around("queue", kFour), round}) != Exit::ok);
  CHECK(project.failure.find("staging input cannot serve inference") != std::string::npos);
}

TEST_CASE("staging: what the staged source calls back stays (QueueInput/queue_size)") {
  Project project;
  CHECK(train(project, {R"(trainer={"use": "async", "with": {"devices": ["cpu:0", "cpu:1"]}})",
                        "dataflow=" + kFour, "monitors=[" + project.listener() + "]"}) == Exit::ok);
  CHECK(project.failure == "");
  CHECK(project.trace("M.scalar QueueInput/queue_size ").size() == 1);
}

TEST_CASE("queue: the mean of its lengths after the last runs is a metric") {
  Project project;
  CHECK(
      train(project, {"data=" + around("queue", rows("[[1], [2], [3], [4]]", R"(, "wait_at": 3)")),
                      R"(callbacks=["test.awaiter"])", "steps_per_epoch=3",
                      "monitors=[" + project.listener() + "]"}) == Exit::ok);
  // Of 2, 1 and 0, each weighing twice as much as the one before: (2 + 2 + 0) / 7.
  CHECK(project.trace("M.scalar QueueInput/queue_size ") == Lines{"0.571428571"});
}

TEST_CASE("queue: around batch, it is a queue of single points from which batches are taken") {
  const std::string seven = rows("[[1], [2], [3], [4], [5], [6], [7]]", R"(, "scalars": true)");
  const auto batches = [](const std::string& of) {
    return "data=" + around("queue", around("batch", of, R"(, "batch_size": 2)"));
  };
  // An epoch has as many steps as there are whole batches.
  Project rounds;
  CHECK(train(rounds,
              {batches(seven), "steps_per_epoch=null", "max_epoch=2",
               "callbacks=[" + recorder("{" + rounds.trace_option() + R"(, "fetch": ["mean"]})") +
                   "]"}) == Exit::ok);
  CHECK(rounds.trace("mean ") == Lines{"1.5", "3.5", "5.5", "1.5", "3.5", "5.5"});
  // BatchQueueInput of tensorpack goes on with the points of the next round: 7 and 1.
  Project endless;
  CHECK(means(endless, batches(around("repeat", seven)), 3, 2) ==
        Lines{"1.5", "3.5", "5.5", "4", "2.5", "4.5"});
}

TEST_CASE("no-op: steps count and call back, nothing is read or trained") {
  Project project;
  const std::string torn = rows("[[1]]", R"(, "fail_at": 0)");
  CHECK(train(project, {"trainer=no-op", "dataflow=" + torn, "steps_per_epoch=3",
                        "callbacks=[" +
                            recorder("{" + project.trace_option() +
                                     R"(, "events": ["after_run"], "watch": "w"})") +
                            "]"}) == Exit::ok);
  CHECK(project.trace("after_run ") == Lines{"1,0,1 1", "1,1,2 1", "1,2,3 1"});
}

TEST_CASE("placeholder: a step that nobody feeds fails and names the input") {
  Project project;
  CHECK(train(project, {R"(data={"use": "placeholder"})"}) == Exit::training);
  CHECK(project.failure.find("input 'x'") != std::string::npos);
  CHECK(project.failure.find("nobody feeds it") != std::string::npos);
}

TEST_CASE("placeholder: callbacks feed every input in every step") {
  Project project;
  CHECK(means(project, R"(data={"use": "placeholder"})", 3, 1, false, feeder(R"(["x", "weight"])"),
              {kWeighted}) == Lines{"1", "4", "9"});
}

TEST_CASE("remap_input_source: callbacks feed the inputs that the data lack") {
  const Lines expected{"10", "40", "90", "160", "50", "120"};
  const std::string tens = rows("[[10], [20], [30], [40]]");
  for (const std::string source : {"feed", "queue"}) {
    CAPTURE(source);
    Project project;
    for (const auto& [given, fed] : {std::pair("x", "weight"), std::pair("weight", "x")})
      CHECK(means(project, "data=" + around(source, tens), 6, 1, false,
                  feeder("[\"" + std::string(fed) + "\"]"),
                  {kWeighted, "remap_input_source=[\"" + std::string(given) + "\"]"}) == expected);
  }
  // The components are in the order of the list, and a feed comes before the data.
  Project project;
  const std::string both =
      "data=" + around("feed", R"({"use": "zip", "with": {"dataflows": [)" + rows("[[2]]") + ", " +
                                   rows("[[3], [5]]") + "]}}");
  CHECK(means(project, both, 2, 1, false, feeder(R"(["weight"])"),
              {kWeighted, R"(remap_input_source=["weight", "x"])"}) == Lines{"3", "6"});
}

TEST_CASE("remap_input_source: what is unknown, twice or not fed is named before training") {
  const auto failure = [](const std::string& names, const std::string& fed) {
    Project project;
    CHECK(train(project, {kWeighted, "data=" + around("feed", kFour), "remap_input_source=" + names,
                          "callbacks=[\"test.summarizer\"" + feeder(fed) + "]"}) == Exit::manifest);
    CHECK_FALSE(project.logged("Start Epoch"));
    return project.failure;
  };
  CHECK(failure(R"(["weigth"])", R"(["x"])").find("did you mean 'weight'?") != std::string::npos);
  CHECK(failure(R"(["x", "x"])", R"(["weight"])").find("'x' twice") != std::string::npos);
  CHECK(failure(R"(["x"])", "[]").find("neither in remap_input_source nor fed") !=
        std::string::npos);
  CHECK(failure("[]", "[]") != "");
}

namespace {

// Two queues: the one around tens gives the input "weight", the other one "x".
std::string two_queues(const std::string& tens, const std::string& ones,
                       const std::string& names = R"([["weight"], ["x"]])") {
  return R"(data={"use": "side-by-side", "with": {"inputs": [)" + tens + ", " + ones +
         R"(], "names": )" + names + "}}";
}
const std::string kTens = rows("[[10], [20], [30]]");

}  // namespace

TEST_CASE("side-by-side: each source gives its inputs, in its own order") {
  Project project;
  const std::string data = two_queues(around("queue", kTens), around("queue", kFour));
  const Lines products{"10", "40", "90", "40", "20", "60"};
  CHECK(means(project, data, 6, 1, false, "", {kWeighted}) == products);
  SUBCASE("a resumed run continues in each of them") {
    Project cut;
    const std::string saver = R"(, "model-saver")";
    CHECK(means(cut, data, 2, 1, false, saver, {kWeighted}) == Lines{"10", "40"});
    CHECK(means(cut, data, 2, 3, true, saver, {kWeighted}) == Lines{"90", "40", "20", "60"});
  }
  SUBCASE("the data end with the first one that ends") {
    const std::string finite = around("queue", kTens, R"(, "infinite": false)");
    CHECK(means(project, two_queues(finite, around("queue", kFour)), 6, 1, false, "",
                {kWeighted}) == Lines{"10", "40", "90"});
  }
}

TEST_CASE("side-by-side: it tells that a source has no cursors") {
  Project project;
  const std::string blind =
      around("batch",
             R"({"use": "test.numbers", "with": {"size": 4, "indexed": false, "cursors": false}})",
             R"(, "batch_size": 1)");
  CHECK(means(project, two_queues(around("queue", kTens), around("queue", blind)), 2, 1, false, "",
              {kWeighted, kWithFlows}) == Lines{"0", "20"});
  CHECK(project.logged("gives no cursors"));
}

TEST_CASE("side-by-side: a wait that is given up loses no point of the other source") {
  const auto patience = [](const std::string& input, const char* insists) {
    return R"({"use": "test.patience", "with": {"input": )" + input + R"(, "insists": )" + insists +
           "}}";
  };
  const std::string data =
      two_queues(around("queue", kTens), patience(around("queue", kFour), "false"));
  Project project;
  CHECK(means(project, "data=" + patience(data.substr(std::string("data=").size()), "true"), 4, 1,
              false, "", {kWeighted, kWithFlows}) == Lines{"10", "40", "90", "40"});
}

TEST_CASE("side-by-side: names that are missing, wrong or twice are refused") {
  const auto failure = [](const std::string& names, const std::string& second = "queue") {
    Project project;
    CHECK(
        train(project, {kWeighted, two_queues(around("queue", kTens), around(second, kFour), names),
                        "steps_per_epoch=2", "max_epoch=1"}) != Exit::ok);
    return project.failure;
  };
  const auto has = [](const std::string& text, const char* part) {
    CAPTURE(text);
    CHECK(text.find(part) != std::string::npos);
  };
  has(failure(R"([["weight"], ["y"]])"), "no input 'y'");
  has(failure(R"([["weight"], ["weight"]])"), "'weight' comes from two places");
  has(failure(R"([["weight"], []])"), "no source gives the input 'x'");
  has(failure(R"([["weight"]])"), "2 sources and names of 1");
  has(failure(R"([["weight", "x"], []])"), "gives 1 components, and has names for 2");
  has(failure(R"([["weight"], ["x"]])", "feed"), "such as queues");
}

TEST_CASE("dummy-constant: zeros of the given shapes, with a warning") {
  Project project;
  CHECK(means(project, R"(data={"use": "dummy-constant", "with": {"shapes": [[3]]}})", 2) ==
        Lines{"0", "0"});
  CHECK(project.logged("constant zeros"));
  CHECK(train(project, {R"(data={"use": "dummy-constant", "with": {"shapes": []}})"}) != Exit::ok);
}

TEST_CASE("bench: the model takes inputs of the given names, shapes and dtypes") {
  Project project;
  const std::string data =
      R"(dataflow={"use": "batch", "with": {"batch_size": 2, "dataflow": {"use": "fake", "with":
          {"components": [{"shape": [4, 3], "name": "image"},
                          {"shape": [], "dtype": "int64", "name": "label"}]}}}})";
  const auto inputs = [](const std::string& label) {
    return R"(model={"use": "bench", "with": {"inputs": [{"shape": [-1, 4, 3], "name": "image"}, )" +
           label + "]}}";
  };
  const std::string good = R"({"shape": [2], "dtype": "int64", "name": "label"})";
  CHECK(train(project, {data, inputs(good)}) == Exit::ok);
  CHECK(project.failure == "");
  CHECK(train(project, {data, inputs(R"({"shape": [-1], "name": "label"})")}) != Exit::ok);
  CHECK(project.failure.find("input 'label'") != std::string::npos);
  CHECK(train(project, {data, inputs(R"({"shape": [-1, 1], "dtype": "int64"})")}) != Exit::ok);
  CHECK(project.failure.find("input 'x1'") != std::string::npos);
}
