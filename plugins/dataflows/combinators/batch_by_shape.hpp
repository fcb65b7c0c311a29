// batch_by_shape.hpp: batches of points with the same shapes, such as images of the same size.
#pragma once
#include "grouped_batches.hpp"
#include "stacking.hpp"

namespace broch::dataflows {

struct BatchByShapeOptions {
  ChildDataFlow dataflow;
  uint64_t batch_size, buffer;
  bool remainder;

  static constexpr auto schema = broch::options(
      broch::option("dataflow", &BatchByShapeOptions::dataflow, "The dataflow to batch."),
      broch::option("batch_size", &BatchByShapeOptions::batch_size,
                    "Number of data points per batch.")
          .minimum(1),
      broch::option("buffer", &BatchByShapeOptions::buffer,
                    "Maximum number of points that wait for others of their shapes. When there are "
                    "more, the oldest ones are yielded as a smaller batch.")
          .minimum(1)
          .maximum(4096)
          .by_default(1024),
      broch::option(
          "remainder", &BatchByShapeOptions::remainder,
          "Whether to yield the smaller batches that are left over at the end of a round.")
          .by_default(false));
};

class BatchByShape final : public GroupedBatches {
 public:
  BatchByShape(const Host& host, const BatchByShapeOptions& options)
      : GroupedBatches(host, options.dataflow, "batch-by-shape", options.buffer, options.remainder),
        batch_size_(options.batch_size) {}

 private:
  std::optional<std::string> group_of(const Point& point) override {
    std::string group;
    for (uint32_t i = 0, n = point.size(); i < n; ++i) {
      const broch_dl_tensor view = point.view(i);
      group += dtype_name(dtype_of(view.dtype)) + points::shape_text(view);
    }
    return group;
  }
  size_t batch_size_of(const std::string&) override { return batch_size_; }
  void write(const std::string&, const std::vector<const Point*>& points,
             PointWriter& batch) override {
    Stacking(std::nullopt).write(points, batch);
  }

  uint64_t batch_size_;
};

}  // namespace broch::dataflows
