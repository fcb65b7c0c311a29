// draw.cpp: the generator for one call, whose state is made from the key.
#include "compiler/draw.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>

#include "base/philox.hpp"

namespace broch::compiler {
namespace {

thread_local constinit ActiveDraw* draw_of_thread = nullptr;

// LibTorch would seed its mt19937 with 32 bits. Here the whole state depends on the key.
at::mt19937 engine_of(DrawKey key) {
  at::mt19937_data_pod state;
  base::PhiloxStream stream(key.key, key.counter);
  for (uint32_t& word : state.state_) word = stream.word();
  state.seed_ = key.key;
  state.seeded_ = true;
  state.left_ = static_cast<int>(state.state_.size());  // no word is used yet
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
  // LibTorch's CUDA generator is Philox, with a seed of 64 bits.
  base::PhiloxStream stream(key.key, key.counter);
  const uint64_t high = stream.word(), low = stream.word();
  generator.set_current_seed(high << 32 | low);
}

// Locked by calls that use a default generator, one at a time.
std::mutex default_generators;

}  // namespace

ActiveDraw*& active_draw() { return draw_of_thread; }

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

}  // namespace broch::compiler
