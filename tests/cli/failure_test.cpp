// failure_test.cpp: every way to fail before training has its exit code, and its message names
// place, found, expected and what to do next, on stderr.
#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "cli/program.hpp"

using namespace broch::cli_test;
namespace fs = std::filesystem;

namespace {

void check_fails(const Words& words, int exit_code, const Words& diagnostic) {
  const Outcome outcome = run(words);
  INFO(outcome.err);
  CHECK(outcome.exit_code == exit_code);
  CHECK(outcome.out == "");
  CHECK(holds_in_order(outcome.err, diagnostic));
  CHECK(holds(outcome.err, "\n  hint: "));
}

Words command_with(const std::string& command, const std::string& manifest) {
  if (command == "config") return {"config", "show", "--resolved", manifest};
  if (command == "eval") return {"eval", manifest, "--checkpoint", "none"};
  return {command, manifest};
}

constexpr const char* kReaders[] = {"train", "check", "plan", "config", "eval"};

}  // namespace

TEST_CASE("failure: a manifest that is not there ends every command that reads one with 5") {
  for (const char* command : kReaders)
    check_fails(command_with(command, "no-such.json"), 5,
                {"no-such.json: no such file", "expected"});
}

TEST_CASE("failure: a manifest that is no JSON ends every command with 3 and its position") {
  const Folder folder;
  const std::string broken = written(folder, "broken.json", "{\n  \"broch\": 1,\n  \"seed\": ?\n}");
  for (const char* command : kReaders)
    check_fails(command_with(command, broken), 3, {"broken.json:3:11", "expected"});
}

TEST_CASE("failure: an unknown key is 3 with position, pointer and nearest key") {
  const Folder folder;
  const std::string wrong = written(folder, "wrong.json", "{\"broch\": 1,\n \"max_epok\": 3}");
  check_fails({"check", wrong}, 3, {"wrong.json:2:2", "/max_epok", "did you mean 'max_epoch'?"});
}

TEST_CASE("failure: an option of a component that its schema refuses is 3") {
  check_fails(digits({"check"}, {"model.with.dropout=wet"}), 3,
              {"model.with.dropout", "/model/with/dropout", "expected a number"});
  check_fails(digits({"check"}, {"optimizer.with.momentum=1"}), 3, {"/optimizer/with", "momentum"});
}

TEST_CASE("failure: a device that this machine lacks is 3 and where it was named") {
  const Folder folder;
  const std::string log_dir = "log_dir=" + (folder.path() / "log").string();
  for (const auto& [override, place] : {
           std::pair{R"(trainer.with.devices=["cuda:99"])", "/trainer/with/devices/0"},
           {R"(trainer={"use": "sync-replicated", "with": {"devices": ["cpu:0", "cuda:99"]}})",
            "/trainer/with/devices/1"},
           {R"(trainer={"use": "no-op", "with": {"devices": ["cuda:99"]}})",
            "/trainer/with/devices/0"},
           {R"(predict_devices=["cpu:0", "cuda:99"])", "/predict_devices"},
       }) {
    CAPTURE(override);
    check_fails(digits({"train"}, {override, log_dir}), 3,
                {place, "the device cuda:99", "a device of this machine"});
  }
}

TEST_CASE("failure: options that only create can refuse are 3 as well") {
  const Quick quick;
  const std::string list =
      R"(callbacks=[{"use": "periodic-trigger", "with": {"callback": "bench"}}])";
  const Outcome outcome =
      run({"train", "--runtime", "null", quick.manifest(), "log_dir=" + quick.log_dir(), list});
  INFO(outcome.err);
  CHECK(outcome.exit_code == 3);
  CHECK(holds_in_order(outcome.err, {"periodic-trigger", "failed in create", "every_k_steps"}));
}

TEST_CASE("failure: a component that nothing provides is 4 and names the nearest") {
  const Quick quick;
  check_fails({"check", quick.manifest(), "monitors=[\"json-writter\"]"}, 4,
              {"/monitors/0", "json-writter", "json-writer"});
}

