// See ../algorithm.h.
#pragma once
#include <memory>
namespace gloo::transport {
class Device;
class UnboundBuffer;
}  // namespace gloo::transport
