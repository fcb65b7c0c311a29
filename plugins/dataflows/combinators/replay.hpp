// replay.hpp: reads a dataflow for a parent that stores points for later, and makes cursors that
// include the stored points.
//
// The cursor has three parts: where to start, how many points to read from there, and which of them
// to store. A stream reads all of them again; an indexed dataflow reads only those to store.
#pragma once
#include <utility>
#include <vector>

#include "cursor_list.hpp"

namespace broch::dataflows {

struct Kept {
  Point point;
  uint64_t number;     // counts the points of the child in their order
  std::string before;  // of a stream: the cursor of the child before this point
};

class Replay {
 public:
  // dataflow: the name of the component around it, for messages.
  Replay(const Host& host, const ChildDataFlow& child, const char* dataflow)
      : host_(host), child_(child), dataflow_(dataflow) {}

  void reset_state() const { child_.reset_state(); }

  void open(const std::string& cursor) {
    pending_.clear();
    complete_ = true;
    next_ = 0;
    if (cursor.empty()) return begin();
    const std::vector<std::string> parts = unpack(cursor, 3, dataflow_);
    if (child_.indexed()) {
      const Position at = position_of(parts[0], dataflow_);
      round_ = at.round;
      next_ = at.index;
    } else {
      child_.open(parts[0]);
      here_ = parts[0];
    }
    pass_ = number_in(parts[1], dataflow_);
    pending_ = numbers_in(parts[2]);
    if (!pending_.empty() && pending_.back() >= pass_) refuse_cursor(cursor, dataflow_);
  }

  // The points that were kept at the cursor with which this was opened. Call it before next.
  std::vector<Kept> take_kept(const Cancel& cancel) {
    std::vector<Kept> kept;
    const std::vector<uint64_t> wanted = std::exchange(pending_, {});
    auto it = wanted.begin();
    const uint64_t end = next_ + pass_, start = next_;
    pass_ = 0;
    while (next_ < end) {
      const bool is_kept = it != wanted.end() && *it == next_ - start;
      if (!is_kept && child_.indexed()) {
        ++next_;
        continue;
      }
      std::optional<Kept> one = next(cancel);
      if (!one)
        throw Error(BROCH_E_DATA_LOSS,
                    std::string(dataflow_) + ": the dataflow in it has ended at point " +
                        std::to_string(next_) + ", expected " + std::to_string(end) +
                        " points as when the run was saved: has the data changed?");
      if (!is_kept) continue;
      ++it;
      kept.push_back(std::move(*one));
    }
    return kept;
  }

  // No value: the child has ended. A parent may drop all points of a child that never waits, so
  // whether to give up is asked here.
  std::optional<Kept> next(const Cancel& cancel) {
    if (cancel.cancelled()) throw Cancelled();
    Kept one{Point(host_), next_, here_};
    const bool found = child_.indexed() ? child_.read({round_, next_}, cancel, one.point)
                                        : child_.next(cancel, one.point);
    if (!found) return std::nullopt;
    ++next_;
    if (!child_.indexed()) {
      here_ = one.point.cursor();
      complete_ = complete_ && !here_.empty();
    }
    return one;
  }

  // "Continue after all points that were read, with these kept": in the order of their numbers. No
  // value: the child gives its points no cursors.
  std::optional<std::string> cursor(const std::vector<const Kept*>& kept) const {
    if (!complete_) return std::nullopt;
    const uint64_t start = kept.empty() ? next_ : kept[0]->number;
    std::vector<uint64_t> numbers;
    for (const Kept* one : kept) numbers.push_back(one->number - start);
    std::string at = kept.empty() ? here_ : kept[0]->before;
    if (child_.indexed()) at = cursor_of({round_, start});
    return pack({at, std::to_string(next_ - start), text_of(numbers)});
  }
  // Between open and the first point.
  std::optional<std::string> start_cursor() const {
    return pack({child_.indexed() ? cursor_of({round_, next_}) : here_, std::to_string(pass_),
                 text_of(pending_)});
  }

 private:
  void begin() {
    pass_ = 0;
    if (child_.indexed()) {
      ++round_;
      return;
    }
    child_.open("");
    here_ = child_.start_cursor().value_or("");
  }
  // Ascending numbers as their differences, so that thousands fit into a cursor. The digits have
  // base 16, and the last one of a difference is a small letter: "ab" is 0, 1 and "Bad" 16, 19.
  static std::string text_of(const std::vector<uint64_t>& numbers) {
    std::string text;
    uint64_t before = 0;
    for (const uint64_t number : numbers) {
      uint64_t difference = number - std::exchange(before, number);
      std::string digits(1, char('a' + difference % 16));
      while (difference /= 16) digits.insert(digits.begin(), char('A' + difference % 16));
      text += digits;
    }
    return text;
  }
  std::vector<uint64_t> numbers_in(const std::string& list) const {
    std::vector<uint64_t> numbers;
    uint64_t number = 0, difference = 0;
    for (const char c : list) {
      const bool is_last = c >= 'a';
      const int digit = c - (is_last ? 'a' : 'A');
      if (digit < 0 || digit > 15) refuse_cursor(list, dataflow_);
      difference = 16 * difference + uint64_t(digit);
      if (!is_last) continue;
      number += std::exchange(difference, 0);
      if (!numbers.empty() && number <= numbers.back()) refuse_cursor(list, dataflow_);
      numbers.push_back(number);
    }
    if (!list.empty() && list.back() < 'a') refuse_cursor(list, dataflow_);
    return numbers;
  }

  Host host_;
  ChildDataFlow child_;
  const char* dataflow_;
  uint64_t round_ = ~uint64_t{0};  // of a child that is read by index; the first is 0
  uint64_t next_ = 0;              // the number of the next point
  std::string here_;               // of a stream: the cursor after the last point
  bool complete_ = true;           // each point of the stream had a cursor
  uint64_t pass_ = 0;              // of the cursor with which this was opened
  std::vector<uint64_t> pending_;  // the same: which of these points to keep
};

}  // namespace broch::dataflows