TEST_CASE("failure: a plugin file that is missing, or no library, is 4") {
  const Folder folder;
  const std::string text = written(folder, "text.so", "not a library");
  const Quick quick;
  for (const std::string& file : {(folder.path() / "none.so").string(), text}) {
    check_fails({"check", quick.manifest(), "plugins=[\"" + file + "\"]"}, 4, {file, "expected"});
    check_fails({"plugin", "inspect", file}, 4, {file, "expected"});
  }
}

TEST_CASE("failure: plugin inspect of a folder is 4, whatever is in it") {
  const Folder folder;
  const std::string here = folder.path();
  check_fails({"plugin", "inspect", here}, 4, {here, "a folder", "expected", "the library itself"});
}

TEST_CASE("failure: plugin inspect of an unknown name is 4 and names the nearest, whole or short") {
  check_fails({"plugin", "inspect", "clasification-error"}, 4,
              {"clasification-error", "did you mean 'classification-error'?"});
  check_fails({"plugin", "inspect", "broch.callback.model-savr"}, 4,
              {"model-savr", "did you mean 'broch.callback.model-saver'?"});
}

TEST_CASE("failure: data that is missing is 5 and names the file") {
  const Folder folder;
  const std::string none = folder.path() / "none.csv";
  const std::string file = "dataflow.with.dataflow.with.dataflow.with.components[0].file=" + none;
  const Outcome outcome = run(digits({"plan"}, {file}));
  CHECK(outcome.exit_code == 5);
  CHECK(outcome.out == "");
  CHECK(holds_in_order(outcome.err, {none, "no such file", "expected", "check the path"}));
}

TEST_CASE("failure: a path that the file system refuses is 5 and is named") {
  const std::string name(300, 'a');
  check_fails({"ckpt", "ls", name}, 5, {name, "File name too long", "the path"});
}

TEST_CASE("failure: a folder without records, or with broken ones, cannot be plotted: 5") {
  const Folder folder;
  const std::string here = folder.path();
  check_fails({"run", "plot", here}, 5, {"stats.json", "No such file", "a monitor"});
  written(folder, "stats.json", "[]");
  check_fails({"run", "plot", here}, 5, {"stats.json", "no records", "first epoch"});
  written(folder, "stats.json", "[{\"epoch_num\": 1},\n ]x");
  check_fails({"run", "plot", here}, 5, {"stats.json:2:"});
}

TEST_CASE("failure: a picture that cannot be written is 5 and names its path") {
  const Folder folder;
  written(folder, "stats.json", "[{\"epoch_num\": 1, \"global_step\": 1, \"cost\": 1.5}]");
  const Outcome outcome =
      run({"run", "plot", folder.path(), "-o", folder.path() / "none" / "picture.png"});
  CHECK(outcome.exit_code == 5);
  CHECK(holds_in_order(outcome.err, {"none/", "No such file"}));
}

TEST_CASE("failure: a checkpoint that is missing, cut, or no checkpoint is 9") {
  const Folder folder;
  const std::string junk = written(folder, "junk.safetensors", "junk");
  const std::string whole = read_file(trained_digits() / "min-validation_error.safetensors");
  const std::string cut = written(folder, "cut.safetensors", whole.substr(0, whole.size() / 2));
  const std::string none = folder.path() / "none";
  for (const std::string& file : {none, junk, cut})
    check_fails(digits({"eval"}, {"--checkpoint", file}), 9, {file});
}

TEST_CASE("failure: a checkpoint of another network is 9 and names the variable") {
  check_fails(digits({"eval"}, {"--checkpoint", trained_digits(), "model.with.width=5"}), 9,
              {"block1/conv/W", "4, 1, 3, 3"});
}

TEST_CASE("failure: evaluating a manifest without an inference-runner is 3") {
  const Words words{"eval",          SAMPLE_DIR "/digits.json", "plugins=[\"" SAMPLE_PLUGIN "\"]",
                    "callbacks=[]",  "model.with.width=4",      "--checkpoint",
                    trained_digits()};
  check_fails(words, 3, {"/callbacks", "inference-runner"});
}

