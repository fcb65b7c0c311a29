// run_view.hpp: one run, as the page asks for it. All answers are JSON objects.
#pragma once
#include <atomic>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>

#include "events.hpp"
#include "records.hpp"
#include "target.hpp"

namespace broch::ui {

using Json = nlohmann::ordered_json;

// Any thread.
class RunView {
 public:
  // id: by which the page refers to the run. path: for people.
  RunView(std::string id, std::filesystem::path log_dir, const std::string& path);

  const std::string& id() const { return id_; }
  const std::filesystem::path& log_dir() const { return log_dir_; }
  const std::string& path() const { return path_; }

  // Name, path, state, position, times, latest metrics. Reads only the end of the records.
  Json summary();
  // The curves, with at most `points` points each.
  //   since, generation   only records from this one on, if the file is still the same
  //   time=1              also wall times
  //   from, to            only these steps
  Json series(const Target& target);
  // Tags and steps of images, histograms and texts.
  Json media();
  std::string image(const std::string& tag, int64_t number);  // PNG
  Json histogram(const std::string& tag);
  Json text(const std::string& tag);
  Json texts();  // messages, and the end of the log
  Json manifest();
  Json environment();
  Json status();
  // Performs {"request": "stop"}, {"request": "set", "name": …, "value": …}; waits for the end of a
  // step.
  Json control(const std::string& body);

  std::string name();
  size_t bytes() const { return bytes_; }  // of memory, after the last answer

 private:
  void refresh_summary();
  void update_events();
  Json curve(const Column& column, const Target& target, size_t since, int64_t points) const;

  const std::string id_;
  const std::filesystem::path log_dir_;
  const std::string path_;

  std::atomic<size_t> bytes_{0};
  std::mutex mutex_;
  // Guarded by mutex_, up to here.
  Records records_;
  Events events_;
  std::string manifest_version_, end_version_;
  std::string name_;
  // Epoch, step and stats at the end of the records; a run that has just begun has none.
  Json end_ = {{"stats", Json::object()}};
  Json plan_ = Json::object();  // what the manifest says: max_epoch, …
};

}  // namespace broch::ui
