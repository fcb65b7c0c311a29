// check_test.cpp: broch check refuses what a training would refuse before a plugin's code runs, and
// messages name the line of the manifest, as it was written.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "cli/program.hpp"

using namespace broch::cli_test;
namespace fs = std::filesystem;

namespace {

// Both refuse it alike, and before any of the manifest's own code has run.
void check_both(const Quick& quick, const Words& overrides, int exit_code,
                const Words& diagnostic) {
  Words check{"check", quick.manifest(), "log_dir=" + quick.log_dir()};
  check.insert(check.end(), overrides.begin(), overrides.end());
  for (const Words& words : {check, quick.train(overrides)}) {
    const Outcome outcome = run(words);
    CAPTURE(words.front());
    INFO(outcome.err);
    CHECK(outcome.exit_code == exit_code);
    CHECK(holds_in_order(outcome.err, diagnostic));
  }
  CHECK_FALSE(fs::exists(quick.events()));
}

// A manifest of a few lines that trains on a file of numbers, or on one component of it.
std::string with_data(const Folder& folder, const std::string& component) {
  return written(folder, "m.json",
                 "{ \"broch\": 1, \"plugins\": [\"" PAUSE_PLUGIN
                 "\"],\n"
                 "  \"trainer\": \"test.idle\", \"steps_per_epoch\": 1,\n"
                 "  \"dataflow\": { \"use\": \"arrays\", \"with\": { \"components\": [\n    " +
                     component + "\n  ] } } }\n");
}

Outcome plan(const std::string& manifest) { return run({"plan", "--runtime", "null", manifest}); }

void check_refused(const Outcome& outcome, int exit_code, const Words& diagnostic) {
  INFO(outcome.err);
  CHECK(outcome.exit_code == exit_code);
  CHECK(outcome.out == "");
  CHECK(holds_in_order(outcome.err, diagnostic));
}

std::string after(const std::string& text, const std::string& part) {
  const size_t at = text.find(part);
  return at == std::string::npos ? "" : text.substr(at + part.size());
}

}  // namespace

TEST_CASE("check: numbers and devices that no run can have") {
  const Quick quick;
  check_both(quick, {"max_epoch=-1"}, 3, {"/max_epoch: -1", "at least 0"});
  check_both(quick, {"predict_devices=[\"cpu:9999\"]"}, 3,
             {"device 'cpu:9999'", "0 to 4095", "in the manifest: ", "/predict_devices"});
  check_both(quick, {R"(trainer={"use": "simple", "with": {"devices": ["cpu:0", "cpu:1"]}})"}, 3,
             {"/trainer/with/devices", "a list of 2", "sync-parameter-server"});
}

TEST_CASE("check: references in a circle") {
  const Quick quick;
  const auto around = [](const std::string& name, const std::string& ref) {
    return R"({"name": ")" + name + R"(", "use": "periodic-trigger", "with": {"every_k_steps": 1,
               "callback": {"ref": ")" +
           ref + "\"}}}";
  };
  check_both(quick, {"callbacks=[" + around("a", "b") + ", " + around("b", "a") + "]"}, 3,
             {"/callbacks/1/with/callback: 'a' refers to itself", "without a circle"});
}

TEST_CASE("check: updates that contradict themselves") {
  const Quick quick;
  check_both(quick, {R"(optimizer={"use": "momentum", "with":
                 {"learning_rate": 0.1, "momentum": 0, "nesterov": true}})"},
             3, {"override optimizer: /optimizer/with/nesterov: true", "a momentum above 0"});
  check_both(
      quick, {R"(gradient_processors=[{"use": "summary-gradient", "with": {"regex": "("}}])"}, 3,
      {"override gradient_processors: /gradient_processors/0/with/regex: '('", "ECMAScript"});
}

TEST_CASE("check: a wrong option of an optimizer or a gradient processor is told with its line") {
  const Quick quick;
  const Folder folder;
  const auto refused = [&](const std::string& member, const Words& diagnostic) {
    const std::string text =
        "{ \"broch\": 1, \"extends\": \"" + quick.manifest() + "\",\n" + member + " }\n";
    check_refused(run({"check", written(folder, "m.json", text)}), 3, diagnostic);
  };
  refused(R"("optimizer": { "use": "momentum", "with": {
    "learning_rate": 0.1, "momentum": 0,
    "nesterov": true } })",
          {"m.json:4:17: /optimizer/with/nesterov: true", "a momentum above 0", "\n    4 | "});
  refused(R"("gradient_processors": [ { "use": "map-gradient", "with": {
    "operator": "aten::neg(Tensor self) -> Tensor",
    "arguments": [2] } } ])",
          {"m.json:4:18: /gradient_processors/0/with/arguments: [2]", "$gradient", "\n    4 | "});
}

