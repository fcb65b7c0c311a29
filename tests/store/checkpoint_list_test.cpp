// checkpoint_list_test.cpp: which files stay, and the text file that says so. Expected lists are
// worked out by hand from tf.train.Saver's rules.
#include "store/checkpoint_list.hpp"

#include <sys/time.h>

#include "support.hpp"

using namespace broch::store;
using broch::base::Exit;
using broch::base::FakeClock;

namespace {

using Names = std::vector<std::string>;

// A clock whose time of day somebody sets.
class SetClock final : public broch::base::Clock {
 public:
  double monotonic() const override { return elapsed; }
  double wall() const override { return elapsed + offset; }
  double elapsed = 0, offset = 1e9;
};

void save(CheckpointList& list, int64_t step) {
  list.save(checkpoint_name(step), Sample(step).contents);
}

Names models(const Folder& folder) {
  Names names;
  for (const std::string& name : list(folder.path()))
    if (name != "checkpoint") names.push_back(name.substr(0, name.find('.')));
  return names;
}

}  // namespace

TEST_CASE("checkpoint list: the text file is TensorFlow's, newest first line, then oldest first") {
  const Folder folder;
  CheckpointList saved(folder.path(), {});
  save(saved, 100);
  save(saved, 200);
  CHECK(read_file(folder / "checkpoint") ==
        "model_checkpoint_path: \"model-200\"\n"
        "all_model_checkpoint_paths: \"model-100\"\n"
        "all_model_checkpoint_paths: \"model-200\"\n");
  CHECK(latest_checkpoint(folder.path()) == folder / "model-200.safetensors");
}

TEST_CASE("checkpoint list: saving a name again moves it to the end") {
  const Folder folder;
  CheckpointList saved(folder.path(), {});
  for (const int64_t step : {1, 2, 1}) save(saved, step);
  CHECK(saved.names() == Names{"model-2", "model-1"});
  CHECK(latest_checkpoint(folder.path()) == folder / "model-1.safetensors");
}

TEST_CASE("checkpoint list: beyond max_to_keep the oldest leaves the list and the disk") {
  const Folder folder;
  CheckpointList saved(folder.path(), {.max_to_keep = 2, .keep_every_n_hours = std::nullopt});
  for (const int64_t step : {1, 2, 3, 4}) save(saved, step);
  CHECK(saved.names() == Names{"model-3", "model-4"});
  CHECK(models(folder) == Names{"model-3", "model-4"});
}

TEST_CASE("checkpoint list: one saved after the next keep time stays for ever, unlisted") {
  const Folder folder;
  FakeClock clock;
  CheckpointList saved(folder.path(), {.max_to_keep = 1, .keep_every_n_hours = 0.5}, clock);
  for (int64_t step = 0; step < 8; ++step) {  // every 15 minutes, the first at 0
    save(saved, step);
    clock.advance(900);
  }
  // Keep times are 30, 60, 90 minutes; "after" is strict, so 30 goes and 45 stays, and so on.
  CHECK(saved.names() == Names{"model-7"});
  CHECK(models(folder) == Names{"model-3", "model-5", "model-7"});
}

TEST_CASE("checkpoint list: a clock that is set changes nothing of what is kept") {
  for (const double jump : {-1e6, 1e6}) {
    const Folder folder;
    SetClock clock;
    CheckpointList saved(folder.path(), {.max_to_keep = 1, .keep_every_n_hours = 0.5}, clock);
    for (int64_t step = 0; step < 8; ++step) {
      save(saved, step);
      clock.elapsed += 900;
      if (step == 0) clock.offset += jump;
    }
    CHECK(models(folder) == Names{"model-3", "model-5", "model-7"});
  }
}

TEST_CASE("checkpoint list: keep times may count from before there was a list") {
  const Folder folder;
  FakeClock clock;
  const double start = clock.monotonic();
  clock.advance(2400);
  CheckpointList saved(folder.path(),
                       {.max_to_keep = 1, .keep_every_n_hours = 0.5, .hours_since = start}, clock);
  for (int64_t step = 1; step <= 3; ++step) {  // at 40, 80 and 120 minutes
    save(saved, step);
    clock.advance(2400);
  }
  CHECK(models(folder) == Names{"model-1", "model-2", "model-3"});
}

TEST_CASE("checkpoint list: keep times begin anew where the hours count from another time") {
  const Folder folder;
  FakeClock clock;
  KeepPolicy policy{.max_to_keep = 1, .keep_every_n_hours = 0.5};
  CheckpointList saved(folder.path(), policy, clock);
  clock.advance(2400);
  policy.hours_since = clock.monotonic();
  for (int64_t step = 1; step <= 3; ++step) {  // at 40, 80 and 120 minutes
    saved.keep(policy);
    save(saved, step);
    clock.advance(2400);
  }
  CHECK(models(folder) == Names{"model-2", "model-3"});  // the keep times are 70 and 100 minutes
}

TEST_CASE("checkpoint list: the first of every so many steps stays for ever, unlisted") {
  const Folder folder;
  const auto save_all = [&](const std::vector<int64_t>& steps) {
    CheckpointList saved(
        folder.path(),
        {.max_to_keep = 1, .keep_every_n_hours = std::nullopt, .keep_every_n_steps = 10});
    for (const int64_t step : steps) save(saved, step);
  };
  save_all({3, 6, 9, 12});
  CHECK(models(folder) == Names{"model-12"});
  save_all({15, 18, 21});
  CHECK(models(folder) == Names{"model-12", "model-21"});
  save_all({24, 30, 47});
  CHECK(models(folder) == Names{"model-12", "model-21", "model-30", "model-47"});
}

