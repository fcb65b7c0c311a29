// monitors_test.cpp: json-writer, scalar-printer and the order of monitors.
#include "project.hpp"

using namespace broch::test;

namespace {

// init=7 before training, loss=global_step each step, val=10*epoch each epoch.
const std::string kGolden = recorder("{\"put\": [" + put("before_train", "init", "7") + ", " +
                                     put("trigger_step", "loss", "global_step") + ", " +
                                     put("trigger_epoch", "val", "10 * epoch_num") + "]}");

Lines json_writer(const std::string& callbacks, const Lines& more) {
  Lines overrides = {"callbacks=[" + callbacks + "]", "monitors=[\"json-writer\"]"};
  overrides.insert(overrides.end(), more.begin(), more.end());
  return overrides;
}

const Lines kFirst = {
    R"({"init":7.0,"epoch_num":0,"global_step":0})",
    R"({"loss":1.0,"epoch_num":1,"global_step":1})",
    R"({"loss":2.0,"learning_rate":1.0,"weight_decay":0.0,"val":10.0,"epoch_num":1,"global_step":2})",
    R"({"loss":3.0,"epoch_num":2,"global_step":3})",
    R"({"loss":4.0,"learning_rate":1.0,"weight_decay":0.0,"val":20.0,"epoch_num":2,"global_step":4})"};

}  // namespace

TEST_CASE("json-writer: cuts a record before training, after steps and after epochs") {
  Project project;
  REQUIRE(project.train(json_writer(kGolden + ", \"model-saver\"",
                                    {"steps_per_epoch=2", "max_epoch=2"})) == Exit::ok);
  CHECK(project.records() == kFirst);
  CHECK(project.files("stats.json") == Lines{"stats.json"});

  SUBCASE("a start at the next epoch with the restored step appends") {
    const std::string restore =
        R"({"use": "restore", "with": {"path": ")" + project.log_dir().string() + "\"}}";
    REQUIRE(project.train(json_writer(kGolden, {"steps_per_epoch=2", "max_epoch=3",
                                                "starting_epoch=3", "session_init=" + restore})) ==
            Exit::ok);
    Lines all = kFirst;
    all.push_back(R"({"init":7.0,"epoch_num":2,"global_step":4})");
    all.push_back(R"({"loss":5.0,"epoch_num":3,"global_step":5})");
    all.push_back(
        R"({"loss":6.0,"learning_rate":1.0,"weight_decay":0.0,"val":30.0,"epoch_num":3,"global_step":6})");
    CHECK(project.records() == all);
  }
  SUBCASE("a start at epoch 1 keeps the old file under another name") {
    REQUIRE(project.train(json_writer(kGolden, {"steps_per_epoch=1", "max_epoch=1"})) == Exit::ok);
    CHECK(
        project.records() ==
        Lines{
            kFirst[0],
            R"({"loss":1.0,"learning_rate":1.0,"weight_decay":0.0,"val":10.0,"epoch_num":1,"global_step":1})"});
    const Lines files = project.files("stats.json");
    REQUIRE(files.size() == 2);
    CHECK(files[1].size() == std::string("stats.json.MMDD-HHMMSS").size());
    CHECK(project.records(files[1]) == kFirst);
    CHECK(project.logged("is kept as " + files[1]));
  }
  SUBCASE("--resume repeats nothing and loses nothing") {
    broch::session::RunOptions resume = Project::null_runtime();
    resume.resume = true;
    REQUIRE(project.train(
                json_writer(kGolden + ", \"model-saver\"", {"steps_per_epoch=2", "max_epoch=3"}),
                resume) == Exit::ok);
    Lines all = kFirst;
    all.push_back(R"({"loss":5.0,"epoch_num":3,"global_step":5})");
    all.push_back(
        R"({"loss":6.0,"learning_rate":1.0,"weight_decay":0.0,"val":30.0,"epoch_num":3,"global_step":6})");
    CHECK(project.records() == all);
  }
  SUBCASE("--resume tells that the records before are gone") {
    std::filesystem::remove(project.log_dir() / "stats.json");
    broch::session::RunOptions resume = Project::null_runtime();
    resume.resume = true;
    REQUIRE(project.train(
                json_writer(kGolden + ", \"model-saver\"", {"steps_per_epoch=2", "max_epoch=3"}),
                resume) == Exit::ok);
    // The checkpoint was saved before the last record of its epoch was complete.
    CHECK(project.records().size() == 3);
    CHECK(
        project.logged("there is no stats.json here: it begins behind the 4 records up to the "
                       "checkpoint."));
  }
}

