// profile.hpp: spans and numbers of a plugin in the profile of the run.
#pragma once
#include <string>

#include "host.hpp"

namespace broch {
inline namespace v0 {

// A span in the profile of the run, from construction to destruction; see ext/profile.h.
class Span {
 public:
  Span(const Host& host, const std::string& name)
      : host_(host), table_(host.require<broch_host_profile>(BROCH_EXT_PROFILE)) {
    host_.check(table_->begin(host_.c(), name.c_str()));
  }
  ~Span() { table_->end(host_.c()); }
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;

 private:
  Host host_;
  const broch_host_profile* table_;
};

// Whether there is a profile, and numbers in it.
class Profile {
 public:
  explicit Profile(const Host& host)
      : host_(host), table_(host.require<broch_host_profile>(BROCH_EXT_PROFILE)) {}

  // The same for the whole run. Without a profile, spans and counters do nothing.
  bool enabled() const { return table_->enabled(host_.c()) != 0; }
  // A number at this moment, which is shown as a curve.
  void counter(const std::string& name, double value) const {
    host_.check(table_->counter(host_.c(), name.c_str(), value));
  }

 private:
  Host host_;
  const broch_host_profile* table_;
};

}  // namespace v0
}  // namespace broch
