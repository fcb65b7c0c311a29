// stage.cpp: starts, waits, signals, ends what hangs, resumes.
#include "stage.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "store/checkpoint.hpp"
#include "store/checkpoint_list.hpp"

namespace broch::hostile {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using cli_harness::count;
using cli_harness::Training;

constexpr std::chrono::seconds kLimit{60};  // far beyond each deadline, on a slow machine, too
constexpr std::chrono::milliseconds kBetweenSignals{300};
constexpr size_t kAtATime = 3;

// Three epochs of two steps, a checkpoint at the end of each, on the null runtime. A recorder on
// either side of the place for the bad one writes down its after_train.
Json good(const Folder& folder) {
  const auto recorder = [&](const char* name, const Json& puts) {
    return Json{
        {"use", "test.recorder"},
        {"name", name},
        {"with", {{"events", {"after_train"}}, {"trace", folder / "trace"}, {"put", puts}}}};
  };
  const Json put{{"event", "trigger_epoch"}, {"name", "number"}, {"value", "epoch_num"}};
  return {
      {"broch", 1},
      {"plugins", {folder / "hostile.so", folder / "recorder.so", MODELS}},
      {"model", {{"use", "test.flat"}}},
      {"dataflow", {{"use", "test.rows"}, {"with", {{"rows", Json::array({{1}, {2}, {3}})}}}}},
      {"callbacks",
       {recorder("before", Json::array({put})), "model-saver", recorder("after", Json::array())}},
      {"extra_callbacks", Json::array()},
      {"monitors", {"json-writer"}},
      {"log_dir_action", "keep"},
      {"steps_per_epoch", 2},
      {"max_epoch", 3}};
}

class Performance {
 public:
  explicit Performance(const Case& row) : row_(row) {
    fs::copy_file(HOSTILE_DIR "/hostile.so", folder_ / "hostile.so");
    fs::copy_file(RECORDER, folder_ / "recorder.so");
    Json manifest = good(folder_);
    row.spoil(manifest, folder_);
    training_.emplace(folder_, "run", manifest);
    std::vector<std::string> arguments{"--runtime", "null"};
    arguments.insert(arguments.end(), row.arguments.begin(), row.arguments.end());
    pid_ = training_->start(arguments);
  }

  // True once it ended, by itself or at the limit.
  bool look() {
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) == pid_) {
      result_.ended = !killed_;
      result_.exit = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
      return true;
    }
    if (Clock::now() - start_ > kLimit && !killed_) kill(pid_, SIGKILL), killed_ = true;
    send_signals();
    return false;
  }

  Result conclude() {
    result_.folder = folder_.path();
    result_.talk = training_->talk();
    result_.after_train = int(count(folder_.read("trace"), "after_train"));
    if (row_.left == Left::earlier) resume();
    for (const Json& epoch : stats()) result_.epochs.push_back(epoch["epoch_num"].get<int64_t>());
    return std::move(result_);
  }

 private:
  void send_signals() {
    if (sent_ == row_.signals || Clock::now() - last_signal_ < kBetweenSignals) return;
    if (sent_ == 0 && count(training_->talk(), "acts in") == 0) return;
    kill(pid_, SIGTERM);
    last_signal_ = Clock::now();
    ++sent_;
  }
  void resume() {
    Json manifest = good(folder_);
    manifest["plugins"].erase(0);
    fs::copy_file(RECORDER, folder_ / "recorder.so", fs::copy_options::overwrite_existing);
    const size_t said = result_.talk.size();
    const Training again(folder_, "run", manifest);
    result_.resumed = again.run({"--runtime", "null", "--resume"});
    result_.resumed_talk = again.talk().substr(said);
  }
  Json stats() const {
    const std::string text = training_->text("stats.json");
    return text.empty() ? Json::array() : Json::parse(text);
  }

  const Case& row_;
  Folder folder_;
  std::optional<Training> training_;
  pid_t pid_ = -1;
  Clock::time_point start_ = Clock::now(), last_signal_;
  int sent_ = 0;
  bool killed_ = false;
  Result result_;
};

}  // namespace

// The slow ones only wait: they go first, and take no place of the others.
std::vector<Result> perform(const std::vector<Case>& cases) {
  std::vector<Result> results(cases.size());
  std::vector<std::pair<size_t, std::unique_ptr<Performance>>> running;
  const auto waits = [&](size_t i) { return cases[i].name.find("hang") != std::string::npos; };
  std::vector<size_t> order(cases.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_partition(order, waits);
  auto next = order.begin();
  while (next != order.end() || !running.empty()) {
    const auto busy = std::ranges::count_if(running, [&](auto& one) { return !waits(one.first); });
    if (next != order.end() && size_t(busy) < kAtATime) {
      running.emplace_back(*next, std::make_unique<Performance>(cases[*next]));
      ++next;
      continue;
    }
    std::erase_if(running, [&](auto& one) {
      if (!one.second->look()) return false;
      results[one.first] = one.second->conclude();
      return true;
    });
    usleep(5'000);
  }
  return results;
}

void check(const Case& row, const Result& result) {
  INFO(row.name);
  INFO(result.talk);
  CHECK(result.ended);
  CHECK(result.exit == row.exit);
  CHECK(result.after_train == row.after_train);
  for (std::string words : row.words) {
    if (const size_t at = words.find("{}"); at != std::string::npos)
      words.replace(at, 2, result.folder);
    INFO(words);
    CHECK(count(result.talk, words) > 0);
  }
  INFO(result.resumed_talk);
  if (row.left == Left::earlier) CHECK(result.resumed == 0);
  const bool is_whole = result.epochs == std::vector<int64_t>{1, 2, 3};
  CHECK(is_whole == (row.left != Left::nothing));
}

Json bad(const std::string& what, const std::string& where, int64_t epoch) {
  return {{"use", "test.hostile"},
          {"name", "bad"},
          {"with", {{"what", what}, {"where", where}, {"epoch", epoch}}}};
}

std::function<void(Json&, const Folder&)> as_callback(const Json& entry) {
  return [entry](Json& manifest, const Folder&) {
    Json& callbacks = manifest["callbacks"];
    callbacks.insert(callbacks.begin() + 2, entry);
  };
}

std::function<void(Json&, const Folder&)> as_monitor(const Json& entry) {
  return [entry](Json& manifest, const Folder&) { manifest["monitors"].push_back(entry); };
}

std::function<void(Json&, const Folder&)> as_dataflow(const Json& entry) {
  return [entry](Json& manifest, const Folder&) { manifest["dataflow"] = entry; };
}

}  // namespace broch::hostile
