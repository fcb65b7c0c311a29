// random.cpp: the generator of one call, filled from the call's key.
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>

#include <mutex>

#include "base/philox.hpp"
#include "site_draw.hpp"

namespace broch::runtime {
namespace {

// LibTorch seeds its mt19937 with 32 bits; here all of the state comes from the key.
at::mt19937 engine_of(DrawKey key) {
  at::mt19937_data_pod state;
  base::PhiloxStream stream(key.key, key.counter);
  for (uint32_t& word : state.state_) word = stream.word();
  state.seed_ = key.key;
  state.seeded_ = true;
  state.left_ = static_cast<int>(state.state_.size());  // none used: the next word is the first
  state.next_ = 0;
  at::mt19937 engine;
  engine.set_data(state);
  return engine;
}

void fill(at::Generator generator, DrawKey key) {
  const std::lock_guard<std::mutex> lock(generator.mutex());
  if (generator.device().is_cpu()) {
    auto* cpu = at::check_generator<at::CPUGeneratorImpl>(generator);
    cpu->set_engine(engine_of(key));
    cpu->set_next_float_normal_sample(std::nullopt);
    cpu->set_next_double_normal_sample(std::nullopt);
    return;
  }
  base::PhiloxStream stream(key.key,
                            key.counter);  // LibTorch's CUDA generator is Philox and takes 64 bits
  const uint64_t high = stream.word(), low = stream.word();
  generator.set_current_seed(high << 32 | low);
}

// One at a time: calls that draw from a default generator.
std::mutex default_generators;

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

Draw::Draw(DrawKey key, at::Device device, bool passed, bool begins) {
  if (device.is_cpu() && passed) {
    thread_local const at::Generator own = at::detail::createCPUGenerator();
    generator_ = own;
  } else {
    lock_ = std::unique_lock(default_generators);
    generator_ = at::globalContext().defaultGenerator(device);
  }
  if (begins) fill(generator_, key);
}

}  // namespace broch::runtime
