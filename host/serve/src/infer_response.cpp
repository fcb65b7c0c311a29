// infer_response.cpp: numbers as text, or as they are.
#include "infer_response.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "datatype.hpp"
#include "runtime/element.hpp"
#include "version.hpp"

namespace broch::serve {
namespace {

using Json = nlohmann::ordered_json;

template <class T>
void append_number(std::string& text, T value) {
  std::array<char, 32> digits;
  if constexpr (std::is_floating_point_v<T>)
    if (!std::isfinite(value)) return void(text += "null");
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  text.append(digits.data(), end);
}

template <class T>
void append_all(std::string& text, const std::byte* data, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, data + size_t(i) * sizeof value, sizeof value);
    append_number(text, value);
    text += ',';
  }
}

void append_halves(std::string& text, broch_dtype dtype, const std::byte* data, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    append_number(text, float(runtime::decode_element(dtype, data + i * 2)));
    text += ',';
  }
}

void append_flags(std::string& text, const std::byte* data, int64_t count) {
  for (int64_t i = 0; i < count; ++i) text += data[i] == std::byte{0} ? "false," : "true,";
}

// "[1,2.5]"
std::string elements_of(const Output& output) {
  std::string text = "[";
  const int64_t count = output.info.shape.elements();
  switch (output.info.dtype) {
    case BROCH_FLOAT32:
      append_all<float>(text, output.data, count);
      break;
    case BROCH_FLOAT64:
      append_all<double>(text, output.data, count);
      break;
    case BROCH_INT8:
      append_all<int8_t>(text, output.data, count);
      break;
    case BROCH_INT16:
      append_all<int16_t>(text, output.data, count);
      break;
    case BROCH_INT32:
      append_all<int32_t>(text, output.data, count);
      break;
    case BROCH_INT64:
      append_all<int64_t>(text, output.data, count);
      break;
    case BROCH_UINT8:
      append_all<uint8_t>(text, output.data, count);
      break;
    case BROCH_BOOL:
      append_flags(text, output.data, count);
      break;
    default:
      append_halves(text, output.info.dtype, output.data, count);
  }
  if (count > 0) text.pop_back();
  return text + "]";
}

}  // namespace

InferResponse encode(const std::string& model, const Signature& signature,
                     const InferRequest& request, const Outputs& outputs) {
  Json head = {{"model_name", model}, {"model_version", kModelVersion}};
  if (!request.id.empty()) head["id"] = request.id;
  std::string json = head.dump(), binary;
  json.back() = ',';  // the object goes on
  json += "\"outputs\":[";
  bool has_binary = false;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Output& output = outputs[i];
    const runtime::Shape& shape = output.info.shape;
    Json description = {{"name", signature.outputs[request.outputs[i].output].name},
                        {"datatype", datatype_name(output.info.dtype)},
                        {"shape", shape.span()}};
    const size_t size = size_t(shape.elements()) * runtime::dtype_size(output.info.dtype);
    if (request.outputs[i].binary) {
      has_binary = true;
      description["parameters"]["binary_data_size"] = size;
      binary.append(reinterpret_cast<const char*>(output.data), size);
      json += description.dump();
    } else {
      std::string text = description.dump();
      text.back() = ',';
      json += text + "\"data\":" + elements_of(output) + "}";
    }
    json += ',';
  }
  if (json.back() == ',') json.pop_back();
  json += "]}";
  if (!has_binary) return {std::move(json), std::nullopt};
  const size_t size = json.size();
  return {json + binary, size};
}

}  // namespace broch::serve
