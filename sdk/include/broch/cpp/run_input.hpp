// run_input.hpp: the input of the run, for callbacks and for trainers that read it themselves.
#pragma once
#include <optional>

#include "data_point.hpp"

namespace broch {
inline namespace v0 {

// The input of the run; see ext/input.h.
class RunInput {
 public:
  explicit RunInput(const Host& host)
      : host_(host), table_(host.require<broch_host_input>(BROCH_EXT_INPUT)) {}

  // No value: the run has no input source.
  std::optional<uint32_t> flags() const {
    uint32_t flags = 0;
    if (host_.check(table_->flags(host_.c(), &flags)) == BROCH_NONE) return std::nullopt;
    return flags;
  }
  // No value: unknown.
  std::optional<int64_t> size() const {
    int64_t size = 0;
    if (host_.check(table_->size(host_.c(), &size)) == BROCH_NONE) return std::nullopt;
    return size;
  }
  // The number of data points that a tower has consumed since the program was started.
  uint64_t consumed(uint32_t tower = 0) const {
    uint64_t points = 0;
    host_.check(table_->consumed(host_.c(), tower, &points));
    return points;
  }
  // In setup_graph of a trainer that will call next: so many towers will ask for data points.
  void set_towers(uint32_t n) const { host_.check(table_->set_towers(host_.c(), n)); }
  // In run_step of a trainer: fills point. BROCH_OK, or BROCH_END or BROCH_STOP: return these from
  // run_step.
  broch_status next(uint32_t tower, const Point& point) const {
    return host_.check(table_->next(host_.c(), tower, point.handle()));
  }

 private:
  Host host_;
  const broch_host_input* table_;
};

}  // namespace v0
}  // namespace broch
