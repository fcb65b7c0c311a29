// manifest_test.cpp: every field, its default, and what the resolved manifest says.
#include "manifest/manifest.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "support.hpp"
#include "value/schema.hpp"
#include "world.hpp"

using namespace broch::manifest;
using support::minimal;
using support::origin_of;
using support::refusal;

namespace {

std::vector<std::string> uses(const std::vector<Component>& components) {
  std::vector<std::string> ids;
  for (const Component& component : components) ids.push_back(component.use);
  return ids;
}

}  // namespace

TEST_CASE("manifest: the defaults are those of TrainConfig") {
  const Manifest manifest = support::load(minimal());
  CHECK(manifest.dataflow->use == "d.set");
  CHECK_FALSE(manifest.data.has_value());
  CHECK(manifest.model->use == "m.net");
  CHECK(manifest.callbacks.empty());
  CHECK(uses(manifest.extra_callbacks) ==
        std::vector<std::string>{
            "broch.callback.moving-average-summary", "broch.callback.progress-bar",
            "broch.callback.merge-all-summaries", "broch.callback.run-update-ops"});
  CHECK(uses(manifest.monitors) == std::vector<std::string>{"broch.monitor.tf-event-writer",
                                                            "broch.monitor.json-writer",
                                                            "broch.monitor.scalar-printer"});
  CHECK(manifest.session_init.empty());
  CHECK(manifest.starting_epoch == 1);
  CHECK_FALSE(manifest.steps_per_epoch.steps.has_value());
  CHECK_FALSE(manifest.steps_per_epoch.samples.has_value());
  CHECK(manifest.max_epoch == 99999);
  CHECK(manifest.nr_tower == 1);
  CHECK(manifest.tower == std::vector<int64_t>{0});
  CHECK(manifest.predict_tower.empty());
}

TEST_CASE("manifest: the defaults of our own fields") {
  const Manifest manifest = support::load(minimal());
  CHECK(manifest.name == "run");
  CHECK(manifest.seed == 0);
  CHECK(manifest.plugins.empty());
  CHECK(manifest.trainer.use == "broch.trainer.simple");
  CHECK_FALSE(manifest.optimizer.has_value());
  CHECK(manifest.gradient_processors.empty());
  CHECK(manifest.predict_devices.empty());
  CHECK(manifest.log_dir == working_directory() + "/train_log/run");
  CHECK(manifest.log_dir_action == "backup");
  CHECK_FALSE(manifest.resume.wanted);
  CHECK(manifest.runtime.execution == "auto");
  CHECK(manifest.runtime.level == "fast");
  CHECK_FALSE(manifest.runtime.deterministic);
  CHECK_FALSE(manifest.runtime.consistent);
  CHECK_FALSE(manifest.runtime.threads.has_value());
}

TEST_CASE("manifest: every field is read") {
  const Manifest manifest = support::load(R"({
    "$schema": "x.json", "x-note": 1, "broch": 1, "name": "n", "seed": 9007199254740993,
    "plugins": ["a.so"], "model": {"use": "m.net", "with": {"w": 1}}, "data": "feed",
    "trainer": "sync-replicated", "optimizer": "adam", "gradient_processors": ["clip"],
    "callbacks": ["model-saver"], "extra_callbacks": [], "monitors": ["json-writer"],
    "session_init": "restore", "starting_epoch": 2, "steps_per_epoch": 0, "max_epoch": 1,
    "nr_tower": 3, "predict_devices": "cuda:1", "log_dir": "logs", "log_dir_action": "new",
    "resume": "old", "runtime": {"execution": "eager", "level": "bitwise", "deterministic": true,
    "consistency": "step", "threads": 2}})");
  CHECK(manifest.seed == 9007199254740993);
  CHECK(manifest.plugins == std::vector<std::string>{"/runs/one/a.so"});
  CHECK(manifest.model->with().find("w")->integer() == 1);
  CHECK(manifest.data->use == "broch.input_source.feed");
  CHECK(manifest.trainer.use == "broch.trainer.sync-replicated");
  CHECK(manifest.optimizer->use == "broch.optimizer.adam");
  CHECK(uses(manifest.gradient_processors)[0] == "broch.gradient_processor.clip");
  CHECK(manifest.extra_callbacks.empty());
  CHECK(manifest.monitors.size() == 1);
  CHECK(uses(manifest.session_init)[0] == "broch.session_init.restore");
  CHECK(manifest.steps_per_epoch.steps == 0);
  CHECK(manifest.max_epoch == 1);
  CHECK(manifest.tower == std::vector<int64_t>{0, 1, 2});
  CHECK(manifest.towers_given);
  CHECK(manifest.predict_tower.empty());
  CHECK(manifest.predict_devices == std::vector<std::string>{"cuda:1"});
  CHECK(manifest.log_dir == working_directory() + "/logs");
  CHECK(manifest.resume.path == "/runs/one/old");
  CHECK(manifest.runtime.threads == 2);
  CHECK(manifest.runtime.consistent);
}

