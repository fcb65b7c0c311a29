// extends_test.cpp: manifests laid over others: what merges, what replaces, and whose error it is.
#include "support.hpp"
#include "world.hpp"

using namespace broch::manifest;
using support::check_refusal;
using support::refusal;
using support::World;

namespace {

const std::string kBase = R"({
  "broch": 1,
  "model": {"use": "m.net", "with": {"width": 32, "depth": 2}},
  "dataflow": "d.set",
  "trainer": {"use": "sync-replicated", "with": {"devices": ["cpu:0", "cpu:1"]}},
  "callbacks": ["model-saver", {"use": "c.one", "name": "one"}],
  "runtime": {"level": "fast", "threads": 2},
  "max_epoch": 7
})";

// What {"broch": 1, "extends": "base.json", more} comes to on top of kBase.
Manifest over_base(const std::string& more, const std::vector<std::string>& overrides = {}) {
  World world;
  world.files["/runs/one/base.json"] = kBase;
  return world.load(R"({"broch": 1, "extends": "base.json", )" + more + "}", overrides);
}

std::string text_at(const Manifest& manifest, const char* pointer) {
  const Value* value = find_at(manifest.value, pointer);
  return value == nullptr ? "nothing" : to_text(*value);
}

}  // namespace

TEST_CASE("extends: objects merge, everything else replaces") {
  const Manifest manifest = over_base(
      R"("model": {"with": {"width": 8}}, "callbacks": ["c.two"], "runtime": {"level": "bitwise"})");
  CHECK(text_at(manifest, "/model/with") == R"({"width":8,"depth":2})");
  CHECK(manifest.model->use == "m.net");
  CHECK(manifest.callbacks.size() == 1);
  CHECK(manifest.callbacks[0].use == "c.two");
  CHECK(manifest.runtime.level == "bitwise");
  CHECK(manifest.runtime.threads == 2);
  CHECK(manifest.max_epoch == 7);
  CHECK(manifest.value.find("extends") == nullptr);
}

TEST_CASE("extends: another component takes the place of the whole entry, the same one merges") {
  CHECK(text_at(over_base(R"("model": {"use": "m.other"})"), "/model/with") == "{}");
  CHECK(text_at(over_base(R"("model": "m.other")"), "/model/with") == "{}");
  CHECK(text_at(over_base(R"("model": {"use": "m.net"})"), "/model/with/width") == "32");
  const char* const kDevices = "/trainer/with/devices/1";
  const Manifest full = over_base(R"("trainer": {"use": "broch.trainer.sync-replicated"})");
  CHECK(text_at(full, kDevices) == R"("cpu:1")");
  CHECK(text_at(over_base(R"("trainer": {"use": "simple"})"), kDevices) == "nothing");
  CHECK(over_base(R"("model": {"ref": "one"})").model->is_reference());
}

TEST_CASE("extends: an entry without a use changes a bare name") {
  const Manifest manifest = over_base(R"("dataflow": {"with": {"batch": 4}, "name": "set"})");
  CHECK(manifest.dataflow->use == "d.set");
  CHECK(text_at(manifest, "/dataflow/with") == R"({"batch":4})");
  const Manifest noted = over_base(R"("dataflow": {"x-why": "it fits", "with": {"batch": 4}})");
  CHECK(noted.dataflow->use == "d.set");
  CHECK(text_at(noted, "/dataflow/with") == R"({"batch":4})");
}

TEST_CASE("extends: null is a value like any other") {
  const Manifest manifest = over_base(R"("dataflow": null, "data": "feed", "callbacks": null)");
  CHECK_FALSE(manifest.dataflow.has_value());
  CHECK(manifest.data->use == "broch.input_source.feed");
  CHECK(manifest.callbacks.empty());  // the default
  CHECK(text_at(over_base(R"("model": {"with": {"depth": null}})"), "/model/with") ==
        R"({"width":32,"depth":null})");
  check_refusal("null", refusal([] { over_base(R"("max_epoch": null)"); }),
                {"run.json:1:\\d+: /max_epoch", "null", "an integer", "last epoch"});
}

TEST_CASE("extends: a list is merged in its order, and files extend files") {
  World world;
  world.files["/runs/a.json"] =
      R"({"broch": 1, "extends": "deep/c.json", "seed": 1, "max_epoch": 1})";
  world.files["/runs/b.json"] = R"({"broch": 1, "seed": 2, "starting_epoch": 2})";
  world.files["/runs/deep/c.json"] =
      R"({"broch": 1, "seed": 3, "name": "c", "max_epoch": 3, "model": "m.net", "dataflow": "d.set"})";
  const Manifest manifest = world.load(R"({"broch": 1, "extends": ["../a.json", "../b.json"]})");
  CHECK(manifest.seed == 2);
  CHECK(manifest.max_epoch == 1);
  CHECK(manifest.starting_epoch == 2);
  CHECK(manifest.name == "c");
  REQUIRE(manifest.extended.size() == 3);
  CHECK(manifest.extended[0]->name == "../a.json");
  CHECK(manifest.extended[1]->name == "../deep/c.json");
  CHECK(world.load(R"({"broch": 1, "extends": ["../b.json", "../a.json"]})").seed == 1);
}

