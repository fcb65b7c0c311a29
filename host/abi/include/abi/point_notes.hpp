// point_notes.hpp: what the guard notes on data points around the calls of plugins. Points belong
// to a room above; it provides this object in the context.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "broch/value.h"

namespace broch::abi {

class Instance;

class PointNotes {
 public:
  virtual ~PointNotes() = default;
  // After a successful read of the instance: sets the key and the origin if the point has none, and
  // drops its cursor unless keeps_cursor is true. Inside the Entry of the call.
  virtual void after_read(Instance& by, broch_point point, uint64_t round, uint64_t index,
                          bool keeps_cursor) const = 0;
  // Sets the cursor if the point has none. Inside the Entry of the call.
  virtual void set_cursor(Instance& by, broch_point point, std::string_view cursor) const = 0;
  // Around apply of a transform: empties out; passes on key, cursor and origin, and empties in.
  // many: it may emit points. Throws base::Error if in and out are one point.
  virtual void before_apply(Instance& by, broch_point in, broch_point out, bool many) const = 0;
  virtual void after_apply(Instance& by, broch_point in, broch_point out) const = 0;
  // Where a point comes from, for messages: "point 17 of dataflow 'images' (…), cats/3.jpg"; ""
  // if that is not known. Inside the Entry of the call.
  virtual std::string origin_of(Instance& by, broch_point point) const = 0;
};

}  // namespace broch::abi