TEST_CASE("failure: a name that the model does not publish is 3, and the nearest is named") {
  const Folder folder;
  const std::string log_dir = "log_dir=" + (folder.path() / "log").string();
  const std::string inferencer =
      "callbacks[validation].with.inferencers="
      "[{\"use\": \"top-k-error\", \"with\": {\"scores\": \"lgits\"}}]";
  check_fails(digits({"train"}, {log_dir, inferencer, "~callbacks[min-saver]"}), 3,
              {"inference-runner", "'lgits'", "did you mean 'logits'?"});
  const std::string printer =
      "+callbacks={\"use\": \"tensor-printer\", \"with\": {\"names\": [\"lgits\"]}}";
  check_fails(digits({"train"}, {log_dir, printer}), 3,
              {"tensor-printer", "'lgits'", "did you mean 'logits'?"});
}

TEST_CASE("failure: instructions that nobody knows are a wrong usage") {
  Surroundings surroundings;
  surroundings.environment = {{"BROCH_ISA", "avx-2"}};
  const Outcome outcome = run(digits({"plan"}), surroundings);
  CHECK(outcome.exit_code == 2);
  CHECK(holds_in_order(outcome.err, {"BROCH_ISA", "'avx-2'", "generic, avx2 or avx512"}));
}

TEST_CASE("failure: ranks that cannot be are a wrong usage") {
  const Quick quick;
  for (const Words& ranks :
       {Words{"--rank", "1"}, Words{"--world", "0"}, Words{"--world", "2", "--rank", "1"},
        Words{"--world", "2", "--rank", "5", "--no-collectives"},
        Words{"--ranks", "2", "--no-collectives"}})
    check_fails(quick.train(ranks), 2, {"broch train", "expected"});
}

TEST_CASE("failure: a log folder that is or holds something else is left as it is") {
  const Folder folder;
  const Quick quick;
  const std::string mine = written(folder, "mine.txt", "mine");
  Words words = quick.train({"log_dir_action=delete"});
  for (std::string& word : words)
    if (word.starts_with("log_dir=")) word = "log_dir=" + folder.path().string();
  check_fails(words, 5, {folder.path().string(), "files of no run"});
  CHECK(read_file(mine) == "mine");
  for (const char* action : {"backup", "delete"}) {
    words.back() = std::string("log_dir_action=") + action;
    const Outcome outcome = run(words, {.folder = folder.path()});
    CHECK(outcome.exit_code == 5);
    CHECK(holds(outcome.err, "is the working directory, or holds it"));
    CHECK(read_file(mine) == "mine");
  }
}

TEST_CASE("failure: a picture does not take the place of what is none") {
  const Folder folder;
  const std::string mine = written(folder, "weights", "no picture");
  check_fails({"run", "plot", trained_digits().string(), "-o", mine}, 5,
              {mine, "something that is no picture", "expected"});
  check_fails({"data", "show",
               R"({"use": "fake", "with": {"size": 1, "components": [{"shape": [3, 4, 4]}]}})",
               "--images", mine},
              5, {mine, "something that is no picture", "expected"});
  CHECK(read_file(mine) == "no picture");
}

TEST_CASE("failure: a trace does not take the place of what is none") {
  const Folder folder;
  const std::string mine = written(folder, "weights", "no trace");
  const Words diagnostic = {mine, "something that is no trace", "expected"};
  const std::string log_dir = "log_dir=" + (folder.path() / "log").string();
  check_fails(digits({"train"}, {"--profile", mine, log_dir}), 5, diagnostic);
  check_fails(digits({"program", "dump"}, {"--trace", mine}), 5, diagnostic);
  CHECK(read_file(mine) == "no trace");
  CHECK_FALSE(fs::exists(folder.path() / "log"));
  const Quick quick;
  const std::string trace = folder.path() / "trace.json";
  for (int times = 0; times < 2; ++times)
    CHECK(run(quick.train({"--profile", trace, "log_dir_action=delete"})).exit_code == 0);
}

