// build.cpp: applies layers one after the other.
#include "layer.hpp"

namespace broch::models {

std::string Build::name_of(const Layer& layer) {
  if (layer.name) return prefix_ + *layer.name;
  int& count = counts_[prefix_ + layer.kind()];
  std::string name;
  do name = std::string(layer.kind()) + "_" + std::to_string(++count);
  while (is_around(name));
  return prefix_ + name;
}

Tensor Build::run(const Layers& layers, const Tensor& x) {
  Tensor y = x;
  for (const std::unique_ptr<Layer>& layer : layers)
    at_option(layer->pointer, [&] {
      const std::string name = name_of(*layer);
      if (tensors_.count(name) > 0)
        throw Error(BROCH_E_INVALID_ARGUMENT,
                    "'" + name + "' is the name of another layer or input, expected a new name");
      const Tensor from = layer->input ? find(*layer->input) : y;
      if (!from)
        throw Error(BROCH_E_INVALID_ARGUMENT,
                    "a first layer without an input, expected the name of one under \"input\"");
      y = layer->apply(*this, name, from);
      tensors_[name] = y;
    });
  return y;
}

}  // namespace broch::models
