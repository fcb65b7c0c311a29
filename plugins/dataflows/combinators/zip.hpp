// zip.hpp: joins the components of points of several dataflows. tensorpack: `JoinData`.
//
// A round ends with the shortest dataflow; the others then begin their next round, too. A point has
// the key of that of the first dataflow. The cursor is the list of those of the children.
#pragma once
#include <broch/broch.hpp>

#include "children.hpp"

namespace broch::dataflows {

struct ZipOptions {
  std::vector<ChildDataFlow> dataflows;
  bool equal_sizes;

  static constexpr auto schema = broch::options(
      broch::option("dataflows", &ZipOptions::dataflows,
                    "The dataflows; the components of a point are in the order of this list.")
          .min_items(1),
      broch::option("equal_sizes", &ZipOptions::equal_sizes,
                    "true: different numbers of points in the dataflows are an error; false: a "
                    "round ends with the shortest dataflow.")
          .by_default(false));
};

class Zip final : public DataFlow, public Indexed {
 public:
  Zip(const Host& host, const ZipOptions& options)
      : host_(host), children_(options.dataflows, "zip"), equal_sizes_(options.equal_sizes) {
    for (size_t i = 0; i < children_.count(); ++i) parts_.emplace_back(host);
  }

  bool indexed() const override { return children_.indexed(); }
  void reset_state() override {
    children_.reset_state();
    if (equal_sizes_) check_sizes();
  }
  // Not known if that of a child is not: that one may be endless or the shortest.
  std::optional<int64_t> size() override {
    std::optional<int64_t> least;
    for (const std::optional<int64_t> size : children_.sizes()) {
      if (!size) return std::nullopt;
      least = std::min(least.value_or(*size), *size);
    }
    return least;
  }

  bool read(const Position& position, const Cancel& cancel, PointWriter& point) override {
    std::vector<Point> parts;
    for (size_t i = 0; i < children_.count(); ++i) parts.emplace_back(host_);
    return join(parts, point, [&](size_t child, Point& part) {
      return children_[child].read(position, cancel, part);
    });
  }

  void open(const std::string& cursor) override {
    cursor.empty() ? children_.open() : children_.open(cursor);
  }
  std::optional<std::string> start_cursor() override { return children_.cursor(); }
  bool next(const Cancel& cancel, PointWriter& point) override {
    if (!join(parts_, point,
              [&](size_t child, Point& part) { return children_.next(child, cancel, part); }))
      return false;
    if (const auto cursor = children_.cursor()) point.set_cursor(*cursor);
    return true;
  }

 private:
  void check_sizes() const {
    const std::vector<std::optional<int64_t>> sizes = children_.sizes();
    for (size_t i = 1; i < sizes.size(); ++i)
      if (sizes[0] && sizes[i] && *sizes[i] != *sizes[0])
        throw Error(BROCH_E_INVALID_ARGUMENT,
                    "/dataflows/" + std::to_string(i) + ": found " + std::to_string(*sizes[i]) +
                        " points, expected " + std::to_string(*sizes[0]) +
                        " as in /dataflows/0: use take, or set equal_sizes to false");
  }
  // Whether all dataflows have a point. Throws Error if only some have one.
  static bool agree(const std::vector<bool>& found) {
    for (size_t i = 1; i < found.size(); ++i)
      if (found[i] != found[0])
        throw Error(BROCH_E_INVALID_ARGUMENT,
                    "dataflow " + std::to_string(found[0] ? i : 0) + " ends before dataflow " +
                        std::to_string(found[0] ? 0 : i) +
                        ", expected equal sizes: use take, or set equal_sizes to false");
    return found[0];
  }
  // take(child, part): reads the next point of this dataflow; false: it has ended. Returns false
  // where the round of zip ends.
  template <class Take>
  bool join(std::vector<Point>& parts, PointWriter& point, const Take& take) const {
    std::vector<bool> found;
    for (size_t i = 0; i < parts.size(); ++i) {
      found.push_back(take(i, parts[i]));
      if (!found.back() && !equal_sizes_) return false;
    }
    if (!agree(found)) return false;
    for (const Point& part : parts) part.move_all(point);
    if (const uint64_t key = parts[0].key()) point.set_key(key);
    return true;
  }

  Host host_;
  Children children_;
  bool equal_sizes_;
  std::vector<Point> parts_;  // of streams
};

}  // namespace broch::dataflows
