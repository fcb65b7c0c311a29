// child_data.hpp: children that yield data points.
#pragma once
#include <charconv>
#include <optional>
#include <string>
#include <vector>

#include "../role/indexed.h"
#include "../role/input_source.h"
#include "child.hpp"
#include "data_point.hpp"

namespace broch {
inline namespace v0 {

// Where a point is in a dataflow that is read by index.
struct Position {
  uint64_t round = 0, index = 0;
};
// The cursor "ROUND:NEXT" that means "continue at this position": that of the point before it.
inline std::string cursor_of(const Position& position) {
  return std::to_string(position.round) + ":" + std::to_string(position.index);
}
// The position of a cursor "ROUND:NEXT". Throws Error if it is none; what: of whom, for the
// message.
inline Position position_of(const std::string& cursor, const char* what) {
  Position position;
  const char* const end = cursor.data() + cursor.size();
  const auto round = std::from_chars(cursor.data(), end, position.round);
  if (round.ec == std::errc() && round.ptr != end && *round.ptr == ':') {
    const auto index = std::from_chars(round.ptr + 1, end, position.index);
    if (index.ec == std::errc() && index.ptr == end) return position;
  }
  throw Error(BROCH_E_DATA_LOSS,
              "'" + cursor + "' is not a cursor of " + what +
                  ", expected ROUND:NEXT; has the dataflow changed since the run was saved?");
}

// A child of role dataflow; role/dataflow.h describes the functions. A failure of the child throws
// Error.
//
// If indexed is true, the child can also be read by index, see role/indexed.h: read and locate.
// Read it in one of the two ways only.
class ChildDataFlow {
 public:
  using Role = RoleOf<broch_dataflow>;
  ChildDataFlow() = default;  // no child: nothing else may be called
  ChildDataFlow(const Host& host, const std::string& pointer)
      : host_(host),
        child_(host, pointer),
        indexed_(find_child<broch_indexed>(host, pointer, BROCH_ROLE_INDEXED)) {}
  void reset_state() const {
    if (child_.table->reset_state) host_.check(child_.table->reset_state(child_.self));
  }

  // Whether it can be read by index; always the same for one child.
  bool indexed() const { return bool(indexed_); }
  // Fills point with the point at a position. False: the round ends before it. Throws Cancelled.
  // Can be called on several threads at once.
  bool read(const Position& position, const broch_cancel* cancel, broch_point point) const {
    const broch_status status = host_.check(
        indexed_.table->read(indexed_.self, position.round, position.index, cancel, point));
    if (status == BROCH_CANCELLED) throw Cancelled();
    return status == BROCH_OK;
  }
  bool read(const Position& position, const Cancel& cancel, const Point& point) const {
    return read(position, cancel.c(), point.handle());
  }
  bool read(const Position& position, const Cancel& cancel, const PointWriter& point) const {
    return read(position, cancel.c(), point.handle());
  }
  // Whether the child gives its points cursors of its own, which only locate understands.
  bool has_locate() const { return indexed_ && indexed_.table->locate; }
  // The position at which to continue after the point with this cursor.
  Position locate(const std::string& cursor) const {
    if (!has_locate()) return position_of(cursor, "a dataflow that is read by index");
    Position position;
    host_.check(indexed_.table->locate(indexed_.self, cursor.data(), cursor.size(), &position.round,
                                       &position.index));
    return position;
  }

  // cursor "": from the beginning; otherwise after the point that it describes.
  void open(const std::string& cursor) const {
    host_.check(
        child_.table->open(child_.self, cursor.empty() ? nullptr : cursor.data(), cursor.size()));
  }
  // Between open and the first next: the cursor of the place where this iteration starts. No value:
  // the child does not give it.
  std::optional<std::string> start_cursor() const {
    if (!child_.table->start_cursor) return std::nullopt;
    WrittenText cursor(host_);
    if (host_.check(child_.table->start_cursor(child_.self, cursor.c())) == BROCH_NONE)
      return std::nullopt;
    return cursor.text();
  }
  // Fills point. False at the end of the data. Throws Cancelled.
  bool next(const broch_cancel* cancel, broch_point point) const {
    const broch_status status = host_.check(child_.table->next(child_.self, cancel, point));
    if (status == BROCH_CANCELLED) throw Cancelled();
    return status == BROCH_OK;
  }
  bool next(const Cancel& cancel, const Point& point) const {
    return next(cancel.c(), point.handle());
  }
  bool next(const Cancel& cancel, const PointWriter& point) const {
    return next(cancel.c(), point.handle());
  }
  // The number of points of one iteration. No value: unknown or infinite.
  std::optional<int64_t> size() const {
    int64_t size = 0;
    if (!child_.table->size || host_.check(child_.table->size(child_.self, &size)) == BROCH_NONE)
      return std::nullopt;
    return size;
  }

 private:
  Host host_;
  Child<broch_dataflow> child_;
  Child<broch_indexed> indexed_;
};

// A child of role input_source; role/input_source.h describes the functions. A failure of the child
// throws Error. reset_state, set_towers and stop do nothing if the child does not have them.
class ChildInputSource {
 public:
  using Role = RoleOf<broch_input_source>;
  ChildInputSource() = default;  // no child: nothing else may be called
  ChildInputSource(const Host& host, const std::string& pointer)
      : host_(host), child_(host, pointer) {}
  // BROCH_INPUT_…, combined with |.
  uint32_t flags() const { return child_.table->flags; }
  void setup(const broch_input_spec* inputs, uint32_t n) const {
    host_.check(child_.table->setup(child_.self, inputs, n));
  }
  void set_towers(uint32_t n) const {
    if (child_.table->set_towers) host_.check(child_.table->set_towers(child_.self, n));
  }
  void reset_state() const {
    if (child_.table->reset_state) host_.check(child_.table->reset_state(child_.self));
  }
  // Continues after the points with these cursors: one per tower, and perhaps the newest once more.
  // A child that cannot do so starts from the beginning.
  void resume(const std::vector<std::string>& cursors) const {
    if (!child_.table->resume) return reset_state();
    std::vector<broch_bytes> bytes;
    for (const std::string& cursor : cursors) bytes.push_back({cursor.data(), cursor.size()});
    host_.check(child_.table->resume(child_.self, bytes.data(), uint32_t(bytes.size())));
  }
  // Fills point for a tower. False at the end of the data. Throws Cancelled.
  bool next(uint32_t tower, const broch_cancel* cancel, broch_point point) const {
    const broch_status status = host_.check(child_.table->next(child_.self, tower, cancel, point));
    if (status == BROCH_CANCELLED) throw Cancelled();
    return status == BROCH_OK;
  }
  bool next(uint32_t tower, const Cancel& cancel, const Point& point) const {
    return next(tower, cancel.c(), point.handle());
  }
  // The number of points of one round. No value: unknown.
  std::optional<int64_t> size() const {
    int64_t size = 0;
    if (!child_.table->size || host_.check(child_.table->size(child_.self, &size)) == BROCH_NONE)
      return std::nullopt;
    return size;
  }
  void stop() const {
    if (child_.table->stop) host_.check(child_.table->stop(child_.self));
  }

 private:
  Host host_;
  Child<broch_input_source> child_;
};

}  // namespace v0
}  // namespace broch
