// structure.hpp: layers that consist of layers, and those that join tensors.
#pragma once
#include "../wide_dtype.hpp"
#include "shapes.hpp"

namespace broch::models {

// An option that is a list of layers.
constexpr const char* kInnerLayers =
    R"("type": "array", "items": {"x-broch-ref": "#/properties/layers/definitions/layer"})";
constexpr const char* kMaybeInnerLayers =
    R"("type": "array", "items": {"x-broch-ref": "#/properties/layers/definitions/layer"}, "default": [])";
constexpr const char* kBranches =
    R"("type": "array", "minItems": 1, "items": {"type": "array", "items": {"x-broch-ref": "#/properties/layers/definitions/layer"}})";

// The layers at this place of the options.
Layers read_layers(const Config& config, const std::string& at);

// Tensors of one shape except in one dimension.
inline void require_joinable(const Build& build, const std::vector<Tensor>& tensors, int64_t dim) {
  std::vector<int64_t> first = build.t.shape(tensors.front());
  for (const Tensor& other : tensors) {
    std::vector<int64_t> shape = build.t.shape(other);
    if (shape.size() == first.size() && dim >= 0) shape[size_t(dim)] = first[size_t(dim)];
    if (shape != first || wide_dtype(build.t, other) != wide_dtype(build.t, tensors.front()))
      refuse(build.is("one tensor", tensors.front()) + " and " + build.is("another", other),
             dim < 0 ? "one shape" : "one shape except in dimension " + std::to_string(dim));
  }
}

enum class Join { add, multiply, mean, concat };
inline Tensor joined(Build& build, const std::vector<Tensor>& tensors, Join how, int64_t dim) {
  Ops& ops = build.t.ops();
  if (how == Join::concat) {
    dim = dim_of(build, "dim", dim, tensors.front());
    require_joinable(build, tensors, dim);
    return ops.cat(tensors, dim);
  }
  require_joinable(build, tensors, -1);
  Tensor y = tensors.front();
  for (size_t i = 1; i < tensors.size(); ++i)
    y = how == Join::multiply ? y * tensors[i] : y + tensors[i];
  return how == Join::mean ? y * Scalar(1 / double(tensors.size())) : y;
}

// Part of a layer: the layers inside it.
struct Inner {
  JsonText layers_as_text;
  static constexpr auto schema = options(
      option("layers", &Inner::layers_as_text, "The layers inside it.").schema(kInnerLayers));
};

struct Residual final : Kind<Residual>, Inner, Activated {
  static constexpr const char* kKind = "residual";
  static constexpr const char* kDescription =
      "Adds what the layers inside it make of x to x, or to what its shortcut makes of x.";
  JsonText shortcut_as_text;
  Layers layers, shortcut;
  static constexpr auto schema =
      options(Layer::schema, Inner::schema,
              option("shortcut", &Residual::shortcut_as_text,
                     "Layers for the other term, where shapes differ; []: x itself.")
                  .schema(kMaybeInnerLayers)
                  .may_be_absent(),
              Activated::schema);
  void read_inner(const Config& config, const std::string& at) override {
    layers = read_layers(config, at + "/layers");
    shortcut = read_layers(config, at + "/shortcut");
  }
  Tensor apply(Build& build, const std::string& name, const Tensor& x) const override {
    const Tensor y = build.run_inside(name, layers, x);
    const Tensor other =
        shortcut.empty() ? x : build.run_inside(name + build.separator() + "shortcut", shortcut, x);
    if (build.t.shape(y) != build.t.shape(other))
      refuse(std::string("the layers give ") + build.t.type_text(y) + " and the " +
                 (shortcut.empty() ? "input is " : "shortcut gives ") + build.t.type_text(other),
             "one shape; layers under \"shortcut\" can change it");
    return published(build, name, glue::activated(other + y, function()));
  }
};

struct Parallel final : Kind<Parallel>, Activated {
  static constexpr const char* kKind = "parallel";
  static constexpr const char* kDescription =
      "Several lists of layers with the same input, and their results joined.";
  JsonText branches_as_text;
  std::vector<Layers> branches;
  Join join;
  int64_t dim;
  static constexpr auto schema = options(
      Layer::schema,
      option("branches", &Parallel::branches_as_text,
             "Lists of layers; an empty list gives the input.")
          .schema(kBranches),
      option("join", &Parallel::join, "How the results are joined.")
          .one_of("add", "multiply", "mean", "concat")
          .by_default("concat"),
      option("dim", &Parallel::dim, "The dimension along which concat joins.").by_default(1),
      Activated::schema);
  void read_inner(const Config& config, const std::string& at) override {
    for (uint64_t i = 0; i < config.size(at + "/branches"); ++i)
      branches.push_back(read_layers(config, at + "/branches/" + std::to_string(i)));
  }
  Tensor apply(Build& build, const std::string& name, const Tensor& x) const override {
    std::vector<Tensor> results;
    for (size_t i = 0; i < branches.size(); ++i)
      results.push_back(build.run_numbered(name, i, branches[i], x));
    return published(build, name, glue::activated(joined(build, results, join, dim), function()));
  }
};

struct Repeat final : Kind<Repeat>, Inner {
  static constexpr const char* kKind = "repeat";
  static constexpr const char* kDescription =
      "The layers inside it several times, each time with variables of their own.";
  int64_t times;
  Layers layers;
  static constexpr auto schema =
      options(Layer::schema, option("times", &Repeat::times, "How often.").minimum(0).maximum(1000),
              Inner::schema);
  void read_inner(const Config& config, const std::string& at) override {
    layers = read_layers(config, at + "/layers");
  }
  Tensor apply(Build& build, const std::string& name, const Tensor& x) const override {
    Tensor y = x;
    for (int64_t i = 0; i < times; ++i) y = build.run_numbered(name, size_t(i), layers, y);
    return published(build, name, y);
  }
};

struct Skip final : Kind<Skip>, Inner {
  static constexpr const char* kKind = "skip";
  static constexpr const char* kDescription =
      "Concatenates x and what the layers inside it make of x, as a U-Net does at each level.";
  int64_t dim;
  Layers layers;
  static constexpr auto schema = options(
      Layer::schema, Inner::schema,
      option("dim", &Skip::dim, "The dimension along which they are joined.").by_default(1));
  void read_inner(const Config& config, const std::string& at) override {
    layers = read_layers(config, at + "/layers");
  }
  Tensor apply(Build& build, const std::string& name, const Tensor& x) const override {
    const Tensor y = build.run_inside(name, layers, x);
    return published(build, name, joined(build, {x, y}, Join::concat, dim));
  }
};

// Part of a layer: other tensors that are joined with its input.
struct With {
  std::vector<std::string> with;
  static constexpr auto schema =
      options(option("with", &With::with, "Names of inputs of the model or of earlier layers.")
                  .min_items(1));
  std::vector<Tensor> tensors(const Build& build, const Tensor& x) const {
    std::vector<Tensor> all = {x};
    for (const std::string& name : with) all.push_back(build.find(name));
    return all;
  }
};

struct Concat final : Kind<Concat>, With {
  static constexpr const char* kKind = "concat";
  static constexpr const char* kDescription = "Concatenates x and other tensors.";
  int64_t dim;
  static constexpr auto schema = options(
      Layer::schema, With::schema,
      option("dim", &Concat::dim, "The dimension along which they are joined.").by_default(1));
  Tensor apply(Build& build, const std::string& name, const Tensor& x) const override {
    return published(build, name, joined(build, tensors(build, x), Join::concat, dim));
  }
};

struct Add final : Kind<Add>, With, Activated {
  static constexpr const char* kKind = "add";
  static constexpr const char* kDescription = "The sum of x and other tensors of its shape.";
  static constexpr auto schema = options(Layer::schema, With::schema, Activated::schema);
  Tensor apply(Build& build, const std::string& name, const Tensor& x) const override {
    const Tensor y = joined(build, tensors(build, x), Join::add, 0);
    return published(build, name, glue::activated(y, function()));
  }
};

struct Multiply final : Kind<Multiply>, With {
  static constexpr const char* kKind = "multiply";
  static constexpr const char* kDescription = "The product of x and other tensors of its shape.";
  static constexpr auto schema = options(Layer::schema, With::schema);
  Tensor apply(Build& build, const std::string& name, const Tensor& x) const override {
    return published(build, name, joined(build, tensors(build, x), Join::multiply, 0));
  }
};

}  // namespace broch::models
