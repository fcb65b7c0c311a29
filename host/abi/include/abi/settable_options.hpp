// settable_options.hpp: the options of instances that other components may read and set by name.
#pragma once
#include <string>
#include <vector>

#include "abi/instance.hpp"

namespace broch::abi {

// A run provides one in its context. Names are INSTANCE/OPTION, such as saver/max_to_keep. [main]
class SettableOptions {
 public:
  virtual ~SettableOptions() = default;
  // The instance whose option has this name; nullptr if there is no such option that may change.
  virtual Instance* owner(const std::string& name) const = 0;
  virtual std::vector<std::string> option_names() const = 0;
  // REQUIRES: it has an owner. Throw CallError if the option is no number, or if its schema or its
  // instance refuses the value.
  virtual double get_number(const std::string& name) const = 0;
  virtual void set_number(const std::string& name, double value) = 0;
};

}  // namespace broch::abi
