// infer_response.hpp: the body of a response to infer.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "serve/infer.hpp"

namespace broch::serve {

// What the model has computed for one name.
struct Output {
  runtime::TensorInfo info;
  std::shared_ptr<const std::byte[]> memory;  // perhaps with the outputs of other requests
  const std::byte* data = nullptr;            // in memory, row-major
};
using Outputs = std::vector<Output>;

struct InferResponse {
  std::string body;
  // Of the JSON, if binary data follow: the header Inference-Header-Content-Length.
  std::optional<size_t> json_size;
};

// outputs: by InferRequest::outputs. Elements in JSON read back as the same numbers; those that are
// not finite become null.
InferResponse encode(const std::string& model, const Signature& signature,
                     const InferRequest& request, const Outputs& outputs);

}  // namespace broch::serve
