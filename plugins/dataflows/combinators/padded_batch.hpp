// padded_batch.hpp: batches of points whose shapes differ; smaller ones are padded. TensorFlow:
// `padded_batch`.
//
// The cursor of a batch is that of its last point, as of the dataflow batch.
#pragma once
#include "../../points/component_name.hpp"
#include "batch_count.hpp"
#include "stacking.hpp"

namespace broch::dataflows {

// How one component is padded.
struct PadOptions {
  JsonText component;
  std::optional<std::vector<int64_t>> shape, multiple_of;
  double value;

  static constexpr auto schema = broch::options(
      broch::option("component", &PadOptions::component,
                    "The name or index (from 0) of the component.")
          .schema(BROCH_COMPONENT_NAME_SCHEMA),
      broch::option("shape", &PadOptions::shape,
                    "The shape to which each point is padded; -1: the size of the longest point of "
                    "the batch; null: -1 everywhere.")
          .minimum(-1),
      broch::option("multiple_of", &PadOptions::multiple_of,
                    "For each dimension, a number; the size is padded to a multiple of it. null: 1 "
                    "everywhere.")
          .minimum(1),
      broch::option("value", &PadOptions::value, "The value of the padding.").by_default(0));
};

struct PaddedBatchOptions {
  ChildDataFlow dataflow;
  uint64_t batch_size;
  bool remainder;
  double value;
  std::vector<PadOptions> pads;
  JsonText lengths;

  static constexpr auto schema = broch::options(
      broch::option("dataflow", &PaddedBatchOptions::dataflow, "The dataflow to batch."),
      broch::option("batch_size", &PaddedBatchOptions::batch_size,
                    "Number of data points per batch.")
          .minimum(1)
          .maximum(1000000),
      broch::option("remainder", &PaddedBatchOptions::remainder,
                    "Whether to yield the points that are left over at the end of a round as a "
                    "smaller batch.")
          .by_default(false),
      broch::option("value", &PaddedBatchOptions::value,
                    "The value of the padding for components that are not in pads; they are padded "
                    "to the longest point of the batch.")
          .by_default(0),
      broch::option("pads", &PaddedBatchOptions::pads, "How single components are padded.")
          .by_default(),
      broch::option(
          "lengths", &PaddedBatchOptions::lengths,
          "Components whose size along the first dimension, before padding, is appended as an "
          "int64 component, for masks. The name of the new component is NAME_length.")
          .schema(R"("type": ["array", "null"], "items": {)" BROCH_COMPONENT_NAME_SCHEMA "}")
          .by_default(nullptr));
};

class PaddedBatch final : public DataFlow, public Indexed {
 public:
  PaddedBatch(const Host& host, const PaddedBatchOptions& options)
      : host_(host),
        child_(options.dataflow),
        batch_size_(options.batch_size),
        remainder_(options.remainder),
        value_(options.value),
        lengths_(points::component_names(Config(host), "/lengths")) {
    const Config config(host);
    for (size_t i = 0; i < options.pads.size(); ++i) {
      const std::string at = "/pads/" + std::to_string(i);
      const PadOptions& pad = options.pads[i];
      if (pad.shape && pad.multiple_of && pad.shape->size() != pad.multiple_of->size())
        throw Error(BROCH_E_INVALID_ARGUMENT,
                    at + ": found " + std::to_string(pad.multiple_of->size()) +
                        " numbers in multiple_of, expected " + std::to_string(pad.shape->size()) +
                        " as in shape");
      pads_.push_back({points::ComponentName(config, at + "/component"), pad});
    }
  }

  bool indexed() const override { return child_.indexed(); }
  void reset_state() override { child_.reset_state(); }
  std::optional<int64_t> size() override {
    return batch_count(child_.size(), batch_size_, remainder_);
  }

  bool read(const Position& position, const Cancel& cancel, PointWriter& batch) override {
    if (position.index > UINT64_MAX / batch_size_ - 2) return false;  // what follows would overflow
    const auto next = [&](uint64_t row, Point& part) {
      return child_.read({position.round, position.index * batch_size_ + row}, cancel, part);
    };
    return fill(next, batch).has_value();
  }

