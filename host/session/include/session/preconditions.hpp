// preconditions.hpp: what a run needs and what can be known before a plugin's code runs. Each
// throws base::Error naming the place in the manifest.
#pragma once
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "abi/context.hpp"
#include "manifest/manifest.hpp"
#include "plugins/catalog.hpp"
#include "runtime/backend.hpp"

namespace broch::session {

// Every extension that the host has beside that of one build of LibTorch.
void extend_with_all(abi::Context& context);

// The files that components come from are of this host's interface, and it has the extensions that
// they ask for.
void require_usable(const std::vector<const manifest::Component*>& components,
                    const plugins::Catalog& catalog);
// For one component, by what the host has.
void require_extensions(const plugins::Component& component, const std::string& place,
                        const std::function<bool(const std::string& id)>& has);

// References lead to instances of this list, and none to itself. They are made in this order.
void require_references(const std::vector<const manifest::Component*>& components);

// What the host's own update rules and gradient processors refuse beyond their schemas.
void require_updates(const manifest::Manifest& manifest);

// predict_devices are names of devices.
void require_devices(const manifest::Manifest& manifest);

// Names of runtime.disabled_passes; those of the backend, unless that is the null one.
std::set<std::string, std::less<>> require_passes(const manifest::Manifest& manifest,
                                                  const runtime::Backend& backend);

// A run that goes on by itself needs a folder that is the same at each start.
void require_steady_folder(const manifest::Manifest& manifest);
// The log folder, or the run to go on with, as a start would find it now. Changes nothing.
void require_start(const manifest::Manifest& manifest);

}  // namespace broch::session
