// probe.cpp: computes a bundle, for compare.py.
//   broch_onnx_probe BUNDLE FOLDER SIZE...   the size of each symbol of the graph
// FOLDER/N.in has the elements of input N, and FOLDER/N.out gets those of output N.
#include <dlfcn.h>

#include <cstdlib>
#include <fstream>
#include <iostream>

#include "bundle/bundle.hpp"
#include "graph/runner.hpp"

using namespace broch;

namespace {

runtime::Backend& open_backend() {
  void* const file = dlopen(BROCH_TORCH_FILE, RTLD_NOW | RTLD_LOCAL);
  if (!file) throw std::runtime_error(dlerror());
  using Open = runtime::Backend* (*)();
  runtime::Backend* const backend = reinterpret_cast<Open>(dlsym(file, "broch_torch_open"))();
  backend->configure({.threads = 1, .deterministic = true});
  return *backend;
}

}  // namespace

int main(int count, char** words) try {
  runtime::Backend& backend = open_backend();
  const bundle::Bundle bundle{std::filesystem::path(words[1])};
  const graph::Graph& graph = bundle.graph();
  const std::string folder = std::string(words[2]) + "/";
  std::vector<int64_t> sizes;
  for (int i = 3; i < count; ++i) sizes.push_back(std::atoll(words[i]));
  std::vector<runtime::Tensor> inputs;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const graph::Type& type = graph.type_of_input(i);
    std::vector<int64_t> shape;
    for (const graph::Number& size : type.shape) shape.push_back(size.value(sizes));
    std::ifstream file(folder + std::to_string(i) + ".in", std::ios::binary);
    std::string bytes(std::istreambuf_iterator<char>(file), {});
    broch_dl_tensor data{};
    data.data = bytes.data();
    data.device = {BROCH_DL_CPU, 0};
    data.ndim = int32_t(shape.size());
    data.shape = shape.data();
    data.dtype = runtime::to_dl(type.dtype);
    inputs.push_back(backend.copy_in(data, {}));
  }
  graph::Runner runner(backend, graph, bundle.weights(backend), {});
  const std::vector<runtime::Tensor> outputs = runner.run(inputs);
  for (size_t i = 0; i < outputs.size(); ++i) {
    const runtime::TensorInfo info = backend.info(outputs[i]);
    std::string bytes(size_t(info.shape.elements()) * sizeof(double), 0);
    backend.copy_out(outputs[i], BROCH_FLOAT64, bytes.data(), bytes.size());
    std::ofstream(folder + std::to_string(i) + ".out", std::ios::binary) << bytes;
  }
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
