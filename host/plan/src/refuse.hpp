// refuse.hpp: ends a training that cannot begin as it is described.
#pragma once
#include <string>

#include "base/error.hpp"

namespace broch::plan {

[[noreturn]] inline void refuse(const std::string& place, const std::string& found,
                                const std::string& expected, const std::string& next = "") {
  throw base::Error{base::Exit::training, {place, found, expected, next}};
}

}  // namespace broch::plan
