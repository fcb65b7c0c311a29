// written.hpp: where the manifest says what an instance was made of, for messages.
#pragma once
#include <string>

namespace broch::abi {

class Instance;

// "run.json:12:5: /dataflow/with/file", and a line of its text with a caret below, or "".
struct WrittenAt {
  std::string place, excerpt;
};

// Provided in the context by whoever makes instances from a manifest; none: they stand nowhere.
class Written {
 public:
  virtual ~Written() = default;
  // By the pointer of an option, "" for the entry itself; also while the instance is created.
  virtual WrittenAt written_at(const Instance& instance, const std::string& pointer) const = 0;
};

}  // namespace broch::abi
