// config_test.cpp: broch config show: as written, resolved, and whence; overrides that must hit;
// config diff; manifests that extend and substitute.
#include <doctest/doctest.h>

#include <fstream>

#include "cli/program.hpp"

using namespace broch::cli_test;

namespace {

// A manifest with nothing that could be left out.
class Small {
 public:
  Small() {
    std::ofstream(path()) << "{\n  // a comment\n  \"broch\": 1, \"model\": \"bench\",\n"
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
  CHECK(origins["/seed"]["origin"] == "override seed");
  CHECK(holds(origins["/starting_epoch"]["origin"], "default"));
  const Outcome table = run({"config", "show", "--origin", small.path(), "seed=5"});
  CHECK(holds_in_order(table.out, {"value ", "origin\n", "/max_epoch ", " 7 ", "small.json:5:"}));
  CHECK(holds_in_order(table.out, {"/seed ", " 5 ", "override seed"}));
}

TEST_CASE("config: an override reaches a known key that the file does not have") {
  const Small small;
  CHECK(small.resolved({"log_dir=/tmp/elsewhere"})["log_dir"] == "/tmp/elsewhere");
  CHECK(small.origins({"log_dir=/tmp/elsewhere"})["/log_dir"]["origin"] == "override log_dir");
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
                       {"override seed", "/seed", "one override for a place", "remove one"}));
}

TEST_CASE("config: a value of the wrong kind is 3 and names override and place") {
  const Small small;
  CHECK(holds_in_order(small.refused("seed=many").err, {"seed", "/seed", "expected an integer"}));
  CHECK(
      holds_in_order(small.refused("log_dir_action=ask").err, {"log_dir_action", "ask", "backup"}));
}

namespace {

// Two files and an environment: base.json in a folder of its own below run.json.
class Extending {
 public:
  Extending() {
    std::filesystem::create_directory(folder_.path() / "common");
    std::ofstream(folder_.path() / "common/base.json")
        << R"({"broch": 1, "steps_per_epoch": "${vars.steps}", "model": "bench",
  "data": {"use": "dummy-constant", "with": {"shapes": [[]]}},
  "vars": {"steps": 3}})";
    std::ofstream(path()) << "{\"broch\": 1, \"extends\": \"common/base.json\", \"max_epoch\": 2,\n"
                             " \"seed\": \"${env:BROCH_TEST_SEED}\",\n"
                             " \"x-note\": \"$${kept} ${env:BROCH_TEST_TOKEN:-none}\",\n"
                             " \"monitors\": [], \"extra_callbacks\": []}\n";
  }
  std::string path() const { return folder_.path() / "run.json"; }
  std::filesystem::path log_dir() const { return folder_.path() / "log"; }
  Outcome run(Words words) const {
    return broch::cli_test::run(words, {{{"BROCH_TEST_SEED", "8"}, {"BROCH_TEST_TOKEN", "hush"}}});
  }

 private:
  Folder folder_;
};

}  // namespace

TEST_CASE("config: a manifest that extends and substitutes resolves to one that does not") {
  const Extending files;
  const Outcome outcome = files.run({"config", "show", "--resolved", files.path(), "vars.steps=4"});
  REQUIRE(outcome.exit_code == 0);
  const Json resolved = Json::parse(outcome.out);
  CHECK(resolved["steps_per_epoch"] == 4);
  CHECK(resolved["seed"] == 8);
  CHECK(resolved["x-note"] == "$${kept} ${env:BROCH_TEST_TOKEN}");
  CHECK_FALSE(resolved.contains("vars"));
  CHECK_FALSE(resolved.contains("extends"));
  const Outcome origins = files.run({"config", "show", "--origin", files.path()});
  CHECK(holds_in_order(origins.out, {"/steps_per_epoch ", " 3 ", "common/base.json:3:21",
                                     "(used at ", "common/base.json:1:33)"}));
  CHECK(holds_in_order(origins.out, {"/seed ", " 8 ", "environment variable BROCH_TEST_SEED"}));
  CHECK_FALSE(holds(origins.out, "hush"));
}

