// builder.cpp: nodes and constants.
#include "builder.hpp"

#include <algorithm>
#include <cstring>

namespace broch::onnx {
namespace {

using graph::Number;

template <class T>
std::string bytes_of(T value) {
  std::string bytes(sizeof value, 0);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

template <class Value>
std::string bytes_of(Value value, broch_dtype dtype) {
  const auto integer = [&] { return int64_t(value); };
  switch (dtype) {
    case BROCH_FLOAT32:
      return bytes_of(float(value));
    case BROCH_FLOAT64:
      return bytes_of(double(value));
    case BROCH_INT64:
      return bytes_of(integer());
    case BROCH_INT32:
      return bytes_of(int32_t(integer()));
    case BROCH_INT16:
      return bytes_of(int16_t(integer()));
    case BROCH_INT8:
    case BROCH_UINT8:
      return bytes_of(uint8_t(integer()));
    case BROCH_BOOL:
      return bytes_of(uint8_t(value != 0));
    default:
      return "";
  }
}

}  // namespace

Builder::Builder(const graph::Graph& graph) : graph_(graph), names_(graph.types.size()) {
  for (size_t i = 0; i < graph.inputs.size(); ++i) names_[i] = unique(graph.inputs[i]);
  for (const graph::Output& output : graph.outputs) taken_.insert(output.name);
  for (size_t i = 0; i < graph.weights.size(); ++i)
    names_[graph.inputs.size() + i] = unique(graph.weights[i]);
  given_.assign(names_.begin(),
                names_.begin() + int64_t(graph.inputs.size() + graph.weights.size()));
}

std::string Builder::unique(const std::string& wish) {
  std::string name = wish;
  for (int i = 1; !taken_.insert(name).second; ++i) name = wish + "." + std::to_string(i);
  return name;
}

Names Builder::add_all(const char* op, const Names& inputs, const Attributes& attributes,
                       size_t results) {
  Names outputs;
  for (size_t i = 0; i < results; ++i)
    outputs.push_back(unique(std::string(op) + "_" + std::to_string(next_++)));
  size_t used = inputs.size();
  while (used > 0 && inputs[used - 1].empty()) --used;
  Message node;
  for (size_t i = 0; i < used; ++i) node.text(1, inputs[i]);
  for (const std::string& output : outputs) node.text(2, output);
  node.text(3, outputs.empty() ? op : outputs[0]).text(4, op);
  for (const Message& attribute : attributes) node.message(5, attribute);
  nodes_.push_back(std::move(node));
  return outputs;
}
std::string Builder::add(const char* op, const Names& inputs, const Attributes& attributes) {
  return add_all(op, inputs, attributes, 1)[0];
}
void Builder::add_as(const std::string& result, const char* op, const Names& inputs) {
  Message node;
  for (const std::string& input : inputs) node.text(1, input);
  node.text(2, result).text(3, "to_" + result).text(4, op);
  nodes_.push_back(std::move(node));
}

std::string Builder::constant(broch_dtype dtype, const std::vector<int64_t>& shape,
                              const std::string& bytes) {
  std::string key = std::to_string(dtype);
  for (const int64_t size : shape) key += "," + std::to_string(size);
  const auto [place, is_new] = known_constants_.try_emplace(key + ":" + bytes);
  if (is_new) {
    place->second = unique("constant_" + std::to_string(next_++));
    constants_.push_back(tensor(place->second, dtype, shape, bytes));
  }
  return place->second;
}
std::string Builder::integers(const std::vector<int64_t>& values) {
  std::string bytes;
  for (const int64_t value : values) bytes += bytes_of(value);
  return constant(BROCH_INT64, {int64_t(values.size())}, bytes);
}
std::string Builder::floats(const std::vector<float>& values, const std::vector<int64_t>& shape) {
  std::string bytes;
  for (const float value : values) bytes += bytes_of(value);
  return constant(BROCH_FLOAT32, shape, bytes);
}
std::string Builder::numbers(const std::vector<double>& values, broch_dtype dtype) {
  std::string bytes;
  for (const double value : values) bytes += bytes_of(value, dtype);
  if (bytes.empty() && !values.empty())
    return cast(numbers(values, BROCH_FLOAT32), BROCH_FLOAT32, dtype);
  return constant(dtype, {int64_t(values.size())}, bytes);
}
std::string Builder::scalar(double value, broch_dtype dtype) {
  const std::string bytes = bytes_of(value, dtype);
  if (bytes.empty()) return cast(scalar(value, BROCH_FLOAT32), BROCH_FLOAT32, dtype);
  return constant(dtype, {}, bytes);
}
std::string Builder::integer(int64_t value, broch_dtype dtype) {
  const std::string bytes = bytes_of(value, dtype);
  return bytes.empty() ? scalar(double(value), dtype) : constant(dtype, {}, bytes);
}

std::string Builder::symbol(uint32_t symbol) {
  const std::string& wanted = graph_.symbols[symbol];
  const auto [place, is_new] = known_sizes_.try_emplace(wanted);
  for (size_t i = 0; is_new && place->second.empty() && i < graph_.inputs.size(); ++i) {
    const Shape& shape = graph_.type_of_input(i).shape;
    for (size_t d = 0; d < shape.size(); ++d)
      if (!shape[d].is_constant() && shape[d].terms[0].symbols[0] == symbol) {
        place->second = add("Shape", {names_[i]},
                            {attribute("start", int64_t(d)), attribute("end", int64_t(d) + 1)});
        break;
      }
  }
  return place->second;
}

std::string Builder::computed(const Number& number) {
  if (number.is_constant()) return integers({number.value({})});
  const std::string key = number.text(graph_.symbols);
  if (const auto found = known_sizes_.find(key); found != known_sizes_.end()) return found->second;
  std::string sum;
  for (const Number::Term& term : number.terms) {
    std::string product;
    if (term.factor != 1 || term.symbols.empty()) product = integers({term.factor});
    for (const uint32_t one : term.symbols)
      product = product.empty() ? symbol(one) : add("Mul", {product, symbol(one)});
    sum = sum.empty() ? product : add("Add", {sum, product});
  }
  known_sizes_[key] = sum;
  return sum;
}
std::string Builder::sizes(const Shape& shape) {
  if (std::ranges::all_of(shape, &Number::is_constant)) {
    std::vector<int64_t> values;
    for (const Number& size : shape) values.push_back(size.value({}));
    return integers(values);
  }
  Names parts;
  for (const Number& size : shape) parts.push_back(computed(size));
  return parts.size() == 1 ? parts[0] : add("Concat", parts, {attribute("axis", 0)});
}
std::string Builder::size(const Number& number) {
  if (number.is_constant()) return integer(number.value({}), BROCH_INT64);
  return squeeze(computed(number), {0});
}

std::string Builder::cast(const std::string& x, broch_dtype from, broch_dtype to) {
  if (from == to) return x;
  return add("Cast", {x}, {attribute("to", data_type(to))});
}
std::string Builder::reshape(const std::string& x, const Shape& shape) {
  Shape wanted = shape;
  int unknown = 0;
  bool is_empty = false;
  for (const Number& size : shape) {
    unknown += !size.is_constant();
    is_empty |= size.is_constant() && size.value({}) == 0;
  }
  if (unknown == 1 && !is_empty)
    for (Number& size : wanted)
      if (!size.is_constant()) size = Number(-1);
  Attributes attributes;
  if (is_empty) attributes.push_back(attribute("allowzero", 1));
  return add("Reshape", {x, sizes(wanted)}, attributes);
}
std::string Builder::unsqueeze(const std::string& x, const std::vector<int64_t>& axes) {
  return add("Unsqueeze", {x, integers(axes)});
}
std::string Builder::squeeze(const std::string& x, const std::vector<int64_t>& axes) {
  return add("Squeeze", {x, integers(axes)});
}
std::string Builder::slice(const std::string& x, int64_t axis, const Number& begin,
                           const Number& end, int64_t step) {
  return add("Slice", {x, sizes({begin}), sizes({end}), integers({axis}), integers({step})});
}
std::string Builder::full(double value, broch_dtype dtype, const Shape& shape) {
  if (shape.empty()) return scalar(value, dtype);
  return add("Expand", {scalar(value, dtype), sizes(shape)});
}

}  // namespace broch::onnx
