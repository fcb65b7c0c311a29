// record_files_test.cpp: jsonl-writer and csv-writer. When records are cut and what a resume keeps
// is common to all writers of records, and tested with json-writer.
#include "project.hpp"

using namespace broch::test;

namespace {

// init before training, loss=global_step each step, val each epoch.
std::string script(const std::string& val) {
  return recorder("{\"put\": [" + put("before_train", "init", "7") + ", " +
                  put("trigger_step", "loss", "global_step / 8") + ", " +
                  put("trigger_epoch", "a, \\\"b\\\"", val) + "]}");
}

Lines overrides(const std::string& monitor, int epochs, const std::string& val = "10 * epoch_num") {
  return {"callbacks=[" + script(val) + ", \"model-saver\"]", "monitors=[\"" + monitor + "\"]",
          "steps_per_epoch=2", "max_epoch=" + std::to_string(epochs)};
}

broch::session::RunOptions resuming() {
  broch::session::RunOptions options = Project::null_runtime();
  options.resume = true;
  return options;
}

// The file after two epochs, and again after a third in a resumed run.
void check_file(const std::string& monitor, const std::string& file, const Lines& two,
                const Lines& three) {
  Project project;
  REQUIRE(project.train(overrides(monitor, 2)) == Exit::ok);
  CHECK(Project::lines_of(project.log_dir() / file) == two);
  SUBCASE("--resume goes on in the same file") {
    REQUIRE(project.train(overrides(monitor, 3), resuming()) == Exit::ok);
    CHECK(Project::lines_of(project.log_dir() / file) == three);
  }
  SUBCASE("--resume drops what came after the checkpoint, and a line that was cut off") {
    std::ofstream(project.log_dir() / file, std::ios::app) << two.back() << '\n' << "1,";
    if (monitor == "jsonl-writer") CHECK(read_file(project.log_dir() / file).ends_with("1,"));
    REQUIRE(project.train(overrides(monitor, 3), resuming()) == Exit::ok);
    CHECK(Project::lines_of(project.log_dir() / file) == three);
  }
  SUBCASE("a start at epoch 1 keeps the old file under another name") {
    REQUIRE(project.train(overrides(monitor, 1)) == Exit::ok);
    const Lines files = project.files(file);
    REQUIRE(files.size() == 2);
    CHECK(Project::lines_of(project.log_dir() / files[1]) == two);
  }
  SUBCASE("another file of this name is not replaced") {
    std::ofstream(project.log_dir() / file) << "something else\n";
    CHECK(project.train(overrides(monitor, 1)) == Exit::training);
    CHECK(project.failure.find(file + " is not a file of this monitor") != std::string::npos);
    CHECK(read_file(project.log_dir() / file) == "something else\n");
  }
}

}  // namespace