TEST_CASE("failure: weights behind a circle of links are 5, also for a component") {
  const Folder folder;
  const fs::path circle = folder.path() / "circle";
  fs::create_symlink("circle", circle);
  const Outcome outcome =
      run(digits({"train"}, {"log_dir=" + (folder.path() / "log").string(),
                             R"(session_init={"use": "restore", "with": {"path": ")" +
                                 circle.string() + "\"}}"}));
  INFO(outcome.err);
  CHECK(outcome.exit_code == 5);
  CHECK(
      holds_in_order(outcome.err, {circle.string(), "symbolic links", "expected a file", "hint"}));
}

TEST_CASE("failure: a BROCH_TORCH_DIR without LibTorch 2.11 is 4 and says what is there") {
  const Folder folder;
  const auto check_torch = [&](const std::string& named, const std::string& found) {
    Surroundings surroundings;
    surroundings.environment["BROCH_TORCH_DIR"] = named;
    const Outcome outcome = run(digits({"plan"}), surroundings);
    INFO(outcome.err);
    CHECK(outcome.exit_code == 4);
    CHECK(
        holds_in_order(outcome.err, {"BROCH_TORCH_DIR", found, "expected LibTorch 2.11", "hint"}));
  };
  check_torch(folder.path(), "'" + folder.path().string() + "' has neither lib/libtorch_cpu.so");
  fs::create_directories(folder.path() / "torch/lib");
  written(folder, "torch/lib/libtorch_cpu.so", "no library");
  check_torch(folder.path(), "libtorch_cpu.so");  // the loader's words
  written(folder, "torch/version.py", "__version__ = '2.10.0+cpu'\n");
  check_torch(folder.path() / "torch",
              "version 2.10.0+cpu in " + (folder.path() / "torch").string());
}

TEST_CASE("failure: what cannot be printed to its end is no success") {
  const int exit_code = std::system("\"" BROCH_PROGRAM "\" plugin ls > /dev/full 2> /dev/null");
  CHECK(WEXITSTATUS(exit_code) == 5);

  // With SIGPIPE ignored, a reader that has left is an error of write.
  const Folder folder;
  const std::string said = (folder.path() / "said").string();
  const int piped = std::system(("trap '' PIPE; { sleep 0.5; \"" BROCH_PROGRAM "\" plugin ls 2> " +
                                 said + "; echo exit $? >> " + said + "; } | true")
                                    .c_str());
  CHECK(piped == 0);
  std::ostringstream text;
  text << std::ifstream(said).rdbuf();
  CHECK(holds_in_order(text.str(), {"the reader of the pipe ended", "exit 5"}));
}

TEST_CASE("failure: what is printed goes nowhere, not into a file, if stdout or stderr is closed") {
  const auto status_of = [](const Words& words, const std::string& closed) {
    std::string line = "\"" BROCH_PROGRAM "\"";
    for (const std::string& word : words) line += " '" + word + "'";
    return WEXITSTATUS(std::system((line + closed).c_str()));
  };
  // The files that a training keeps open would be the next ones with these numbers.
  for (const std::string closed : {" 2>&-", " <&- 2>&-", " >&- 2>&-", " <&- >&- 2>&-"}) {
    CAPTURE(closed);
    const Quick quick;
    CHECK(status_of(quick.train(), closed) == 0);
    const std::string log = read_file(fs::path(quick.log_dir()) / "log.log");
    const size_t end = log.find("Training has finished!");
    REQUIRE(end != std::string::npos);
    CHECK(log.find("Training has finished!", end + 1) == std::string::npos);
    CHECK(run({"ckpt", "verify", quick.log_dir()}).exit_code == 0);
    CHECK(run({"run", "show", quick.log_dir()}).exit_code == 0);
  }
  CHECK(status_of({"plugin", "ls"}, " >&- 2>&-") == 5);
}

TEST_CASE("failure: more threads than OMP_THREAD_LIMIT allows are refused, not waited for") {
  Surroundings surroundings;
  surroundings.environment["OMP_THREAD_LIMIT"] = "1";
  const Outcome outcome = run(digits({"program", "dump"}, {"runtime.threads=2"}), surroundings);
  CHECK(outcome.exit_code == 3);
  CHECK(holds(outcome.err, "runtime.threads: 2 threads, but OMP_THREAD_LIMIT is 1"));
}
