// progress_page.hpp: the counters that the host keeps and plugins look at.
#pragma once
#include "broch/ext/run.h"

namespace broch::train {

// One page of memory under two addresses, one of them read only: a plugin that writes to what it
// was lent dies there, instead of a training that ends too soon or never.
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
