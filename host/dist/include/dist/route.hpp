// route.hpp: the address at which other machines reach this one.
#pragma once
#include <cstdint>
#include <string>

namespace broch::dist {

// The address of this machine, in digits, in the network that leads to `host`. "" if no network
// leads there or the host's name is not known. Nothing is sent.
std::string address_towards(const std::string& host, uint16_t port);

}  // namespace broch::dist