TEST_CASE("manifest: towers below one become one, and a bare number becomes a list") {
  CHECK(support::load(minimal(R"("nr_tower": -3)")).nr_tower == 1);
  CHECK(support::load(minimal(R"("predict_tower": -1)")).predict_tower == std::vector<int64_t>{-1});
  const Manifest manifest = support::load(minimal(R"("tower": [2, 5])"));
  CHECK(manifest.tower == std::vector<int64_t>{2, 5});
  CHECK(manifest.nr_tower == 2);
}

TEST_CASE("manifest: null means the default lists, a list replaces them") {
  CHECK(support::load(minimal(R"("extra_callbacks": null)")).extra_callbacks.size() == 4);
  CHECK(support::load(minimal(R"("monitors": null, "callbacks": null)")).monitors.size() == 3);
  CHECK(support::load(minimal(R"("monitors": [])")).monitors.empty());
  CHECK(support::load(minimal(), {"monitors=null"}).monitors.size() == 3);
}

TEST_CASE("manifest: an epoch can be given in samples, and session_init as a list") {
  const Manifest manifest =
      support::load(minimal(R"("steps_per_epoch": {"samples": 50}, "session_init": ["a", "b"])"));
  CHECK(manifest.steps_per_epoch.samples == 50);
  CHECK(manifest.session_init.size() == 2);
}

TEST_CASE("manifest: a trainer of one's own needs neither model nor input") {
  CHECK_NOTHROW(support::load(R"({"broch": 1, "trainer": "org.example.evolution"})"));
}

