// checkpoint_variables.cpp: dtypes, copies and conversions.
#include "checkpoint_variables.hpp"

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "broch/ext/variables.h"

namespace broch::session {
namespace {

std::vector<std::string> collections(const runtime::Variable& variable) {
  std::vector<std::string> names{variable.local() ? "LOCAL" : "GLOBAL"};
  if (variable.trainable()) names.push_back("TRAINABLE");
  if (variable.flags & BROCH_VARIABLE_MODEL) names.push_back("MODEL");
  return names;
}

bool same_shape(const store::TensorView& saved, const runtime::Variable& variable) {
  const auto dims = variable.shape.span();
  return saved.shape.size() == dims.size() &&
         std::equal(dims.begin(), dims.end(), saved.shape.begin());
}
[[noreturn]] void fail(const std::string& place, const runtime::Variable& variable,
                       const std::string& found, const std::string& expected) {
  throw base::Error(
      base::Exit::checkpoint,
      base::Diagnostic{
          place + ": variable " + variable.name, found, expected,
          "resume with the manifest of that run, or use session_init to load weights"});
}

}  // namespace

store::Dtype dtype_of(const runtime::Variable& variable) {
  if (const auto saved = store::stored_dtype(variable.dtype)) return *saved;
  throw base::Error(
      base::Exit::checkpoint,
      base::Diagnostic{variable.name, std::string("dtype ") + runtime::dtype_name(variable.dtype),
                       "a dtype that safetensors has", ""});
}

runtime::Tensor to_tensor(runtime::Backend& backend, store::Dtype dtype,
                          std::span<const std::byte> bytes, const runtime::Variable& variable) {
  broch_dl_tensor view{};
  std::vector<int64_t> shape(variable.shape.span().begin(), variable.shape.span().end());
  view.data = const_cast<std::byte*>(bytes.data());
  view.device = {BROCH_DL_CPU, 0};
  view.ndim = int32_t(shape.size());
  view.shape = shape.data();
  view.dtype = runtime::to_dl(store::tensor_dtype(dtype));
  return backend.copy_in(view, backend.info(variable.value).device);
}

VariableBytes::VariableBytes(const runtime::VariableStore& variables,
                             store::CheckpointContents& contents, uint32_t flags) {
  bytes_.reserve(variables.all().size());
  for (const auto& variable : variables.all()) {
    if (flags && (variable->local() || !(variable->flags & flags))) continue;
    std::vector<std::byte>& bytes = bytes_.emplace_back(size_t(variable->shape.elements()) *
                                                        runtime::dtype_size(variable->dtype));
    variables.backend().copy_out(variable->value, variable->dtype, bytes.data(), bytes.size());
    const auto dims = variable->shape.span();
    contents.variables.push_back(
        {{variable->name, dtype_of(*variable), {dims.begin(), dims.end()}, bytes},
         collections(*variable)});
  }
}

void load_exactly(runtime::Backend& backend, const store::TensorView& saved,
                  runtime::Variable& variable, const std::string& where) {
  const auto dims = variable.shape.span();
  if (!same_shape(saved, variable))
    fail(where, variable, "shape " + base::shape_text(saved.shape),
         "shape " + base::shape_text(dims));
  if (store::tensor_dtype(saved.dtype) != variable.dtype)
    fail(where, variable, "dtype " + std::string(store::dtype_name(saved.dtype)),
         std::string("dtype ") + runtime::dtype_name(variable.dtype));
  backend.assign(variable.value, to_tensor(backend, saved.dtype, saved.bytes, variable));
}

}  // namespace broch::session