TEST_CASE("check: a component that asks for what this host does not have") {
  check_both(
      Quick(), {"+callbacks=test.telepath"}, 4,
      {"test.telepath", "needs extension broch.telepathy/1", "in the manifest: ", "/callbacks/2"});
}

TEST_CASE("check: a pass that is none") {
  const Outcome outcome = run(digits({"check"}, {"runtime.disabled_passes=[\"pruune\"]"}));
  check_refused(outcome, 3, {"/runtime/disabled_passes: 'pruune'", "did you mean 'prune'?"});
}

TEST_CASE("check: where the run would be, and what it would go on with") {
  const Quick quick;
  check_both(quick, {"resume=auto", "log_dir_action=new"}, 3, {"/log_dir_action", "the same"});
  check_both(quick, {"resume=true"}, 9, {"no such file"});
  fs::create_directories(quick.log_dir());
  check_both(quick, {"resume=true"}, 9, {"no checkpoint in this folder"});
  std::ofstream(fs::path(quick.log_dir()) / "mine.txt") << "mine";
  check_both(quick, {"log_dir_action=quit"}, 5, {"log_dir_action is quit"});
  check_both(quick, {"log_dir_action=delete"}, 5, {"files of no run"});
  const Words fine{"check", quick.manifest(), "log_dir=" + quick.log_dir(), "resume=auto"};
  CHECK(run(fine).exit_code == 0);
  const std::string file = fs::path(quick.log_dir()) / "mine.txt";
  const Outcome below = run({"check", quick.manifest(), "log_dir=" + file + "/runs/one"});
  CHECK(below.exit_code == 5);
  CHECK(holds_in_order(below.err, {file + " is no folder", "hint: choose", ": /log_dir"}));
  CHECK(read_file(file) == "mine");
}

TEST_CASE("check: keys that did nothing are gone, and are refused as any unknown key is") {
  const Quick quick;
  check_both(quick, {R"(runtime={"periods": 5})"}, 3,
             {"/runtime/periods: unknown key 'periods'", "execution"});
  check_both(quick, {R"(runtime={"periods": "runs"})"}, 3, {"unknown key 'periods'"});
  check_both(quick,
             {R"(gradient_processors=[{"use": "filter-none-grad", "with": {"verbose": false}}])"},
             3, {"unknown key 'verbose'", "no key here"});
  check_both(quick, {R"(monitors=[{"use": "json-writer", "run_on": "all"}])"}, 3,
             {"/monitors/0/run_on", "on a component of role monitor", "on a callback"});
}

TEST_CASE("check: a component in the wrong place is named as what it is") {
  const Quick quick;
  check_both(quick, {"data=null", "dataflow=adam"}, 3,
             {"/dataflow/use: no plugin offers 'broch.dataflow.adam'", "broch.dataflow.batch",
              "hint: adam is an optimizer, not a dataflow"});
  check_both(quick, {"callbacks=[\"broch.monitor.json-writer\"]"}, 3,
             {"of role monitor", "hint: broch.monitor.json-writer is a monitor, not a callback"});
}

TEST_CASE("check: what \"when\" is about keeps the path under which it was written") {
  const Quick quick;
  const auto entry = [](const std::string& more) {
    return R"(callbacks=[{"use": "test.picky", "when": {"every_k_epochs": 2}, )" + more + "}]";
  };
  check_both(quick, {entry(R"("with": {"evn": 2})")}, 3,
             {": /callbacks/0/with/evn: unknown key 'evn'"});
  const Outcome made = run(quick.train({entry(R"("with": {"even": 3})")}));
  INFO(made.err);
  CHECK(made.exit_code == 3);
  CHECK(holds_in_order(made.err, {": /callbacks/0/with/even: callback ",
                                  "(test.picky) failed in create: found an odd"}));
}

TEST_CASE("check: an error of create names the line of the option, or of the entry") {
  const Folder folder;
  const auto manifest = [&](const std::string& callback) {
    return written(folder, "m.json",
                   "{ \"broch\": 1, \"plugins\": [\"" PAUSE_PLUGIN
                   "\"], \"trainer\": \"test.idle\","
                   "\n  \"callbacks\": [\n    " +
                       callback + "\n  ], \"steps_per_epoch\": 1 }\n");
  };
  check_refused(plan(manifest(R"({ "use": "test.picky", "with": { "even": 3 } })")), 3,
                {"m.json:3:46: /callbacks/0/with/even: callback 'picky' (test.picky) failed in "
                 "create: found an odd number, expected 2 or 4",
                 "\n    3 |     { \"use\"", "\n      | ", "^"});
  check_refused(
      plan(manifest(
          R"({ "use": "periodic-trigger", "with": { "callback": "merge-all-summaries" } })")),
      3,
      {"failed in create: one of every_k_steps",
       "\n  in the manifest: ", "m.json:3:5: /callbacks/0"});
}

