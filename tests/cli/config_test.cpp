// config_test.cpp: broch config show: as written, resolved, and whence; overrides that must hit.
#include <doctest/doctest.h>

#include <fstream>

#include "cli/program.hpp"

using namespace broch::cli_test;

namespace {

// A manifest with nothing that could be left out.
class Small {
 public:
  Small() {
    std::ofstream(path()) << "{\n  // a comment\n  \"broch\": 1,\n"
                             "  \"trainer\": { \"use\": \"no-op\" },\n  \"max_epoch\": 7,\n}\n";
  }
  std::string path() const { return folder_.path() / "small.json"; }
  Json resolved(const Words& overrides = {}) const {
    Words words{"config", "show", path()};
    words.insert(words.end(), overrides.begin(), overrides.end());
    return json_of(words)["manifest"];
  }
  // Pointer to {value, origin}.
  Json origins(const Words& overrides = {}) const {
    Words words{"config", "show", "--origin", path()};
    words.insert(words.end(), overrides.begin(), overrides.end());
    Json by_pointer;
    const Json listed = json_of(words);
    for (const Json& one : listed["values"]) by_pointer[one["pointer"].get<std::string>()] = one;
    return by_pointer;
  }
  Outcome refused(const std::string& override_text) const {
    const Outcome outcome = run({"config", "show", "--resolved", path(), override_text});
    CHECK(outcome.exit_code == 3);
    CHECK(outcome.out == "");
    return outcome;
  }

 private:
  Folder folder_;
};

}  // namespace

TEST_CASE("config: show prints the manifest byte for byte") {
  const Small small;
  const Outcome outcome = run({"config", "show", small.path()});
  CHECK(outcome.exit_code == 0);
  CHECK(outcome.out == read_file(small.path()));
  CHECK(outcome.err == "");
}

TEST_CASE("config: --resolved is strict JSON with every default, and --json wraps the same") {
  const Small small;
  const Outcome outcome = run({"config", "show", "--resolved", small.path()});
  CHECK(outcome.exit_code == 0);
  const Json resolved = Json::parse(outcome.out);
  CHECK(resolved == small.resolved());
  CHECK(resolved["name"] == "small");
  CHECK(resolved["seed"] == 0);
  CHECK(resolved["max_epoch"] == 7);
  CHECK(resolved["starting_epoch"] == 1);
  CHECK(resolved["trainer"]["use"] == "broch.trainer.no-op");
  CHECK(resolved["log_dir"] == (std::filesystem::current_path() / "train_log/small").string());
  CHECK(resolved["log_dir_action"] == "backup");
  CHECK(resolved["monitors"].size() == 3);
}

TEST_CASE("config: the resolved manifest resolves to itself") {
  const Folder folder;
  const std::string first = folder.path() / "first.json";
  const Outcome outcome = run(digits({"config", "show", "--resolved"}));
  REQUIRE(outcome.exit_code == 0);
  std::ofstream(first) << outcome.out;
  CHECK(run({"config", "show", "--resolved", first}).out == outcome.out);
  CHECK(run({"check", first}).exit_code == 0);
}

TEST_CASE("config: --origin tells file and position, default, and override of each value") {
  const Small small;
  const Json origins = small.origins({"seed=5"});
  CHECK(origins["/max_epoch"]["value"] == 7);
  CHECK(holds(origins["/max_epoch"]["origin"], "small.json:5:"));
  CHECK(holds(origins["/trainer/use"]["origin"], "small.json:4:"));
  CHECK(origins["/seed"]["value"] == 5);
  CHECK(origins["/seed"]["origin"] == "--set seed");
  CHECK(holds(origins["/starting_epoch"]["origin"], "default"));
  const Outcome table = run({"config", "show", "--origin", small.path(), "seed=5"});
  CHECK(holds_in_order(table.out, {"value ", "origin\n", "/max_epoch ", " 7 ", "small.json:5:"}));
  CHECK(holds_in_order(table.out, {"/seed ", " 5 ", "--set seed"}));
}

TEST_CASE("config: an override reaches a known key that the file does not have") {
  const Small small;
  CHECK(small.resolved({"log_dir=/tmp/elsewhere"})["log_dir"] == "/tmp/elsewhere");
  CHECK(small.origins({"log_dir=/tmp/elsewhere"})["/log_dir"]["origin"] == "--set log_dir");
  CHECK(small.resolved({"steps_per_epoch=12"})["steps_per_epoch"] == 12);
  CHECK(small.resolved({"runtime.threads=2"})["runtime"]["threads"] == 2);
  CHECK(small.resolved({"name=other"})["log_dir"] ==
        (std::filesystem::current_path() / "train_log/other").string());
}

TEST_CASE("config: an override reads its value as JSON, else as text") {
  const Small small;
  CHECK(small.resolved({"name=7up"})["name"] == "7up");
  CHECK(small.resolved({"name=\"8\""})["name"] == "8");
  CHECK(small.resolved({"extra_callbacks=[]"})["extra_callbacks"].empty());
  CHECK(small.resolved({"steps_per_epoch={\"samples\": 64}"})["steps_per_epoch"]["samples"] == 64);
}

TEST_CASE("config: entries of a list are reached by name and by place, added and removed") {
  const Small small;
  CHECK(small.resolved({"~extra_callbacks[progress-bar]"})["extra_callbacks"].size() == 3);
  CHECK(small.resolved({"~extra_callbacks[0]"})["extra_callbacks"][0]["use"] ==
        "broch.callback.progress-bar");
  const Json added = small.resolved({"+callbacks={\"use\": \"model-saver\"}"})["callbacks"];
  REQUIRE(added.size() == 1);
  CHECK(added[0]["use"] == "broch.callback.model-saver");
}

TEST_CASE("config: an override that hits nothing is 3 and names what is near") {
  const Small small;
  CHECK(holds_in_order(small.refused("log_dirr=x").err,
                       {"log_dirr", "log_dir", "did you mean 'log_dir'?"}));
  CHECK(holds(small.refused("max_epok=3").err, "did you mean 'max_epoch'?"));
  CHECK(holds(small.refused("~log_dir").err, "log_dir"));
  CHECK(holds(small.refused("~callbacks[model-saver]").err, "model-saver"));
  CHECK(holds(small.refused("extra_callbacks[9].name=x").err, "0 to 3"));
  CHECK(holds(small.refused("log_dir.deeper=x").err, "log_dir"));
}

TEST_CASE("config: of two overrides of one place neither wins") {
  const Small small;
  const Outcome outcome = run({"config", "show", "--resolved", small.path(), "seed=1", "seed=2"});
  CHECK(outcome.exit_code == 3);
  CHECK(holds_in_order(outcome.err,
                       {"--set seed", "/seed", "one override for a place", "remove one"}));
}

TEST_CASE("config: a value of the wrong kind is 3 and names override and place") {
  const Small small;
  CHECK(holds_in_order(small.refused("seed=many").err, {"seed", "/seed", "expected an integer"}));
  CHECK(
      holds_in_order(small.refused("log_dir_action=ask").err, {"log_dir_action", "ask", "backup"}));
}
