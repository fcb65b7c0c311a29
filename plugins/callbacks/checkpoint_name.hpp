// checkpoint_name.hpp: keeps copies and links from having the names of the checkpoints of a run.
#pragma once
#include <broch/broch.hpp>
#include <string>

namespace broch::callbacks {

// Whether it is model-STEP.
inline bool is_checkpoint_name(const std::string& name) {
  return name.size() > 6 && name.starts_with("model-") &&
         name.find_first_not_of("0123456789", 6) == std::string::npos;
}

// Throws Error if a file of this name would be model-STEP. option: the pointer of the option;
// found: its value.
inline void refuse_checkpoint_name(const std::string& option, const std::string& found,
                                   const std::string& name) {
  if (is_checkpoint_name(name))
    throw Error(BROCH_E_INVALID_ARGUMENT,
                option + ": found '" + found +
                    "', expected another name than those of the checkpoints, model-STEP, which it "
                    "would replace");
}

}  // namespace broch::callbacks
