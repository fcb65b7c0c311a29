// json_source.hpp: JSON text as if it had been read from a file.
#pragma once
#include <memory>
#include <string>

#include "value/value.hpp"

namespace support {

inline std::shared_ptr<const broch::value::Source> source(const std::string& text,
                                                          const std::string& name = "run.json") {
  return std::make_shared<const broch::value::Source>(
      broch::value::Source{name, "/runs/one", text});
}

}  // namespace support
