// branch_test.cpp: a checkpoint of one log folder that a training in another goes on from.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "cli/program.hpp"
#include "store/event_file.hpp"

using namespace broch::cli_test;
namespace fs = std::filesystem;

namespace {

class Folders {
 public:
  std::string at(const std::string& name) const { return folder_.path() / name; }
  // In the log folder of that name.
  Outcome train(const std::string& name, const Words& more) const {
    Words words{"log_dir=" + at(name)};
    words.insert(words.end(), more.begin(), more.end());
    Outcome outcome = run(digits({"train"}, words));
    INFO(outcome.err);
    REQUIRE(outcome.exit_code == 0);
    return outcome;
  }
  Json json(const std::string& file) const { return Json::parse(read_file(at(file))); }
  std::map<std::string, std::string> content(const std::string& name) const {
    std::map<std::string, std::string> files;
    for (const auto& entry : fs::recursive_directory_iterator(at(name)))
      files[entry.path()] = entry.is_regular_file() ? read_file(entry.path()) : "";
    return files;
  }
  auto variables(const std::string& file) const {
    return broch::cli_harness::Training::variables(at(file));
  }
  size_t count() const { return size_t(std::distance(fs::directory_iterator(folder_.path()), {})); }

 private:
  Folder folder_;
};

std::vector<int64_t> steps_of_events(const fs::path& folder) {
  std::vector<int64_t> steps;
  for (const fs::path& file : broch::store::event_files(folder))
    for (const broch::store::Event& event : broch::store::read_events(file))
      if (event.file_version.empty()) steps.push_back(event.step);
  return steps;
}

}  // namespace

TEST_CASE(
    "branch: --resume of another folder's checkpoint goes on in a new one, the old untouched") {
  const Folders folders;
  folders.train("old", {});
  const auto before = folders.content("old");

  const Outcome branch =
      folders.train("new", {"--resume=" + folders.at("old/model-80.safetensors")});
  CHECK(holds(branch.err, "a branch of " + folders.at("old/model-80.safetensors")));
  CHECK_FALSE(holds(branch.err, "Start Epoch 2 "));
  CHECK(folders.content("old") == before);
  CHECK(folders.variables("new/model-120.safetensors") ==
        folders.variables("old/model-120.safetensors"));
  CHECK(folders.json("new/run.json")["resumed_from"] == folders.at("old/model-80.safetensors"));
  CHECK(read_file(folders.at("new/model-80.safetensors")) ==
        read_file(folders.at("old/model-80.safetensors")));
  // What it records begins there: with the rest of the epoch's end, where the checkpoint was made.
  const Json all = folders.json("old/stats.json"), records = folders.json("new/stats.json");
  REQUIRE(!records.empty());
  REQUIRE(records.size() < all.size());
  CHECK(records.front()["global_step"] == 80);
  CHECK(all.at(all.size() - records.size() - 1)["global_step"] < 80);
  CHECK(records == Json(Json::array_t(all.end() - int64_t(records.size()), all.end())));
  const std::vector<int64_t> steps = steps_of_events(folders.at("new"));
  REQUIRE(!steps.empty());
  CHECK(std::ranges::all_of(steps, [](int64_t step) { return step >= 80 && step <= 120; }));

  folders.train("new", {"--resume", "max_epoch=4"});
  CHECK(folders.json("new/run.json")["resumed_from"] == folders.at("new/model-120.safetensors"));
  CHECK(folders.json("new/stats.json").front() == records.front());
  CHECK(folders.json("new/stats.json").back()["epoch_num"] == 4);
  CHECK(folders.content("old") == before);
  CHECK(folders.count() == 2);
}

TEST_CASE("branch: into a folder that has content does what log_dir_action says") {
  const Folders folders;
  folders.train("old", {"max_epoch=2"});
  const std::string resume = "--resume=" + folders.at("old/model-40.safetensors");
  folders.train("new", {"max_epoch=1"});
  folders.train("new", {resume, "max_epoch=2"});
  CHECK(folders.count() == 3);
  CHECK(folders.json("new/stats.json").front()["global_step"] == 40);
}

TEST_CASE("branch: into the folder of an earlier run, it tells which checkpoints it replaces") {
  const Folders folders;
  folders.train("old", {"max_epoch=1"});
  folders.train("new", {"max_epoch=2"});
  const Outcome branch = folders.train("new", {"--resume=" + folders.at("old/model-40.safetensors"),
                                               "max_epoch=2", "log_dir_action=keep"});
  CHECK(holds(branch.err, folders.at("new") +
                              " has checkpoints of an earlier run, up to model-80: this run "
                              "replaces those with the same names"));
  CHECK(read_file(folders.at("new/model-40.safetensors")) ==
        read_file(folders.at("old/model-40.safetensors")));
}

TEST_CASE("branch: an older checkpoint of the folder itself, or of its checkpoint_dir, is none") {
  const Folders folders;
  const Words words{"callbacks[model-saver].with.checkpoint_dir=" + folders.at("kept"),
                    "~callbacks[min-saver]"};
  folders.train("one", {"max_epoch=1"});
  const Outcome older =
      folders.train("one", {"--resume=" + folders.at("one/model-40.safetensors"), "max_epoch=2"});
  CHECK_FALSE(holds(older.err, "a branch"));
  folders.train("two", {words[0], words[1], "max_epoch=1"});
  const Outcome kept =
      folders.train("two", {words[0], words[1], "max_epoch=2", "--resume=" + folders.at("kept")});
  CHECK_FALSE(holds(kept.err, "a branch"));
  CHECK(folders.json("two/stats.json").front()["epoch_num"] == 1);
  CHECK(folders.json("two/stats.json").back()["epoch_num"] == 2);
  CHECK(folders.count() == 3);
}

TEST_CASE("branch: a checkpoint of the folder that was moved, and left a link, is none") {
  const Folders folders;
  folders.train("one", {"max_epoch=1"});
  fs::create_directory(folders.at("archive"));
  const std::string name = folders.at("one/model-40.safetensors"),
                    moved = folders.at("archive/model-40.safetensors");
  fs::rename(name, moved);
  fs::create_symlink(moved, name);
  const Outcome resumed = folders.train("one", {"--resume", "max_epoch=2"});
  CHECK_FALSE(holds(resumed.err, "a branch"));
  CHECK(folders.json("one/run.json")["resumed_from"] == name);
  CHECK(folders.json("one/stats.json").front()["epoch_num"] == 1);
  CHECK(folders.json("one/stats.json").back()["epoch_num"] == 2);
  CHECK(folders.count() == 2);  // one is no backup
}
