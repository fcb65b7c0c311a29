// paths_test.cpp: where names and paths may lead.
//
// A manifest is its author's own: its paths lead wherever he likes, as those on a command line do.
// Nothing else may lead out of the folder it is about: ids and names of instances, names of files
// in the log folder whoever gives them, links in a folder that is searched for plugins, lists of
// checkpoints, and what a checkpoint says.
#include <doctest/doctest.h>

#include <filesystem>

#include "stage.hpp"
#include "store/checkpoint.hpp"

namespace broch::hostile {
namespace {

namespace fs = std::filesystem;
using cli_harness::count;
using cli_harness::Training;

constexpr int kTraining = 1, kManifest = 3, kPlugin = 4, kCheckpoint = 9;

Case finished(const std::string& name, std::function<void(Json&, const Folder&)> spoil) {
  return {name, std::move(spoil), 0, {"Training has finished!"}, 2, Left::finished};
}
Case refused(const std::string& name, std::function<void(Json&, const Folder&)> spoil, int exit,
             std::vector<std::string> words) {
  return {name, std::move(spoil), exit, std::move(words), 0, Left::nothing};
}

void check_all(const std::vector<Case>& cases) {
  const std::vector<Result> results = perform(cases);
  for (size_t i = 0; i < cases.size(); ++i) check(cases[i], results[i]);
}

// The act of a callback that gives the host a name.
Json naming(const std::string& what, const std::string& name) {
  Json entry = bad(what, "trigger_step");
  entry["with"]["file"] = name;
  return entry;
}

std::vector<std::string> files_beside(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder.parent_path()))
    if (entry.path().filename().string().starts_with("broch-escaped"))
      names.push_back(entry.path());
  return names;
}

}  // namespace

TEST_CASE("paths: those of a manifest lead wherever its author likes") {
  check_all({
      finished("up and down again",
               [](Json& manifest, const Folder& folder) {
                 const std::string self = folder.path().filename();
                 manifest["plugins"][1] = "../" + self + "/./recorder.so";
               }),
      finished("a link",
               [](Json& manifest, const Folder& folder) {
                 fs::create_symlink(folder / "recorder.so", folder / "link.so");
                 manifest["plugins"][1] = "link.so";
               }),
      refused("a link to itself",
              [](Json& manifest, const Folder& folder) {
                fs::create_symlink("loop.so", folder / "loop.so");
                manifest["plugins"].push_back("loop.so");
              },
              kPlugin, {"{}/loop.so", "Too many levels"}),
      refused("no library",
              [](Json& manifest, const Folder&) { manifest["plugins"].push_back("/etc/passwd"); },
              kPlugin, {"/etc/passwd", "hint: "}),
      finished("a folder",
               [](Json& manifest, const Folder&) { manifest["plugins"].push_back("../"); }),
  });
}

TEST_CASE("paths: an id is no path, and neither is a name") {
  const auto using_id = [](const std::string& id) {
    return [=](Json& manifest, const Folder&) { manifest["callbacks"][0]["use"] = id; };
  };
  const auto with_name = [](const std::string& name) {
    return [=](Json& manifest, const Folder&) { manifest["callbacks"][0]["name"] = name; };
  };
  const auto saving_as = [](const std::string& name) {
    return [=](Json& manifest, const Folder&) {
      manifest["callbacks"].push_back(
          {{"use", "min-saver"}, {"with", {{"monitor_stat", "cost"}, {"filename", name}}}});
    };
  };
  check_all({
      refused("an id that leads up", using_id("../../recorder.so"), kManifest,
              {"'../../recorder.so', expected an id such as"}),
      refused("an id that is a file", using_id("/etc/passwd"), kManifest,
              {"'/etc/passwd', expected an id such as"}),
      refused("a name that leads up", with_name("../../x"), kManifest, {"/callbacks/0/name"}),
      refused("a name with a folder", with_name("a/b"), kManifest, {"/callbacks/0/name"}),
      refused("a run whose name leads up",
              [](Json& manifest, const Folder&) { manifest["name"] = "../x"; }, kManifest,
              {"/name"}),
      refused("a copy of a checkpoint", saving_as("../broch-escaped"), kManifest,
              {"/with/filename"}),
      refused("records",
              [](Json& manifest, const Folder&) {
                manifest["monitors"][0] = {{"use", "json-writer"},
                                           {"with", {{"filename", "../broch-escaped"}}}};
              },
              kManifest, {"/with/filename"}),
  });
}

