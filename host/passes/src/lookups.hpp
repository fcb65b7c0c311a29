// lookups.hpp: describes calls that look up rows of a table or compute the gradient of a table.
#pragma once
#include "kernels/embedding.hpp"
#include "lower.hpp"

namespace broch::passes {

// The rows of a table that are looked up, single or in bags.
struct LookUp {
  int indices = kNoView, offsets = kNoView;  // views; without offsets each index is a bag
  int64_t size = 0, bags = 0;                // number of indices; number of results
  int64_t rows = 0, width = 0;               // of the table
  std::string table;                         // "'fc1/W'"; "": a table without a name
  bool mean = false;
  int64_t padding = -1;

  kernels::Bags at(const Binder& binder) const;
  // Throws base::Error, which names the first invalid index.
  void check(const kernels::Bags& bags) const;
};

// The gradient of a table, as the only result of a call.
struct TableGradient {
  LookUp of;
  int output_gradient = kNoView;  // one row for each bag
  int64_t stride = 0;             // the distance between its rows
  // LibTorch adds the rows of bags in the order in which it sorts the indices. Its sort is not
  // stable, so the order of equal indices can only be found by sorting them in the same way.
  bool sorts = false;

  kernels::BagRows at(const Binder& binder) const;
  std::vector<int> reads(const Program& program) const;  // buffers
};
// nullopt if the call is not such a gradient, or if our sums do not have the bits that the level
// requires.
std::optional<TableGradient> table_gradient_of(const Program& program, const Node& node);

}  // namespace broch::passes
