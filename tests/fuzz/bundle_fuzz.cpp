// bundle_fuzz.cpp: any bytes as a bundle, or, if they begin with '{', as the graph of one: read or
// refused with an error. Checksums are put right, so that they do not hide the rest from the
// fuzzer.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

#include "base/error.hpp"
#include "bundle/bundle.hpp"
#include "graph/rows.hpp"
#include "graph/text.hpp"
#include "integrity.hpp"
#include "pieces.hpp"

using namespace broch;

namespace {

// What a program asks of a graph before it computes.
void look_at(const graph::Graph& graph) {
  const std::string text = graph::to_json(graph);
  if (graph::to_json(graph::from_json(text, "fuzz")) != text) std::abort();
  std::vector<runtime::TensorInfo> inputs;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const graph::Type& type = graph.type_of_input(i);
    runtime::TensorInfo& info = inputs.emplace_back();
    info.dtype = type.dtype;
    for (const graph::Number& size : type.shape)
      info.shape.dims[info.shape.rank++] = size.value(graph.least);
  }
  const std::vector<int64_t> sizes = graph.sizes_for(inputs);
  for (size_t i = 0; i < graph.outputs.size(); ++i) {
    graph::text_of(graph.type_of_output(i), graph.symbols);
    for (const graph::Number& size : graph.type_of_output(i).shape) size.value(sizes);
  }
  if (const auto symbol = graph::batch_symbol(graph)) graph::dependence_of_rows(graph, *symbol);
  if (graph::Pieces(graph, 1).examples(sizes) < 0) std::abort();
}

void open(const std::string& bytes) {
  try {
    const bundle::Bundle bundle(std::as_bytes(std::span(bytes)), "fuzz");
    look_at(bundle.graph());
    if (bundle.sequence()) {
      look_at(bundle.sequence()->first);
      look_at(bundle.sequence()->later);
    }
    for (const auto& [name, content] : bundle.files())
      if (!bundle::is_file_name(name) || content.size() > bundle::kMostFileBytes) std::abort();
  } catch (const base::Error&) {
  }
}

// With the right checksums, if it has any.
std::string repaired(std::string bytes) {
  constexpr size_t kLength = 8;
  if (bytes.size() < kLength) return bytes;
  uint64_t length = 0;
  for (size_t i = kLength; i-- > 0;) length = length << 8 | static_cast<unsigned char>(bytes[i]);
  if (length > bytes.size() - kLength) return bytes;
  std::string header = bytes.substr(0, kLength + length);
  const std::string key = "\"" + std::string(store::kSumsKey) + "\":\"";
  const size_t begin = header.find(key), end = header.find('"', begin + key.size());
  if (begin == std::string::npos || end == std::string::npos) return bytes;
  store::ChunkSums sums;
  sums.add(std::as_bytes(std::span(bytes)).subspan(header.size()));
  const std::string text = store::unsealed(sums.text());
  if (end - begin - key.size() != text.size()) return bytes;
  header.replace(begin + key.size(), text.size(), text);
  store::seal(header);
  return header + bytes.substr(header.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  if (!bytes.starts_with('{')) {
    open(bytes);
    open(repaired(bytes));
    return 0;
  }
  try {
    look_at(graph::from_json(bytes, "fuzz"));
  } catch (const base::Error&) {
  }
  return 0;
}
