// bundle.cpp: reads a model from a safetensors file.
#include "bundle/bundle.hpp"

#include <fstream>

#include "base/error.hpp"
#include "base/text.hpp"
#include "format.hpp"
#include "graph/text.hpp"
#include "store/damaged.hpp"

namespace broch::bundle {
namespace {

using runtime::Tensor;
using store::TensorView;

// A safetensors file begins with eight bytes, the length of the header. The header is an object.
constexpr size_t kLengthField = 8;

std::string beginning_of(const std::filesystem::path& path) {
  std::string bytes(kLengthField + 1, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), std::streamsize(bytes.size()));
  bytes.resize(size_t(file.gcount()));
  return bytes;
}
std::string beginning_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), std::min(bytes.size(), kLengthField + 1)};
}

bool is_of_another_kind(const std::string& beginning) {
  return beginning.size() <= kLengthField || beginning[kLengthField] != '{';
}

// Files are errors of data here, while those of checkpoints have an exit code of their own. source:
// the path or the bytes that are read.
template <class Source, class Read>
auto as_data(const Source& source, const std::string& place, Read read) {
  try {
    return read();
  } catch (const store::Damaged& damaged) {
    if (is_of_another_kind(beginning_of(source)))
      base::fail(base::Exit::data, place, "is not a bundle", "the file that broch export writes",
                 "write one with broch export RUN -o FILE");
    base::Diagnostic diagnostic = damaged.diagnostic();
    diagnostic.hint = "the bundle is damaged: copy it again, or write it again with broch export";
    throw base::Error(base::Exit::data, diagnostic);
  } catch (const base::Error& error) {
    if (error.exit() != base::Exit::checkpoint) throw;
    throw base::Error(base::Exit::data, error.what());
  }
}

About about_in(const store::Metadata& metadata) {
  const std::string prefix = kAboutPrefix;
  About about;
  for (const auto& [key, text] : metadata)
    if (key.starts_with(prefix)) about[key.substr(prefix.size())] = text;
  return about;
}

}  // namespace

Bundle::Bundle(const std::filesystem::path& path)
    : Bundle(as_data(path, path.string(), [&] { return store::SafetensorsFile::read(path); }),
             path.string()) {}

Bundle::Bundle(std::span<const std::byte> bytes, const std::string& place)
    : Bundle(as_data(bytes, place, [&] { return store::SafetensorsFile::parse(bytes, place); }),
             place) {}

Bundle::Bundle(store::SafetensorsFile file, const std::string& place) : file_(std::move(file)) {
  const store::Metadata& metadata = file_.metadata();
  const auto version = metadata.find(kVersionKey), graph = metadata.find(kGraphKey);
  if (version == metadata.end() || graph == metadata.end())
    refuse(place, "a safetensors file without a program", "a bundle");
  if (version->second != kVersion)
    refuse(place, "version " + base::quoted(version->second), std::string("version ") + kVersion);
  if (!file_.has_checksums()) refuse(place, "no checksums", "those that it was written with");
  graph_ = graph::from_json(graph->second, place);
  check_weights(graph_, place);
  read_sequence(place);
  check_files(place);
  about_ = about_in(metadata);
}

void Bundle::read_sequence(const std::string& place) {
  const store::Metadata& metadata = file_.metadata();
  const auto first = metadata.find(kFirstKey), later = metadata.find(kLaterKey);
  if (first == metadata.end() && later == metadata.end()) return;
  if (first == metadata.end() || later == metadata.end())
    refuse(place, "one graph of a sequence", "that of the first inputs and that of later ones");
  sequence_ = Sequence<graph::Graph>{graph::from_json(first->second, place),
                                     graph::from_json(later->second, place)};
  check_weights(sequence_->first, place);
  check_weights(sequence_->later, place);
  check_sequence(graph_, *sequence_, place);
}

void Bundle::check_weights(const graph::Graph& graph, const std::string& place) const {
  for (size_t i = 0; i < graph.weights.size(); ++i) {
    const TensorView* const tensor = file_.find(graph.weights[i]);
    const graph::Type& type = graph.type_of_weight(i);
    const std::string where = place + ": weight " + base::quoted(graph.weights[i]);
    if (!tensor) refuse(where, "no such tensor", "one for each weight of the program");
    if (store::tensor_dtype(tensor->dtype) != type.dtype ||
        tensor->shape != graph::known_sizes(type))
      refuse(where, "another dtype or shape", graph::text_of(type, {}));
  }
}

void Bundle::check_files(const std::string& place) const {
  uint64_t bytes = 0;
  for (const TensorView& tensor : file_.tensors()) {
    if (!tensor.name.starts_with(kFilePrefix)) continue;
    const std::string name = tensor.name.substr(kFilePrefix.size());
    const std::string where = place + ": file " + base::quoted(name);
    if (!is_file_name(name)) refuse(where, "another name", "one without folders");
    if (tensor.dtype != store::Dtype::u8 || tensor.shape.size() != 1)
      refuse(where, "another dtype or shape", "bytes");
    bytes += tensor.bytes.size();
    if (bytes > kMostFileBytes)
      refuse(where, std::to_string(bytes) + " bytes of files",
             "at most " + std::to_string(kMostFileBytes) + " together");
  }
}

Files Bundle::files() const {
  Files files;
  for (const TensorView& tensor : file_.tensors())
    if (tensor.name.starts_with(kFilePrefix))
      files[tensor.name.substr(kFilePrefix.size())].assign(
          reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
  return files;
}

Tensor Bundle::weight(const std::string& name, runtime::Backend& backend) const {
  const TensorView& tensor = *file_.find(name);
  broch_dl_tensor view{};
  std::vector<int64_t> shape = tensor.shape;
  view.data = const_cast<std::byte*>(tensor.bytes.data());
  view.device = {BROCH_DL_CPU, 0};
  view.ndim = int32_t(shape.size());
  view.shape = shape.data();
  view.dtype = runtime::to_dl(store::tensor_dtype(tensor.dtype));
  return backend.copy_in(view, {});
}

std::vector<Tensor> Bundle::weights(runtime::Backend& backend) const {
  std::vector<Tensor> weights;
  for (const std::string& name : graph_.weights) weights.push_back(weight(name, backend));
  return weights;
}

Bundle::Weights Bundle::all_weights(runtime::Backend& backend) const {
  Weights all;
  const auto add = [&](const graph::Graph& graph) {
    for (const std::string& name : graph.weights)
      if (!all.contains(name)) all.emplace(name, weight(name, backend));
  };
  add(graph_);
  if (sequence_) {
    add(sequence_->first);
    add(sequence_->later);
  }
  return all;
}

std::vector<Tensor> weights_of(const graph::Graph& graph, const Bundle::Weights& all) {
  std::vector<Tensor> weights;
  for (const std::string& name : graph.weights) weights.push_back(all.at(name));
  return weights;
}

bool is_bundle(const std::filesystem::path& path) {
  return !is_of_another_kind(beginning_of(path)) && as_data(path, path.string(), [&] {
    return store::SafetensorsFile::read_metadata(path).contains(kVersionKey);
  });
}

}  // namespace broch::bundle
