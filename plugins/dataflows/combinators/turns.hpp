// turns.hpp: the base of dataflows that take each point from one of several dataflows.
//
// The number of the dataflow is mixed into the key. The cursor is round, place, and the cursors of
// the children.
#pragma once
#include <broch/broch.hpp>
#include <string>
#include <vector>

#include "children.hpp"
#include "interleaving.hpp"

namespace broch::dataflows {

class Turns : public DataFlow, public Indexed {
 public:
  bool indexed() const override { return children_.indexed(); }

  bool read(const Position& position, const Cancel& cancel, PointWriter& point) override {
    const std::optional<Turn> turn = turn_at(position.round, position.index);
    if (!turn || !children_[turn->child].read({position.round, turn->index}, cancel, point))
      return false;
    point.mix_key(turn->child);
    return true;
  }

  void open(const std::string& cursor) override {
    place_ = 0;
    is_whole_ = cursor.empty();
    if (is_whole_) {
      ++round_;
      return children_.open();
    }
    const std::vector<std::string> parts = unpack(cursor, 3, name_);
    round_ = number_in(parts[0], name_);
    place_ = number_in(parts[1], name_);
    children_.open(parts[2]);
  }
  std::optional<std::string> start_cursor() override { return cursor(); }
  bool next(const Cancel& cancel, PointWriter& point) override {
    const std::optional<size_t> child = child_at(round_, place_);
    if (!child) return false;
    if (!children_.next(*child, cancel, part_)) {
      if (is_whole_) child_has_ended(round_, place_);
      return false;
    }
    ++place_;
    part_.move_to(point);
    point.mix_key(*child);
    if (const auto at = cursor()) point.set_cursor(*at);
    return true;
  }

 protected:
  // name: of the dataflow, for messages. weights: the option.
  Turns(const Host& host, std::vector<ChildDataFlow> dataflows, const char* name,
        const std::optional<std::vector<double>>& weights)
      : children_(std::move(dataflows), name), part_(host), name_(name) {
    if (weights && weights->size() != children_.count())
      throw Error(BROCH_E_INVALID_ARGUMENT, "/weights: found " + std::to_string(weights->size()) +
                                                " weights, expected one for each of the " +
                                                std::to_string(children_.count()) + " dataflows");
  }

  // Whose turn it is at a place of a round. No value: the round has ended. Any thread.
  virtual std::optional<Turn> turn_at(uint64_t round, uint64_t place) = 0;
  // The child alone, for a stream, where the children keep count of their points.
  virtual std::optional<size_t> child_at(uint64_t round, uint64_t place) {
    const std::optional<Turn> turn = turn_at(round, place);
    return turn ? std::optional(turn->child) : std::nullopt;
  }
  // The dataflow whose turn it is at this place has no more points, and so the round ends.
  virtual void child_has_ended(uint64_t, uint64_t) {}

  Children children_;

 private:
  std::optional<std::string> cursor() const {
    const auto of_children = children_.cursor();
    if (!of_children) return std::nullopt;
    return pack({std::to_string(round_), std::to_string(place_), *of_children});
  }

  Point part_;
  const char* name_;
  // Of a stream:
  uint64_t round_ = ~uint64_t{0}, place_ = 0;  // the first open begins round 0
  bool is_whole_ = true;  // this round began here, not at a cursor, whose data may have changed
};

}  // namespace broch::dataflows