TEST_CASE("manifest: the resolved text loads to itself") {
  const Manifest first = support::load(
      minimal(R"("callbacks": [{"use": "a.b", "when": {"every_k_steps": 2}}], "nr_tower": 2,
                 "predict_devices": ["cpu"], "plugins": ["p.so"], "resume": "r")"));
  const Manifest second = support::load(first.resolved_text());
  CHECK(first.resolved_text() == second.resolved_text());
  CHECK(to_text(first.value) == to_text(second.value));
}

TEST_CASE("manifest: origins name the file, the command line or the default") {
  const Manifest manifest =
      support::load(minimal("\"max_epoch\":\n 7"), {"trainer.use=simple", "seed=4"});
  CHECK(origin_of(manifest, "/max_epoch") == "run.json:2:2");
  CHECK(origin_of(manifest, "/seed") == "override seed");
  CHECK(origin_of(manifest, "/trainer/use") == "override trainer.use");
  CHECK(origin_of(manifest, "/runtime/level") == "default of runtime.level");
  CHECK(origin_of(manifest, "/monitors/0/use") == "default of monitors");
  CHECK(manifest.source->text.find("\n 7") != std::string::npos);
}

TEST_CASE("manifest: resolving checks options, fills their defaults and shows up in the text") {
  support::FakeCatalog catalog;
  catalog.add("m.net", "model", R"({"properties": {"width": {"type": "integer", "default": 32}}})");
  catalog.add("d.set", "dataflow", "{}");
  catalog.add("broch.trainer.simple", "trainer", "{}");
  Manifest manifest = support::load(minimal(R"("extra_callbacks": [], "monitors": [])"));
  resolve(manifest, catalog);
  CHECK(manifest.model->with().find("width")->integer() == 32);
  CHECK(origin_of(manifest, "/model/with/width") == "default of m.net.width");
  CHECK(manifest.resolved_text().find("\"width\": 32") != std::string::npos);

  Manifest wrong = support::load(minimal(R"("extra_callbacks": ["no-such"], "monitors": [])"),
                                 {"model.with.widht=3", "dataflow.with.x=1"});
  const auto refused = refusal([&] { resolve(wrong, catalog); });
  CHECK(refused.text.find("override model.with.widht: /model/with/widht: unknown key 'widht'") ==
        0);
  CHECK(refused.text.find("did you mean 'width'?") != std::string::npos);
  CHECK(refused.text.find("unknown key 'x', expected no key here") != std::string::npos);
  CHECK(refused.text.find("no plugin offers 'broch.callback.no-such'") != std::string::npos);
}

TEST_CASE("manifest: names are unique and references find them") {
  support::FakeCatalog catalog;
  for (const char* id : {"m.net", "d.set", "c.one"}) {
    catalog.add(id, id[0] == 'm' ? "model" : id[0] == 'd' ? "dataflow" : "callback", "{}");
  }
  catalog.add("broch.trainer.simple", "trainer", "{}");
  const std::string rest = R"(, "extra_callbacks": [], "monitors": [])";
  Manifest good = support::load(
      minimal(R"("callbacks": [{"use": "c.one", "name": "a"}, {"ref": "a"}])" + rest));
  CHECK_NOTHROW(resolve(good, catalog));
  CHECK(good.callbacks[1].is_reference());

  Manifest lost = support::load(
      minimal(R"("callbacks": [{"use": "c.one", "name": "replay"}, {"ref": "repay"}])" + rest));
  support::check_refusal("lost reference", refusal([&] { resolve(lost, catalog); }),
                         {"run.json:1:\\d+: /callbacks/1/ref", "a reference to 'repay'", "replay",
                          "did you mean 'replay'"});
}

TEST_CASE("manifest: what the trainer needs has to be there") {
  support::FakeCatalog catalog;
  catalog.add("m.net", "model", "{}");
  catalog.add("d.set", "dataflow", "{}");
  catalog.add("t.both", "trainer", "{}", {"model", "input"});
  catalog.add("t.model", "trainer", "{}", {"model"});
  catalog.add("t.nothing", "trainer", "{}");
  const auto refused = [&](const std::string& more) {
    Manifest manifest =
        support::load(R"({"broch": 1, "extra_callbacks": [], "monitors": [], )" + more + "}");
    return refusal([&] { resolve(manifest, catalog); });
  };
  support::check_refusal("no input", refused(R"("trainer": "t.both", "model": "m.net")"),
                         {"run.json:1:1: /dataflow", "neither dataflow nor data", "trainer t.both",
                          "add \"dataflow\""});
  support::check_refusal(
      "no model", refused(R"("trainer": "t.both", "dataflow": "d.set")"),
      {"run.json:1:1: /model", "no model", "trainer t.both trains one", "add \"model\""});
  CHECK(refused(R"("trainer": "t.model", "model": "m.net")").text.empty());
  CHECK(refused(R"("trainer": "t.nothing")").text.empty());
}

TEST_CASE("manifest: a file gives its name to the run and its folder to the paths") {
  const std::string folder = "/tmp/broch-manifest-" + std::to_string(getpid());
  std::filesystem::create_directories(folder);
  std::ofstream(folder + "/digits.json") << minimal(R"("plugins": ["build/x.so"])");
  const Manifest manifest = load(folder + "/digits.json", {"max_epoch=2"});
  CHECK(manifest.name == "digits");
  CHECK(manifest.log_dir == working_directory() + "/train_log/digits");
  CHECK(manifest.plugins[0] == folder + "/build/x.so");
  CHECK(manifest.max_epoch == 2);
  const auto missing = refusal([&] { load(folder + "/digit.json"); });
  CHECK(missing.exit == 5);
  CHECK(missing.text.find("did you mean 'digits.json'?") != std::string::npos);
  std::filesystem::remove_all(folder);
}

TEST_CASE("manifest: its own schema is of the subset that options are described in") {
  Faults faults;
  check_schema(manifest_schema(), broch::base::Exit::manifest, faults);
  CHECK(refusal([&] { faults.raise(); }).text.empty());
}
