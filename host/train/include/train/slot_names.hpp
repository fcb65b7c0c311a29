// slot_names.hpp: how a checkpoint calls the callback at whose end a resumed run continues. The one
// that "when" stands for goes by the name of what it triggers, so that "when" may come and go.
#pragma once
#include <string>
#include <vector>

#include "abi/instance.hpp"

namespace broch::train {

struct Listed {
  std::vector<abi::Instance*> callbacks;  // in the lists of the manifest
  std::string when;                       // the id of the component that "when" stands for
};
// name: of one of the callbacks; any other name stays as it is.
std::string saved_name(const Listed& listed, const std::string& name);
// The inverse.
std::string listed_name(const Listed& listed, const std::string& saved);

}  // namespace broch::train
