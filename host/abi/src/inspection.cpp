// inspection.cpp: the inspector of the process.
#include "abi/inspection.hpp"

#include <atomic>

namespace broch::abi {
namespace {

std::atomic<Inspector*> present{nullptr};

}  // namespace

void inspect(Inspector* inspector) { present.store(inspector, std::memory_order_release); }

Inspector* inspector() { return present.load(std::memory_order_acquire); }

}  // namespace broch::abi
