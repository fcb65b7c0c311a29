// infer_fuzz.cpp: any bytes as a request to `broch serve`: tensors or a Refusal. The first byte
// chooses the model; then comes JSON and, after a zero byte, binary data. With the highest bit of
// the first byte, the first line is the header that says how long the JSON is. What was read is
// written as a response, which has to be JSON.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "infer_response.hpp"
#include "serve/infer.hpp"

using namespace broch::serve;

namespace {

const std::vector<Signature>& signatures() {
  static const std::vector<Signature> all = [] {
    std::vector<std::vector<Port>> inputs = {
        {{"x", BROCH_FLOAT32, {-1, 3}}},
        {{"x", BROCH_INT64, {-1}}},
        {{"x", BROCH_BOOL, {2}}, {"h", BROCH_FLOAT16, {}}},
        {{"x", BROCH_UINT8, {-1, -1}}, {"d", BROCH_FLOAT64, {2}}, {"y", BROCH_INT8, {1}}},
        {{"x", BROCH_BFLOAT16, {-1, 2, 2}}, {"s", BROCH_INT16, {1}}, {"i", BROCH_INT32, {-1}}},
    };
    std::vector<Signature> made;
    for (auto& ports : inputs) made.push_back({ports, ports});
    made.push_back({{{"file", kBytes, {-1}}}, {}});
    return made;
  }();
  return all;
}

// The inputs as outputs.
void respond(const Signature& signature, const InferRequest& request) {
  size_t bytes = 0;  // of files, all of which are read
  for (const std::string_view file : request.files) bytes += std::string(file).size();
  if (bytes > request.body->size()) std::abort();
  Outputs outputs;
  for (const InferRequest::Wanted& wanted : request.outputs)
    outputs.push_back({request.inputs[wanted.output], nullptr, request.data[wanted.output]});
  const InferResponse response = encode("m", signature, request, outputs);
  const std::string json = response.body.substr(0, response.json_size.value_or(std::string::npos));
  if (!nlohmann::json::accept(json)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  if (size == 0) return 0;
  const Signature& signature = signatures()[(bytes[0] & 0x7F) % signatures().size()];
  std::string body(reinterpret_cast<const char*>(bytes) + 1, size - 1);
  std::optional<std::string> length;
  if (bytes[0] & 0x80) {
    const size_t end = std::min(body.find('\n'), body.size());
    length = body.substr(0, end);
    body.erase(0, std::min(end + 1, body.size()));
  } else if (const size_t zero = body.find('\0'); zero != std::string::npos) {
    body.erase(zero, 1);
    length = std::to_string(zero);
  }
  try {
    respond(signature, parse_infer(signature, std::move(body), length));
  } catch (const Refusal&) {
  }
  return 0;
}
