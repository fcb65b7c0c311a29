// hooks_test.cpp: an instance that stands in several places of a manifest gets each hook once.
#include <doctest/doctest.h>

#include <map>
#include <sstream>

#include "cli_harness/cli_harness.hpp"

using namespace broch::cli_harness;

namespace {

using Names = std::vector<std::string>;

constexpr size_t kEpochs = 2, kSteps = 3;
const std::string kFlow = "feed/flow";  // the default input source is around it

// Which instances got a hook, in order.
using Got = std::map<std::string, Names>;

Got trained(const Json& callbacks, const Json& extra_callbacks) {
  const Folder folder;
  const std::string trace = folder.path() / "trace";
  const auto named = [&](const std::string& name, const std::string& use) {
    return Json{{"name", name}, {"use", use}, {"with", {{"trace", trace}}}};
  };
  Json list = Json::array();
  for (const Json& entry : callbacks) {
    list.push_back(entry.is_string() ? named(entry, "test.watcher") : entry);
    if (list.back().value("use", "") == "test.watcher") list.back()["with"]["trace"] = trace;
  }
  const Training training(folder, "run",
                          {{"broch", 1},
                           {"plugins", {HOOKS}},
                           {"model", "bench"},
                           {"dataflow", named("flow", "test.flow")},
                           {"callbacks", list},
                           {"extra_callbacks", extra_callbacks},
                           {"monitors", Json::array({named("listener", "test.listener")})},
                           {"steps_per_epoch", kSteps},
                           {"max_epoch", kEpochs}});
  const int code = training.run({"--runtime", "null"});
  INFO(training.talk());
  REQUIRE(code == 0);
  Got got;
  std::istringstream lines(broch::test::read_file(trace));
  for (std::string hook, name; lines >> hook >> name;) {
    if (name.starts_with("periodic-trigger")) name = name.substr(name.rfind('/') + 1);
    got[hook].push_back(name);
  }
  return got;
}

Json ref(const std::string& name) { return {{"ref", name}}; }

Names times(size_t count, const Names& names) {
  Names all;
  for (size_t i = 0; i < count; ++i) all.insert(all.end(), names.begin(), names.end());
  return all;
}

}  // namespace

TEST_CASE("hooks: each instance gets each of them once, in its first place") {
  const Json callbacks = {ref("b"), ref("flow"), "a", "b", ref("listener"), ref("a")};
  const Got got = trained(callbacks, {ref("b"), ref("flow"), ref("listener")});
  const Names input_first = {kFlow, "b", "a", "listener"},
              as_listed = {"b", kFlow, "a", "listener"};
  CHECK(got.at("setup_graph") == input_first);
  CHECK(got.at("before_train") == input_first);
  CHECK(got.at("before_epoch") == times(kEpochs, as_listed));
  CHECK(got.at("before_run") == times(kEpochs * kSteps, input_first));
  CHECK(got.at("after_run") == times(kEpochs * kSteps, input_first));
  CHECK(got.at("trigger_step") == times(kEpochs * kSteps, as_listed));
  CHECK(got.at("after_epoch") == times(kEpochs, as_listed));
  CHECK(got.at("trigger_epoch") == times(kEpochs, as_listed));
  CHECK(got.at("after_train") == input_first);
}

TEST_CASE("hooks: what a wrapper drives gets from it what it has from nowhere else") {
  const auto periodic = [](const std::string& name) {
    return Json{{"use", "periodic-trigger"},
                {"with", {{"callback", ref(name)}, {"every_k_epochs", 1}}}};
  };
  const Json gate = {{"use", "enable-callback-if"},
                     {"with", {{"callback", ref("a")}, {"condition", "global_step > 100"}}}};
  const Names input_first = {kFlow, "a", "b", "listener"},
              as_driven = {"a", kFlow, "b", "listener"};
  // Before the entry and behind it; a condition changes nothing about what an entry gets.
  for (const Json& callbacks :
       {Json{gate, "a", periodic("flow"), "b", periodic("b"), periodic("listener")},
        Json{periodic("a"), "a", periodic("flow"), periodic("b"), "b", gate}}) {
    const Got got = trained(callbacks, Json::array());
    for (const char* hook : {"setup_graph", "before_train", "after_train"})
      CHECK(got.at(hook) == input_first);
    CHECK(got.at("before_run") == times(kEpochs * kSteps, input_first));
    CHECK(got.at("after_run") == times(kEpochs * kSteps, input_first));
    CHECK(got.at("before_epoch") == times(kEpochs, as_driven));
    CHECK(got.at("after_epoch") == times(kEpochs, as_driven));
    CHECK(got.at("trigger_step") == times(kEpochs * kSteps, as_driven));
  }
}

TEST_CASE("hooks: of two wrappers, the first one passes events on, and both trigger") {
  const Json driven = {{"use", "periodic-trigger"},
                       {"with", {{"callback", ref("a")}, {"every_k_steps", 1}}}};
  const Json when = {{"name", "a"},
                     {"use", "test.watcher"},
                     {"with", Json::object()},
                     {"when", {{"every_k_epochs", 1}}}};
  for (const Json& callbacks : {Json{driven, when}, Json{when, driven}}) {
    const Got got = trained(callbacks, Json::array());
    CHECK(got.at("setup_graph") == Names{kFlow, "a", "listener"});
    CHECK(got.at("before_run") == times(kEpochs * kSteps, {kFlow, "a", "listener"}));
    CHECK(got.at("trigger_step") == times(kEpochs * kSteps, {"a", "listener"}));
    CHECK(got.at("trigger") == times(kEpochs * (kSteps + 1), {"a"}));
  }
}

TEST_CASE("hooks: what is not among the callbacks keeps its own") {
  const Got got = trained(Json::array(), Json::array());
  CHECK(got.at("before_train") == Names{kFlow, "listener"});
  CHECK(got.at("before_run") == times(kEpochs * kSteps, {kFlow, "listener"}));
  CHECK(got.at("trigger_step") == times(kEpochs * kSteps, {"listener"}));
}

TEST_CASE("hooks: no checkpoint is saved inside a step") {
  const Folder folder;
  const Training training(
      folder, "run",
      {{"broch", 1}, {"plugins", {HOOKS}}, {"trainer", "test.rash"}, {"steps_per_epoch", 1}});
  CHECK(training.run({"--runtime", "null"}) == 1);
  INFO(training.talk());
  CHECK(training.talk().find("called inside run_step, in the middle of a step") !=
        std::string::npos);
}

TEST_CASE("hooks: a checkpoint of a training that ended within a step is saved with a warning") {
  const Folder folder;
  const std::string trace = folder.path() / "trace";
  const Training training(folder, "run",
                          {{"broch", 1},
                           {"plugins", {HOOKS}},
                           {"model", "bench"},
                           {"dataflow", {{"use", "test.flow"}, {"with", {{"trace", trace}}}}},
                           {"callbacks", {"test.late"}},
                           {"steps_per_epoch", 2},
                           {"max_epoch", 1}});
  CHECK(training.run({"--runtime", "null"}) == 0);
  INFO(training.talk());
  CHECK(training.talk().find("does the step again") != std::string::npos);
}
