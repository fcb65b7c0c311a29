// infer.hpp: the body of a request to infer, read. Anybody may have written it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/refusal.hpp"
#include "runtime/tensor.hpp"

namespace broch::serve {

// A request that is answered with an error.
using http::Refusal;

// The datatype BYTES, which only files have.
inline constexpr broch_dtype kBytes = -1;

struct Port {
  std::string name;
  broch_dtype dtype = 0;
  std::vector<int64_t> shape;  // -1: a size that varies
};

struct Signature {
  std::vector<Port> inputs, outputs;
};

struct InferRequest {
  struct Wanted {
    size_t output = 0;  // place in Signature::outputs
    bool binary = false;
  };

  std::string id;
  std::vector<runtime::TensorInfo>
      inputs;  // by Signature::inputs; so is data, row-major, unaligned
  std::vector<const std::byte*> data;
  std::vector<std::string_view> files;  // contents of them, if the input is kBytes
  std::vector<Wanted> outputs;
  // What data points into.
  std::unique_ptr<const std::string> body;
  std::vector<std::vector<std::byte>> decoded;
  std::vector<std::string> texts;
};

// header_length: the value of the header Inference-Header-Content-Length, with which binary data
// follow after the JSON; 0: the body is the only input, in binary, or one file. Of shapes, only the
// number of elements is compared with the data. Throws Refusal (400).
InferRequest parse_infer(const Signature& signature, std::string body,
                         std::optional<std::string_view> header_length);

}  // namespace broch::serve
