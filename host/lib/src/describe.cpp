// describe.cpp: names, dtypes and shapes of inputs and outputs.
#include "describe.hpp"

#include "boundary.hpp"

static_assert(LIBBROCH_RANK_MAX == BROCH_RANK_MAX);
static_assert(int{LIBBROCH_FLOAT32} == BROCH_FLOAT32 && int{LIBBROCH_FLOAT64} == BROCH_FLOAT64 &&
              int{LIBBROCH_FLOAT16} == BROCH_FLOAT16 && int{LIBBROCH_BFLOAT16} == BROCH_BFLOAT16 &&
              int{LIBBROCH_INT8} == BROCH_INT8 && int{LIBBROCH_INT16} == BROCH_INT16 &&
              int{LIBBROCH_INT32} == BROCH_INT32 && int{LIBBROCH_INT64} == BROCH_INT64 &&
              int{LIBBROCH_UINT8} == BROCH_UINT8 && int{LIBBROCH_BOOL} == BROCH_BOOL &&
              int{LIBBROCH_COMPLEX64} == BROCH_COMPLEX64 &&
              int{LIBBROCH_COMPLEX128} == BROCH_COMPLEX128);

namespace broch::lib {
namespace {

libbroch_port port(const std::string& name, const graph::Type& type, const graph::Graph& graph) {
  libbroch_port port{.name = name, .info = {}, .symbols = {}};
  port.info.dtype = type.dtype;
  port.info.rank = uint32_t(type.shape.size());
  for (const graph::Number& size : type.shape)
    port.symbols.push_back(size.is_constant() ? "" : size.text(graph.symbols));
  return port;
}

// Once the port is where it stays.
void point(libbroch_port& port, const graph::Type& type, const graph::Graph& graph, bool is_input) {
  port.info.name = port.name.c_str();
  for (size_t d = 0; d < type.shape.size(); ++d) {
    const graph::Number& size = type.shape[d];
    const bool is_constant = size.is_constant();
    port.info.shape[d] = is_constant ? size.value({}) : -1;
    port.info.symbols[d] = is_constant ? nullptr : port.symbols[d].c_str();
    if (is_input)
      port.info.least[d] = is_constant ? port.info.shape[d] : graph.least[size.terms[0].symbols[0]];
  }
}

libbroch_status info_of(const std::vector<libbroch_port>* ports, size_t number, libbroch_info* info,
                        libbroch_error* error) noexcept {
  return guarded(error, LIBBROCH_INVALID, [&] {
    if (!ports) refuse("argument model", "NULL", "an open model");
    if (!info) refuse("argument info", "NULL", "memory for the description");
    if (number >= ports->size())
      refuse("argument number", std::to_string(number),
             "less than " + std::to_string(ports->size()));
    *info = (*ports)[number].info;
  });
}

}  // namespace

void describe(libbroch_model& model) {
  const graph::Graph& graph = model.graph;
  for (size_t i = 0; i < graph.inputs.size(); ++i)
    model.inputs.push_back(port(graph.inputs[i], graph.type_of_input(i), graph));
  for (size_t i = 0; i < graph.outputs.size(); ++i)
    model.outputs.push_back(port(graph.outputs[i].name, graph.type_of_output(i), graph));
  for (size_t i = 0; i < graph.inputs.size(); ++i)
    point(model.inputs[i], graph.type_of_input(i), graph, true);
  for (size_t i = 0; i < graph.outputs.size(); ++i)
    point(model.outputs[i], graph.type_of_output(i), graph, false);
}

}  // namespace broch::lib

using namespace broch;

extern "C" {

const char* libbroch_runtime(const libbroch_model* model) {
  return model ? model->runtime.c_str() : "";
}

const char* libbroch_about(const libbroch_model* model, const char* key) {
  if (!model || !key) return nullptr;
  for (const auto& [name, text] : model->about)
    if (name == key) return text.c_str();
  return nullptr;
}

int libbroch_about_at(const libbroch_model* model, size_t number, const char** key,
                      const char** text) {
  if (!model || number >= model->about.size()) return 0;
  auto entry = model->about.begin();
  std::advance(entry, number);
  if (key) *key = entry->first.c_str();
  if (text) *text = entry->second.c_str();
  return 1;
}

const void* libbroch_file(const libbroch_model* model, const char* name, size_t* size) {
  if (size) *size = 0;
  if (!model || !name) return nullptr;
  for (const auto& [known, bytes] : model->files) {
    if (known != name || bytes.empty()) continue;
    if (size) *size = bytes.size();
    return bytes.data();
  }
  return nullptr;
}

const char* libbroch_dtype_name(int32_t dtype) {
  return runtime::dtype_size(dtype) ? runtime::dtype_name(dtype) : "";
}
size_t libbroch_dtype_size(int32_t dtype) { return runtime::dtype_size(dtype); }

size_t libbroch_input_count(const libbroch_model* model) {
  return model ? model->inputs.size() : 0;
}
size_t libbroch_output_count(const libbroch_model* model) {
  return model ? model->outputs.size() : 0;
}
libbroch_status libbroch_input(const libbroch_model* model, size_t number, libbroch_info* info,
                               libbroch_error* error) {
  return lib::info_of(model ? &model->inputs : nullptr, number, info, error);
}
libbroch_status libbroch_output(const libbroch_model* model, size_t number, libbroch_info* info,
                                libbroch_error* error) {
  return lib::info_of(model ? &model->outputs : nullptr, number, info, error);
}

}  // extern "C"
