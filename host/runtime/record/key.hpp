// key.hpp: the one dispatch key through which operators are seen while a thread records.
#pragma once
#include <ATen/core/dispatch/Dispatcher.h>

namespace broch::runtime {

// Above BackendSelect and below ADInplaceOrView: what is seen has no autograd in it, and every
// factory function is still on its way. LibTorch's own fake tensors live in Python, which this
// process does not load.
constexpr c10::DispatchKey kRecordingKey = c10::DispatchKey::Fake;

// Registers the key on first use and proves on a small gradient that calls arrive: "", or why no
// tower can be recorded with this LibTorch.
const std::string& recording_problem();

}  // namespace broch::runtime
