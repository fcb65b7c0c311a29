// draw.hpp: where a random operator of LibTorch gets its numbers.
#pragma once
#include <ATen/core/Generator.h>

#include <mutex>
#include <utility>

#include "compiler/names.hpp"
#include "runtime/backend.hpp"

namespace broch::compiler {

// A generator for one call of a random operator, with the draws of key. An operator without an
// argument for one draws from the default generator, which this then locks against other calls.
class Draw {
 public:
  // begins: at the first number of the key; else the thread's stream goes on.
  Draw(DrawKey key, at::Device device, bool passed, bool begins = true);
  const at::Generator& generator() const { return generator_; }

 private:
  std::unique_lock<std::mutex> lock_;
  at::Generator generator_;
};

// The draws of one operator call of a plugin, which may run several random operators below.
struct ActiveDraw {
  DrawKey key;
  int used = 0;
};
// Set by the call of a random operator; nullptr outside.
ActiveDraw*& active_draw();
// Sets it for a while.
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
