// infer_request.cpp: from the body of a request to tensors that lie in it.
#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "input_reader.hpp"
#include "json_fields.hpp"
#include "json_skeleton.hpp"
#include "parameters.hpp"
#include "ports.hpp"
#include "refusal.hpp"

namespace broch::serve {
namespace {

using Json = nlohmann::json;

constexpr size_t kMostText = 1024;  // bytes of an id

std::vector<InferRequest::Wanted> all_outputs(const Signature& signature, bool binary) {
  std::vector<InferRequest::Wanted> outputs;
  for (size_t i = 0; i < signature.outputs.size(); ++i) outputs.push_back({i, binary});
  return outputs;
}

std::vector<InferRequest::Wanted> wanted_outputs(const Json& tree, const Signature& signature,
                                                 bool binary) {
  if (!find(tree, "outputs")) return all_outputs(signature, binary);
  std::vector<InferRequest::Wanted> outputs;
  for (const Json& output : objects_of(tree, "outputs", "request")) {
    const std::string& name = text_of(output, "name", "an output");
    const size_t place = place_of(signature.outputs, name, "an output");
    const std::string where = "output " + base::quoted(name);
    if (std::ranges::find(outputs, place, &InferRequest::Wanted::output) != outputs.end())
      refuse(kBadRequest, where, "it twice", "it once");
    const Parameters parameters(output, where, {"binary_data"});
    outputs.push_back({place, parameters.flag("binary_data", binary)});
  }
  return outputs.empty() ? all_outputs(signature, binary) : outputs;
}

std::string id_of(const Json& tree) {
  if (!find(tree, "id")) return "";
  const std::string& id = text_of(tree, "id", "request");
  if (id.size() > kMostText)
    refuse(kBadRequest, "'id'", std::to_string(id.size()) + " bytes",
           "at most " + std::to_string(kMostText));
  return id;
}

void read_json(const Signature& signature, size_t json_size, InferRequest& request) {
  const std::string_view body = *request.body, text = body.substr(0, json_size);
  const Json tree = parse_skeleton(text);
  if (!tree.is_object()) refuse(kBadRequest, "JSON of the request", found(tree), "an object");
  request.id = id_of(tree);
  const Parameters parameters(tree, "request", {"binary_data_output"});
  InputReader reader(signature, request, text, body.substr(json_size));
  for (const Json& input : objects_of(tree, "inputs", "request")) reader.read(input);
  reader.finish();
  request.outputs = wanted_outputs(tree, signature, parameters.flag("binary_data_output", false));
}

// The size that varies follows from the number of bytes.
runtime::Shape shape_for(const Port& port, size_t body_size, const std::string& where) {
  runtime::Shape shape;
  int64_t* varying = nullptr;
  size_t bytes = runtime::dtype_size(port.dtype);
  for (const int64_t size : port.shape) {
    int64_t& place = shape.dims[shape.rank++] = size;
    if (size >= 0) {
      if (__builtin_mul_overflow(bytes, size_t(size), &bytes)) bytes = 0;
      continue;
    }
    if (varying)
      refuse(kBadRequest, where, "several sizes that vary", "one, for data without JSON");
    varying = &place;
  }
  if (varying && bytes) *varying = int64_t(body_size / bytes);
  return shape;
}

// The only input, in binary. Whoever sends a file as it is gets an answer to read.
void read_raw(const Signature& signature, InferRequest& request) {
  if (signature.inputs.size() != 1)
    refuse(kBadRequest, "Inference-Header-Content-Length 0",
           "a model of " + std::to_string(signature.inputs.size()) + " inputs", "one input");
  const Port& port = signature.inputs[0];
  const std::string_view body = *request.body;
  runtime::TensorInfo& info = request.inputs[0];
  info.dtype = port.dtype;
  request.outputs = all_outputs(signature, port.dtype != kBytes);
  if (port.dtype == kBytes) {
    request.files.push_back(body);
    return;
  }
  const std::string where = "input " + base::quoted(port.name);
  info.shape = shape_for(port, body.size(), where);
  request.data[0] = BinaryData(body).take_tensor(info, body.size(), where);
}

size_t length_of(std::string_view text, size_t body_size) {
  size_t length = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, length);
  if (read.ec != std::errc() || read.ptr != end || length > body_size)
    refuse(kBadRequest, "Inference-Header-Content-Length", base::quoted(text),
           "the number of bytes of JSON, at most " + std::to_string(body_size) +
               ", the length of the body");
  return length;
}

}  // namespace

InferRequest parse_infer(const Signature& signature, std::string body,
                         std::optional<std::string_view> header_length) {
  InferRequest request;
  const size_t json_size = header_length ? length_of(*header_length, body.size()) : body.size();
  request.body = std::make_unique<const std::string>(std::move(body));
  request.inputs.resize(signature.inputs.size());
  request.data.resize(signature.inputs.size());
  if (header_length && json_size == 0)
    read_raw(signature, request);
  else
    read_json(signature, json_size, request);
  return request;
}

}  // namespace broch::serve
