// made_data.cpp: .npy files, and zeros for dtypes that they cannot hold.
#include "made_data.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>
#include <random>
#include <vector>

#include "base/error.hpp"
#include "manifest/defaults.hpp"
#include "runtime/dlpack.hpp"
#include "runtime/point.hpp"
#include "runtime/tensor.hpp"

namespace broch::check {
namespace {

using manifest::Value;

constexpr int64_t kUnknown = 2;  // size of a dimension that the signature leaves open
constexpr int kRows = 6;

// "" for a dtype that .npy files do not have.
std::string numpy_name(broch_dtype dtype) {
  switch (dtype) {
    case BROCH_FLOAT32:
      return "<f4";
    case BROCH_FLOAT64:
      return "<f8";
    case BROCH_INT8:
      return "|i1";
    case BROCH_INT16:
      return "<i2";
    case BROCH_INT32:
      return "<i4";
    case BROCH_INT64:
      return "<i8";
    case BROCH_UINT8:
      return "|u1";
    case BROCH_BOOL:
      return "|b1";
    default:
      return "";
  }
}

struct Component {
  broch_dtype dtype;
  std::vector<int64_t> shape;
  std::string rows;  // data of kRows points
};

std::string numbers(broch_dtype dtype, size_t elements, std::mt19937& random) {
  std::string bytes(elements * runtime::dtype_size(dtype), '\0');
  const auto fill = [&](auto zero) {
    for (size_t i = 0; i < elements; ++i) {
      const auto value = static_cast<decltype(zero)>(double(random() % 1000) / 1000);
      std::memcpy(&bytes[i * sizeof value], &value, sizeof value);
    }
  };
  if (dtype == BROCH_FLOAT32) fill(0.0F);
  if (dtype == BROCH_FLOAT64) fill(0.0);
  return bytes;
}

// Dimensions with the same name have the same size, so it is enough if one input gives it.
std::vector<Component> from_signature(const std::vector<abi::InputSpec>& inputs) {
  std::map<std::string, int64_t> known;
  for (const abi::InputSpec& input : inputs)
    for (size_t d = 0; d < input.shape.size(); ++d)
      if (input.shape[d] >= 0 && !input.dims[d].empty()) known[input.dims[d]] = input.shape[d];
  std::mt19937 random(1);
  std::vector<Component> components;
  for (const abi::InputSpec& input : inputs) {
    Component component{input.dtype, input.shape, {}};
    size_t elements = kRows;
    for (size_t d = 0; d < input.shape.size(); ++d) {
      int64_t& size = component.shape[d];
      if (const auto found = known.find(input.dims[d]); size < 0 && found != known.end())
        size = found->second;
      if (size < 0) size = kUnknown;
      elements *= static_cast<size_t>(size);
    }
    component.rows = numbers(input.dtype, elements, random);
    components.push_back(std::move(component));
  }
  return components;
}

// Empty: the model has no example.
std::vector<Component> from_example(abi::Model& model) {
  runtime::Point point;
  const runtime::LentPoint lent(point);
  std::vector<Component> components;
  if (!model.example(lent.handle())) return components;
  for (size_t i = 0; i < point.size(); ++i) {
    const broch_dl_tensor& tensor = point.tensor(i);
    std::string row(runtime::dl_bytes(tensor), '\0');
    runtime::dl_copy(tensor, row.data());
    Component component{
        runtime::from_dl(tensor.dtype), {tensor.shape, tensor.shape + tensor.ndim}, {}};
    for (int k = 0; k < kRows; ++k) component.rows += row;
    components.push_back(std::move(component));
  }
  return components;
}

void write_npy(const std::string& path, const Component& component) {
  std::string header = "{'descr': '" + numpy_name(component.dtype) +
                       "', 'fortran_order': False, 'shape': (" + std::to_string(kRows) + ",";
  for (const int64_t size : component.shape) header += " " + std::to_string(size) + ",";
  header += ")}";
  header.resize((10 + header.size()) / 64 * 64 + 64 - 11, ' ');
  header += '\n';
  std::ofstream file(path, std::ios::binary);
  file << "\x93NUMPY" << '\x01' << '\0' << char(header.size() & 255) << char(header.size() >> 8)
       << header << component.rows;
  if (!file.flush())
    throw base::Error(base::Exit::data, {path, "cannot be written", "room for some data", ""});
}

Value zeros(const std::vector<Component>& components) {
  Value::Array shapes;
  for (const Component& component : components) {
    Value::Array shape;
    for (const int64_t size : component.shape) shape.emplace_back(size);
    shapes.emplace_back(std::move(shape));
  }
  return manifest::default_entry("/check/zeros", {{"shapes", Value(std::move(shapes))}});
}

}  // namespace

MadeData data_for(abi::Model& model) {
  std::vector<Component> components = from_example(model);
  if (components.empty()) components = from_signature(model.inputs());
  const bool all_known = std::ranges::none_of(
      components, [](const Component& c) { return numpy_name(c.dtype).empty(); });
  if (components.empty() || !all_known) return {"data", zeros(components)};
  Value::Array list;
  for (size_t i = 0; i < components.size(); ++i) {
    const std::string file = "input-" + std::to_string(i) + ".npy";
    write_npy(file, components[i]);
    Value one{Value::Object{}};
    one.set("file", Value(file));
    list.push_back(std::move(one));
  }
  return {"dataflow",
          manifest::default_entry("/check/files", {{"components", Value(std::move(list))}})};
}

}  // namespace broch::check
