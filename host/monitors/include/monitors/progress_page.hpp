// progress_page.hpp: the counters that the host updates and plugins read.
#pragma once
#include <map>
#include <mutex>

#include "abi/instance.hpp"
#include "broch/ext/progress.h"

namespace broch::monitors {

// One page of memory that is mapped once more for each plugin, read-only. A plugin that writes to
// it crashes at once; otherwise it could make a training end too soon or never.
class ProgressPage {
 public:
  ProgressPage();  // throws base::Error (memory)
  ~ProgressPage();
  ProgressPage(const ProgressPage&) = delete;
  ProgressPage& operator=(const ProgressPage&) = delete;

  broch_progress& own() const { return *own_; }
  // What this instance sees, always at the same address. [any]
  const broch_progress* lent(const abi::Instance& to);
  // From now on, this instance sees counters of its own at that address: these.
  broch_progress& separate(const abi::Instance& from);

 private:
  struct View {
    void* lent = nullptr;
    void* own = nullptr;  // of a separate instance
  };
  View& view_of(const abi::Instance& instance);

  int file_;
  broch_progress* own_;
  std::mutex mutex_;  // for views_
  std::map<const abi::Instance*, View> views_;
};

}  // namespace broch::monitors