TEST_CASE("csv-writer: a row per record, a column per name") {
  const Lines two = {R"(epoch_num,global_step,init,loss,learning_rate,weight_decay,"a, ""b""")",
                     "0,0,7.0,,,,",
                     "1,1,,0.125,,,",
                     "1,2,,0.25,1.0,0.0,10.0",
                     "2,3,,0.375,,,",
                     "2,4,,0.5,1.0,0.0,20.0"};
  Lines three = two;
  three.insert(three.end(), {"3,5,,0.625,,,", "3,6,,0.75,1.0,0.0,30.0"});
  check_file("csv-writer", "stats.csv", two, three);
}

TEST_CASE("jsonl-writer: a line per record") {
  const Lines two = {
      R"({"init":7.0,"epoch_num":0,"global_step":0})",
      R"({"loss":0.125,"epoch_num":1,"global_step":1})",
      R"({"loss":0.25,"learning_rate":1.0,"weight_decay":0.0,"a, \"b\"":10.0,"epoch_num":1,"global_step":2})",
      R"({"loss":0.375,"epoch_num":2,"global_step":3})",
      R"({"loss":0.5,"learning_rate":1.0,"weight_decay":0.0,"a, \"b\"":20.0,"epoch_num":2,"global_step":4})"};
  Lines three = two;
  three.insert(
      three.end(),
      {R"({"loss":0.625,"epoch_num":3,"global_step":5})",
       R"({"loss":0.75,"learning_rate":1.0,"weight_decay":0.0,"a, \"b\"":30.0,"epoch_num":3,"global_step":6})"});
  check_file("jsonl-writer", "stats.jsonl", two, three);
}

TEST_CASE("record files: a resumed run says how many records are lost") {
  Project project;
  REQUIRE(project.train(overrides("jsonl-writer", 2)) == Exit::ok);
  const Lines two = Project::lines_of(project.log_dir() / "stats.jsonl");
  write_file(project.log_dir() / "stats.jsonl", two.front() + "\n");
  REQUIRE(project.train(overrides("jsonl-writer", 3), resuming()) == Exit::ok);
  CHECK(project.log_lines("stats.jsonl holds 1 of the 4 records").size() == 1);
  CHECK(Project::lines_of(project.log_dir() / "stats.jsonl").size() == 4);
}

TEST_CASE("csv-writer: numbers that are not finite have names, in JSON they are null") {
  Project project;
  Lines both = overrides("csv-writer", 1, "epoch_num / 0");
  both[1] = R"(monitors=["csv-writer", "jsonl-writer"])";
  REQUIRE(project.train(both) == Exit::ok);
  CHECK(Project::lines_of(project.log_dir() / "stats.csv").back() == "1,2,,0.25,1.0,0.0,inf");
  CHECK(Project::lines_of(project.log_dir() / "stats.jsonl").back().find(R"("a, \"b\"":null)") !=
        std::string::npos);
  // The checkpoint is written when this number has arrived and its record is not cut yet.
  both.back() = "max_epoch=2";
  REQUIRE(project.train(both, resuming()) == Exit::ok);
  CHECK(Project::lines_of(project.log_dir() / "stats.csv")[3] == "1,2,,0.25,1.0,0.0,inf");
}

TEST_CASE("csv-writer: a file with a row of more fields than columns stays as it is") {
  Project project;
  REQUIRE(project.train(overrides("csv-writer", 1)) == Exit::ok);
  const auto file = project.log_dir() / "stats.csv";
  std::ofstream(file, std::ios::app) << "1,3,,,,,,\n";  // 8 fields, 7 columns
  const std::string damaged = read_file(file);
  CHECK(project.train(overrides("csv-writer", 2), resuming()) == Exit::training);
  CHECK(project.failure.find("stats.csv is not a file of this monitor") != std::string::npos);
  CHECK(read_file(file) == damaged);
}

TEST_CASE("csv-writer: a file that somebody else writes stays as it is") {
  const auto train = [](Project& project, const std::string& monitors) {
    return project.train(
        {"callbacks=[" + recorder("{\"put\": [" + put("trigger_epoch", "a", "epoch_num") + "]}") +
             ", \"model-saver\"]",
         "monitors=[" + monitors + "]", "steps_per_epoch=2", "max_epoch=2"});
  };
  Project project, other;
  CHECK(train(project,
              R"("json-writer", {"use": "csv-writer", "with": {"filename": "stats.json"}})") ==
        Exit::ok);
  CHECK(project.logged("cannot write stats.json: found that somebody else has written it"));
  CHECK(read_file(project.log_dir() / "stats.json").starts_with("[\n{"));
  CHECK(train(other, R"({"use": "csv-writer", "with": {"filename": "checkpoint"}})") == Exit::ok);
  CHECK(other.logged("cannot write checkpoint: found that somebody else has written it"));
  CHECK(read_file(other.log_dir() / "checkpoint").starts_with("model_checkpoint_path"));
}

// A file that is replaced after each of these epochs would be written for longer than they take.
TEST_CASE("json-writer, csv-writer: nothing is dropped where epochs are shorter than a write") {
  Project project;
  std::string puts;
  for (int i = 0; i < 20; ++i)
    puts += (i ? ", " : "") + put("trigger_epoch", "m" + std::to_string(i), "epoch_num");
  REQUIRE(project.train({"callbacks=[" + recorder("{\"put\": [" + puts + "]}") + "]",
                         R"(monitors=["json-writer", "csv-writer"])", "max_epoch=3000"}) ==
          Exit::ok);
  CHECK_FALSE(project.logged("too slow"));
  const std::string json = read_file(project.log_dir() / "stats.json");
  size_t records = 0;
  for (size_t at = 0; (at = json.find("\"epoch_num\"", at)) != json.npos; ++at) ++records;
  CHECK(records == 3000);
  CHECK(Project::lines_of(project.log_dir() / "stats.csv").size() == 3001);
}