TEST_CASE("checkpoint list: max_to_keep 0 deletes nothing and lists only the newest") {
  const Folder folder;
  CheckpointList saved(folder.path(), {.max_to_keep = 0});
  for (const int64_t step : {1, 2, 3}) save(saved, step);
  CHECK(saved.names() == Names{"model-3"});
  CHECK(models(folder) == Names{"model-1", "model-2", "model-3"});
}

TEST_CASE("checkpoint list: after a restart the list is read back and older files still leave") {
  const Folder folder;
  for (const int64_t step : {1, 2, 3}) {
    CheckpointList saved(folder.path(), {.max_to_keep = 2});
    save(saved, step);
  }
  CHECK(models(folder) == Names{"model-2", "model-3"});
}

TEST_CASE("checkpoint list: read back under a smaller max_to_keep, all that is too much leaves") {
  const Folder folder;
  {
    CheckpointList saved(folder.path(), {});
    for (const int64_t step : {1, 2, 3, 4}) save(saved, step);
  }
  CheckpointList saved(folder.path(), {.max_to_keep = 2});
  save(saved, 5);
  CHECK(models(folder) == Names{"model-4", "model-5"});
}

TEST_CASE("checkpoint list: an entry whose file is gone is dropped") {
  const Folder folder;
  {
    CheckpointList saved(folder.path(), {});
    for (const int64_t step : {1, 2}) save(saved, step);
  }
  std::filesystem::remove(folder / "model-1.safetensors");
  CHECK(CheckpointList(folder.path(), {}).names() == Names{"model-2"});
}

TEST_CASE("checkpoint list: a new list removes temporary files of a killed run") {
  const Folder folder;
  write_file(folder / ".broch-tmp-1-1", "half");
  CheckpointList saved(folder.path(), {});
  CHECK(list(folder.path()).empty());
}

TEST_CASE("checkpoint list: a folder without the text file has no latest checkpoint") {
  const Folder folder;
  CHECK_FALSE(latest_checkpoint(folder.path()));
  CHECK(read_checkpoint_names(folder.path()).empty());
}

TEST_CASE("checkpoint list: names that leave the folder and malformed lines are refused") {
  const Folder folder;
  const auto refused = [&](const std::string& text) {
    write_file(folder / "checkpoint", text);
    return refusal(Exit::checkpoint, [&] { read_checkpoint_names(folder.path()); });
  };
  const std::string newest = "model_checkpoint_path: \"model-1\"\n";
  for (const char* name :
       {"../x", "/etc/passwd", "a/b", "..", ".", "", ".hidden", "a\\\\b", "a\tb", "\xff"}) {
    const std::string text = refused(newest + "all_model_checkpoint_paths: \"" + name + "\"\n");
    CHECK_MESSAGE(matches(text, "checkpoint:2: the name '.*', expected the name of a file in"),
                  text);
  }
  CHECK(matches(refused("model_checkpoint_path: \"../x\"\n"), "checkpoint:1: the name '../x'"));
  CHECK(matches(refused("model_checkpoint_path: model-1\n"), "expected a name in double quotes"));
  CHECK(matches(refused(newest + newest), "checkpoint:2: 'model_checkpoint_path"));
  CHECK(matches(refused(newest + "nonsense\n"), "checkpoint:2: 'nonsense', expected one model_"));
  CHECK(matches(refused("all_model_checkpoint_paths: \"a\"\n"), "checkpoint:2: no newest"));
  CHECK(matches(refused(""), "no newest"));
  CHECK(matches(refused(std::string(68'000'000, '\n')), "at most 64 MiB"));
}

TEST_CASE("checkpoint list: as many as a long run saves if it deletes none are read") {
  const Folder folder;
  constexpr int kSteps = 40'000;
  std::string text = "model_checkpoint_path: \"" + checkpoint_name(kSteps) + "\"\n";
  for (int step = 1; step <= kSteps; ++step)
    text += "all_model_checkpoint_paths: \"" + checkpoint_name(step) + "\"\n";
  CHECK(text.size() > size_t{1} << 20);
  write_file(folder / "checkpoint", text);
  const Names names = read_checkpoint_names(folder.path());
  CHECK(names.size() == kSteps);
  CHECK(names.front() == "model-1");
  CHECK(names.back() == "model-40000");
}

TEST_CASE("checkpoint list: one that cannot be understood is kept, and a new one is begun") {
  const Folder folder;
  {
    CheckpointList saved(folder.path(), {});
    save(saved, 1);
  }
  const std::string torn = "model_checkpoint_path: \"mod";
  write_file(folder / "checkpoint", torn);
  CheckpointList saved(folder.path(), {.max_to_keep = 1});
  CHECK(saved.names().empty());
  CHECK(read_file(folder / "checkpoint") == torn);  // until the next save
  save(saved, 2);
  CHECK(read_checkpoint_names(folder.path()) == Names{"model-2"});
  CHECK(read_file(folder / "checkpoint.damaged") == torn);
  CHECK(std::filesystem::exists(folder / "model-1.safetensors"));
}

TEST_CASE("checkpoint list: saving under a name that is a path is refused") {
  const Folder folder;
  CheckpointList saved(folder.path(), {});
  CHECK(matches(refusal(Exit::data, [&] { saved.save("../model-1", Sample().contents); }),
                "expected a plain file name"));
}
