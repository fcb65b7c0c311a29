// run_test.cpp: broch run ls, show, tail, compare: what a run is while it lives and afterwards.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <sstream>

#include "cli/program.hpp"

using namespace broch::cli_test;
namespace fs = std::filesystem;

namespace {

std::string state_of(const fs::path& log_dir) { return json_of({"run", "show", log_dir})["state"]; }

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// A log folder with these records.
fs::path folder_with(const Folder& folder, const std::string& name, const Json& records) {
  const fs::path path = folder.path() / name;
  fs::create_directory(path);
  std::ofstream(path / "log.log") << "";
  std::ofstream(path / "stats.json") << records.dump();
  return path;
}

const Json kDown = {{{"epoch_num", 1}, {"global_step", 10}, {"cost", 3.0}},
                    {{"epoch_num", 2}, {"global_step", 20}, {"cost", 1.0}},
                    {{"epoch_num", 3}, {"global_step", 30}, {"cost", 2.0}, {"late", nullptr}}};

Json first(size_t records) {
  Json list = Json::array();
  for (size_t i = 0; i < records; ++i) list.push_back(kDown[i]);
  return list;
}

}  // namespace

TEST_CASE("run: ls finds log folders below a folder and says how far each came") {
  const Json json = json_of({"run", "ls", trained_digits().parent_path()});
  REQUIRE(json["runs"].size() == 1);
  const Json& run_ = json["runs"][0];
  CHECK(run_["log_dir"] == trained_digits().string());
  CHECK(run_["name"] == "digits");
  CHECK(run_["state"] == "finished");
  CHECK(run_["epoch"] == 3);
  CHECK(run_["step"] == 120);
  CHECK(run_["exit"] == 0);
  CHECK(run_["started_at"].get<double>() > 1.7e9);
  CHECK(run_["ended_at"].get<double>() > run_["started_at"].get<double>());
  CHECK(run_["stats"].contains("validation_error"));
  CHECK(holds_in_order(
      run({"run", "ls", trained_digits().parent_path()}).out,
      {"run ", "state", "epoch", "digits ", "finished ", "3 ", "120 ", "validation_error="}));
}

TEST_CASE("run: a damaged file of one run does not hide the others") {
  const Folder folder;
  std::ofstream(folder_with(folder, "a", first(2)) / "stats.json") << "[{\"epoch_num\": 1, ";
  std::ofstream(folder_with(folder, "b", first(2)) / "manifest.resolved.json") << "{";
  folder_with(folder, "c", first(2));
  const Outcome outcome = run({"run", "ls", folder.path()});
  CHECK(outcome.exit_code == 0);
  CHECK(holds_in_order(outcome.out, {"/a ", "/b ", "/c ", "cost=1"}));
  CHECK(holds_in_order(outcome.err, {"a/stats.json", "cut short", "b/manifest.resolved.json"}));
  CHECK(run({"run", "show", folder.path() / "a"}).exit_code == 5);
}

TEST_CASE("run: JSON is UTF-8, whatever a folder is called") {
  const Folder folder;
  folder_with(folder, "caf\xe9", kDown);  // as Latin-1 has it
  folder_with(folder, "ok", kDown);
  const Json runs = json_of({"run", "ls", folder.path()})["runs"];  // parses strict JSON
  REQUIRE(runs.size() == 2);
  CHECK(runs[0]["log_dir"] == (folder.path() / "caf").string() + "\xef\xbf\xbd");
  CHECK(runs[1]["log_dir"] == (folder.path() / "ok").string());
}

TEST_CASE("run: ls looks some folders deep, not through links, and not into runs") {
  const Folder folder;
  fs::create_directories(folder.path() / "a" / "b");
  folder_with(folder, "a/b/run", kDown);
  folder_with(folder, "a/b/run/inner", kDown);
  fs::create_directory_symlink(folder.path() / "a", folder.path() / "link");
  const Json runs = json_of({"run", "ls", folder.path()})["runs"];
  REQUIRE(runs.size() == 1);
  CHECK(runs[0]["log_dir"] == (folder.path() / "a/b/run").string());
  CHECK(runs[0]["state"] == "unknown");
  CHECK(json_of({"run", "ls", folder.path() / "link/b"})["runs"].size() == 1);
  CHECK(run({"run", "ls", folder.path() / "no-such"}).exit_code == 5);
}

