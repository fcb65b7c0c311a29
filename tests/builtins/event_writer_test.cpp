// event_writer_test.cpp: tf-event-writer where the disk refuses and where a run is resumed.
#include <sys/resource.h>

#include <csignal>
#include <variant>

#include "project.hpp"
#include "store/event_file.hpp"

using namespace broch::test;

namespace {

// No file of this process grows longer.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileLimit() { setrlimit(RLIMIT_FSIZE, &before_); }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

 private:
  rlimit before_;
};

// Puts one value each step under a name of so many letters.
std::string loss(size_t letters) {
  return recorder("{\"put\": [" + put("trigger_step", std::string(letters, 'l'), "global_step") +
                  "]}");
}

std::string writer(const std::string& options) {
  return "monitors=[{\"use\": \"tf-event-writer\", \"with\": " + options + "}]";
}

// Steps of all events with a loss, over all files.
std::vector<int64_t> steps(const std::filesystem::path& folder) {
  std::vector<int64_t> steps;
  for (const auto& file : broch::store::event_files(folder))
    for (const broch::store::Event& event : broch::store::read_events(file))
      if (!event.summary.empty() && event.summary[0].tag.starts_with('l') &&
          event.summary[0].tag != "learning_rate")
        steps.push_back(event.step);
  std::sort(steps.begin(), steps.end());
  return steps;
}

// "step value" of all scalars with this tag, over all files.
Lines scalars(const std::filesystem::path& folder, const std::string& tag) {
  Lines found;
  for (const auto& file : broch::store::event_files(folder))
    for (const broch::store::Event& event : broch::store::read_events(file))
      for (const broch::store::EventValue& value : event.summary)
        if (value.tag == tag)
          found.push_back(std::to_string(event.step) + " " +
                          std::to_string(int(std::get<float>(value.value))));
  return found;
}

}  // namespace

TEST_CASE("tf-event-writer: what callbacks report before the training is written once") {
  Project project;
  const auto train = [&](int epochs, bool resume, const std::string& when) {
    const std::string init = recorder("{\"put\": [" + put("before_train", "init", "7") + "]}");
    const std::string saver = R"({"use": "model-saver", "when": )" + when + "}";
    broch::session::RunOptions run = Project::null_runtime();
    run.resume = resume;
    CHECK(project.train({"callbacks=[" + init + ", " + loss(4) + ", " + saver + "]", writer("{}"),
                         "max_epoch=" + std::to_string(epochs)},
                        run) == Exit::ok);
    CHECK(project.failure == "");
    CHECK(scalars(project.log_dir(), "init") == Lines{"0 7"});
  };
  SUBCASE("resumed after an epoch") {
    train(1, false, R"({"every_k_epochs": 1})");
    train(2, true, R"({"every_k_epochs": 1})");
  }
  SUBCASE("resumed from before the training") {
    train(1, false, R"({"before_train": true})");
    train(2, true, R"({"before_train": true})");
  }
  CHECK(scalars(project.log_dir(), "llll") == Lines{"1 1", "2 2"});
}

TEST_CASE("tf-event-writer: a disk that refuses costs events, not the run") {
  Project project;
  const FileLimit limit(16 << 10);
  CHECK(project.train({"callbacks=[" + loss(500) + ", \"model-saver\"]",
                       writer(R"({"max_queue": 1000})"), "steps_per_epoch=100"}) == Exit::ok);
  CHECK(project.failure == "");
  CHECK(project.logged("File too large"));
  CHECK(project.files("model-") == Lines{"model-100.safetensors"});
}

