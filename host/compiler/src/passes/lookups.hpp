// lookups.hpp: rows of tables as calls ask for them, and the gradients that go back.
#pragma once
#include "kernels/embedding.hpp"
#include "lower.hpp"

namespace broch::compiler {

// Which rows of a table are looked up, alone or in bags.
struct LookUp {
  int indices = kNoView, offsets = kNoView;  // views; without offsets each index is a bag
  int64_t size = 0, bags = 0;                // of indices, of results
  int64_t rows = 0, width = 0;               // of the table
  bool mean = false;
  int64_t padding = -1;

  kernels::Bags at(const Binder& binder) const;
  // Throws base::Error naming the first index that is no row.
  void check(const kernels::Bags& bags) const;
};

// The gradient of a table: what the only result of a call adds up.
struct TableGradient {
  LookUp of;
  int output_gradient = kNoView;  // a row each bag
  int64_t stride = 0;             // from one to the next
  // LibTorch adds rows of bags in the order in which it sorts the indices, and equal ones it leaves
  // in no order that can be told but by sorting them.
  bool sorts = false;

  kernels::BagRows at(const Binder& binder) const;
  std::vector<int> reads(const Program& program) const;  // buffers
};
// Of a call whose gradient can be added up with the bits that the level asks for.
std::optional<TableGradient> table_gradient_of(const Program& program, const Node& node);

}  // namespace broch::compiler
