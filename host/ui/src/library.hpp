// library.hpp: the runs below some folders.
#pragma once
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "run_view.hpp"

namespace broch::ui {

// Any thread.
class Library {
 public:
  using Runs = std::vector<std::shared_ptr<RunView>>;

  // Throws base::Error (data) if one is no folder.
  explicit Library(const std::vector<std::string>& folders);

  // Looks for new runs, if the last time is some seconds ago.
  Runs runs();
  // Whether there are more runs than runs() shows.
  bool is_cut();
  // id: as RunView has it. Throws Refusal (404).
  std::shared_ptr<RunView> find(const std::string& id);
  const std::vector<std::string>& folders() const { return folders_; }

 private:
  using Clock = std::chrono::steady_clock;
  void look();
  void forget_oldest();

  const std::vector<std::string> folders_;
  std::mutex mutex_;
  // Guarded by mutex_, up to here.
  std::map<std::filesystem::path, std::shared_ptr<RunView>> runs_;
  std::map<std::string, std::filesystem::path> paths_;  // by id
  std::vector<std::filesystem::path> used_;             // those that find() gave, newest last
  Clock::time_point looked_{};
  bool cut_ = false;
};

}  // namespace broch::ui
