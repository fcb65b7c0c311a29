// model.hpp: a bundle that is open.
#pragma once
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "bundle/bundle.hpp"
#include "graph/runner.hpp"
#include "infer_response.hpp"
#include "metrics.hpp"
#include "predict/model.hpp"
#include "predict/preprocessing.hpp"
#include "serve/infer.hpp"

namespace broch::serve {

class Model {
 public:
  // preprocess: requests have files, of which the preprocessing of the bundle makes inputs, if it
  // has any. Throws base::Error.
  Model(std::string name, const std::filesystem::path& file, runtime::Backend& backend,
        bool preprocess);
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  const std::string& name() const { return name_; }
  // Of requests.
  const Signature& signature() const { return signature_; }
  bool takes_files() const { return takes_files_; }
  // Of the names that such files usually have.
  std::vector<std::string> endings() const { return predict::endings_for(preprocessing_); }
  // What stands before the inputs of the graph, in the server or in its clients.
  const predict::Preprocessing& preprocessing() const { return preprocessing_; }
  // Of the graph.
  const predict::Ports& ports() const { return ports_; }
  // "digits: x float32 (B, 64) -> output float32 (B, 10)"
  std::string text() const;
  ModelMetrics& metrics() { return metrics_; }

  // The sizes of the symbols. Throws base::Error (data) if these inputs do not fit.
  std::vector<int64_t> sizes_for(std::span<const runtime::TensorInfo> inputs) const {
    return graph_.sizes_for(inputs);
  }
  // The symbol along which requests can be joined; if there is none, why_alone tells the reason.
  std::optional<uint32_t> batch_symbol() const { return batch_symbol_; }
  const std::string& why_alone() const { return why_alone_; }

  // Computes the model once with made-up data, so that the first request finds a program.
  void warm_up();
  // Computes the outputs of this request alone or of several that were joined. wanted: by outputs
  // of the model. Returns all outputs of the model; those that are not wanted are empty. Any
  // number of threads. Throws base::Error.
  Outputs run(std::span<const runtime::TensorInfo> inputs, const std::byte* const* data,
              const std::vector<bool>& wanted, const std::atomic<bool>* stop);

 private:
  Model(std::string name, const std::string& place, const bundle::Bundle& bundle,
        runtime::Backend& backend, bool preprocess);

  const std::string name_;
  graph::Graph graph_;
  const predict::Preprocessing preprocessing_;
  const predict::Ports ports_;
  const bool takes_files_;
  const Signature signature_;
  std::optional<uint32_t> batch_symbol_;
  std::string why_alone_;
  std::optional<graph::Runner> runner_;
  ModelMetrics metrics_;
};

// The name of a model and its file, from FILE or NAME=FILE. Throws base::Error (usage).
std::pair<std::string, std::filesystem::path> name_and_file(const std::string& argument);

}  // namespace broch::serve