TEST_CASE("extends: a file that is reached twice counts twice") {
  World world;
  world.files["/runs/one/a.json"] = R"({"broch": 1, "extends": "base.json", "seed": 1})";
  world.files["/runs/one/b.json"] = R"({"broch": 1, "extends": "base.json", "seed": 2})";
  world.files["/runs/one/base.json"] = kBase;
  const Manifest manifest = world.load(R"({"broch": 1, "extends": ["a.json", "b.json"]})");
  CHECK(manifest.seed == 2);
  CHECK(manifest.extended.size() == 3);
}

TEST_CASE("extends: every value keeps its file, and a path is relative to it") {
  World world;
  world.files["/runs/shared/base.json"] =
      "{\"broch\": 1, \"model\": \"m.net\",\n \"dataflow\": \"d.set\", \"seed\": 4,\n"
      " \"plugins\": [\"lib/a.so\"], \"$schema\": \"base.schema.json\"}";
  const Manifest manifest = world.load(
      "{\"broch\": 1, \"extends\": \"../shared/base.json\",\n\"max_epoch\": 3}", {"max_epoch=5"});
  CHECK(support::origin_of(manifest, "/seed") == "../shared/base.json:2:31");
  CHECK(support::origin_of(manifest, "/dataflow/use") == "../shared/base.json:2:14");
  CHECK(support::origin_of(manifest, "/max_epoch") == "override max_epoch");
  CHECK(manifest.plugins == std::vector<std::string>{"/runs/shared/lib/a.so"});
  CHECK(manifest.value.find("$schema") == nullptr);
}

TEST_CASE("extends: an override reaches what is inherited") {
  CHECK(over_base("\"seed\": 1", {"callbacks[one].with.x=2"}).callbacks[1].with().find("x"));
  check_refusal("override", refusal([] { over_base("\"seed\": 1", {"extends=other.json"}); }),
                {"override extends", "'extends'", "another key", "merged first"});
}

TEST_CASE("extends: mistakes name the file that made them") {
  World world;
  world.files["/runs/one/base.json"] = kBase;
  world.files["/runs/one/bad.json"] = "{\"broch\": 1,\n \"seed\": -1}";
  world.files["/runs/one/torn.json"] = "{\"broch\": 1,";
  world.files["/runs/one/old.json"] = "{\"seed\": 1}";
  world.files["/runs/one/alone.json"] = R"({"broch": 1, "extends": "alone.json"})";
  world.files["/runs/one/round.json"] = R"({"broch": 1, "extends": "./run.json"})";
  world.files["/runs/one/lost.json"] = R"({"broch": 1, "extends": ["base.json", "bas.json"]})";
  struct Row {
    std::string extends;
    support::Expected wanted;
    int exit = 3;
  };
  const Row rows[] = {
      {R"(["base.json", "bad.json"])",
       {"bad.json:2:10: /seed", "-1", "an integer, at least 0", "seed of all"}},
      {R"("torn.json")", {"torn.json:1:13", "the end of the text", "'\\}'", "cut short"}},
      {R"("old.json")", {"old.json:1:1", "no key 'broch'", "\"broch\": 1", "version"}},
      {R"("alone.json")",
       {"alone.json:1:25: /extends", "a circle: run.json -> alone.json -> alone.json",
        "files that do not", "remove one"}},
      {R"("round.json")",
       {"round.json:1:25: /extends", "a circle: run.json -> round.json -> run.json",
        "files that do not", "remove one"}},
      {R"("lost.json")",
       {"lost.json:1:39: /extends/1 \\(run.json -> lost.json -> bas.json\\)", "no such file",
        "a JSON file", "give"},
       5},
      {"7", {"run.json:1:25: /extends", "7", "the path of a manifest", "relative"}},
      {"[null]", {"run.json:1:26: /extends/0", "null", "the path of a manifest", "relative"}},
      {R"("${env:BASE}")",
       {"run.json:1:25: /extends", "env:BASE", "a path as it is", "before anything"}},
  };
  for (const Row& row : rows) {
    const std::string text = R"({"broch": 1, "extends": )" + row.extends + "}";
    check_refusal(row.extends, refusal([&] { world.load(text); }), row.wanted, row.exit);
  }
}

TEST_CASE("extends: too many levels and too many files are refused before they are read") {
  World world;
  for (int i = 0; i < 9; ++i) {
    world.files["/runs/one/" + std::to_string(i) + ".json"] =
        R"({"broch": 1, "extends": ")" + std::to_string(i + 1) + ".json\"}";
  }
  check_refusal("deep", refusal([&] { world.load(R"({"broch": 1, "extends": "0.json"})"); }),
                {"7.json:1:25: /extends", "more than 8 levels: run.json -> 0.json -> .* -> 8.json",
                 "at most 8", "fewer"});
  World wide;
  wide.files["/runs/one/a.json"] = R"({"broch": 1})";
  std::string list = "\"a.json\"";
  for (int i = 0; i < 64; ++i) list += ", \"a.json\"";
  check_refusal("wide", refusal([&] { wide.load(R"({"broch": 1, "extends": [)" + list + "]}"); }),
                {"run.json:1:\\d+: /extends/64", "more than 64 files", "at most 64", "fewer"});
}

TEST_CASE("extends: the resolved manifest of a run may be larger than one that people write") {
  std::string zeros = "0";
  for (int i = 0; i < 10'000; ++i) zeros += ",0";
  const std::string text = support::minimal("\"x-zeros\": [" + zeros + "]");
  CHECK(refusal([&] { load_source(support::source(text)); }).exit == 3);
  const Manifest resolved = load_source(support::source(text, "manifest.resolved.json"));
  CHECK(resolved.value.find("x-zeros")->array().size() == 10'001);
}
