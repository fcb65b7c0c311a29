// installed.cpp: components of plugins, and the update rules and gradient processors of the host.
#include "session/installed.hpp"

#include <algorithm>

#include "optimizer/gradient_processor.hpp"

namespace broch::session {
namespace {

plugins::Component component_of(const optimizer::BuiltIn& built_in) {
  plugins::Component component;
  component.id = built_in.id;
  component.role = built_in.role;
  component.summary = built_in.summary;
  component.options = built_in.options;
  component.version = BROCH_VERSION;
  component.roles = {built_in.role};
  return component;
}

}  // namespace

std::vector<Installed> installed(const plugins::Catalog& catalog) {
  std::vector<Installed> all;
  for (const plugins::Found& found : catalog.components())
    all.push_back({found.component, &found.file});
  for (const optimizer::BuiltIn& built_in : optimizer::built_ins())
    all.push_back({component_of(built_in), nullptr});
  std::ranges::sort(all, {},
                    [](const Installed& one) -> const std::string& { return one.component.id; });
  return all;
}

}  // namespace broch::session
