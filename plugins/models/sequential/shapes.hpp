// shapes.hpp: layers without weights that are a function of each number, or change shapes.
#pragma once
#include "values.hpp"

namespace broch::models {

// Publishes the result of a layer that is not one of the SDK.
inline Tensor published(Build& build, const std::string& name, const Tensor& y) {
  return build.t.publish(name + "/output", y);
}
[[noreturn]] inline void refuse(const std::string& found, const std::string& expected) {
  throw Error(BROCH_E_INVALID_ARGUMENT, found + ", expected " + expected);
}
// A dimension of x, counted from 0. what: names the option.
inline int64_t dim_of(const Build& build, const char* what, int64_t dim, const Tensor& x) {
  const int64_t rank = int64_t(build.t.shape(x).size());
  if (dim < -rank || dim >= rank)
    refuse(std::string(what) + " is " + std::to_string(dim) + " and " + build.is("x", x),
           "one of its dimensions");
  return dim < 0 ? dim + rank : dim;
}

struct ActivationLayer final : Kind<ActivationLayer> {
  static constexpr const char* kKind = "activation";
  static constexpr const char* kDescription = "A function of each number.";
  Function function;
  static constexpr auto schema =
      options(Layer::schema,
              one_of_functions(option("function", &ActivationLayer::function, "The function.")));
  Tensor apply(Build& build, const std::string& name, const Tensor& x) const override {
    return published(build, name, function_of(function)(x));
  }
};

struct Prelu final : Kind<Prelu> {
  static constexpr const char* kKind = "prelu";
  static constexpr const char* kDescription =
      "x where it is positive, a variable times x elsewhere, (N, C, ...).";
  bool by_channel;
  double initial;
  static constexpr auto schema =
      options(Layer::schema,
              option("by_channel", &Prelu::by_channel, "Whether each channel has its own variable.")
                  .by_default(false),
              option("initial", &Prelu::initial, "First value of the variable.").by_default(0.25));
  Tensor apply(Build& build, const std::string& name, const Tensor& x) const override {
    return prelu(build.t, name, x, {by_channel, initial, build.names});
  }
};

struct Maxout final : Kind<Maxout> {
  static constexpr const char* kKind = "maxout";
  static constexpr const char* kDescription =
      "The largest of neighboring channels: (N, C, ...) to (N, C / units, ...).";
  int64_t units;
  static constexpr auto schema =
      options(Layer::schema,
              option("units", &Maxout::units, "How many channels; they divide C.").minimum(1));
  Tensor apply(Build& build, const std::string& name, const Tensor& x) const override {
    return maxout(build.t, name, x, units);
  }
};

// softmax and log_softmax.
struct AlongDim {
  int64_t dim;
  static constexpr auto schema = options(
      option("dim", &AlongDim::dim, "The dimension along which the sum is 1.").by_default(-1));
};
struct Softmax final : Kind<Softmax>, AlongDim {
  static constexpr const char* kKind = "softmax";
  static constexpr const char* kDescription = "Probabilities from scores.";
  static constexpr auto schema = options(Layer::schema, AlongDim::schema);
  Tensor apply(Build& build, const std::string& name, const Tensor& x) const override {
    return published(build, name, build.t.ops().softmax(x, dim_of(build, "dim", dim, x)));
  }
};
struct LogSoftmax final : Kind<LogSoftmax>, AlongDim {
  static constexpr const char* kKind = "log_softmax";
  static constexpr const char* kDescription = "Logarithms of probabilities from scores.";
  static constexpr auto schema = options(Layer::schema, AlongDim::schema);
  Tensor apply(Build& build, const std::string& name, const Tensor& x) const override {
    return published(build, name, build.t.ops().log_softmax(x, dim_of(build, "dim", dim, x)));
  }
};

struct Scale final : Kind<Scale> {
  static constexpr const char* kKind = "scale";
  static constexpr const char* kDescription =
      "x * factor + offset, as float32; for example bytes to numbers from 0 to 1.";
  double factor, offset;
  static constexpr auto schema =
      options(Layer::schema, option("factor", &Scale::factor, "The factor.").by_default(1),
              option("offset", &Scale::offset, "The offset.").by_default(0));
  Tensor apply(Build& build, const std::string& name, const Tensor& x) const override {
    Tensor y = build.t.ops().to_dtype(x, BROCH_FLOAT32);
    if (factor != 1) y = y * Scalar(factor);
    if (offset != 0) y = y + Scalar(offset);
    return published(build, name, y);
  }
};

struct Flatten final : Kind<Flatten> {
  static constexpr const char* kKind = "flatten";
  static constexpr const char* kDescription = "Makes one dimension of several neighbors.";
  int64_t first, last;
  static constexpr auto schema =
      options(Layer::schema, option("first", &Flatten::first, "The first of them.").by_default(1),
              option("last", &Flatten::last, "The last of them.").by_default(-1));
  Tensor apply(Build& build, const std::string& name, const Tensor& x) const override {
    const int64_t from = dim_of(build, "first", first, x), to = dim_of(build, "last", last, x);
    if (from > to)
      refuse("first is " + std::to_string(from) + " and last is " + std::to_string(to),
             "first not behind last");
    return published(build, name, build.t.ops().flatten(x, from, to));
  }
};

struct Reshape final : Kind<Reshape> {
  static constexpr const char* kKind = "reshape";
  static constexpr const char* kDescription =
      "Another shape for each sample; the first dimension stays.";
  std::vector<int64_t> shape;
  static constexpr auto schema = options(
      Layer::schema,
      option("shape", &Reshape::shape, "The dimensions after the first; -1 once: what is left.")
          .minimum(-1));
  Tensor apply(Build& build, const std::string& name, const Tensor& x) const override {
    const std::vector<int64_t> from = build.t.shape(x);
    if (from.empty()) refuse(build.is("x", x), "(N, ...)");
    int64_t has = 1, wants = 1, open = 0;
    for (size_t d = 1; d < from.size(); ++d) has *= from[d];
    for (const int64_t size : shape) {
      if (size < 0)
        ++open;
      else  // without an overflow
        wants = size > 0 && wants > has / size ? has + 1 : wants * size;
    }
    if (open > 1 || (open == 1 ? wants == 0 || has % wants != 0 : has != wants))
      refuse("shape is " + shape_text(shape) + " and " + build.is("x", x),
             "a shape of " + std::to_string(has) + " numbers");
    std::vector<int64_t> to = {from[0]};
    for (const int64_t size : shape) to.push_back(size < 0 ? has / wants : size);
    return published(build, name, build.t.ops().reshape(x, to));
  }
};

struct Permute final : Kind<Permute> {
  static constexpr const char* kKind = "permute";
  static constexpr const char* kDescription =
      "Another order of the dimensions, for example [0, 3, 1, 2] for (N, H, W, C).";
  std::vector<int64_t> dims;
  static constexpr auto schema =
      options(Layer::schema,
              option("dims", &Permute::dims, "All dimensions, in their new order.").min_items(1));
  Tensor apply(Build& build, const std::string& name, const Tensor& x) const override {
    std::set<int64_t> seen;
    for (const int64_t dim : dims) seen.insert(dim_of(build, "an element of dims", dim, x));
    if (seen.size() != dims.size() || dims.size() != build.t.shape(x).size())
      refuse("dims is " + shape_text(dims) + " and " + build.is("x", x), "each dimension once");
    return published(build, name, build.t.ops().permute(x, dims));
  }
};

struct Mean final : Kind<Mean> {
  static constexpr const char* kKind = "mean";
  static constexpr const char* kDescription =
      "The mean over some dimensions, for example over the steps of (N, T, D).";
  std::vector<int64_t> dims;
  static constexpr auto schema = options(
      Layer::schema,
      option("dims", &Mean::dims, "The dimensions that disappear.").min_items(1).by_default(1));
  Tensor apply(Build& build, const std::string& name, const Tensor& x) const override {
    for (const int64_t dim : dims) dim_of(build, "an element of dims", dim, x);
    return published(build, name, build.t.ops().mean_dim(x, dims));
  }
};

struct Select final : Kind<Select> {
  static constexpr const char* kKind = "select";
  static constexpr const char* kDescription =
      "One place of a dimension, which disappears; for example the last step of (N, T, D).";
  int64_t dim, index;
  static constexpr auto schema =
      options(Layer::schema, option("dim", &Select::dim, "The dimension.").by_default(1),
              option("index", &Select::index, "The place; -1 is the last one.").by_default(-1));
  Tensor apply(Build& build, const std::string& name, const Tensor& x) const override {
    const int64_t from = dim_of(build, "dim", dim, x), size = build.t.size(x, from);
    if (index < -size || index >= size)
      refuse("index is " + std::to_string(index) + " and " + build.is("x", x),
             std::to_string(-size) + " to " + std::to_string(size - 1));
    return published(build, name, build.t.ops().select(x, from, index));
  }
};

struct Normalize final : Kind<Normalize> {
  static constexpr const char* kKind = "normalize";
  static constexpr const char* kDescription = "Divides vectors by their length (L2 norm).";
  int64_t dim;
  double epsilon;
  static constexpr auto schema = options(
      Layer::schema, option("dim", &Normalize::dim, "The dimension of the vectors.").by_default(-1),
      option("epsilon", &Normalize::epsilon, "The smallest divisor.").above(0).by_default(1e-12));
  Tensor apply(Build& build, const std::string& name, const Tensor& x) const override {
    Ops& ops = build.t.ops();
    const Tensor length = ops.linalg_vector_norm(x, 2, {dim_of(build, "dim", dim, x)}, true);
    return published(build, name, x / ops.clamp_min(length, epsilon));
  }
};

}  // namespace broch::models
