// origins.hpp: which points a dataflow makes a point of, as far as its use of cursors tells.
//
// A dataflow that reads the cursors of the points it takes, and gives its own point the cursor of
// the last of them or one that ends with it ("ROUND:" and that cursor), made it of those. This
// costs nothing that a step notices: what was read is kept until the next cursor is set.
#pragma once
#include <string_view>

#include "abi/instance.hpp"
#include "runtime/point.hpp"

namespace broch::runtime {

// It has read the cursor of that point.
void note_cursor_read(const abi::Instance& by, const Point& point);
// It is about to give its point that cursor.
void note_cursor_set(const abi::Instance& by, Point& point, std::string_view cursor);
// One that is moved stays the point that it is.
void note_moved(Point& point);

}  // namespace broch::runtime
