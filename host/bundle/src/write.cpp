// write.cpp: writes a model as a safetensors file.
#include <algorithm>

#include "base/text.hpp"
#include "format.hpp"
#include "graph/text.hpp"

namespace broch::bundle {
namespace {

using runtime::Tensor;
using store::TensorView;

// The tensors of a file while it is made.
class Content {
 public:
  // place: the file, for errors.
  Content(runtime::Backend& backend, std::string place)
      : backend_(backend), place_(std::move(place)) {}

  // Weights that are there already are not added once more. One of another graph may have the name
  // of another tensor, as constants are numbered; then it gets a new name.
  void add(graph::Graph& graph, const std::vector<Tensor>& weights) {
    for (size_t i = 0; i < weights.size(); ++i) {
      std::string& name = graph.weights[i];
      const std::byte* const memory = backend_.first_byte(weights[i]);
      const auto known = places_.find(name);
      if (memory && known != places_.end() && memories_[known->second] == memory) continue;
      TensorView view = copied(name, weights[i]);
      if (known != places_.end() && is_equal(tensors_[known->second], view)) {
        contents_.pop_back();
        continue;
      }
      while (places_.contains(name)) name += '\'';
      view.name = name;
      add(std::move(view), memory);
    }
  }

  void add(const Files& files) {
    for (const auto& [name, bytes] : files)
      add({std::string(kFilePrefix) + name,
           store::Dtype::u8,
           {int64_t(bytes.size())},
           std::as_bytes(std::span(bytes))},
          nullptr);
  }

  std::vector<TensorView> take() { return std::move(tensors_); }

 private:
  TensorView copied(const std::string& name, const Tensor& tensor) {
    const runtime::TensorInfo info = backend_.info(tensor);
    const auto dtype = store::stored_dtype(info.dtype);
    if (!dtype)
      refuse(place_ + ": weight " + base::quoted(name), runtime::dtype_name(info.dtype),
             "a dtype that safetensors has");
    const auto size = size_t(info.shape.elements()) * runtime::dtype_size(info.dtype);
    std::vector<std::byte>& bytes = contents_.emplace_back(size);
    backend_.copy_out(tensor, info.dtype, bytes.data(), bytes.size());
    const auto dims = info.shape.span();
    return {name, *dtype, {dims.begin(), dims.end()}, bytes};
  }

  static bool is_equal(const TensorView& a, const TensorView& b) {
    return a.dtype == b.dtype && a.shape == b.shape && std::ranges::equal(a.bytes, b.bytes);
  }

  void add(TensorView view, const std::byte* memory) {
    places_[view.name] = tensors_.size();
    tensors_.push_back(std::move(view));
    memories_.push_back(memory);
  }

  runtime::Backend& backend_;
  const std::string place_;
  std::vector<std::vector<std::byte>> contents_;  // to which tensors_ refer
  std::vector<TensorView> tensors_;
  std::vector<const std::byte*> memories_;  // by tensor: the one of the weight
  std::map<std::string, size_t> places_;    // by name: the place in tensors_
};

}  // namespace

void write(const std::filesystem::path& path, runtime::Backend& backend, const Model& model) {
  Content content(backend, path.string());
  store::Metadata metadata = {{kVersionKey, kVersion}};
  const auto add = [&](const char* key, graph::Graph graph, const std::vector<Tensor>& weights) {
    content.add(graph, weights);
    metadata[key] = graph::to_json(graph);
  };
  add(kGraphKey, model.graph, model.weights);
  if (model.sequence) {
    add(kFirstKey, model.sequence->first.graph, model.sequence->first.weights);
    add(kLaterKey, model.sequence->later.graph, model.sequence->later.weights);
  }
  content.add(model.files);
  for (const auto& [key, text] : model.about) metadata[kAboutPrefix + key] = text;
  store::write_safetensors(path, content.take(), std::move(metadata));
}

}  // namespace broch::bundle
