// layer.hpp: one entry of the option "layers".
#pragma once
#include "build.hpp"

namespace broch::models {

struct Layer {
  virtual ~Layer() = default;
  // name: that of the layer, with the layers around it. x: its input.
  virtual Tensor apply(Build& build, const std::string& name, const Tensor& x) const = 0;
  // Reads the layers inside it. at: its place in the options.
  virtual void read_inner(const Config&, const std::string& /*at*/) {}
  virtual const char* kind() const = 0;

  std::string pointer;  // its place in the options
  std::optional<std::string> name, input;

  static constexpr auto schema = options(
      option("name", &Layer::name,
             "Its name, for its variables and for other layers; null: the kind and a number.")
          .pattern("^[A-Za-z0-9_.-]+$"),
      option("input", &Layer::input,
             "Name of an input of the model or of an earlier layer; null: the result of the layer "
             "before it."));
};

// A layer of kind One, which derives from it.
template <class One>
struct Kind : Layer {
  const char* kind() const final { return One::kKind; }
};

}  // namespace broch::models
