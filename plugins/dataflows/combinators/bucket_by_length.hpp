// bucket_by_length.hpp: padded batches of points of similar length, such as sentences, so that
// little is padded. TensorFlow: `bucket_by_sequence_length`.
#pragma once
#include "../../points/component_name.hpp"
#include "grouped_batches.hpp"
#include "stacking.hpp"

namespace broch::dataflows {

struct BucketByLengthOptions {
  ChildDataFlow dataflow;
  JsonText component;
  std::vector<int64_t> boundaries;
  std::vector<uint64_t> batch_sizes;
  bool pad_to_boundary, drop_longer, remainder;
  double value;

  static constexpr auto schema = broch::options(
      broch::option("dataflow", &BucketByLengthOptions::dataflow, "The dataflow to batch."),
      broch::option(
          "component", &BucketByLengthOptions::component,
          "The component whose first dimension is the length: its name or index (from 0).")
          .schema(BROCH_COMPONENT_NAME_SCHEMA)
          .by_default(0),
      broch::option("boundaries", &BucketByLengthOptions::boundaries,
                    "The longest length in each bucket, ascending. A further bucket contains all "
                    "longer points.")
          .minimum(0)
          .min_items(1),
      broch::option("batch_sizes", &BucketByLengthOptions::batch_sizes,
                    "The batch size of each bucket, one more than boundaries; a single number: the "
                    "batch size of all buckets. At most 16384 points in all may wait for their "
                    "batches.")
          .minimum(1)
          .min_items(1),
      broch::option("pad_to_boundary", &BucketByLengthOptions::pad_to_boundary,
                    "true: the component is padded to the longest length of its bucket, so that "
                    "there are few shapes. false, and always in the last bucket: it is padded to "
                    "the longest point of the batch.")
          .by_default(false),
      broch::option("drop_longer", &BucketByLengthOptions::drop_longer,
                    "Whether to leave out points that are longer than the last boundary.")
          .by_default(false),
      broch::option("value", &BucketByLengthOptions::value, "The value of the padding.")
          .by_default(0),
      broch::option(
          "remainder", &BucketByLengthOptions::remainder,
          "Whether to yield the smaller batches that are left over at the end of a round.")
          .by_default(false));
};

class BucketByLength final : public GroupedBatches {
 public:
  BucketByLength(const Host& host, const BucketByLengthOptions& options)
      : GroupedBatches(host, options.dataflow, "bucket-by-length", SIZE_MAX, options.remainder),
        component_(Config(host), "/component"),
        options_(options) {
    if (!std::is_sorted(options.boundaries.begin(), options.boundaries.end()))
      throw Error(BROCH_E_INVALID_ARGUMENT, "/boundaries: expected ascending lengths");
    const size_t buckets = options.boundaries.size() + 1, sizes = options.batch_sizes.size();
    if (sizes != 1 && sizes != buckets)
      throw Error(BROCH_E_INVALID_ARGUMENT,
                  "/batch_sizes: found " + std::to_string(sizes) + " numbers, expected 1 or " +
                      std::to_string(buckets) + ": one more than boundaries");
    const size_t used = buckets - (options.drop_longer ? 1 : 0);
    uint64_t points = 0;  // a full batch never waits
    for (size_t i = 0; i < used; ++i)
      points += std::min(options.batch_sizes[sizes == 1 ? 0 : i] - 1, kMostPoints + 1);
    if (points > kMostPoints)
      throw Error(BROCH_E_INVALID_ARGUMENT,
                  "/batch_sizes: more than " + std::to_string(kMostPoints) +
                      " points may wait for their batches, expected at most so many, since a "
                      "cursor names them: choose smaller batches, or fewer boundaries");
  }

 private:
  static constexpr uint64_t kMostPoints = 16384;  // up to three bytes of a cursor for each

  // The number of the bucket as text.
  std::optional<std::string> group_of(const Point& point) override {
    const broch_dl_tensor view = point.view(component_.in(point));
    if (view.ndim == 0)
      throw Error(BROCH_E_INVALID_ARGUMENT, "component " + component_.text() +
                                                ": found a scalar, expected a first dimension, "
                                                "which is its length");
    const std::vector<int64_t>& bounds = options_.boundaries;
    const auto bucket = std::lower_bound(bounds.begin(), bounds.end(), view.shape[0]);
    if (bucket == bounds.end() && options_.drop_longer) return std::nullopt;
    return std::to_string(bucket - bounds.begin());
  }
  size_t batch_size_of(const std::string& group) override {
    const std::vector<uint64_t>& sizes = options_.batch_sizes;
    return sizes.size() == 1 ? sizes[0] : sizes[std::stoul(group)];
  }
  void write(const std::string& group, const std::vector<const Point*>& points,
             PointWriter& batch) override {
    const size_t bucket = std::stoul(group);
    const uint32_t component = component_.in(*points[0]);
    Stacking(Padding{[&](uint32_t index, std::vector<int64_t> shape) {
                       if (index == component && options_.pad_to_boundary &&
                           bucket < options_.boundaries.size())
                         shape[0] = options_.boundaries[bucket];
                       return shape;
                     },
                     [this](uint32_t) { return options_.value; }})
        .write(points, batch);
  }

  points::ComponentName component_;
  BucketByLengthOptions options_;
};

}  // namespace broch::dataflows