TEST_CASE("run: a run is running, then interrupted; a killed one is told from one that failed") {
  const Quick quick(0.05, kLong);
  const auto started = [&] { REQUIRE(Start::wait_for(quick.events(), "before_run 1\n")); };
  {
    Start start(quick.train());
    started();
    CHECK(state_of(quick.log_dir()) == "running");
    start.signal(SIGINT);
    start.finish();
    CHECK(state_of(quick.log_dir()) == "interrupted");
  }
  fs::remove(quick.events());
  {
    Start start(quick.train());
    started();
    start.signal(SIGKILL);
    start.finish();
    CHECK(state_of(quick.log_dir()) == "killed");
  }
  CHECK(run(quick.train({"model.with.scalars=-1"})).exit_code == 3);
  CHECK(state_of(quick.log_dir()) == "killed");  // nothing was started
  CHECK(run(quick.train({"session_init={\"use\": \"restore\", \"with\": {\"path\": \"/none\"}}"}))
            .exit_code == 9);
  CHECK(state_of(quick.log_dir()) == "killed");  // a start that fails leaves what was there
}

TEST_CASE("run: show has settings, place, checkpoints and the last of each metric") {
  const Json json = json_of({"run", "show", trained_digits()});
  CHECK(json["model"] == "digits.convnet");
  CHECK(json["trainer"] == "broch.trainer.simple");
  CHECK(json["max_epoch"] == 3);
  CHECK(json["pid"].get<int64_t>() > 0);
  CHECK(json["checkpoints"] == Json{"model-40", "model-80", "model-120"});
  CHECK(holds_in_order(run({"run", "show", trained_digits()}).out,
                       {"name: digits\n", "state: finished\n", "model: digits.convnet\n",
                        "max_epoch: 3\n", "started: ", "exit: 0\n", "step: 120\n",
                        "checkpoints: model-40 model-80 model-120\n", "validation_error "}));
  const Folder folder;
  const Outcome none = run({"run", "show", folder.path()});
  CHECK(none.exit_code == 5);
  CHECK(holds_in_order(none.err, {folder.path(), "no run", "log.log"}));
}

TEST_CASE("run: show tells the smallest and the largest of each metric, and when they were") {
  const Folder folder;
  const fs::path log_dir = folder_with(folder, "run", kDown);
  const Json courses = json_of({"run", "show", log_dir})["courses"];
  CHECK(courses.size() == 1);
  CHECK(courses["cost"] ==
        Json{{"last", 2.0}, {"min", 1.0}, {"min_epoch", 2}, {"max", 3.0}, {"max_epoch", 1}});
  const std::string shown = one_spaced(run({"run", "show", log_dir}).out);
  CHECK(holds(shown, " metric last min at epoch max at epoch cost 2 1 2 3 1 late nan - - - -"));
}

TEST_CASE("run: ls takes several folders, and sorts by a metric that is chosen") {
  const Folder folder, other;
  const auto with = [](const Folder& in, const std::string& name, const Json& numbers) {
    Json record = {{"epoch_num", 1}, {"global_step", 10}, {"cost", 5.0}};
    record.update(numbers);
    folder_with(in, name, Json::array({record}));
  };
  with(folder, "a", {{"val_acc", 0.5}, {"rate", 3.0}});
  with(folder, "b", {{"rate", nullptr}});
  with(other, "c", {{"rate", 1.0}});
  const Words words{"run", "ls", folder.path(), other.path()};
  CHECK(holds_in_order(run(words).out, {"/a ", "val_acc=0.5\n", "/b ", "cost=5\n", "/c "}));

  Words sorted = words;
  sorted.insert(sorted.end(), {"--stat", "rate"});
  CHECK(holds_in_order(run(sorted).out, {" rate\n", "/c ", " 1\n", "/a ", " 3\n", "/b "}));
  CHECK(json_of(sorted)["runs"][0]["stats"]["rate"] == 1.0);
  sorted.push_back("--descending");
  CHECK(holds_in_order(run(sorted).out, {"/a ", "/c ", "/b "}));
  const Outcome typo = run({"run", "ls", folder.path(), "--stat", "rat"});
  CHECK(typo.exit_code == 2);
  CHECK(holds(typo.err, "did you mean 'rate'?"));
  CHECK(run({"run", "ls", folder.path(), "--descending"}).exit_code == 2);
}

