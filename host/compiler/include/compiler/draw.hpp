// draw.hpp: random numbers for LibTorch's random operators.
#pragma once
#include <ATen/core/Generator.h>

#include <mutex>
#include <utility>

#include "compiler/names.hpp"
#include "runtime/backend.hpp"

namespace broch::compiler {

// A generator for one call of a random operator, whose numbers depend on the key. An operator
// without a generator argument uses the default generator, which is then locked against other
// calls.
class Draw {
 public:
  // `passed`: the operator has a generator argument. `begins`: start with the first number of the
  // key; otherwise continue the thread's stream.
  Draw(DrawKey key, at::Device device, bool passed, bool begins = true);
  const at::Generator& generator() const { return generator_; }

 private:
  std::unique_lock<std::mutex> lock_;
  at::Generator generator_;
};

// The key of one operator call of a plugin, inside of which several random operators may run.
struct ActiveDraw {
  DrawKey key;
  int used = 0;
};
// The key of the current call of a random operator; nullptr outside of such calls.
ActiveDraw*& active_draw();
// Sets it until the end of the block.
class DrawScope {
 public:
  explicit DrawScope(ActiveDraw* draw) : outer_(std::exchange(active_draw(), draw)) {}
  ~DrawScope() { active_draw() = outer_; }
  DrawScope(const DrawScope&) = delete;
  DrawScope& operator=(const DrawScope&) = delete;

 private:
  ActiveDraw* outer_;
};

}  // namespace broch::compiler
