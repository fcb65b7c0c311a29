// batches.hpp: the points of a dataflow as inputs of a model, so many at a time.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "data/flow.hpp"
#include "predict/model.hpp"

namespace broch::predict {

struct Batch {
  std::vector<runtime::Tensor> inputs;  // empty: the data have ended
  int64_t rows = 0;                     // samples; the tensors may have more, which are padding
  bool has_cursor = false;
  std::string cursor;  // of its last point
};

// Points may be single samples, which are stacked, or batches, which stay as they are.
class Batches {
 public:
  // Borrows all of them. size: samples of a batch, unless they are batches already.
  Batches(data::FlowReader& reader, const Ports& ports, runtime::Backend& backend, int64_t size);

  // The next batch, of no more than `most` samples. Throws base::Error.
  Batch next(int64_t most);
  // Whether points are single samples. REQUIRES: next has returned a batch.
  bool single() const { return samples_; }
  // Reads so many samples and drops them.
  void skip(int64_t rows);

 private:
  bool read();
  void find_places();
  bool is_sample() const;
  std::vector<runtime::Tensor> components() const;
  Batch stacked(int64_t most);
  void add_stacked(size_t input, const std::vector<std::vector<runtime::Tensor>>& samples,
                   int64_t first, runtime::Point& stack) const;
  Batch whole(int64_t most);

  data::FlowReader& reader_;
  const Ports& ports_;
  runtime::Backend& backend_;
  int64_t size_;
  std::optional<int64_t> fixed_;  // the size that the model demands
  runtime::Point point_;
  bool unread_ = false;         // point_ is there, and is not used yet
  std::vector<size_t> places_;  // by input: its component in point_; empty: no point was read
  bool samples_ = false;
  int64_t seen_ = 0;  // points
};

}  // namespace broch::predict
