// component_test.cpp: entries, bare names, references, "when", and options checked by schemas.
#include "manifest/component.hpp"

#include "manifest/instance_names.hpp"
#include "support.hpp"

using namespace broch::manifest;
using support::refusal;

namespace {

support::FakeCatalog catalog() {
  support::FakeCatalog catalog;
  catalog.add("broch.callback.model-saver", "callback",
              R"({"properties": {"max_to_keep": {"type": "integer", "default": 10}}})");
  catalog.add("broch.callback.inference-runner", "callback",
              R"({"required": ["dataflow"], "properties": {
                   "dataflow": {"x-broch-component": "dataflow"},
                   "inferencers": {"type": "array", "items": {"x-broch-component": "inferencer"}}}})");
  catalog.add("broch.callback.periodic-trigger", "callback",
              R"({"required": ["callback"], "properties": {
                   "callback": {"x-broch-component": "callback"},
                   "every_k_steps": {"type": ["integer", "null"], "default": null},
                   "every_k_epochs": {"type": ["integer", "null"], "default": null},
                   "before_train": {"type": "boolean", "default": false}}})");
  catalog.add("broch.inferencer.scalar-stats", "inferencer",
              R"({"properties": {"names": {"type": "array", "items": {"type": "string"}}}})");
  catalog.add("digits.dataset", "dataflow",
              R"({"properties": {"batch": {"type": "integer", "default": 32},
                                 "dir": {"type": "string", "x-broch-path": true, "default": ""}}})");
  return catalog;
}

Component resolve(const std::string& text, const std::string& role = "callback") {
  return resolve_component(parse(support::source(text)), role, catalog(), "/callbacks/0");
}

}  // namespace

TEST_CASE("component: a bare name means the built-in of the slot's role") {
  const Component saver = resolve("\"model-saver\"");
  CHECK(saver.use == "broch.callback.model-saver");
  CHECK(to_text(saver.entry) ==
        R"({"use":"broch.callback.model-saver","with":{"max_to_keep":10}})");
  CHECK(resolve("\"digits.dataset\"", "dataflow").use == "digits.dataset");
  CHECK(full_id("a", "monitor") == "broch.monitor.a");
  CHECK(last_word("broch.monitor.a") == "a");
  CHECK(last_word("a") == "a");
}

TEST_CASE("component: children are resolved inside the options, with pointers to both ends") {
  const Component runner = resolve(R"({"use": "inference-runner", "with": {
      "dataflow": {"use": "digits.dataset", "with": {"dir": "data"}},
      "inferencers": ["scalar-stats"]}})");
  REQUIRE(runner.children.size() == 2);
  CHECK(runner.children[0].use == "digits.dataset");
  CHECK(runner.children[0].pointer == "/callbacks/0/with/dataflow");
  CHECK(runner.children[1].slot == "/inferencers/0");
  CHECK(runner.children[1].role == "inferencer");
  CHECK(to_text(runner.with()) ==
        R"({"dataflow":{"use":"digits.dataset","with":{"dir":"/runs/one/data","batch":32}},)"
        R"("inferencers":[{"use":"broch.inferencer.scalar-stats","with":{}}]})");
}

TEST_CASE("component: when becomes a periodic trigger around the entry") {
  const Component outer = resolve(
      R"({"use": "model-saver", "name": "s", "run_on": "all", "when": {"every_k_epochs": 2}})");
  CHECK(outer.use == "broch.callback.periodic-trigger");
  CHECK(outer.name.empty());
  CHECK(outer.run_on == "all");
  REQUIRE(outer.children.size() == 1);
  CHECK(outer.children[0].name == "s");
  CHECK(outer.children[0].use == "broch.callback.model-saver");
  CHECK(find_at(outer.entry, "/with/callback/with/max_to_keep")->integer() == 10);
  CHECK(find_at(outer.entry, "/with/every_k_epochs")->origin().text() == "run.json:1:81");
}

TEST_CASE("component: what when is about keeps the place where it was written") {
  const Component outer =
      resolve(R"({"use": "model-saver", "when": {"every_k_epochs": 2}, "with": {}})");
  CHECK(outer.children[0].pointer == "/callbacks/0");
  CHECK(option_pointer(outer, "/every_k_epochs") == "/callbacks/0/when/every_k_epochs");
  CHECK(option_pointer(outer, "/callback/with/max_to_keep") == "/callbacks/0/with/max_to_keep");
  const Component written = resolve(R"({"use": "periodic-trigger", "with":
      {"callback": "model-saver", "every_k_epochs": 2}})");
  CHECK(written.children[0].pointer == "/callbacks/0/with/callback");
  CHECK(option_pointer(written, "/every_k_epochs") == "/callbacks/0/with/every_k_epochs");
  support::check_refusal(
      "under when", refusal([] {
        resolve(R"({"use": "model-saver", "when": {"every_k_epochs": 2}, "with": {"max": 1}})");
      }),
      {"run.json:1:64: /callbacks/0/with/max", "unknown key 'max'", "max_to_keep", "remove"});
}

