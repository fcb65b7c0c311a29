// layer_tape.cpp: counts operations, by the shapes of arguments and results.
#include "layer_tape.hpp"

#include <algorithm>
#include <utility>

#include "runtime/memory.hpp"

namespace broch::tower {
namespace {

int64_t last(const Shape& shape) { return shape.rank ? shape.dims[shape.rank - 1] : 1; }

// The weight of a convolution has the shape (outputs, inputs / groups, kernel…), that of a
// transposed one (inputs, outputs / groups, kernel…).
int64_t per_first(const Shape& weight) {
  return weight.rank && weight.dims[0] ? weight.elements() / weight.dims[0] : 0;
}

bool starts_with(std::string_view name, std::string_view start) {
  return name.substr(0, start.size()) == start;
}

// Multiplications of one call; each comes with an addition.
int64_t products(std::string_view name, const std::vector<Shape>& in, const Shape& out) {
  if (in.size() < 2) return 0;
  if (starts_with(name, "conv_transpose")) return in[0].elements() * per_first(in[1]);
  if (starts_with(name, "conv")) return out.elements() * per_first(in[1]);
  if (name == "linear") return out.elements() * last(in[1]);
  if (name == "mm" || name == "bmm" || name == "matmul" || name == "mv" || name == "dot")
    return out.elements() * last(in[0]);
  if ((name == "addmm" || name == "baddbmm" || name == "addmv") && in.size() > 2)
    return out.elements() * last(in[1]);
  // (…, L, E), (…, S, E): for each of L queries and S keys, E products for the score, and as many
  // for the sum of the values.
  if (name == "scaled_dot_product_attention" && in[1].rank >= 2)
    return 2 * in[0].elements() * in[1].dims[in[1].rank - 2];
  return 0;
}

// "aten::addmm.out" → "addmm"
std::string_view base_name(std::string_view name) {
  if (const size_t at = name.find("::"); at != name.npos) name.remove_prefix(at + 2);
  return name.substr(0, name.find('.'));
}

}  // namespace

std::vector<Tensor> LayerTape::tensors_of(std::span<const broch_value> values) const {
  std::vector<Tensor> tensors;
  for (const broch_value& value : values)
    if (value.tag == BROCH_TAG_TENSOR && value.u.tensor)
      tensors.push_back(
          Tensor::share(reinterpret_cast<void*>(value.u.tensor), &backend_.counting()));
  return tensors;
}

void LayerTape::variable(const Variable& variable, const Tensor&) {
  if (variable.trainable()) open_.parameters += variable.shape.elements();
}

void LayerTape::called(const runtime::Operator* op, std::span<const broch_value> arguments,
                       std::span<const broch_value> results) {
  const std::vector<Tensor> given = tensors_of(arguments), made = tensors_of(results);
  if (made.empty()) return;
  std::vector<Shape> shapes;
  for (const Tensor& argument : given) shapes.push_back(backend_.info(argument).shape);
  open_.flops += 2 * uint64_t(products(base_name(backend_.operator_name(op)), shapes,
                                       backend_.info(made[0]).shape));
  for (const Tensor& result : made) {
    const Memory memory = memory_of(backend_, result);
    const bool is_view = std::ranges::any_of(given, [&](const Tensor& argument) {
      return shares_memory(backend_, argument, memory.begin);
    });
    if (!is_view) open_.bytes += memory.size;
  }
}

void LayerTape::published(std::string_view name, const Tensor& value) {
  const TensorInfo result = backend_.info(value);
  open_.name = name;
  open_.output = type_text(result.dtype, result.shape);
  layers_.push_back(std::exchange(open_, {}));
}

}  // namespace broch::tower
