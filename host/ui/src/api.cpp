// api.cpp: finds the run and the function for a path.
#include "api.hpp"

#include <cstdint>

#include "log_file.hpp"
#include "refusal.hpp"
#include "runs/settings.hpp"

namespace broch::ui {
namespace {

constexpr const char* kJson = "application/json";
constexpr size_t kMostCompared = 32;
constexpr int kMostWaiting = 2;  // fewer than the server has threads

Reply reply(const Json& json) { return {kJson, text_of(json)}; }

[[noreturn]] void unknown() {
  throw Refusal(kNotFound, "path: found nothing there, expected one such as /api/runs");
}

// Counts a request while it waits for a run.
class Waiting {
 public:
  explicit Waiting(std::atomic<int>& count) : count_(count) {
    if (++count_ > kMostWaiting) {
      --count_;
      throw Refusal(kTooMany, "too many requests wait for a run; try again later");
    }
  }
  ~Waiting() { --count_; }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  std::atomic<int>& count_;
};

Json of_run(RunView& run, const std::string& what, const Target& target) {
  if (what == "series") return run.series(target);
  if (what == "media") return run.media();
  if (what == "histogram") return run.histogram(target.text("tag"));
  if (what == "text") return run.text(target.text("tag"));
  if (what == "texts") return run.texts();
  if (what == "manifest") return run.manifest();
  if (what == "environment") return run.environment();
  unknown();
}

bool is_run_path(const Target& target) {
  return target.path.size() == 4 && target.path[0] == "api" && target.path[1] == "runs";
}

}  // namespace

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json Api::runs() {
  Json list = Json::array();
  for (const auto& run : library_.runs()) list.push_back(run->summary());
  return {{"folders", library_.folders()}, {"cut", library_.is_cut()}, {"runs", list}};
}

Json Api::difference(const std::string& ids) {
  std::vector<std::shared_ptr<RunView>> compared;
  for (size_t begin = 0; begin <= ids.size();) {
    const size_t end = std::min(ids.find(',', begin), ids.size());
    if (end > begin) compared.push_back(library_.find(ids.substr(begin, end - begin)));
    if (compared.size() > kMostCompared)
      throw Refusal(kBadRequest, "runs: found more than " + std::to_string(kMostCompared));
    begin = end + 1;
  }
  if (compared.size() < 2) throw Refusal(kBadRequest, "runs: expected at least two, as ID,ID");
  std::vector<runs::Settings> all;
  for (const auto& run : compared)
    all.push_back(runs::settings_of(read_value(run->log_dir() / "manifest.resolved.json")));
  Json rows = Json::array(), list = Json::array();
  for (const std::string& pointer : runs::differing(all)) {
    Json values = Json::array();
    for (const runs::Settings& settings : all) {
      const auto found = settings.find(pointer);
      values.push_back(found == settings.end() ? Json() : Json(found->second));
    }
    rows.push_back({{"pointer", pointer}, {"values", values}});
  }
  for (const auto& run : compared) list.push_back(run->id());
  return {{"runs", list}, {"rows", rows}};
}

Reply Api::get(const Target& target) {
  if (target.path == std::vector<std::string>{"api", "runs"}) return reply(runs());
  if (target.path == std::vector<std::string>{"api", "difference"})
    return reply(difference(target.text("runs")));
  if (!is_run_path(target)) unknown();
  const auto run = library_.find(target.path[2]);
  const std::string& what = target.path[3];
  if (what == "image")
    return {"image/png", run->image(target.text("tag"), target.number("n", 0, 0, INT64_MAX))};
  if (what == "status") {
    const Waiting waiting(waiting_);
    return reply(run->status());
  }
  return reply(of_run(*run, what, target));
}

Reply Api::post(const Target& target, const std::string& body) {
  if (!is_run_path(target) || target.path[3] != "control") unknown();
  const auto run = library_.find(target.path[2]);
  const Waiting waiting(waiting_);
  return reply(run->control(body));
}

}  // namespace broch::ui
