// reading_test.cpp: --json of the commands that read: one strict JSON object with a schema number
// and the members that scripts rely on, which say what the text says.
#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

#include "cli/program.hpp"

using namespace broch::cli_test;
namespace fs = std::filesystem;

namespace {

Words keys_of(const Json& object) {
  Words keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

void check_width(const std::string& table) {
  std::istringstream stream(table);
  for (std::string line; std::getline(stream, line);) CHECK_MESSAGE(line.size() <= 100, line);
}

const Json* component(const Json& list, const std::string& id) {
  for (const Json& one : list)
    if (one.at("id") == id) return &one;
  return nullptr;
}

}  // namespace

TEST_CASE("reading: version says the same in all forms, from what it was built of") {
  const Json json = json_of({"version"});
  CHECK(keys_of(json) == Words{"schema", "broch", "interface", "libtorch", "commit"});
  CHECK(json["schema"] == 1);
  CHECK(json["libtorch"].get<std::string>().starts_with("2.11."));
  const std::string commit =
      json["commit"].is_null() ? "" : " (" + json["commit"].get<std::string>() + ")";
  const std::string line = "broch " + json["broch"].get<std::string>() + commit +
                           ", plugin interface " + json["interface"].get<std::string>() +
                           ", LibTorch " + json["libtorch"].get<std::string>() + "\n";
  for (const Words& words : {Words{"version"}, {"--version"}, {"-V"}, {"train", "--version"}}) {
    const Outcome outcome = run(words);
    CAPTURE(words.back());
    CHECK(outcome.exit_code == 0);
    CHECK(outcome.out == line);
    CHECK(outcome.err == "");
  }
  CHECK(run({"env"}).out.starts_with(line));
}

TEST_CASE("reading: env tells versions, devices, processor, folders and limits") {
  const Json json = json_of({"env", "--plugin-path", "/no/such/folder"});
  CHECK(keys_of(json) == Words{"schema", "broch", "interface", "commit", "compiler", "libtorch",
                               "libtorch_build", "libtorch_missing", "cuda_devices", "cuda_missing",
                               "cpu", "memory_bytes", "ranks", "plugin_path", "environment",
                               "limits"});
  CHECK(holds(json["libtorch"], "LibTorch 2.11"));
  CHECK(holds(json["libtorch_build"], "2.11.0-"));
  CHECK(json["libtorch_missing"].is_null());
  CHECK(json["cuda_devices"].empty() == json["cuda_missing"].is_string());
  CHECK(json["cpu"]["cores"].get<int>() >= json["cpu"]["usable_cores"].get<int>());
  CHECK(json["memory_bytes"].get<uint64_t>() > 1 << 28);
  CHECK(json["plugin_path"][0] == "/no/such/folder");
  CHECK(json["limits"].contains("open files"));
  CHECK(holds(run({"env"}).out, "libtorch: " + json["libtorch"].get<std::string>()));
}

TEST_CASE("reading: env tells what launcher started it, or what its environment lacks") {
  CHECK(json_of({"env"})["ranks"] == "1, no launcher");
  Surroundings surroundings;
  surroundings.environment = {{"RANK", "1"},
                              {"WORLD_SIZE", "2"},
                              {"MASTER_ADDR", "node"},
                              {"MASTER_PORT", "29400"},
                              {"TORCHELASTIC_USE_AGENT_STORE", "True"}};
  const Outcome outcome = run({"env"}, surroundings);
  CHECK(holds(outcome.out,
              "ranks: rank 1 of 2, started by torchrun, meeting at node:29400, which the launcher "
              "has opened"));
  CHECK(holds(outcome.err, "LOCAL_RANK is not set"));
  surroundings.environment.erase("MASTER_ADDR");
  CHECK(holds(run({"env"}, surroundings).out, "MASTER_ADDR"));
}

TEST_CASE("reading: env shows variables that the program listens to and no others") {
  const Surroundings surroundings{{{"BROCH_PROGRESS_REFRESH", "7"}, {"MY_SECRET", "hunter2"}}};
  const Outcome outcome = run({"env", "--json"}, surroundings);
  CHECK(Json::parse(outcome.out)["environment"]["BROCH_PROGRESS_REFRESH"] == "7");
  CHECK_FALSE(holds(outcome.out, "hunter2"));
}

TEST_CASE("reading: plugin ls has a line and an object for each component, sorted by id") {
  const Json list = json_of({"plugin", "ls"})["components"];
  const Outcome shown = run({"plugin", "ls"});
  const std::string table = one_spaced(shown.out);
  std::string before;
  for (const Json& one : list) {
    CHECK(keys_of(one) == Words{"id", "role", "version", "summary", "file"});
    const std::string id = one["id"], role = one["role"], summary = one["summary"];
    CHECK(before < id);
    before = id;
    CHECK(holds(table, " " + id.substr(id.rfind('.') + 1) + " " + role + " " + summary));
  }
  CHECK(shown.err == "");
  check_width(shown.out);
  REQUIRE(component(list, "broch.trainer.simple"));
  CHECK(component(list, "broch.trainer.simple")->at("role") == "trainer");
  CHECK(holds(component(list, "broch.trainer.simple")->at("file"), "/simple.so"));
  REQUIRE(component(list, "broch.optimizer.adam"));
  CHECK(component(list, "broch.optimizer.adam")->at("file").is_null());
}

TEST_CASE("reading: plugin ls --role shows the components of one role, and refuses what is none") {
  const Json all = json_of({"plugin", "ls"})["components"];
  size_t shown = 0;
  for (const char* role :
       {"model", "dataflow", "input_source", "trainer", "callback", "monitor", "inferencer",
        "optimizer", "gradient_processor", "session_init", "function", "transform", "sink"}) {
    const Json list = json_of({"plugin", "ls", "--role", role})["components"];
    for (const Json& one : list) CHECK(one["role"] == role);
    shown += list.size();
  }
  CHECK(shown == all.size());
  const std::string optimizers = run({"plugin", "ls", "--role", "optimizer"}).out;
  CHECK(holds(optimizers, "\nadam  "));
  CHECK_FALSE(holds(optimizers, "model-saver"));
  const Outcome typo = run({"plugin", "ls", "--role", "optimiser"});
  CHECK(typo.exit_code == 2);
  CHECK(holds(typo.err, "'optimiser', did you mean 'optimizer'?"));
}

TEST_CASE("reading: plugin inspect shows a component by id, by last word, and all of a file") {
  const Json by_id = json_of({"plugin", "inspect", "broch.callback.min-saver"});
  CHECK(by_id == json_of({"plugin", "inspect", "min-saver"}));
  const Json& one = by_id["components"][0];
  CHECK(keys_of(one) == Words{"id", "role", "version", "summary", "file", "roles", "run_on",
                              "requires_ext", "produces", "consumes", "options", "build_id",
                              "needed", "libtorch_build"});
  CHECK(one["run_on"] == "chief");
  CHECK(one["libtorch_build"].is_null());
  CHECK(one["options"]["properties"].contains("monitor_stat"));
  CHECK(one["options"]["required"] == Json{"monitor_stat"});
  for (const std::string library : one["needed"]) CHECK_FALSE(holds(library, "torch"));
  const Json of_file = json_of({"plugin", "inspect", one["file"].get<std::string>()});
  CHECK(of_file["components"].size() == 2);
  CHECK(component(of_file["components"], "broch.callback.max-saver"));
  CHECK(holds_in_order(run({"plugin", "inspect", "min-saver"}).out,
                       {"broch.callback.min-saver", "roles: callback", "run_on: chief",
                        "file: ", "option ", "monitor_stat ", "string ", "(required)"}));
}

TEST_CASE("reading: plugin inspect of the host's own optimizer has no file but options") {
  const Json one = json_of({"plugin", "inspect", "adam"})["components"][0];
  CHECK(one["file"].is_null());
  CHECK(one["options"]["properties"].contains("learning_rate"));
}

TEST_CASE("reading: plugin ls finds what --plugin-path adds") {
  const std::string folder = std::filesystem::path(PAUSE_PLUGIN).parent_path();
  CHECK_FALSE(component(json_of({"plugin", "ls"})["components"], "test.pause"));
  CHECK(component(json_of({"plugin", "ls", "--plugin-path", folder})["components"], "test.pause"));
  // What is not Broch's own is named in full, with its file and version.
  const std::string table = run({"plugin", "ls", "--plugin-path", folder}).out;
  CHECK(holds(table, "\ntest.pause "));
  CHECK(holds(one_spaced(table), "(pause.so, 1.0.0)"));
  check_width(table);
}

TEST_CASE("reading: check says ok, and without a reason to warn it does not") {
  const Quick quick;
  const Json json = json_of({"check", quick.manifest()});
  CHECK(keys_of(json) == Words{"schema", "manifest", "ok", "warnings"});
  CHECK(json["ok"] == true);
  CHECK(json["warnings"].empty());
  CHECK(run({"check", quick.manifest()}).out == quick.manifest() + ": ok\n");
}

TEST_CASE("reading: bench host measures the half of the steps it names") {
  const Json json = json_of({"bench", "host", "--steps", "200", "--callbacks", "3"});
  CHECK(keys_of(json) ==
        Words{"schema", "nanoseconds_per_step", "steps", "measured_steps", "callbacks"});
  CHECK(json["steps"] == 200);
  CHECK(json["measured_steps"] == 100);
  CHECK(json["callbacks"] == 3);
  CHECK(json["nanoseconds_per_step"].get<double>() > 50);
  CHECK(json["nanoseconds_per_step"].get<double>() < 1e7);
}

TEST_CASE("eval: a log folder stands for its manifest and its newest checkpoint, or the best") {
  const std::string run_folder = trained_digits();
  const Json newest = json_of({"eval", run_folder});
  CHECK(newest["checkpoint"] == run_folder + "/model-120.safetensors");
  CHECK(newest["metrics"] == json_of(digits({"eval"}, {"--checkpoint", run_folder}))["metrics"]);
  const Json best = json_of({"eval", run_folder, "--checkpoint", "best"});
  CHECK(best["checkpoint"] == run_folder + "/min-validation_error.safetensors");
  CHECK(best == json_of({"eval", run_folder, "--checkpoint", "min-validation_error.safetensors"}));
  CHECK(json_of({"eval", run_folder, "--checkpoint", "model-40"})["metrics"] != newest["metrics"]);
}

TEST_CASE("eval: where several best ones are kept, the best is the one without a step") {
  const Folder folder;
  const fs::path log_dir = folder.path() / "log";
  fs::copy(trained_digits(), log_dir, fs::copy_options::recursive);
  const fs::path best = log_dir / "min-validation_error.safetensors";
  for (const char* step : {"40", "80"})
    fs::copy_file(best, log_dir / ("min-validation_error-" + std::string(step) + ".safetensors"));
  fs::create_symlink("model-120.safetensors", log_dir / "last.safetensors");
  CHECK(json_of({"eval", log_dir, "--checkpoint", "best"})["checkpoint"] == best.string());
  CHECK(json_of({"ckpt", "ls", log_dir})["checkpoints"].size() ==
        json_of({"ckpt", "ls", trained_digits()})["checkpoints"].size() + 2);
}

TEST_CASE("eval: for a variable, which a run records by its value, the place of its use is named") {
  const Quick quick;
  Json manifest = Json::parse(read_file(quick.manifest()));
  manifest["vars"] = {{"few", 1}};
  manifest["model"]["with"]["scalars"] = "${vars.few}";
  std::ofstream(quick.manifest()) << manifest;
  REQUIRE(run(quick.train()).exit_code == 0);
  const Outcome outcome = run({"eval", quick.log_dir(), "vars.few=2"});
  CHECK(outcome.exit_code == 3);
  CHECK(holds_in_order(outcome.err, {"override vars.few: ", "a variable", "values only",
                                     "hint: it was used at model.with.scalars\n"}));
}

TEST_CASE("eval: a folder without a run is 5, a manifest without a checkpoint a wrong usage") {
  const Folder folder;
  const Outcome none = run({"eval", folder.path()});
  CHECK(none.exit_code == 5);
  CHECK(holds_in_order(none.err, {folder.path(), "manifest.resolved.json", "hint: "}));
  const Outcome manifest = run(digits({"eval"}));
  CHECK(manifest.exit_code == 2);
  CHECK(holds_in_order(manifest.err, {"without --checkpoint", "hint: ", "log folder"}));
}

TEST_CASE("eval: what a run was restored from need not be there any more") {
  const Folder folder;
  const fs::path weights = folder.path() / "weights.safetensors", log_dir = folder.path() / "log";
  fs::copy_file(trained_digits() / "model-40.safetensors", weights);
  const Outcome trained =
      run(digits({"train"}, {"log_dir=" + log_dir.string(), "max_epoch=1",
                             R"(session_init={"use": "restore", "with": {"path": ")" +
                                 weights.string() + R"(", "exclude": ["global_step"]}})"}));
  INFO(trained.err);
  REQUIRE(trained.exit_code == 0);
  fs::remove(weights);
  const Outcome outcome = run({"eval", log_dir});
  INFO(outcome.err);
  CHECK(outcome.exit_code == 0);
}

TEST_CASE("config diff: a log folder stands for what its run was trained with") {
  CHECK(run({"config", "diff", trained_digits(), trained_digits()}).exit_code == 0);
  const Folder folder;
  const std::string manifest = folder.path() / "wide.json";
  std::ofstream(manifest) << Json{{"broch", 1},
                                  {"extends", SAMPLE_DIR "/digits.json"},
                                  {"plugins", {SAMPLE_PLUGIN}},
                                  {"max_epoch", 3}};
  const Outcome outcome = run({"config", "diff", manifest, trained_digits()});
  INFO(outcome.err);
  INFO(outcome.out);
  CHECK(outcome.exit_code == 1);
  CHECK(holds_in_order(outcome.out, {"/model/with/width", "- 32", "+ 4"}));
  CHECK_FALSE(holds(outcome.out, "/optimizer"));
}