TEST_CASE("component: a name of another role is named as what it is") {
  support::FakeCatalog offers = catalog();
  offers.add("broch.optimizer.adam", "optimizer", "{}");
  const auto refused = [&](const std::string& use, const std::string& role) {
    return refusal([&] {
      resolve_component(parse(support::source("\"" + use + "\"")), role, offers, "/dataflow");
    });
  };
  support::check_refusal("adam", refused("adam", "dataflow"),
                         {"run.json:1:1: /dataflow/use", "no plugin offers 'broch.dataflow.adam'",
                          "digits.dataset", "adam is an optimizer, not a dataflow"});
  support::check_refusal("full id", refused("broch.optimizer.adam", "callback"),
                         {"run.json:1:1: /dataflow/use", "of role optimizer", "model-saver",
                          "broch.optimizer.adam is an optimizer, not a callback"});
}

TEST_CASE("component: the nearest name is that of the nearest short name") {
  support::FakeCatalog offers = catalog();
  offers.add("broch.callback.ema", "callback", "{}");
  offers.add("org.example.loss-watch", "callback", "{}");
  const auto refused = [&](const std::string& use) {
    return refusal([&] {
      resolve_component(parse(support::source("\"" + use + "\"")), "callback", offers, "/c/0");
    });
  };
  support::check_refusal("a slip in a name of a plugin", refused("los-watch"),
                         {"run.json:1:1: /c/0/use", "no plugin offers 'broch.callback.los-watch'",
                          "one of broch.callback.ema", "did you mean 'org.example.loss-watch'"},
                         4);
  offers.add("broch.callback.em", "callback", "{}");
  support::check_refusal("capital letters", refused("EMA"),
                         {"run.json:1:1: /c/0/use", "no plugin offers 'broch.callback.EMA'",
                          "one of broch.callback.em", "did you mean 'broch.callback.ema'"},
                         4);
  const support::Expected unknown = {"run.json:1:1: /c/0/use", "no plugin offers",
                                     "one of broch.callback.em", "name the library"};
  support::check_refusal("a name that is like none", refused("wandb"), unknown, 4);
  support::check_refusal("the same, spelt out", refused("broch.callback.wandb"), unknown, 4);
}

TEST_CASE("component: an invalid schema elsewhere does not hide a mistake") {
  struct Partly : support::FakeCatalog {
    const Kind* find(const std::string& id) const override {
      if (id == "a.broken") throw broch::base::Error(broch::base::Exit::plugin, "its schema");
      return FakeCatalog::find(id);
    }
  } offers;
  offers.add("a.broken", "callback", "{}");
  offers.add("broch.callback.ema", "callback", "{}");
  const auto refused = refusal([&] {
    resolve_component(parse(support::source("\"emma\"")), "callback", offers, "/callbacks/0");
  });
  support::check_refusal(
      "emma", refused,
      {"run.json:1:1: /callbacks/0/use", "no plugin offers", "ema", "did you mean"}, 4);
}

TEST_CASE("component: a resolved entry resolves to itself") {
  const Component once = resolve(R"({"use": "model-saver", "when": {"before_train": true}})");
  const Component twice = resolve_component(once.entry, "callback", catalog());
  CHECK(to_text(once.entry) == to_text(twice.entry));
}

TEST_CASE("component: a reference has a name and nothing else") {
  const Component reference = resolve(R"({"ref": "replay"})");
  CHECK(reference.is_reference());
  CHECK(reference.ref == "replay");
  CHECK(reference.with().object().empty());
}

