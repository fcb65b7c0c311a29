// values.hpp: values of options that several layers share.
#pragma once
#include <cstdlib>

#include "layer.hpp"

namespace broch::models {

// Sizes along N dimensions: a number, or a list of N.
template <size_t N>
Extent<N> extent_of(const JsonText& json) {
  const char* text = json.text.c_str();
  if (*text != '[') return std::strtoll(text, nullptr, 10);
  std::array<int64_t, N> values{};
  for (size_t d = 0; d < N; ++d) {
    char* end = nullptr;
    values[d] = std::strtoll(text + 1, &end, 10);
    text = end;
  }
  return values;
}
// The members of the schema of such an option: a number, or a list of N; null where it may follow
// from the other options.
template <size_t N, int minimum, bool nullable>
struct SizesSchema {
  static constexpr void write(glue::TextWriter& w) {
    w.key("anyOf");
    w.open('[');
    if (nullable) w.raw(R"({"type": "null"}, )");
    write_integer(w);
    if (N > 1) {
      w.raw(R"(, {"type": "array", "items": )");
      write_integer(w);
      w.member("minItems", int(N));
      w.member("maxItems", int(N));
      w.close('}');
    }
    w.close(']');
  }
  static constexpr void write_integer(glue::TextWriter& w) {
    w.open('{');
    w.member("type", "integer");
    w.member("minimum", minimum);
    w.close('}');
  }
  static constexpr auto kText = glue::constant_text<SizesSchema>();
};
template <size_t N>
constexpr const char* kSizes = SizesSchema<N, 1, false>::kText.chars;
template <size_t N>
constexpr const char* kPadding = SizesSchema<N, 0, false>::kText.chars;
template <size_t N>
constexpr const char* kMaybeSteps = SizesSchema<N, 1, true>::kText.chars;
template <size_t N>
constexpr const char* kMaybeSizes = SizesSchema<N, 0, true>::kText.chars;

template <size_t N>
Extent<N> extent_or(const JsonText& json, int64_t otherwise) {
  return json.text == "null" ? Extent<N>(otherwise) : extent_of<N>(json);
}

// Functions by name.
enum class Function {
  relu,
  relu6,
  leaky_relu,
  elu,
  selu,
  gelu,
  gelu_tanh,
  silu,
  hardswish,
  mish,
  softplus,
  tanh,
  sigmoid
};
template <class Option>
constexpr Option one_of_functions(const Option& option) {
  return option.one_of("relu", "relu6", "leaky_relu", "elu", "selu", "gelu", "gelu_tanh", "silu",
                       "hardswish", "mish", "softplus", "tanh", "sigmoid");
}
inline Activation function_of(Function function) {
  switch (function) {
    case Function::relu:
      return relu;
    case Function::relu6:
      return relu6;
    case Function::leaky_relu:
      return [](const Tensor& x) { return leaky_relu(x); };
    case Function::elu:
      return elu;
    case Function::selu:
      return selu;
    case Function::gelu:
      return gelu;
    case Function::gelu_tanh:
      return gelu_tanh;
    case Function::silu:
      return silu;
    case Function::hardswish:
      return hardswish;
    case Function::mish:
      return mish;
    case Function::softplus:
      return softplus;
    case Function::tanh:
      return tanh;
    case Function::sigmoid:
      return sigmoid;
  }
  return nullptr;
}

// Part of a layer: a function of its result.
struct Activated {
  std::optional<Function> activation;
  static constexpr auto schema = options(one_of_functions(
      option("activation", &Activated::activation, "A function of the result; null: none.")));
  Activation function() const { return activation ? function_of(*activation) : nullptr; }
};

enum class Distribution {
  constant,
  uniform,
  normal,
  truncated_normal,
  he_normal,
  glorot_uniform,
  lecun_uniform,
  orthogonal
};
// The first value of a variable.
struct FirstValue {
  Distribution init;
  double scale;
  static constexpr auto schema =
      options(option("init", &FirstValue::init, "The distribution.")
                  .one_of("constant", "uniform", "normal", "truncated_normal", "he_normal",
                          "glorot_uniform", "lecun_uniform", "orthogonal"),
              option("scale", &FirstValue::scale,
                     "constant: the value; uniform: the limit on both sides; normal and "
                     "truncated_normal: the standard deviation; the others: a factor.")
                  .by_default(1));
  Init value() const {
    switch (init) {
      case Distribution::constant:
        return Init::constant(scale);
      case Distribution::uniform:
        return Init::uniform(-scale, scale);
      case Distribution::normal:
        return Init::normal(0, scale);
      case Distribution::truncated_normal:
        return Init::truncated_normal(0, scale);
      case Distribution::he_normal:
        return Init::he_normal(scale);
      case Distribution::glorot_uniform:
        return Init::glorot_uniform(scale);
      case Distribution::lecun_uniform:
        return Init::lecun_uniform(scale);
      case Distribution::orthogonal:
        return Init::orthogonal(scale);
    }
    return {};
  }
};

// Part of a layer: weights, whose first values the layer chooses unless they are given.
struct Weighed {
  std::optional<FirstValue> weight;
  static constexpr auto schema =
      options(option("weight", &Weighed::weight,
                     "First values of the weights; null: the usual ones of the layer."));
  Init weight_or(const Init& otherwise) const { return weight ? weight->value() : otherwise; }
};

}  // namespace broch::models
