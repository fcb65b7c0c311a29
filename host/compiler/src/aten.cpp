// aten.cpp: converts references, dtypes, devices and errors of LibTorch.
#include "compiler/aten.hpp"

namespace broch::compiler {
namespace {

void retain_impl(void* impl) {
  c10::raw::intrusive_ptr::incref(static_cast<c10::TensorImpl*>(impl));
}
void release_impl(void* impl) {
  c10::raw::intrusive_ptr::decref(static_cast<c10::TensorImpl*>(impl));
}

constexpr std::pair<broch_dtype, at::ScalarType> kDtypes[] = {
    {BROCH_FLOAT32, at::kFloat},
    {BROCH_FLOAT64, at::kDouble},
    {BROCH_FLOAT16, at::kHalf},
    {BROCH_BFLOAT16, at::kBFloat16},
    {BROCH_INT8, at::kChar},
    {BROCH_INT16, at::kShort},
    {BROCH_INT32, at::kInt},
    {BROCH_INT64, at::kLong},
    {BROCH_UINT8, at::kByte},
    {BROCH_BOOL, at::kBool},
    {BROCH_COMPLEX64, at::kComplexFloat},
    {BROCH_COMPLEX128, at::kComplexDouble},
};

}  // namespace

const Counting kCounting{retain_impl, release_impl};

std::vector<at::Tensor> to_aten(std::span<const Tensor> tensors) {
  std::vector<at::Tensor> result;
  result.reserve(tensors.size());
  for (const Tensor& tensor : tensors) result.push_back(to_aten(tensor));
  return result;
}

std::vector<Tensor> from_aten(std::vector<at::Tensor> tensors) {
  std::vector<Tensor> result;
  result.reserve(tensors.size());
  for (at::Tensor& tensor : tensors) result.push_back(from_aten(std::move(tensor)));
  return result;
}

at::ScalarType to_aten(broch_dtype dtype) {
  for (const auto& [ours, theirs] : kDtypes) {
    if (ours == dtype) return theirs;
  }
  base::fail(base::Exit::training, "dtype", "found code " + std::to_string(dtype),
             "one of value.h, BROCH_FLOAT32 and so on",
             "rebuild the plugin with this host's headers");
}

broch_dtype from_aten(at::ScalarType type) {
  for (const auto& [ours, theirs] : kDtypes) {
    if (theirs == type) return ours;
  }
  base::fail(base::Exit::training, "dtype", std::string("found LibTorch's ") + c10::toString(type),
             "a dtype of value.h", "convert the tensor with an operator first");
}

at::Device to_aten(Device device) {
  if (device.type == BROCH_DL_CUDA) {
    return {at::kCUDA, static_cast<c10::DeviceIndex>(device.index)};
  }
  return at::kCPU;
}

void rethrow(std::string_view where) {
  const auto failure = [where](base::Exit exit, const char* what) {
    return base::Error(exit, base::Diagnostic{std::string(where), what, "", ""});
  };
  try {
    throw;
  } catch (const base::Error&) {
    throw;
  } catch (const c10::Error& error) {
    const std::string text = error.what_without_backtrace();
    const bool memory = dynamic_cast<const c10::OutOfMemoryError*>(&error) ||
                        text.find("can't allocate memory") != std::string::npos;
    throw failure(memory ? base::Exit::memory : base::Exit::training, text.c_str());
  } catch (const std::bad_alloc&) {
    throw failure(base::Exit::memory, "out of memory");
  } catch (const std::exception& error) {
    throw failure(base::Exit::training, error.what());
  }
}

}  // namespace broch::compiler