TEST_CASE("paths: a plugin names files of the log folder, not paths") {
  std::vector<Case> cases;
  for (const char* what : {"write outside", "copy outside"})
    for (const char* name : {"../broch-escaped", "/tmp/broch-escaped", "a/../../broch-escaped"}) {
      cases.push_back({std::string(what) + " as " + name,
                       as_callback(naming(what, name)),
                       kTraining,
                       {"callback 'bad' (test.hostile) failed in trigger_step: '" +
                            std::string(name) + "' is no ",
                        "without '/' was expected"}});
    }
  cases.push_back({"write outside as ..",
                   as_callback(naming("write outside", "..")),
                   kTraining,
                   {"'..' is no file name"}});
  for (const char* name : {"log.log", "manifest.resolved.json", "rank1.log"})
    cases.push_back({std::string("write over ") + name,
                     as_callback(naming("write outside", name)),
                     kTraining,
                     {"callback 'bad' (test.hostile) failed in trigger_step: '" +
                      std::string(name) + "' is a file that the run itself writes"}});
  const std::vector<Result> results = perform(cases);
  for (size_t i = 0; i < cases.size(); ++i) {
    check(cases[i], results[i]);
    CHECK(files_beside(results[i].folder).empty());
  }
}

TEST_CASE("paths: a link in a searched folder does not lead out of it") {
  const Folder outside, searched;
  fs::copy_file(RECORDER, outside / "recorder.so");
  fs::create_symlink(outside / "recorder.so", searched / "recorder.so");
  Case row =
      refused("a link in a searched folder",
              [](Json& manifest, const Folder&) { manifest["plugins"].erase(1); }, kPlugin,
              {"'test.recorder'", "no plugin offers", "leads to " + outside / "recorder.so"});
  row.arguments = {"--plugin-path", searched.path()};
  check_all({row});
}

TEST_CASE("paths: what a checkpoint and the list of checkpoints say leads nowhere else") {
  const Folder folder;
  const Json manifest{{"broch", 1},
                      {"plugins", {RECORDER, MODELS}},
                      {"model", {{"use", "test.flat"}}},
                      {"dataflow", {{"use", "test.rows"}, {"with", {{"rows", {{1}}}}}}},
                      {"callbacks", {"model-saver"}},
                      {"extra_callbacks", Json::array()},
                      {"monitors", {"json-writer", "tf-event-writer"}},
                      {"steps_per_epoch", 1},
                      {"max_epoch", 1}};
  const Training training(folder, "run", manifest);
  const std::vector<std::string> resume{"--runtime", "null", "--resume", "max_epoch=2"};
  REQUIRE(training.run({"--runtime", "null"}) == 0);
  const fs::path log = training.log_dir();
  const std::string list = training.text("checkpoint");

  SUBCASE("a list that names a file elsewhere") {
    for (const std::string name : {"../run/model-1", "/etc/passwd", "..", "a/../model-1"}) {
      test::write_file(log / "checkpoint", "model_checkpoint_path: \"" + name + "\"\n");
      CHECK(training.run(resume) == kCheckpoint);
      CHECK(count(training.talk(), "the name '" + name +
                                       "', expected the name of a file in this "
                                       "folder") == 1);
    }
    test::write_file(log / "checkpoint", list);
    CHECK(training.run(resume) == 0);
  }
  SUBCASE("state of a monitor that names a file elsewhere") {
    test::write_file(folder.path() / "victim", "not events");
    const store::Checkpoint checkpoint = store::read_checkpoint(log / "model-1.safetensors");
    store::CheckpointContents contents = checkpoint.contents;
    const std::string evil = "0 ../victim";
    for (store::SavedState& state : contents.states)
      if (state.instance == "tf-event-writer")
        state.bytes = {reinterpret_cast<const std::byte*>(evil.data()), evil.size()};
    store::write_checkpoint(log, "model-1", contents);
    CHECK(training.run(resume) == 1);
    CHECK(count(training.talk(), "the saved state: found '0 ../victim', expected") > 0);
    CHECK(folder.read("victim") == "not events");
  }
  SUBCASE("state of an instance that is named like a path") {
    const store::Checkpoint checkpoint = store::read_checkpoint(log / "model-1.safetensors");
    store::CheckpointContents contents = checkpoint.contents;
    const std::string bytes = "x";
    contents.states.push_back({"../../broch-escaped",
                               "test.nobody",
                               1,
                               {reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()}});
    store::write_checkpoint(log, "model-1", contents);
    CHECK(training.run(resume) == 0);
    CHECK(count(training.talk(), "has state of '../../broch-escaped' (test.nobody)") == 1);
    CHECK(files_beside(folder.path()).empty());
  }
}

}  // namespace broch::hostile
