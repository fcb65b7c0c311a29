// watch.cpp: stores the misuses.
#include "watch.hpp"

#include <algorithm>

#include "abi/instance.hpp"
#include "verdict.hpp"

namespace broch::check {
namespace {

constexpr size_t kKept = 1000;  // enough: a thread may repeat one misuse endlessly

}  // namespace

void Watch::saw(abi::Misuse misuse, const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (seen_.size() < kKept) seen_.push_back({misuse, text});
}

const void* Watch::extension(const abi::Instance& asking, const char* id, const void* table) {
  return filter_ && asking.component_id() == component_ ? filter_(id, table) : table;
}

void Watch::require_none(const std::vector<abi::Misuse>& misuses) const {
  const std::lock_guard lock(mutex_);
  for (const Seen& seen : seen_)
    if (std::find(misuses.begin(), misuses.end(), seen.misuse) != misuses.end())
      throw Failed(seen.text);
}

void Watch::require_answers() const {
  require_none({abi::Misuse::status, abi::Misuse::silent, abi::Misuse::exception});
}

}  // namespace broch::check