  void open(const std::string& cursor) override { child_.open(cursor); }
  std::optional<std::string> start_cursor() override { return child_.start_cursor(); }
  bool next(const Cancel& cancel, PointWriter& batch) override {
    const auto cursor =
        fill([&](uint64_t, Point& part) { return child_.next(cancel, part); }, batch);
    if (cursor && !cursor->empty()) batch.set_cursor(*cursor);
    return cursor.has_value();
  }

 private:
  struct Pad {
    points::ComponentName component;
    PadOptions options;
  };

  // Returns the cursor of the last point. No value: there is no further batch.
  template <class Next>
  std::optional<std::string> fill(const Next& next, PointWriter& batch) const {
    std::vector<Point> parts;
    while (parts.size() < batch_size_) {
      Point part(host_);
      if (!next(parts.size(), part)) break;
      parts.push_back(std::move(part));
    }
    if (parts.empty() || (parts.size() < batch_size_ && !remainder_)) return std::nullopt;
    write(parts, batch);
    return parts.back().cursor();
  }

  void write(const std::vector<Point>& parts, PointWriter& batch) const {
    std::vector<const Point*> points;
    for (const Point& part : parts) points.push_back(&part);
    // The pad of each component.
    std::vector<const PadOptions*> pads(parts[0].size());
    for (const Pad& pad : pads_) pads[pad.component.in(parts[0])] = &pad.options;
    const Stacking stacking(Padding{
        [&](uint32_t component, const std::vector<int64_t>& largest) {
          return pads[component] ? padded(component, *pads[component], largest) : largest;
        },
        [&](uint32_t component) { return pads[component] ? pads[component]->value : value_; }});
    stacking.write(points, batch);
    for (const points::ComponentName& component : lengths_) write_lengths(parts, component, batch);
  }

  static std::vector<int64_t> padded(uint32_t component, const PadOptions& pad,
                                     std::vector<int64_t> shape) {
    const std::vector<int64_t> largest = shape;
    const auto check = [&](size_t n, const char* option) {
      if (n != largest.size())
        throw Error(BROCH_E_INVALID_ARGUMENT, "component " + std::to_string(component) +
                                                  ": found " + std::to_string(largest.size()) +
                                                  " dimensions, expected " + std::to_string(n) +
                                                  " as in " + option + " of its pad");
    };
    if (pad.shape) check(pad.shape->size(), "shape");
    if (pad.multiple_of) check(pad.multiple_of->size(), "multiple_of");
    for (size_t d = 0; d < shape.size(); ++d) {
      if (pad.shape && (*pad.shape)[d] >= 0) {
        shape[d] = (*pad.shape)[d];
      } else if (pad.multiple_of) {
        const int64_t unit = (*pad.multiple_of)[d], over = shape[d] % unit;
        const int64_t missing = over > 0 ? unit - over : 0;
        shape[d] += std::min(missing, INT64_MAX - shape[d]);
      }
      if (largest[d] > shape[d])
        throw Error(BROCH_E_INVALID_ARGUMENT,
                    "component " + std::to_string(component) + ": found size " +
                        std::to_string(largest[d]) + " in dimension " + std::to_string(d) +
                        ", expected at most " + std::to_string(shape[d]) +
                        " as in shape of its pad: crop or drop longer points before");
    }
    return shape;
  }

  void write_lengths(const std::vector<Point>& parts, const points::ComponentName& component,
                     PointWriter& batch) const {
    std::string name;
    const uint32_t first = component.in(parts[0]);
    if (const char* of_component = parts[0].name(first))
      name = std::string(of_component) + "_length";
    auto* const lengths =
        batch.allocate<int64_t>({int64_t(parts.size())}, name.empty() ? nullptr : name.c_str());
    for (size_t row = 0; row < parts.size(); ++row) {
      const broch_dl_tensor view = parts[row].view(first);
      lengths[row] = view.ndim > 0 ? view.shape[0] : 1;
    }
  }

  Host host_;
  ChildDataFlow child_;
  uint64_t batch_size_;
  bool remainder_;
  double value_;
  std::vector<Pad> pads_;
  std::vector<points::ComponentName> lengths_;
};

}  // namespace broch::dataflows
