// installed.hpp: every component that a manifest can name.
#pragma once
#include <vector>

#include "plugins/catalog.hpp"

namespace broch::session {

struct Installed {
  plugins::Component component;
  const plugins::PluginFile* file;  // nullptr: the component is part of the host
};

// Those of the catalog, which has to outlive them, and those of the host, sorted by id.
std::vector<Installed> installed(const plugins::Catalog& catalog);

}  // namespace broch::session
