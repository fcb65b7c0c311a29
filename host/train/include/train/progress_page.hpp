// progress_page.hpp: the counters that the host updates and plugins read.
#pragma once
#include "broch/ext/progress.h"

namespace broch::train {

// One page of memory mapped twice, once read-only for plugins. A plugin that writes to it crashes
// at once; otherwise it could make a training end too soon or never.
class ProgressPage {
 public:
  ProgressPage();  // throws base::Error (memory)
  ~ProgressPage();
  ProgressPage(const ProgressPage&) = delete;
  ProgressPage& operator=(const ProgressPage&) = delete;

  broch_progress& own() const { return *own_; }
  const broch_progress* lent() const { return lent_; }

 private:
  broch_progress* own_;
  const broch_progress* lent_;
};

}  // namespace broch::train
