// small_bundle.hpp: a bundle in a folder, opened through the C interface, and what it computes.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "bundle/bundle.hpp"
#include "example.hpp"
#include "fixture.hpp"
#include "folder.hpp"
#include "libbroch.h"

namespace broch::lib_test {

using graph_test::by_hand;
using graph_test::kBias;
using graph_test::kWeights;

// y = relu(linear(x)) and half of it, see example.hpp.
inline std::string write_bundle(const test::Folder& folder) {
  bundle::write(folder / "m.bundle", runtime::backend(),
                {graph_test::example(),
                 {runtime::floats(kWeights, {2, 3}), runtime::floats(kBias, {2})},
                 {{"name", "example"}, {"checkpoint", "model-20.safetensors"}}});
  return folder / "m.bundle";
}

struct Close {
  void operator()(libbroch_model* model) const { libbroch_close(model); }
};
using Model = std::unique_ptr<libbroch_model, Close>;

inline Model open(const std::string& file, const libbroch_options* options = nullptr) {
  libbroch_error error{};
  libbroch_model* model = nullptr;
  REQUIRE_MESSAGE(libbroch_open(file.c_str(), options, &model, &error) == LIBBROCH_OK,
                  error.message);
  REQUIRE(model);
  return Model(model);
}

inline std::vector<float> input(int64_t batch, float first) {
  std::vector<float> x;
  for (int64_t i = 0; i < batch * 3; ++i) x.push_back(first + float(i % 7));
  return x;
}
inline libbroch_tensor tensor(std::vector<float>& values, std::vector<int64_t> shape) {
  return libbroch_tensor_of(values.data(), LIBBROCH_FLOAT32, uint32_t(shape.size()), shape.data());
}
inline libbroch_tensor memory(std::vector<float>& values) {
  return libbroch_memory(values.data(), values.size() * sizeof(float));
}

}  // namespace broch::lib_test