TEST_CASE("check: a library that is missing is named with its line and how to build it") {
  const Folder folder;
  const auto hint_of = [&](const std::string& project, const std::string& library) {
    const std::string manifest = written(
        folder, project + "/m.json",
        "{ \"broch\": 1,\n  \"plugins\": [\"" + library + "\"], \"trainer\": \"no-op\" }\n");
    const Outcome outcome = run({"check", manifest});
    CHECK(run({"train", manifest}).exit_code == 4);
    check_refused(outcome, 4, {"m.json:2:15: /plugins/0: no file ", library, "expected"});
    return after(outcome.err, "hint: ");
  };
  CHECK(hint_of("bare", "x.so").starts_with("build the library, or correct the path"));
  written(folder, "cmake/CMakeLists.txt", "");
  const std::string cmake = (folder.path() / "cmake").string();
  CHECK(hint_of("cmake", "out/x.so")
            .starts_with("build it: cmake -S " + cmake + " -B " + cmake + "/out"));
  written(folder, "cmake/out/CMakeCache.txt", "");
  CHECK(hint_of("cmake", "out/x.so").starts_with("build it: cmake --build " + cmake + "/out\n"));
  written(folder, "cmake/CMakePresets.json", R"({"configurePresets": [{"name": "release"}]})");
  CHECK(hint_of("cmake", "build/release/x.so")
            .starts_with("build it: cd " + cmake + " && cmake --preset release"));
  written(folder, "meson/meson.build", "");
  CHECK(hint_of("meson", "build/x.so").starts_with("build it: meson setup "));
  written(folder, "cargo/Cargo.toml", "");
  CHECK(hint_of("cargo", "target/release/x.so").starts_with("build it: cargo build --release"));
}

TEST_CASE("check: a folder of libraries stands under plugins as one of them does") {
  const Folder folder;
  fs::create_directory(folder.path() / "made");
  fs::copy_file(PAUSE_PLUGIN, folder.path() / "made" / "pause.so");
  const std::string manifest =
      written(folder, "m.json",
              R"({"broch": 1, "plugins": ["made"], "trainer": "test.idle", "steps_per_epoch": 1})");
  CHECK(run({"check", manifest}).exit_code == 0);
}

TEST_CASE("plan: data that are missing are named with the line of their option") {
  const Folder folder;
  check_refused(plan(with_data(folder, R"({ "file": "none.csv" })")), 5,
                {"m.json:4:15: /dataflow/with/components/0/file: dataflow ",
                 "failed in reset_state: ", "none.csv: found no such file, expected ",
                 "check the path", "\n    4 |     { \"file\": \"none.csv\" }", "^"});
}

TEST_CASE("plan: columns of a .csv file by name; those that nobody names may hold text") {
  const Folder folder;
  written(folder, "iris.csv", "width,length,species\n1,2,setosa\n3,4,virginica\n");
  const auto component = [&](const std::string& columns) {
    return with_data(folder, R"({ "file": "iris.csv", "columns": )" + columns + " }");
  };
  const Json both = json_of({"plan", "--runtime", "null", component(R"(["length", "width"])")});
  CHECK(both["inputs"] == Json::parse(R"([{"input": "0", "shape": "(2,) float32"}])"));
  const Json one = json_of({"plan", "--runtime", "null", component("\"length\"")});
  CHECK(one["inputs"] == Json::parse(R"([{"input": "0", "shape": "() float32"}])"));
  check_refused(plan(component(R"(["length", "species"])")), 5,
                {"m.json:4:15: /dataflow/with/components/0/file",
                 "iris.csv: line 2, column 3 ('species'): found 'setosa', expected a number",
                 "if it holds text"});
  check_refused(plan(component(R"(["lenght"])")), 5,
                {"m.json:4:38: /dataflow/with/components/0/columns", "found no column 'lenght'",
                 "one of 'width', 'length', 'species'"});
}

TEST_CASE("plan: a data point is held against the inputs of the model") {
  const std::string arrays = "dataflow.with.dataflow.with.dataflow.with.";
  const auto refused = [&](const std::string& change, const Words& diagnostic) {
    Words all = diagnostic;
    all.insert(all.end(), {"of dataflow ", "(broch.dataflow.batch)",
                           "in the manifest: ", "digits.json:13:15: /dataflow", "\n    13 | "});
    check_refused(run(digits({"plan"}, {arrays + change})), 5, all);
  };
  refused("components[0].name=picture", {"input 'image'", "picture, label", "of that name"});
  refused("components[1].dtype=int32", {"input 'label'", "int32", "int64"});
  refused("components[0].shape=[8, 8]", {"input 'image'", "shape (32, 8, 8)", "1, 8, 8)"});
}
