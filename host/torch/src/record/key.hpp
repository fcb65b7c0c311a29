// key.hpp: the dispatch key through which operators are observed while a thread records.
#pragma once
#include <ATen/core/dispatch/Dispatcher.h>

#include "names.hpp"

namespace broch::libtorch {

// This key is dispatched after autograd and ADInplaceOrView and before BackendSelect. So no
// autograd is left in what is observed, and factory functions are observed too. LibTorch uses the
// key for its fake tensors, which are implemented in Python and are not loaded in this process.
constexpr c10::DispatchKey kRecordingKey = c10::DispatchKey::Fake;

// Registers the key at the first call, and checks with a small gradient that operators are
// observed. Returns "", or why nothing can be recorded with this LibTorch.
const std::string& recording_problem();

// While it exists, it gives keys to random operators of this thread that have neither a generator
// nor a key: those that a plugin calls directly in LibTorch. REQUIRES: recording_problem() is "".
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
