// substitution_site.hpp: the string whose ${…} are being replaced, for messages.
#pragma once
#include <string>

#include "value/fault.hpp"

namespace broch::manifest {

inline constexpr char kEscape[] = "write $${ for the characters ${";

struct Site {
  const value::Value& text;
  const std::string& pointer;  // of the text, in the manifest

  [[noreturn]] void fail(const value::Remark& remark) const {
    throw value::fault_at(text.origin(), pointer, remark);
  }
  // "run.json:7:20"
  std::string place() const {
    value::Origin origin = text.origin();
    origin.substitution = nullptr;
    return origin.text();
  }
};

}  // namespace broch::manifest
