// site_draw.cpp: gives one call of a random operator its key.
#include "site_draw.hpp"

namespace broch::libtorch {
namespace {

at::Device device_of(std::span<const c10::IValue> arguments) {
  for (const c10::IValue& value : arguments) {
    if (value.isTensor() && value.toTensor().defined()) return value.toTensor().device();
    if (value.isDevice()) return value.toDevice();
  }
  return at::kCPU;
}

}  // namespace

int generator_argument(const c10::FunctionSchema& schema) {
  const auto& arguments = schema.arguments();
  for (size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i].real_type()->str().find("Generator") != std::string::npos)
      return static_cast<int>(i);
  return -1;
}

SiteDraw::SiteDraw(Draws& draws, const std::string& name, int generator,
                   std::span<c10::IValue> arguments)
    : active_{draws.next(name)},
      draw_(active_.key, device_of(arguments), generator >= 0),
      scope_(&active_) {
  if (generator >= 0) arguments[generator] = draw_.generator();
}

}  // namespace broch::libtorch
