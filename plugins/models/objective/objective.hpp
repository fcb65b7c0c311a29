// objective.hpp: what losses and metrics are made of.
#pragma once
#include <broch/layers.hpp>

#include "../../options/tagged.hpp"
#include "../wide_dtype.hpp"

namespace broch::models {

// The tensors of a model by name. Throws Error if there is none with this name.
using Find = std::function<Tensor(const std::string&)>;

// What a loss or a metric looks at.
struct Judged {
  std::string pointer;  // its place in the options
  std::optional<std::string> input, target;

  static constexpr auto schema = options(
      option("input", &Judged::input,
             "Name of the tensor that is judged; null: the output of the model."),
      option("target", &Judged::target,
             "Name of the tensor that it is compared with; null: the last input of the model."));

  virtual ~Judged() = default;
  virtual bool needs_target() const { return true; }
};

// The tensors of a loss or a metric, which it finds by their names.
struct Context {
  Tower& t;
  const Find& find;
  Tensor output, target;

  Ops& ops() const { return t.ops(); }
  std::string is(const char* what, const Tensor& x) const {
    return std::string(what) + " is " + t.type_text(x);
  }
  [[noreturn]] void refuse(const std::string& found, const std::string& expected) const {
    throw Error(BROCH_E_INVALID_ARGUMENT, found + ", expected " + expected);
  }
};

inline Context judged_in(const Judged& judged, const Context& context) {
  const Context c{context.t, context.find,
                  judged.input ? context.find(*judged.input) : context.output,
                  judged.target ? context.find(*judged.target) : context.target};
  if (!c.target && judged.needs_target())
    c.refuse("no target", "the name of a tensor under \"target\"");
  return c;
}

// The dimension of the classes in the output, from 0.
inline size_t dim_of_classes(const Context& c, int64_t class_dim) {
  const int64_t rank = int64_t(c.t.shape(c.output).size());
  if (rank < 2) c.refuse(c.is("the output", c.output), "(N, C, ...)");
  if (class_dim < -rank || class_dim >= rank)
    c.refuse("class_dim is " + std::to_string(class_dim) + " and " + c.is("the output", c.output),
             "one of its dimensions");
  return size_t(class_dim < 0 ? class_dim + rank : class_dim);
}
// Numbers for classes as rows, (rows, C).
inline Tensor as_rows(const Context& c, const Tensor& x, size_t dim) {
  const std::vector<int64_t> shape = c.t.shape(x);
  const int64_t rank = int64_t(shape.size());
  const Tensor last = int64_t(dim) + 1 == rank ? x : c.ops().movedim(x, {int64_t(dim)}, {rank - 1});
  return rank == 2 ? last : c.ops().reshape(last, {-1, shape[dim]});
}

// Whether the target has a probability for each score, in place of a class for each sample.
inline bool is_distribution(const Context& c) {
  const broch_dtype dtype = c.t.dtype(c.target);
  const bool is_real = dtype == BROCH_FLOAT32 || dtype == BROCH_FLOAT64 || dtype == BROCH_FLOAT16 ||
                       dtype == BROCH_BFLOAT16;
  return is_real && c.t.shape(c.target) == c.t.shape(c.output);
}

// Scores of classes as rows, (rows, C), and one class for each, (rows).
struct Classes {
  Tensor scores, labels;
};
// or_else: what else the target may be, for messages.
inline Classes classes_of(const Context& c, int64_t class_dim, const std::string& or_else = "") {
  const size_t dim = dim_of_classes(c, class_dim);
  std::vector<int64_t> wanted = c.t.shape(c.output);
  wanted.erase(wanted.begin() + int64_t(dim));
  const broch_dtype dtype = c.t.dtype(c.target);
  if (c.t.shape(c.target) != wanted || (dtype != BROCH_INT64 && dtype != BROCH_INT32))
    c.refuse(c.is("the output", c.output) + " and " + c.is("the target", c.target),
             "a target of int64 " + shape_text(wanted) + ", the class of each" + or_else);
  const Tensor labels = dtype == BROCH_INT64 ? c.target : c.ops().to_dtype(c.target, BROCH_INT64);
  return {as_rows(c, c.output, dim), wanted.size() == 1 ? labels : c.ops().reshape(labels, {-1})};
}
inline std::string or_distribution(const Context& c) {
  return ", or of float32 " + shape_text(c.t.shape(c.output)) + ", a probability for each class";
}
// The same, where of a distribution the most probable class counts.
inline Classes likeliest_classes_of(const Context& c, int64_t class_dim) {
  if (!is_distribution(c)) return classes_of(c, class_dim, or_distribution(c));
  const size_t dim = dim_of_classes(c, class_dim);
  return {as_rows(c, c.output, dim), c.ops().argmax(as_rows(c, c.target, dim), 1)};
}

// Numbers and targets of one shape and wide dtype. An output (N, 1) fits a target (N,).
inline std::pair<Tensor, Tensor> numbers_of(const Context& c) {
  const std::vector<int64_t> shape = c.t.shape(c.output), target = c.t.shape(c.target);
  Tensor output = c.output;
  if (shape != target) {
    const bool fits = shape.size() == target.size() + 1 && shape.back() == 1 &&
                      std::equal(target.begin(), target.end(), shape.begin());
    if (!fits)
      c.refuse(c.is("the output", c.output) + " and " + c.is("the target", c.target),
               "one shape in both");
    output = c.ops().squeeze(output, -1);
  }
  const broch_dtype dtype = wide_dtype(c.t, c.output);
  const auto as_dtype = [&](const Tensor& x) {
    return c.t.dtype(x) == dtype ? x : c.ops().to_dtype(x, dtype);
  };
  return {as_dtype(output), as_dtype(c.target)};
}

}  // namespace broch::models