TEST_CASE("json-writer: a stop in trigger_epoch does not lose that epoch's scalars") {
  Project project;
  const std::string script =
      recorder("{\"put\": [" + put("trigger_epoch", "val", "epoch_num") + ", " +
               put("trigger_epoch", "never", "epoch_num == 2 ? stop() : 0") + "]}");
  REQUIRE(project.train(json_writer(script, {"max_epoch=5"})) == Exit::ok);
  CHECK(
      project.records() ==
      Lines{
          R"({"learning_rate":1.0,"weight_decay":0.0,"val":1.0,"never":0.0,"epoch_num":1,"global_step":1})",
          R"({"learning_rate":1.0,"weight_decay":0.0,"val":2.0,"epoch_num":2,"global_step":2})"});
  CHECK(project.logged("Training was stopped by exception a function asked for it."));
}

TEST_CASE("json-writer: a start that fails leaves the earlier file as it was") {
  Project project;
  REQUIRE(project.train(json_writer(kGolden, {"steps_per_epoch=2", "max_epoch=2"})) == Exit::ok);
  const std::string bad = recorder("{\"put\": [" + put("before_train", "init", "7") + ", " +
                                   put("before_train", "stop", "stop()") + "]}");
  REQUIRE(project.train(json_writer(bad, {})) == Exit::ok);
  CHECK(project.records() == kFirst);

  std::ofstream(project.log_dir() / "stats.json") << "no list";
  CHECK(project.train(json_writer(kGolden, {})) == Exit::training);
  CHECK(project.failure.find("stats.json is not a file of this monitor") != std::string::npos);
  CHECK(read_file(project.log_dir() / "stats.json") == "no list");
}

TEST_CASE("json-writer: a run without scalars writes no file") {
  Project project;
  REQUIRE(project.train(json_writer("", {"max_epoch=0"})) == Exit::ok);
  CHECK(project.files("stats.json").empty());
}

TEST_CASE("monitors: scalars reach all of them before summaries do") {
  Project project;
  const std::string monitors =
      "monitors=[" + project.listener("M1") + ", " + project.listener("M2") + "]";
  SUBCASE("of put_scalar") {
    REQUIRE(project.train(
                {monitors, "callbacks=[" +
                               recorder("{\"put\": [" + put("before_train", "a", "1.5") + "]}") +
                               "]"}) == Exit::ok);
    CHECK(project.trace() ==
          Lines{"M1.scalar a 1.5", "M2.scalar a 1.5", "M1.summary a", "M2.summary a",
                "M1.scalar learning_rate 1", "M2.scalar learning_rate 1",
                "M1.summary learning_rate", "M2.summary learning_rate", "M1.scalar weight_decay 0",
                "M2.scalar weight_decay 0", "M1.summary weight_decay", "M2.summary weight_decay"});
  }
  SUBCASE("of put_summary, with clean tags") {
    REQUIRE(project.train({monitors, R"(callbacks=["test.summarizer"])"}) == Exit::ok);
    Lines trace = project.trace();
    trace.erase(trace.begin(), trace.begin() + 8);  // of hyper-parameters
    CHECK(trace == Lines{"M1.scalar x 1", "M2.scalar x 1", "M1.scalar EMA/y 2", "M2.scalar EMA/y 2",
                         "M1.summary x EMA/y", "M2.summary x EMA/y"});
  }
}

