// ports.hpp: inputs or outputs of a model, found by their names.
#pragma once
#include <string>
#include <vector>

#include "serve/infer.hpp"

namespace broch::serve {

// For messages: "image, label".
std::string names_of(const std::vector<Port>& ports);
// Of the one with this name. Throws Refusal if there is none. where: who wants it.
size_t place_of(const std::vector<Port>& ports, const std::string& name, const std::string& where);

}  // namespace broch::serve
