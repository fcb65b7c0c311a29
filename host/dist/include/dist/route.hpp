// route.hpp: which of this machine's addresses others reach it at.
#pragma once
#include <cstdint>
#include <string>

namespace broch::dist {

// The address, in digits, of the network that leads to the host; "" where none does, or the host's
// name is not known. Nothing is sent.
std::string address_towards(const std::string& host, uint16_t port);

}  // namespace broch::dist
