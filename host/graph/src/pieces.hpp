// pieces.hpp: a large batch is computed in pieces, so that the values between two operators stay in
// the cache of a processor.
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "graph/graph.hpp"
#include "graph/runner.hpp"

namespace broch::graph {

class Pieces {
 public:
  // Borrows graph. threads: which share the work of an operator.
  Pieces(const Graph& graph, int32_t threads);

  // The number of examples in each piece of a batch with these sizes, of which the last may have
  // fewer; 0: all are computed at once.
  int64_t examples(std::span<const int64_t> sizes) const;

 private:
  int64_t that_fit(std::span<const int64_t> sizes) const;

  const Graph& graph_;
  const int32_t threads_;
  std::optional<uint32_t> symbol_;  // nothing: examples may depend on each other
  int64_t weights_ = 0;             // bytes
  int64_t always_ = 0;              // a piece where the batch is all that varies, else 0
};

// Some examples of a batch in plain memory.
class PieceOfInputs {
 public:
  PieceOfInputs(std::span<const runtime::TensorInfo> inputs, const void* const* data);

  int64_t batch() const { return batch_; }  // all examples
  void choose(int64_t first, int64_t count);
  std::span<const runtime::TensorInfo> infos() const { return infos_; }
  const void* const* data() const { return data_.data(); }

 private:
  const int64_t batch_;
  std::vector<runtime::TensorInfo> infos_;
  std::vector<const std::byte*> first_;
  std::vector<const void*> data_;
};

// Results of a piece go to their part of those of the batch.
class PieceOfResults final : public Results {
 public:
  // sizes: of the batch. Asks whole for the memory of all outputs, and borrows it.
  PieceOfResults(const Graph& graph, std::span<const int64_t> sizes, Results& whole);

  void begin_at(int64_t first) { first_ = first; }
  void* place(size_t output, broch_dtype dtype, const runtime::Shape& shape) override;
  const std::atomic<bool>* stop() const override { return whole_.stop(); }

 private:
  Results& whole_;
  std::vector<std::byte*> places_;  // by output; nullptr: it is not wanted
  int64_t first_ = 0;
};

}  // namespace broch::graph
