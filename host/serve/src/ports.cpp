// ports.cpp: a name that is not there is answered with those that are.
#include "ports.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "refusal.hpp"

namespace broch::serve {

std::string names_of(const std::vector<Port>& ports) {
  std::vector<std::string> names;
  for (const Port& port : ports) names.push_back(port.name);
  return base::join(names, ", ");
}

size_t place_of(const std::vector<Port>& ports, const std::string& name, const std::string& where) {
  const auto it = std::ranges::find(ports, name, &Port::name);
  if (it == ports.end())
    refuse(kBadRequest, where, "the name " + base::quoted(name), "one of " + names_of(ports));
  return size_t(it - ports.begin());
}

}  // namespace broch::serve
