// checkpoint_variables.cpp: dtypes, copies and conversions.
#include "checkpoint_variables.hpp"

#include "base/error.hpp"
#include "base/log.hpp"
#include "broch/ext/variables.h"

namespace broch::session {
namespace {

struct Pair {
  broch_dtype ours;
  store::Dtype saved;
};
constexpr Pair kDtypes[] = {
    {BROCH_FLOAT32, store::Dtype::f32},  {BROCH_FLOAT64, store::Dtype::f64},
    {BROCH_FLOAT16, store::Dtype::f16},  {BROCH_BFLOAT16, store::Dtype::bf16},
    {BROCH_INT8, store::Dtype::i8},      {BROCH_INT16, store::Dtype::i16},
    {BROCH_INT32, store::Dtype::i32},    {BROCH_INT64, store::Dtype::i64},
    {BROCH_UINT8, store::Dtype::u8},     {BROCH_BOOL, store::Dtype::boolean},
    {BROCH_COMPLEX64, store::Dtype::c64}};

store::Dtype to_saved(const runtime::Variable& variable) {
  for (const Pair& pair : kDtypes)
    if (pair.ours == variable.dtype) return pair.saved;
  throw base::Error(
      base::Exit::checkpoint,
      base::Diagnostic{variable.name, std::string("dtype ") + runtime::dtype_name(variable.dtype),
                       "a dtype that safetensors has", ""});
}
broch_dtype from_saved(store::Dtype dtype) {
  for (const Pair& pair : kDtypes)
    if (pair.saved == dtype) return pair.ours;
  return 0;
}

std::vector<std::string> collections(const runtime::Variable& variable) {
  std::vector<std::string> names{variable.local() ? "LOCAL" : "GLOBAL"};
  if (variable.trainable()) names.push_back("TRAINABLE");
  if (variable.flags & BROCH_VARIABLE_MODEL) names.push_back("MODEL");
  return names;
}

bool is_float(broch_dtype dtype) {
  return dtype == BROCH_FLOAT32 || dtype == BROCH_FLOAT64 || dtype == BROCH_FLOAT16 ||
         dtype == BROCH_BFLOAT16;
}
bool is_integer(broch_dtype dtype) {
  return (dtype >= BROCH_INT8 && dtype <= BROCH_INT64) || dtype == BROCH_UINT8;
}
// Whether an integer type can represent every value of another one.
bool covers(broch_dtype target, broch_dtype source) {
  if (!is_integer(target) || !is_integer(source)) return false;
  if (source == BROCH_UINT8) return target >= BROCH_INT16 && target <= BROCH_INT64;
  return target != BROCH_UINT8 && target >= source;
}

std::string shape_text(const std::vector<int64_t>& dims) {
  std::string text = "(";
  for (size_t i = 0; i < dims.size(); ++i) text += (i ? ", " : "") + std::to_string(dims[i]);
  return text + ")";
}

bool same_shape(const store::TensorView& saved, const runtime::Variable& variable) {
  const auto dims = variable.shape.span();
  return saved.shape.size() == dims.size() &&
         std::equal(dims.begin(), dims.end(), saved.shape.begin());
}
int64_t count(const std::vector<int64_t>& dims) {
  int64_t product = 1;
  for (const int64_t extent : dims) product *= extent;
  return product;
}

// The saved values with the shape of the variable, but in the dtype of the file.
runtime::Tensor as_tensor(runtime::Backend& backend, const store::TensorView& saved,
                          const runtime::Variable& variable) {
  broch_dl_tensor view{};
  std::vector<int64_t> shape(variable.shape.span().begin(), variable.shape.span().end());
  view.data = const_cast<std::byte*>(saved.bytes.data());
  view.device = {BROCH_DL_CPU, 0};
  view.ndim = int32_t(shape.size());
  view.shape = shape.data();
  view.dtype = runtime::to_dl(from_saved(saved.dtype));
  return backend.copy_in(view, backend.info(variable.value).device);
}

[[noreturn]] void fail(const std::string& place, const runtime::Variable& variable,
                       const std::string& found, const std::string& expected) {
  throw base::Error(
      base::Exit::checkpoint,
      base::Diagnostic{place + ": variable " + variable.name, found, expected,
                       "restore with \"relaxed\": true, or list it under \"ignore\""});
}

}  // namespace

VariableBytes::VariableBytes(const runtime::VariableStore& variables,
                             store::CheckpointContents& contents) {
  bytes_.reserve(variables.all().size());
  for (const auto& variable : variables.all()) {
    std::vector<std::byte>& bytes = bytes_.emplace_back(size_t(variable->shape.elements()) *
                                                        runtime::dtype_size(variable->dtype));
    variables.backend().copy_out(variable->value, variable->dtype, bytes.data(), bytes.size());
    const auto dims = variable->shape.span();
    contents.variables.push_back(
        {{variable->name, to_saved(*variable), {dims.begin(), dims.end()}, bytes},
         collections(*variable)});
  }
}

void load_exactly(runtime::Backend& backend, const store::TensorView& saved,
                  runtime::Variable& variable, const std::string& where) {
  const auto dims = variable.shape.span();
  if (!same_shape(saved, variable))
    fail(where, variable, "shape " + shape_text(saved.shape),
         "shape " + shape_text({dims.begin(), dims.end()}));
  if (from_saved(saved.dtype) != variable.dtype)
    fail(where, variable, "dtype " + std::string(store::dtype_name(saved.dtype)),
         std::string("dtype ") + runtime::dtype_name(variable.dtype));
  backend.assign(variable.value, as_tensor(backend, saved, variable));
}

bool load_relaxed(runtime::Backend& backend, const store::TensorView& saved,
                  runtime::Variable& variable, const std::string& where) {
  const broch_dtype source = from_saved(saved.dtype);
  const std::string name = where + ": variable " + variable.name;
  if (count(saved.shape) != variable.shape.elements()) {
    base::warning(name + " has shape " + shape_text(saved.shape) + " there and " +
                  runtime::to_string(variable.shape) + " here: not loaded");
    return false;
  }
  const bool same = source == variable.dtype;
  if (!same && !(is_float(source) && is_float(variable.dtype)) && !covers(variable.dtype, source))
    fail(where, variable, "dtype " + std::string(store::dtype_name(saved.dtype)),
         std::string("one that fits ") + runtime::dtype_name(variable.dtype));
  if (!same_shape(saved, variable))
    base::warning(name + " is reshaped from " + shape_text(saved.shape) + " to " +
                  runtime::to_string(variable.shape));
  if (!same)
    base::warning(name + " is cast from " + std::string(store::dtype_name(saved.dtype)) + " to " +
                  runtime::dtype_name(variable.dtype));
  const runtime::Tensor values = as_tensor(backend, saved, variable);
  std::vector<std::byte> bytes(size_t(variable.shape.elements()) *
                               runtime::dtype_size(variable.dtype));
  backend.copy_out(values, variable.dtype, bytes.data(), bytes.size());
  store::TensorView cast = saved;
  cast.dtype = to_saved(variable);
  cast.bytes = bytes;
  backend.assign(variable.value, as_tensor(backend, cast, variable));
  return true;
}

bool is_training_name(const std::string& name) {
  if (name == "global_step" || name == "learning_rate" || name.starts_with("EMA/")) return true;
  for (const char* suffix : {"/momentum_buffer", "/exp_avg", "/exp_avg_sq", "/step",
                             "/learning_rate", "/momentum", "/AccumGrad"})
    if (name.ends_with(suffix)) return true;
  return false;
}

}  // namespace broch::session
