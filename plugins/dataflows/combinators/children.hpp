// children.hpp: several dataflows that are read as streams, and one cursor for all of them.
//
// Each child has its own cursor in the list, also a child that was not read yet or has ended: a
// child that is opened with its last cursor knows which round comes next.
#pragma once
#include <algorithm>

#include "cursor_list.hpp"

namespace broch::dataflows {

class Children {
 public:
  // dataflow: the name of the component around them, for messages.
  Children(std::vector<ChildDataFlow> children, const char* dataflow)
      : children_(std::move(children)), dataflow_(dataflow), cursors_(children_.size()) {}

  size_t count() const { return children_.size(); }
  const ChildDataFlow& operator[](size_t child) const { return children_[child]; }
  bool indexed() const {
    return std::all_of(children_.begin(), children_.end(),
                       [](const ChildDataFlow& child) { return child.indexed(); });
  }
  void reset_state() const {
    for (const ChildDataFlow& child : children_) child.reset_state();
  }
  std::vector<std::optional<int64_t>> sizes() const {
    std::vector<std::optional<int64_t>> sizes;
    for (const ChildDataFlow& child : children_) sizes.push_back(child.size());
    return sizes;
  }

  // Starts the next round of each child. A child without a start cursor has the same points in each
  // round (role/dataflow.h), so that "" describes its start.
  void open() {
    complete_ = true;
    for (size_t i = 0; i < count(); ++i) {
      children_[i].open("");
      cursors_[i] = children_[i].start_cursor().value_or("");
    }
  }
  // Continues at what cursor() gave.
  void open(const std::string& packed) {
    complete_ = true;
    cursors_ = unpack(packed, count(), dataflow_);
    for (size_t i = 0; i < count(); ++i) children_[i].open(cursors_[i]);
  }
  // Reads the next point of a child into part, which is cleared. False: the child has ended.
  bool next(size_t child, const Cancel& cancel, Point& part) {
    part.clear();
    if (!children_[child].next(cancel, part)) return false;
    cursors_[child] = part.cursor();
    if (cursors_[child].empty()) complete_ = false;
    return true;
  }
  // No value: a child gives its points no cursors.
  std::optional<std::string> cursor() const {
    return complete_ ? std::optional<std::string>(pack(cursors_)) : std::nullopt;
  }

 private:
  std::vector<ChildDataFlow> children_;
  const char* dataflow_;
  std::vector<std::string> cursors_;
  bool complete_ = true;  // each point that was read had a cursor
};

}  // namespace broch::dataflows
