// bundle.cpp: a model as a safetensors file.
#include "bundle/bundle.hpp"

#include <algorithm>
#include <fstream>

#include "base/error.hpp"
#include "base/text.hpp"
#include "graph/text.hpp"
#include "store/damaged.hpp"

namespace broch::bundle {
namespace {

using runtime::Tensor;
using store::TensorView;

// Keys of the metadata. What a bundle says about itself has its own, with this prefix.
constexpr const char *kVersionKey = "broch.bundle", *kGraphKey = "broch.graph";
constexpr const char* kAboutPrefix = "broch.about.";
constexpr const char* kVersion = "1";

[[noreturn]] void refuse(const std::string& place, const std::string& found,
                         const std::string& expected) {
  base::fail(base::Exit::data, place, found, expected, "write it again with broch export");
}

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

std::vector<int64_t> shape_of(const graph::Type& type) {
  std::vector<int64_t> shape;
  for (const graph::Number& size : type.shape) shape.push_back(size.value({}));
  return shape;
}

About about_in(const store::Metadata& metadata) {
  const std::string prefix = kAboutPrefix;
  About about;
  for (const auto& [key, text] : metadata)
    if (key.starts_with(prefix)) about[key.substr(prefix.size())] = text;
  return about;
}

}  // namespace

void write(const std::filesystem::path& path, runtime::Backend& backend, const Model& model) {
  std::vector<std::vector<std::byte>> contents;
  std::vector<TensorView> tensors;
  for (size_t i = 0; i < model.weights.size(); ++i) {
    const runtime::TensorInfo info = backend.info(model.weights[i]);
    const auto dtype = store::stored_dtype(info.dtype);
    if (!dtype)
      refuse(path.string() + ": weight " + base::quoted(model.graph.weights[i]),
             runtime::dtype_name(info.dtype), "a dtype that safetensors has");
    const auto size = size_t(info.shape.elements()) * runtime::dtype_size(info.dtype);
    std::vector<std::byte>& bytes = contents.emplace_back(size);
    backend.copy_out(model.weights[i], info.dtype, bytes.data(), bytes.size());
    const auto dims = info.shape.span();
    tensors.push_back({model.graph.weights[i], *dtype, {dims.begin(), dims.end()}, bytes});
  }
  store::Metadata metadata = {{kVersionKey, kVersion}, {kGraphKey, graph::to_json(model.graph)}};
  for (const auto& [key, text] : model.about) metadata[kAboutPrefix + key] = text;
  store::write_safetensors(path, std::move(tensors), std::move(metadata));
}

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
  for (size_t i = 0; i < graph_.weights.size(); ++i) {
    const TensorView* const tensor = file_.find(graph_.weights[i]);
    const graph::Type& type = graph_.type_of_weight(i);
    const std::string where = place + ": weight " + base::quoted(graph_.weights[i]);
    if (!tensor) refuse(where, "no such tensor", "one for each weight of the program");
    if (store::tensor_dtype(tensor->dtype) != type.dtype || tensor->shape != shape_of(type))
      refuse(where, "another dtype or shape", graph::text_of(type, {}));
  }
  about_ = about_in(metadata);
}

std::vector<Tensor> Bundle::weights(runtime::Backend& backend) const {
  std::vector<Tensor> weights;
  for (size_t i = 0; i < graph_.weights.size(); ++i) {
    const TensorView& tensor = *file_.find(graph_.weights[i]);
    broch_dl_tensor view{};
    std::vector<int64_t> shape = tensor.shape;
    view.data = const_cast<std::byte*>(tensor.bytes.data());
    view.device = {BROCH_DL_CPU, 0};
    view.ndim = int32_t(shape.size());
    view.shape = shape.data();
    view.dtype = runtime::to_dl(graph_.type_of_weight(i).dtype);
    weights.push_back(backend.copy_in(view, {}));
  }
  return weights;
}

bool is_bundle(const std::filesystem::path& path) {
  return !is_of_another_kind(beginning_of(path)) && as_data(path, path.string(), [&] {
    return store::SafetensorsFile::read_metadata(path).contains(kVersionKey);
  });
}

About read_about(const std::filesystem::path& path) {
  return as_data(path, path.string(),
                 [&] { return about_in(store::SafetensorsFile::read_metadata(path)); });
}

}  // namespace broch::bundle
