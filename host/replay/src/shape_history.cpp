// shape_history.cpp: forgets the least recently used shape; too many new shapes stay eager.
#include "shape_history.hpp"

#include <algorithm>
#include <istream>
#include <ostream>

namespace broch::replay {
namespace {

const std::string kInARow = std::to_string(ShapeHistory::kMaxMisses) +
                            " in a row were different; pad or bucket the batches";
const std::string kComeAgain = "more of them come again than are kept; pad or bucket the batches";

// How a saved history states why it is closed.
const std::string kReasons[] = {"open", "in-a-row", "come-again"};

}  // namespace

void ShapeHistory::use(Kept& kept) {
  misses_ = 0;
  kept.last_run = runs_;
  ++kept.runs;
}

bool ShapeHistory::meet(uint64_t key) {
  ++runs_;
  if (!last_ || key != met_) {
    const auto found = kept_.find(key);
    last_ = found == kept_.end() ? nullptr : &found->second;
    met_ = key;
  }
  if (last_) {
    use(*last_);
    return true;
  }
  if (++misses_ > kMaxMisses) close(kInARow);
  if (forgotten_.contains(key) && ++returns_ > kMaxReturns) close(kComeAgain);
  return closed_because_.empty();
}

void ShapeHistory::close(const std::string& why) {
  if (closed_because_.empty()) closed_because_ = why;
}

void ShapeHistory::keep(size_t bytes) {
  if (!last_) {
    last_ = &kept_[met_];
    last_->last_run = runs_;
  }
  last_->bytes = std::max(last_->bytes, bytes);
}

std::optional<uint64_t> ShapeHistory::forget() {
  size_t bytes = 0;
  for (const auto& [key, kept] : kept_) bytes += kept.bytes;
  if (kept_.size() <= 1 || (kept_.size() <= kMaxKept && bytes <= kMaxBytes)) return std::nullopt;
  const auto oldest =
      std::ranges::min_element(kept_, {}, [](const auto& one) { return one.second.last_run; });
  const uint64_t key = oldest->first;
  if (oldest->second.runs < kWorth) forgotten_.insert(key);
  if (&oldest->second == last_) last_ = nullptr;
  kept_.erase(oldest);
  return key;
}

void ShapeHistory::save(std::ostream& out) const {
  const auto* const reason = closed_because_.empty()      ? &kReasons[0]
                             : closed_because_ == kInARow ? &kReasons[1]
                                                          : &kReasons[2];
  out << *reason << ' ' << runs_ << ' ' << misses_ << ' ' << returns_ << ' ' << kept_.size() << ' '
      << forgotten_.size() << std::hex;
  for (const auto& [key, kept] : kept_)
    out << ' ' << key << ' ' << kept.runs << ' ' << kept.last_run << ' ' << kept.bytes;
  for (const uint64_t key : forgotten_) out << ' ' << key;
  out << std::dec;
}

bool ShapeHistory::load(std::istream& in) {
  ShapeHistory read;
  std::string reason;
  size_t kept = 0, forgotten = 0;
  in >> reason >> read.runs_ >> read.misses_ >> read.returns_ >> kept >> forgotten >> std::hex;
  if (reason == kReasons[1]) read.closed_because_ = kInARow;
  if (reason == kReasons[2]) read.closed_because_ = kComeAgain;
  uint64_t key = 0;
  for (size_t i = 0; i < kept && in >> key; ++i) {
    Kept& one = read.kept_[key];
    in >> one.runs >> one.last_run >> one.bytes;
  }
  for (size_t i = 0; i < forgotten && in >> key; ++i) read.forgotten_.insert(key);
  in >> std::dec;
  if (!in || std::ranges::find(kReasons, reason) == std::end(kReasons)) return false;
  *this = std::move(read);  // last_ is nullptr: the next step looks up its key
  return true;
}

}  // namespace broch::replay