TEST_CASE("run: steps and epochs are whole numbers, also 100000") {
  const Folder folder;
  const Json record = {{"epoch_num", 100000}, {"global_step", 2000000}, {"cost", 3.0}};
  const fs::path log_dir = folder_with(folder, "run", Json::array({record}));
  std::ofstream(log_dir / "manifest.resolved.json") << R"({"name": "run", "max_epoch": 300000})";
  CHECK(run({"run", "tail", log_dir}).out == "epoch_num=100000 global_step=2000000 cost=3\n");
  CHECK(holds(run({"run", "show", log_dir}).out, "max_epoch: 300000\n"));
  CHECK(holds_in_order(run({"run", "plot", log_dir, "-o", log_dir / "plot.svg"}).out,
                       {"epoch_num ", "100000\n", "global_step ", "2000000\n"}));
}

TEST_CASE("run: tail prints the last records as plain lines, or as JSON") {
  const Folder folder;
  const fs::path log_dir = folder_with(folder, "run", kDown);
  CHECK(run({"run", "tail", log_dir, "-n", "2"}).out ==
        "epoch_num=2 global_step=20 cost=1\nepoch_num=3 global_step=30 cost=2 late=nan\n");
  CHECK(lines_of(run({"run", "tail", log_dir}).out).size() == 3);
  const auto lines = lines_of(run({"run", "tail", log_dir, "-n", "1", "--json"}).out);
  REQUIRE(lines.size() == 1);
  CHECK(Json::parse(lines[0]) == Json{{"schema", 1}, {"record", kDown[2]}});
  fs::remove(log_dir / "stats.json");
  CHECK(run({"run", "tail", log_dir}).exit_code == 5);
  CHECK(run({"run", "tail", log_dir, "-f"}).exit_code == 0);  // nothing comes any more
}

TEST_CASE("run: tail -f goes on until the run ends and prints each record once") {
  const Folder folder;
  const fs::path log_dir = folder_with(folder, "run", first(1));
  const int run_ = open(log_dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  REQUIRE(flock(run_, LOCK_EX) == 0);  // as a run holds it
  Start tail({"run", "tail", log_dir, "-f"});
  for (const size_t records : {2, 3}) {
    CHECK(Start::wait_for(tail.out(), "epoch_num=" + std::to_string(records - 1) + " "));
    std::ofstream(log_dir / "next") << first(records).dump();
    fs::rename(log_dir / "next", log_dir / "stats.json");
  }
  close(run_);
  const Outcome outcome = tail.finish();
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.err == "");
  CHECK(outcome.out == run({"run", "tail", log_dir}).out);
}

TEST_CASE("run: compare tells last and best of each metric and where manifests differ") {
  const Folder folder;
  const fs::path a = folder_with(folder, "a", kDown);
  const fs::path b = folder_with(folder, "b", {{{"epoch_num", 1}, {"cost", 5.0}, {"own", 1.0}}});
  std::ofstream(a / "manifest.resolved.json") << R"({"seed": 1, "log_dir": "a", "x": [1, {}]})";
  std::ofstream(b / "manifest.resolved.json") << R"({"seed": 2, "log_dir": "b", "x": [1]})";
  const Json json = json_of({"run", "compare", a, b});
  REQUIRE(json["stats"].size() == 2);
  CHECK(json["stats"][0]["name"] == "cost");
  CHECK(json["stats"][0]["runs"][0] ==
        Json{{"last", 2.0}, {"min", 1.0}, {"min_epoch", 2}, {"max", 3.0}, {"max_epoch", 1}});
  CHECK(json["stats"][0]["runs"][1]["last"] == 5.0);
  CHECK(json["stats"][1]["runs"][0].is_null());
  CHECK(json["manifest"] == Json{{{"pointer", "/seed"}, {"runs", {"1", "2"}}},
                                 {{"pointer", "/x/1"}, {"runs", {"{}", nullptr}}}});
  CHECK(json_of({"run", "compare", a, b, "--stat", "own"})["stats"].size() == 1);
  CHECK(holds_in_order(run({"run", "compare", a, b}).out,
                       {"stat ", "last ", "cost ", a, "2 ", "1 ", "3 ", "cost ", b, "manifest ",
                        "/seed ", "1 ", "2\n", "/x/1 ", "{} ", "-\n"}));
  const Outcome typo = run({"run", "compare", a, b, "--stat", "cots"});
  CHECK(typo.exit_code == 2);
  CHECK(holds(typo.err, "did you mean 'cost'?"));
  CHECK(run({"run", "compare", a}).exit_code == 2);
}
