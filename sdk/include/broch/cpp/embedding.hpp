// embedding.hpp: tables of vectors, for words and for positions.
#pragma once
#include "layer.hpp"

namespace broch {
inline namespace v0 {

struct EmbeddingOptions {
  int64_t rows = 0;   // indices are 0 to rows - 1
  int64_t width = 0;  // length of a row
  Init weight = Init::normal(0, 1);
  Names names = Names::tensorpack;
};

// Looks up rows of a table. indices: int64 or int32 of any shape (…). Returns (…, width). Variable
// W (rows, width).
inline Tensor embedding(Tower& t, const std::string& name, const Tensor& indices,
                        const EmbeddingOptions& options) {
  const glue::Checked checked(t, "embedding", name);
  checked.given("indices", indices, "int64");
  const broch_dtype dtype = t.dtype(indices);
  if (dtype != BROCH_INT64 && dtype != BROCH_INT32)
    checked.refuse(checked.is("indices", indices), "int64");
  checked.at_least("rows", options.rows, 1);
  checked.at_least("width", options.width, 1);
  const glue::LayerScope layer(t, name, options.names);
  const Tensor w =
      layer.variable("W", "weight", {options.rows, options.width}, options.weight).value;
  return layer.finish(t.ops().embedding(w, indices));
}

struct PositionEmbeddingOptions {
  int64_t rows = 0;  // the longest sequence
  Init weight = Init::normal(0, 0.02);
  Names names = Names::tensorpack;
};

// Adds row i of a table to step i of each sequence. x: float32 (N, T, D), T at most rows. Returns
// the same shape. Variable W (rows, D).
inline Tensor position_embedding(Tower& t, const std::string& name, const Tensor& x,
                                 const PositionEmbeddingOptions& options) {
  const glue::Checked checked(t, "position_embedding", name);
  const std::vector<int64_t> shape = checked.rank("x", x, 3, "(N, T, D)");
  checked.float32("x", x);
  checked.at_least("rows", options.rows, 1);
  if (shape[1] > options.rows)
    checked.refuse(checked.is("x", x), "at most " + std::to_string(options.rows) + " steps");
  const glue::LayerScope layer(t, name, options.names);
  const Tensor w = layer.variable("W", "weight", {options.rows, shape[2]}, options.weight).value;
  return layer.finish(x + t.ops().narrow(w, 0, 0, shape[1]));
}

}  // namespace v0
}  // namespace broch
