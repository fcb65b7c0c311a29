// written.hpp: where the manifest describes an instance, for messages.
#pragma once
#include <string>

namespace broch::abi {

class Instance;

// A place such as "run.json:12:5: /dataflow/with/file", and that line's text with a caret below, or
// "". Both are "" if the program made the entry itself.
struct WrittenAt {
  std::string place, excerpt;
};

// Provided in the context if instances are made from a manifest.
class Written {
 public:
  virtual ~Written() = default;
  // `pointer` is that of an option; "" is the entry itself. Also works while the instance is
  // created.
  virtual WrittenAt written_at(const Instance& instance, const std::string& pointer) const = 0;
};

}  // namespace broch::abi