TEST_CASE(
    "config: what fed a run is in its log folder, and the resolved manifest is the same run") {
  const Extending files;
  const std::string log = "log_dir=" + files.log_dir().string();
  const Outcome trained = files.run({"train", "--runtime", "null", files.path(), log});
  INFO(trained.err);
  REQUIRE(trained.exit_code == 0);
  const std::string resolved = files.log_dir() / "manifest.resolved.json";
  CHECK(read_file(files.log_dir() / "manifest.json") == read_file(files.path()));
  const Json inputs = Json::parse(read_file(files.log_dir() / "manifest.inputs.json"));
  REQUIRE(inputs["files"].size() == 1);
  CHECK(holds(inputs["files"][0]["path"], "/common/base.json"));
  CHECK(holds(inputs["files"][0]["text"], "${vars.steps}"));
  CHECK(inputs["environment"] ==
        Json{{"BROCH_TEST_SEED", "8"}, {"BROCH_TEST_TOKEN", "(not shown)"}});
  CHECK_FALSE(holds(read_file(resolved), "hush"));
  const Outcome difference =
      files.run({"config", "diff", "--resolved", "--json", files.path(), resolved});
  const Json found = Json::parse(difference.out)["differences"];
  REQUIRE(found.size() == 1);
  CHECK(found[0]["pointer"] == "/log_dir");  // of the command line
}

TEST_CASE("config: the digits by way of extends and vars learn what they learn without") {
  const Folder folder;
  const std::string manifest = folder.path() / "mine.json", log = folder.path() / "log";
  std::ofstream(manifest) << R"({"broch": 1, "extends": ")" SAMPLE_DIR R"(/digits.json",
    "vars": {"net": {"width": 4}}, "model": {"with": "${vars.net}"}, "max_epoch": 3,
    "plugins": [")" SAMPLE_PLUGIN R"("], "log_dir": ")"
                          << log << "\"}";
  const std::string every = "callbacks[test].when.every_k_epochs=3";
  REQUIRE(run({"train", manifest, every}).exit_code == 0);
  const std::string again = folder.path() / "again";
  REQUIRE(run({"train", log + "/manifest.resolved.json", "log_dir=" + again}).exit_code == 0);
  const auto learned = [](const std::filesystem::path& run) {
    const Json last = Json::parse(read_file(run / "stats.json")).back();
    return std::vector<double>{last["validation_cost"], last["test_cost"], last["test_error"]};
  };
  CHECK(learned(log) == learned(trained_digits()));
  CHECK(learned(again) == learned(trained_digits()));
}

TEST_CASE("config: diff tells what differs, with both origins, and says so in its exit code") {
  const Small small;
  const Extending files;
  const Outcome same = run({"config", "diff", small.path(), small.path()});
  CHECK(same.exit_code == 0);
  CHECK(same.out == "");
  const Outcome other = files.run({"config", "diff", small.path(), files.path()});
  CHECK(other.exit_code == 1);
  CHECK(other.err == "");
  CHECK(holds_in_order(
      other.out, {"/max_epoch\n  - 7  (", "small.json:5:", "\n  + 2  (",
                  "run.json:1:", "/seed\n  - 0  (default of seed)\n  + 8  (environment variable"}));
  CHECK_FALSE(holds(other.out, "/name"));  // neither file says one
  CHECK_FALSE(holds(other.out, "hush"));
  const Outcome json = files.run({"config", "diff", "--json", small.path(), files.path()});
  CHECK(json.exit_code == 1);
  const Json differences = Json::parse(json.out)["differences"];
  const auto note = std::find_if(differences.begin(), differences.end(),
                                 [](const Json& one) { return one["pointer"] == "/x-note"; });
  REQUIRE(note != differences.end());
  CHECK((*note)["a"].is_null());
  CHECK((*note)["b"]["value"] == "$${kept} ${env:BROCH_TEST_TOKEN}");
  CHECK(holds((*note)["b"]["origin"], "run.json:3:12"));
}

TEST_CASE("config: diff of a manifest that is not there or wrong is an error, not a difference") {
  const Small small;
  CHECK(run({"config", "diff", small.path(), "none.json"}).exit_code == 5);
  const Extending files;
  const Outcome unset = run({"config", "diff", small.path(), files.path()});
  CHECK(unset.exit_code == 3);
  CHECK(
      holds_in_order(unset.err, {"run.json:2:10", "/seed", "'BROCH_TEST_SEED', which is not set"}));
}
