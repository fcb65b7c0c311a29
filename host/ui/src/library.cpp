// library.cpp: the page refers to runs by a hash of their path, so that no request names a path.
#include "library.hpp"

#include <algorithm>
#include <cstdio>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "refusal.hpp"
#include "runs/listing.hpp"

namespace broch::ui {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostRuns = 5000;
constexpr size_t kMostBytes = size_t{2} << 30;  // of all runs together
constexpr std::chrono::seconds kBetweenLooks{2};

std::string id_of(const fs::path& path) {
  char id[17];
  std::snprintf(id, sizeof id, "%016llx",
                static_cast<unsigned long long>(base::hash64(path.string())));
  return id;
}

}  // namespace

Library::Library(const std::vector<std::string>& folders) : folders_(folders) {
  for (const std::string& folder : folders_)
    if (!fs::is_directory(folder))
      base::fail(base::Exit::data, folder, "no folder", "one with log folders in it",
                 "check the path");
}

void Library::look() {
  if (Clock::now() - looked_ < kBetweenLooks) return;
  std::map<fs::path, std::shared_ptr<RunView>> now;
  cut_ = false;
  for (const std::string& folder : folders_)
    for (const fs::path& found : runs::find_runs(folder, kMostRuns + 1)) {
      if (now.size() == kMostRuns) {
        cut_ = true;
        break;
      }
      fs::path path = fs::absolute(found).lexically_normal();
      if (!path.has_filename()) path = path.parent_path();  // "log/"
      const auto known = runs_.find(path);
      now[path] = known != runs_.end() ? known->second
                                       : std::make_shared<RunView>(
                                             id_of(path), path, found.lexically_normal().string());
    }
  runs_ = std::move(now);
  paths_.clear();
  for (const auto& [path, run] : runs_) paths_[run->id()] = path;
  looked_ = Clock::now();
}

Library::Runs Library::runs() {
  const std::lock_guard lock(mutex_);
  look();
  Runs list;
  for (const auto& [path, run] : runs_) list.push_back(run);
  return list;
}

bool Library::is_cut() {
  const std::lock_guard lock(mutex_);
  return cut_;
}

std::shared_ptr<RunView> Library::find(const std::string& id) {
  const std::lock_guard lock(mutex_);
  if (!paths_.contains(id)) look();
  const auto path = paths_.find(id);
  if (path == paths_.end()) throw Refusal(kNotFound, "run: " + base::quoted(id) + " is not there");
  std::erase(used_, path->second);
  used_.push_back(path->second);
  forget_oldest();
  return runs_[path->second];
}

// Those that hold much memory and were not asked for lately are read again when they are.
void Library::forget_oldest() {
  size_t bytes = 0;
  for (size_t i = used_.size(); i-- > 0;) {
    const auto run = runs_.find(used_[i]);
    if (run == runs_.end()) continue;
    bytes += run->second->bytes();
    if (bytes > kMostBytes && i + 1 < used_.size())
      run->second =
          std::make_shared<RunView>(run->second->id(), run->second->log_dir(), run->second->path());
  }
}

}  // namespace broch::ui