TEST_CASE("component: wrong entries are refused with place, found, expected and next step") {
  struct Row {
    std::string text;
    support::Expected wanted;
    int exit = 3;
  };
  const Row rows[] = {
      {R"("model-savr")",
       {"run.json:1:1: /callbacks/0/use", "no plugin offers 'broch.callback.model-savr'",
        "one of broch.callback", "did you mean 'broch.callback.model-saver'"},
       4},
      {R"({"use": "com.some.body"})",
       {"run.json:1:9: /callbacks/0/use", "no plugin offers 'com.some.body'", "one of", "plugins"},
       4},
      {R"({"use": "digits.dataset"})",
       {"run.json:1:9: /callbacks/0/use", "of role dataflow", "broch.callback",
        "digits.dataset is a dataflow, not a callback"}},
      {R"({"use": "model-saver", "with": {"max_to_kep": 1}})",
       {"run.json:1:33: /callbacks/0/with/max_to_kep", "unknown key", "max_to_keep",
        "did you mean"}},
      {R"({"use": "inference-runner", "with": {"dataflow": {"use": "digits.dataset", "with": {"batch": "x"}}}})",
       {"run.json:1:94: /callbacks/0/with/dataflow/with/batch", "'x'", "an integer", "change"}},
      {R"({"use": "inference-runner"})",
       {"run.json:1:1: /callbacks/0/with", "no key 'dataflow'", "a component of role dataflow",
        "add it"}},
      {R"({"with": {}})",
       {"run.json:1:1: /callbacks/0", "without \"use\"", "role callback", "ref"}},
      {R"({"use": ""})", {"run.json:1:9: /callbacks/0/use", "''", "an id", "dots"}},
      {R"({"use": "a..b"})", {"run.json:1:9: /callbacks/0/use", "'a..b'", "an id", "dots"}},
      {R"({"use": 3})", {"run.json:1:9: /callbacks/0/use", "3", "a string", "id or built-in"}},
      {R"({"ref": "a", "use": "b"})",
       {"run.json:1:21: /callbacks/0/use", "'use' beside", "alone", "remove"}},
      {R"({"use": "model-saver", "when": {}})",
       {"run.json:1:32: /callbacks/0/when", "never comes", "every_k_steps", "say when"}},
      {R"({"use": "model-saver", "when": {"before_train": false}})",
       {"run.json:1:32: /callbacks/0/when", "never comes", "before_train true", "say when"}},
      {R"({"use": "model-saver", "when": {"every_k_steps": 0}})",
       {"run.json:1:50: /callbacks/0/when/every_k_steps", "0", "at least 1", "every k steps"}},
      {R"({"use": "model-saver", "run_on": "some"})",
       {"run.json:1:34: /callbacks/0/run_on", "'some'", "'chief', 'all'", "ranks"}},
      {R"({"use": "model-saver", "name": "3"})",
       {"run.json:1:32: /callbacks/0/name", "'3'", "letters", "no number"}},
      {R"({"use": "model-saver", "wth": {}})",
       {"run.json:1:24: /callbacks/0/wth", "unknown key 'wth'", "use, ref, with",
        "did you mean 'with'"}},
      {"[]", {"run.json:1:1: /callbacks/0", "a list of 0", "an object", "change"}},
  };
  for (const Row& row : rows) {
    support::check_refusal(row.text, refusal([&] { resolve(row.text); }), row.wanted, row.exit);
  }
  support::check_refusal(
      "run_on on a monitor",
      refusal([&] { resolve(R"({"use": "a.b", "run_on": "all"})", "monitor"); }),
      {"run.json:1:26: /callbacks/0/run_on", "of role monitor", "on a callback", "remove"});
  const std::string monitor = R"({"use": "a.b", "when": {"every_k_steps": 1}})";
  support::check_refusal(
      "when on a monitor", refusal([&] { resolve(monitor, "monitor"); }),
      {"run.json:1:24: /callbacks/0/when", "of role monitor", "on a callback", "remove"});
}

TEST_CASE("component: what when triggers is called as without it, and has a former name") {
  const std::string when = R"(, "when": {"every_k_epochs": 2}})";
  const std::vector<Component> list = {
      resolve(R"({"use": "model-saver")" + when), resolve("\"model-saver\""),
      resolve(R"({"use": "model-saver", "name": "s")" + when),
      resolve(R"({"use": "periodic-trigger", "name": "own", "with": {
          "every_k_steps": 1, "callback": {"use": "model-saver")" +
              when + "}}")};
  InstanceNames names;
  names.add({&list[0], &list[1], &list[2], &list[3]});
  const auto called = [&](const Component& one, const char* now, const char* former) {
    CHECK(names.of(one).now == now);
    CHECK(names.of(one).former == former);
  };
  called(list[0], "periodic-trigger", "periodic-trigger");
  called(list[0].children[0], "model-saver", "periodic-trigger/callback");
  called(list[1], "model-saver-2", "model-saver");
  called(list[2], "periodic-trigger-2", "periodic-trigger-2");
  called(list[2].children[0], "s", "periodic-trigger-2/s");
  called(list[3], "own", "own");
  called(list[3].children[0], "own/callback/periodic-trigger", "own/callback");
  called(list[3].children[0].children[0], "own/callback", "own/callback/callback");
}
