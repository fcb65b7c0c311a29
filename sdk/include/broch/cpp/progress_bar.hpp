// progress_bar.hpp: shows a person how far a piece of work is.
#pragma once
#include <string>

#include "host.hpp"

namespace broch {
inline namespace v0 {

// A progress bar on a terminal, elsewhere a plain line at regular intervals; see ext/ui.h. It is
// shown as long as the object lives. An instance has one at a time.
class ProgressBar {
 public:
  // total: the amount of work; -1: unknown.
  ProgressBar(const Host& host, const std::string& label, int64_t total)
      : host_(host), table_(host.require<broch_host_ui>(BROCH_EXT_UI)) {
    host_.check(table_->begin(host_.c(), label.c_str(), total));
  }
  ~ProgressBar() { table_->end(host_.c()); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // Sets how much is done. True when it is time to redraw: then describe what else there is to
  // show.
  bool advance(int64_t done) const { return table_->advance(host_.c(), done) > 0; }
  // Additional text, such as "cost=0.31".
  void describe(const std::string& text) const {
    host_.check(table_->describe(host_.c(), text.c_str()));
  }

 private:
  Host host_;
  const broch_host_ui* table_;
};

}  // namespace v0
}  // namespace broch
