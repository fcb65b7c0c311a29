// batch.cpp: stacks consecutive data points of a dataflow along a new first dimension. tensorpack:
// `BatchData`.
//
// The source, or the last transform, writes the points straight into the memory of the batch. The
// cursor of a batch is that of its last point, so a resumed run continues after it.
#include <broch/broch.hpp>

#include "combinators/batch_count.hpp"
#include "combinators/continued.hpp"

namespace {

struct Options {
  broch::ChildDataFlow dataflow;
  uint64_t batch_size;
  bool remainder;

  static constexpr auto schema = broch::options(
      broch::option("dataflow", &Options::dataflow, "The dataflow to batch."),
      broch::option("batch_size", &Options::batch_size, "Number of data points per batch.")
          .minimum(1)
          .maximum(1000000),
      broch::option("remainder", &Options::remainder,
                    "Whether to yield the points that are left over at the end of a round as a "
                    "smaller batch.")
          .by_default(false));
};

class Batch final : public broch::DataFlow, public broch::Indexed {
 public:
  Batch(const broch::Host& host, const Options& options)
      : host_(host),
        child_(options.dataflow),
        batch_size_(options.batch_size),
        remainder_(options.remainder) {}

  void reset_state() override { child_.reset_state(); }
  std::optional<int64_t> size() override {
    return broch::dataflows::batch_count(child_.size(), batch_size_, remainder_);
  }

  bool indexed() const override { return child_.indexed(); }
  bool read(const broch::Position& position, const broch::Cancel& cancel,
            broch::PointWriter& point) override {
    if (position.index > UINT64_MAX / batch_size_ - 2) return false;  // what follows would overflow
    const uint64_t first = position.index * batch_size_ + continued_.points_before(position.round);
    return fill(point, [&](uint64_t row, const broch::Point& part) {
      return child_.read({position.round, first + row}, cancel, part);
    });
  }
  bool has_locate() const override { return child_.has_locate(); }
  // The child may continue within a batch, if it was saved with another batch size. All batches of
  // that round then begin so much later.
  broch::Position locate(const std::string& cursor) override {
    const broch::Position position = child_.locate(cursor);
    continued_.note({position.round, position.index % batch_size_});
    return {position.round, position.index / batch_size_};
  }

  void open(const std::string& cursor) override { child_.open(cursor); }
  std::optional<std::string> start_cursor() override { return child_.start_cursor(); }
  bool next(const broch::Cancel& cancel, broch::PointWriter& point) override {
    return fill(point,
                [&](uint64_t, const broch::Point& part) { return child_.next(cancel, part); });
  }

 private:
  // take(i, part): fills in point i of the batch. False: there are no more.
  template <class Take>
  bool fill(broch::PointWriter& batch, Take&& take) const {
    broch::Point part(host_);
    uint64_t count = 0;
    while (count < batch_size_) {
      part.begin_row(batch.handle(), count, batch_size_);
      if (!take(count, part)) break;
      ++count;
    }
    if (count < batch_size_ && !remainder_) count = 0;
    part.end_rows(batch.handle(), count);
    return count > 0;
  }

  broch::Host host_;
  broch::ChildDataFlow child_;
  uint64_t batch_size_;
  bool remainder_;
  broch::dataflows::Continued continued_;
};

}  // namespace

BROCH_DATAFLOW(Batch, "broch.dataflow.batch", "1.1.0",
               "Stacks consecutive data points along a new first dimension.", Options::schema)
