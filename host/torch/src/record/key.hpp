// key.hpp: the one dispatch key through which operators are seen while a thread records.
#pragma once
#include <ATen/core/dispatch/Dispatcher.h>

#include "names.hpp"

namespace broch::libtorch {

// Above BackendSelect and below ADInplaceOrView: what is seen has no autograd in it, and every
// factory function is still on its way. LibTorch's own fake tensors live in Python, which this
// process does not load.
constexpr c10::DispatchKey kRecordingKey = c10::DispatchKey::Fake;

// Registers the key on first use and proves on a small gradient that calls arrive: "", or why no
// tower can be recorded with this LibTorch.
const std::string& recording_problem();

// As long as it lives, random operators of this thread that nobody gave a generator or draws, those
// of a plugin that calls LibTorch itself, get the draws of their site. REQUIRES: there is no
// problem.
class ForeignCalls {
 public:
  ForeignCalls();
  ~ForeignCalls();
  ForeignCalls(const ForeignCalls&) = delete;
  ForeignCalls& operator=(const ForeignCalls&) = delete;

 private:
  c10::impl::IncludeDispatchKeyGuard seen_{kRecordingKey};
  bool outer_;
};

}  // namespace broch::libtorch
