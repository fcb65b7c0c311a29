// bundle.hpp: a model in one file: a graph, its weights, and where it comes from. It needs no
// plugin. The file is a safetensors file whose metadata contain the rest, with checksums that cover
// every byte, so other programs can read the weights.
#pragma once
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bundle/files.hpp"
#include "graph/graph.hpp"
#include "runtime/backend.hpp"
#include "store/safetensors.hpp"

namespace broch::bundle {

// What a bundle says about itself, for people: "name", "broch", "checkpoint", "runtime", ….
using About = std::map<std::string, std::string>;
// The key of what samples pass through before they are inputs, as JSON text.
inline constexpr const char* kPreprocessing = "preprocessing";
// Names of what a model keeps of inputs that it has seen: before a call, and behind it.
inline constexpr const char *kBefore = "state/", *kBehind = "next/";

// A graph with its weights, by Graph::weights.
struct Computation {
  graph::Graph graph;
  std::vector<runtime::Tensor> weights;
};

// The same model for inputs that follow one another. The graph of the first ones also returns
// next/NAME; that of later ones needs this as an input state/NAME, and returns the same.
template <class T>
struct Sequence {
  T first, later;
};

struct Model {
  graph::Graph graph;
  std::vector<runtime::Tensor> weights;  // by Graph::weights
  About about;
  Files files{};
  std::optional<Sequence<Computation>> sequence{};
};

// Weights of equal names and elements are stored once. Replaces the file atomically. Throws
// base::Error (data).
void write(const std::filesystem::path& path, runtime::Backend& backend, const Model& model);

class Bundle {
 public:
  using Weights = std::map<std::string, runtime::Tensor>;

  // Reads and checks everything. Throws base::Error (data) with the place in the file.
  explicit Bundle(const std::filesystem::path& path);
  Bundle(std::span<const std::byte> bytes, const std::string& place);

  const graph::Graph& graph() const { return graph_; }
  const About& about() const { return about_; }
  Files files() const;
  // No value: the model keeps nothing of its inputs, or this could not be exported.
  const std::optional<Sequence<graph::Graph>>& sequence() const { return sequence_; }
  // The weights on the CPU, copied.
  std::vector<runtime::Tensor> weights(runtime::Backend& backend) const;
  // All weights of all graphs.
  Weights all_weights(runtime::Backend& backend) const;

 private:
  explicit Bundle(store::SafetensorsFile file, const std::string& place);
  void read_sequence(const std::string& place);
  void check_weights(const graph::Graph& graph, const std::string& place) const;
  void check_files(const std::string& place) const;
  runtime::Tensor weight(const std::string& name, runtime::Backend& backend) const;

  store::SafetensorsFile file_;
  graph::Graph graph_;
  std::optional<Sequence<graph::Graph>> sequence_;
  About about_;
};

// In the order of a graph.
std::vector<runtime::Tensor> weights_of(const graph::Graph& graph, const Bundle::Weights& all);

// Whether the file says that it is a bundle. Throws base::Error (data) if it is damaged.
bool is_bundle(const std::filesystem::path& path);

}  // namespace broch::bundle
