// point_notes.cpp: keys, origins and cursors of points, noted around the calls of plugins.
#include "point_notes.hpp"

#include <charconv>

#include "abi/instance.hpp"
#include "abi/roles/indexed.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "runtime/point.hpp"

namespace broch::runtime {
namespace {

class Notes final : public abi::PointNotes {
 public:
  void after_read(abi::Instance& by, broch_point handle, uint64_t round, uint64_t index,
                  bool keeps_cursor) const override {
    Point& point = point_at(by, handle, "read");
    if (!point.key) point.key = base::hash64(index, round) | 1;  // 0 means none
    if (point.origin.empty()) {
      point.origin = std::to_string(index);
      point.origin_of = &by;
    }
    point.any_rank = keeps_cursor && point.has_cursor;
    if (keeps_cursor) return;
    point.cursor.clear();
    point.has_cursor = false;
  }

  void set_cursor(abi::Instance& by, broch_point handle, std::string_view cursor) const override {
    Point& point = point_at(by, handle, "read");
    if (point.has_cursor) return;
    point.cursor = cursor;
    point.has_cursor = true;
  }

  void before_apply(abi::Instance& by, broch_point in, broch_point out, bool many) const override {
    Point& to = point_at(by, out, "apply");
    if (&to == &point_at(by, in, "apply"))
      throw base::Error(base::Exit::training,
                        {.where = by.label(),
                         .found = "one point as in and as out of apply",
                         .expected = "two points",
                         .hint = "this is a mistake in the component that applies the transform"});
    to.may_emit = many;
    to.clear();
    to.emitted.clear();
    to.emitted_taken = 0;
    to.key = point_at(by, in, "apply").key;
  }

  void after_apply(abi::Instance& by, broch_point in, broch_point out) const override {
    Point& from = point_at(by, in, "apply");
    Point& to = point_at(by, out, "apply");
    to.may_emit = false;
    pass_on(from, to);
    for (Point& made : to.emitted) pass_on(from, made);
    from.clear();
  }

  std::string origin_of(abi::Instance& by, broch_point handle) const override {
    const Point& point = point_at(by, handle, "apply");
    if (point.origin.empty() || !point.origin_of) return "";
    std::string text = "point " + point.origin + " of " + abi::describe(*point.origin_of);
    // Only this call may change the instance, whose address alone was noted.
    auto& source = const_cast<abi::Instance&>(*point.origin_of);
    uint64_t index = 0;
    const char* const end = point.origin.data() + point.origin.size();
    const auto [stop, error] = std::from_chars(point.origin.data(), end, index);
    if (error != std::errc() || stop != end || !abi::Indexed::plays(source)) return text;
    const std::string words = abi::Indexed::make(source).describe(index);
    return words.empty() ? text : text + ", " + words;
  }

 private:
  static void pass_on(const Point& from, Point& to) {
    if (!to.has_cursor) {
      to.cursor = from.cursor;
      to.has_cursor = from.has_cursor;
      to.any_rank = from.any_rank;
    }
    if (!to.origin.empty()) return;
    to.origin = from.origin;
    to.origin_of = from.origin_of;
  }
};

}  // namespace

const abi::PointNotes& point_notes() {
  static const Notes notes;
  return notes;
}

}  // namespace broch::runtime
