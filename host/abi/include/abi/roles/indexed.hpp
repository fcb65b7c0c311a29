// indexed.hpp: a dataflow that is read by index.
#pragma once
#include <cstdint>
#include <string_view>

#include "abi/roles/role.hpp"
#include "broch/role/indexed.h"

namespace broch::abi {

class PointNotes;

// A place in a dataflow.
struct Position {
  uint64_t round = 0, index = 0;
};

class Indexed : public RoleOf<broch_indexed> {
 public:
  static Indexed make(Instance& instance) { return Indexed(instance); }
  // Whether this instance can be read by index. [main]
  static bool plays(Instance& instance);

  void reset_state();
  bool size(int64_t* size);  // false: the size is unknown
  // OK, END, CANCELLED. Can be called on several threads at once. cursor: for the point, if it gets
  // none from the plugin; "": none.
  broch_status read(const Position& at, const broch_cancel* cancel, broch_point point,
                    std::string_view cursor = "");
  // The position at which to continue after the point with this cursor. Throws base::Error (data)
  // for a cursor that is none.
  Position locate(std::string_view cursor);
  // What the plugin says that the point at this index is; "" for nothing. Does not fail.
  std::string describe(uint64_t index) noexcept;

 private:
  explicit Indexed(Instance& instance);
  const PointNotes* notes_;
};

// The cursor that means "continue at this position".
std::string cursor_of(const Position& position);

}  // namespace broch::abi
