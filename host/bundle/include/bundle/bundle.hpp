// bundle.hpp: a model in one file: a graph, its weights, and where it comes from. It needs no
// plugin. The file is a safetensors file whose metadata contain the rest, with checksums that cover
// every byte, so other programs can read the weights.
#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "graph/graph.hpp"
#include "runtime/backend.hpp"
#include "store/safetensors.hpp"

namespace broch::bundle {

// What a bundle says about itself, for people: "name", "broch", "checkpoint", "runtime", ….
using About = std::map<std::string, std::string>;
// The key of what samples pass through before they are inputs, as JSON text.
inline constexpr const char* kPreprocessing = "preprocessing";

struct Model {
  graph::Graph graph;
  std::vector<runtime::Tensor> weights;  // by Graph::weights
  About about;
};

// Replaces the file atomically. Throws base::Error (data).
void write(const std::filesystem::path& path, runtime::Backend& backend, const Model& model);

class Bundle {
 public:
  // Reads and checks everything. Throws base::Error (data) with the place in the file.
  explicit Bundle(const std::filesystem::path& path);
  Bundle(std::span<const std::byte> bytes, const std::string& place);

  const graph::Graph& graph() const { return graph_; }
  const About& about() const { return about_; }
  // The weights on the CPU, copied.
  std::vector<runtime::Tensor> weights(runtime::Backend& backend) const;

 private:
  explicit Bundle(store::SafetensorsFile file, const std::string& place);

  store::SafetensorsFile file_;
  graph::Graph graph_;
  About about_;
};

// Whether the file says that it is a bundle. Throws base::Error (data) if it is damaged.
bool is_bundle(const std::filesystem::path& path);
// The same as Bundle::about, without the weights and their checksums. Throws base::Error (data).
About read_about(const std::filesystem::path& path);

}  // namespace broch::bundle
