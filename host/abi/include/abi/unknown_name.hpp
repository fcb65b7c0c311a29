// unknown_name.hpp: a name that a host function does not know, and that the manifest gave.
#pragma once
#include "abi/serve.hpp"

namespace broch::abi {

// Components pass on what their options name, so Exit::manifest, unless a plugin goes on without.
class UnknownName final : public CallError {
 public:
  explicit UnknownName(std::string message) : CallError(BROCH_E_NOT_FOUND, std::move(message)) {}
};

}  // namespace broch::abi