TEST_CASE("monitors: hyper-parameters are put in every epoch, also if it has no steps") {
  Project project;
  REQUIRE(project.train({"monitors=[" + project.listener() + "]", "steps_per_epoch=0",
                         "max_epoch=3"}) == Exit::ok);
  CHECK(project.trace("M.scalar learning_rate ") == Lines{"1", "1", "1"});
}

namespace {

// Lines that the printer logged, two steps of one epoch.
Lines printed(Project& project, const std::string& options) {
  const std::string script =
      recorder("{\"put\": [" + put("trigger_step", "loss", "global_step / 3") + ", " +
               put("trigger_step", "b/acc", "123456.789") + ", " +
               put("trigger_epoch", "a", "epoch_num == 1 ? 0.00001234567 : 2") + ", " +
               put("before_train", "Z", "-1") + "]}");
  std::filesystem::remove_all(project.log_dir());
  REQUIRE(project.train({"callbacks=[" + script + "]", "steps_per_epoch=2",
                         "monitors=[{\"use\": \"scalar-printer\", \"with\": " + options + "}]"}) ==
          Exit::ok);
  Lines lines;
  for (const std::string& line : project.log_lines("scalar-printer"))
    if (!line.starts_with("scalar-printer ("))  // not the times of an epoch
      lines.push_back(line.substr(line.find(": ") + 2));
  return lines;
}

}  // namespace

TEST_CASE("scalar-printer: sorted, five digits, each value once") {
  Project project;
  CHECK(printed(project, "{}") == Lines{"Z: -1", "a: 1.2346e-05", "b/acc: 1.2346e+05",
                                        "learning_rate: 1", "loss: 0.66667", "weight_decay: 0"});
  CHECK(printed(project, R"({"enable_step": true})") ==
        Lines{"Z: -1", "b/acc: 1.2346e+05", "loss: 0.33333", "a: 1.2346e-05", "b/acc: 1.2346e+05",
              "learning_rate: 1", "loss: 0.66667", "weight_decay: 0"});
  CHECK(printed(project, R"({"enable_step": true, "enable_epoch": false})") ==
        Lines{"Z: -1", "b/acc: 1.2346e+05", "loss: 0.33333", "b/acc: 1.2346e+05", "loss: 0.66667"});
}

TEST_CASE("scalar-printer: a stop in trigger_epoch does not lose that epoch's scalars") {
  Project project;
  const std::string script =
      recorder("{\"put\": [" + put("trigger_epoch", "val", "epoch_num") + ", " +
               put("trigger_epoch", "never", "epoch_num == 2 ? stop() : 0") + "]}");
  const Lines settings = {"callbacks=[" + script + "]", "monitors=[\"scalar-printer\"]",
                          "max_epoch=5"};
  REQUIRE(project.train(settings) == Exit::ok);
  CHECK(project.log_lines("val: ") == Lines{"val: 1", "val: 2"});
  CHECK(project.log_lines("learning_rate: ") == Lines{"learning_rate: 1", "learning_rate: 1"});
}

TEST_CASE("scalar-printer: filters search in names") {
  Project project;
  CHECK(printed(project, R"({"whitelist": ["acc", "^Z"]})") == Lines{"Z: -1", "b/acc: 1.2346e+05"});
  CHECK(printed(project, R"({"whitelist": []})").empty());
  CHECK(printed(project, R"({"blacklist": ["s$", "^a", "_"]})") ==
        Lines{"Z: -1", "b/acc: 1.2346e+05"});
  CHECK(printed(project, R"({"whitelist": ["a"], "blacklist": ["/", "_"]})") ==
        Lines{"a: 1.2346e-05"});
}

TEST_CASE("scalar-printer: what is no number has no sign") {
  Project project;
  const std::string script = recorder("{\"put\": [" + put("trigger_epoch", "a", "log(-1)") + ", " +
                                      put("trigger_epoch", "b", "0 - log(-1)") + "]}");
  REQUIRE(project.train({"callbacks=[" + script + "]", "monitors=[\"scalar-printer\"]"}) ==
          Exit::ok);
  CHECK(project.log_lines("a: ") == Lines{"a: nan"});
  CHECK(project.log_lines("b: ") == Lines{"b: nan"});
}
