// refuse.hpp: throws the error for a run that cannot begin as described.
#pragma once
#include <string>

#include "base/error.hpp"

namespace broch::plan {

[[noreturn]] inline void refuse(const std::string& where, const std::string& found,
                                const std::string& expected, const std::string& hint = "") {
  throw base::Error{base::Exit::training, {where, found, expected, hint}};
}

}  // namespace broch::plan
