// origins.hpp: finds out, from cursors, which points a dataflow combined into a point.
//
// A dataflow may read the cursors of the points that it takes, and give its own point the cursor of
// the last one, or "ROUND:" followed by that cursor. Then its point was made of the points whose
// cursors it read. The cost is negligible: what was read is only kept until the next cursor is set.
#pragma once
#include <string_view>

#include "abi/instance.hpp"
#include "runtime/point.hpp"

namespace broch::runtime {

// Called when the instance has read the cursor of a point.
void note_cursor_read(const abi::Instance& by, const Point& point);
// Called before the instance sets the cursor of its point.
void note_cursor_set(const abi::Instance& by, Point& point, std::string_view cursor);
// Called before a point is moved, so that it keeps its origin.
void note_moved(Point& point);

}  // namespace broch::runtime