TEST_CASE("tf-event-writer: a resumed run shows no step twice, in however many files") {
  for (const char* options : {R"({"split_files": false})", R"({"split_files": true})"}) {
    CAPTURE(options);
    Project project;
    const auto train = [&](int epochs, bool resume) {
      broch::session::RunOptions run = Project::null_runtime();
      run.resume = resume;
      CHECK(project.train(
                {"callbacks=[" + loss(4) +
                     R"(, {"use": "model-saver", "when": {"every_k_epochs": 2}}])",
                 writer(options), "steps_per_epoch=2", "max_epoch=" + std::to_string(epochs)},
                run) == Exit::ok);
      CHECK(project.failure == "");
    };
    train(5, false);  // the checkpoint is that of epoch 4
    CHECK(steps(project.log_dir()) == std::vector<int64_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
    std::filesystem::remove(project.log_dir() / "model-8.safetensors");
    std::ofstream(project.log_dir() / "checkpoint")
        << "model_checkpoint_path: \"model-4\"\nall_model_checkpoint_paths: \"model-4\"\n";
    train(3, true);
    CHECK(steps(project.log_dir()) == std::vector<int64_t>{1, 2, 3, 4, 5, 6});
  }
}

TEST_CASE("tf-event-writer: a branch leaves events that are in its log folder as they are") {
  Project project;
  const std::filesystem::path from = project.folder() / "from", to = project.folder() / "to";
  const auto train = [&](const std::filesystem::path& log_dir, const std::string& checkpoint) {
    broch::session::RunOptions run = Project::null_runtime();
    run.resume = !checkpoint.empty();
    run.resume_path = checkpoint;
    CHECK(project.train({"callbacks=[" + loss(4) + ", \"model-saver\"]", writer("{}"),
                         "steps_per_epoch=2", "max_epoch=2", "log_dir=" + log_dir.string()},
                        run) == Exit::ok);
    CHECK(project.failure == "");
  };
  train(from, "");
  train(to, "");
  // Both may have begun in the same second.
  for (const auto& file : broch::store::event_files(to))
    std::filesystem::rename(file, to / "events.out.tfevents.0000000001.before");
  train(to, from / "model-2.safetensors");
  CHECK(steps(to) == std::vector<int64_t>{1, 2, 3, 3, 4, 4});
  CHECK(read_file(to / "log.log").find("is not there: a new file is begun") != std::string::npos);

  // Also if there is no event file any more, which is nothing special in a branch.
  for (const auto& file : broch::store::event_files(to)) std::filesystem::remove(file);
  const size_t before = read_file(to / "log.log").size();
  train(to, to / "model-2.safetensors");
  CHECK(steps(to) == std::vector<int64_t>{3, 4});
  CHECK(read_file(to / "log.log").find("is not there: a new file is begun", before) !=
        std::string::npos);
}

TEST_CASE("tf-event-writer: where a run has no log folder, nothing is written elsewhere either") {
  Project project;
  const std::filesystem::path events = project.folder() / "events";
  broch::session::RunOptions run = Project::null_runtime();
  run.writes = false;
  CHECK(project.train(
            {"callbacks=[" + loss(4) + "]", writer("{\"logdir\": \"" + events.string() + "\"}")},
            run) == Exit::ok);
  CHECK_FALSE(std::filesystem::exists(events));
}

TEST_CASE("tf-event-writer: of a folder of several runs, a run changes its own files alone") {
  Project project;
  const std::string events = project.folder() / "events", a = project.folder() / "a";
  const auto train = [&](const std::string& log_dir, const std::string& from) {
    broch::session::RunOptions run = Project::null_runtime();
    run.resume = !from.empty();
    run.resume_path = from;
    CHECK(project.train({"callbacks=[" + loss(4) + ", \"model-saver\"]",
                         writer("{\"logdir\": \"" + events + "\"}"), "steps_per_epoch=2",
                         "max_epoch=2", "log_dir=" + log_dir},
                        run) == Exit::ok);
    CHECK(project.failure == "");
  };
  train(a, "");
  train(project.folder() / "other", "");
  CHECK(steps(events) == std::vector<int64_t>{1, 1, 2, 2, 3, 3, 4, 4});
  const std::vector<int64_t> with_branch{1, 1, 2, 2, 3, 3, 3, 4, 4, 4};
  train(project.folder() / "branch", a + "/model-2.safetensors");
  CHECK(steps(events) == with_branch);
  train(a, a + "/model-2.safetensors");
  CHECK(steps(events) == with_branch);
}

TEST_CASE("tf-event-writer: a run finds its files where its folder was moved, and by a link") {
  Project project;
  const std::filesystem::path first = project.folder() / "first",
                              moved = project.folder() / "moved", link = project.folder() / "link";
  const auto train = [&](const std::filesystem::path& folder, bool resume) {
    const std::string log_dir = folder / "log", events = folder / "events";
    broch::session::RunOptions run = Project::null_runtime();
    run.resume = resume;
    if (resume) run.resume_path = log_dir + "/model-2.safetensors";
    CHECK(project.train({"callbacks=[" + loss(4) + ", \"model-saver\"]",
                         writer("{\"logdir\": \"" + events + "\"}"), "steps_per_epoch=2",
                         "max_epoch=2", "log_dir=" + log_dir},
                        run) == Exit::ok);
    CHECK(project.failure == "");
    CHECK(steps(events) == std::vector<int64_t>{1, 2, 3, 4});
  };
  train(first, false);
  std::filesystem::rename(first, moved);
  train(moved, true);
  std::filesystem::create_directory_symlink(moved, link);
  train(link, true);
}
