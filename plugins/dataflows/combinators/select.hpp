// select.hpp: some components of each point, in another order or under other names. tensorpack:
// `SelectComponent`.
#pragma once
#include <broch/broch.hpp>

#include "../../points/selection.hpp"

namespace broch::dataflows {

struct SelectOptions {
  ChildDataFlow dataflow;
  JsonText components;

  static constexpr auto schema =
      broch::options(broch::option("dataflow", &SelectOptions::dataflow, "The dataflow."),
                     broch::option("components", &SelectOptions::components,
                                   "The components to keep, in their new order: each a name, an "
                                   "index (from 0), or an object with a new name.")
                         .schema(BROCH_SELECTION_SCHEMA));
};

class Select final : public DataFlow, public Indexed {
 public:
  Select(const Host& host, const SelectOptions& options)
      : host_(host),
        child_(options.dataflow),
        part_(host),
        selection_(Config(host), "/components") {}

  bool indexed() const override { return child_.indexed(); }
  bool has_locate() const override { return child_.has_locate(); }
  Position locate(const std::string& cursor) override { return child_.locate(cursor); }
  void reset_state() override { child_.reset_state(); }
  std::optional<int64_t> size() override { return child_.size(); }

  bool read(const Position& position, const Cancel& cancel, PointWriter& point) override {
    Point part(host_);
    if (!child_.read(position, cancel, part)) return false;
    select(part, point);
    return true;
  }

  void open(const std::string& cursor) override { child_.open(cursor); }
  std::optional<std::string> start_cursor() override { return child_.start_cursor(); }
  bool next(const Cancel& cancel, PointWriter& point) override {
    part_.clear();
    if (!child_.next(cancel, part_)) return false;
    select(part_, point);
    return true;
  }

 private:
  void select(const Point& part, PointWriter& point) const {
    const uint64_t key = part.key();
    const std::string cursor = part.cursor();
    selection_.apply(part, point);
    if (key) point.set_key(key);
    if (!cursor.empty()) point.set_cursor(cursor);
  }

  Host host_;
  ChildDataFlow child_;
  Point part_;
  points::Selection selection_;
};

}  // namespace broch::dataflows
