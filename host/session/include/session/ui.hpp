// ui.hpp: shows progress to a person at the terminal; serves broch.ui/1.
#pragma once
#include <cstdint>
#include <string>

#include "abi/context.hpp"

namespace broch::session {

// Implemented by the terminal. Bars can be nested; only the innermost one is shown. [main]
class Ui {
 public:
  virtual ~Ui() = default;
  virtual void begin(const void* owner, const std::string& label, int64_t total) = 0;
  virtual bool advance(const void* owner, int64_t done) = 0;  // true: it will be redrawn now
  virtual void describe(const void* owner, const std::string& text) = 0;
  virtual void end(const void* owner) = 0;
};

// Serves broch.ui/1. REQUIRES: a Ui is provided by the context.
void extend_with_ui(abi::Context& context);

}  // namespace broch::session
