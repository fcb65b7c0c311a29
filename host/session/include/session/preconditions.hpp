// preconditions.hpp: requirements of a run that can be checked before code of a plugin runs. Each
// function throws base::Error with the position in the manifest.
#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "abi/context.hpp"
#include "manifest/manifest.hpp"
#include "plugins/catalog.hpp"
#include "runtime/backend.hpp"

namespace broch::session {

// Registers all extensions of the host, except the one that depends on the build of LibTorch.
void extend_with_all(abi::Context& context);

// The components' plugin files have the interface version of this host, and it has the extensions
// that they need.
void require_usable(const std::vector<const manifest::Component*>& components,
                    const plugins::Catalog& catalog);
// The same for the extensions of one component. has: whether the host has an extension.
void require_extensions(const plugins::Component& component, const std::string& where,
                        const std::function<bool(const std::string& id)>& has);

// References lead to instances in this list, and not in a circle. The list is in order of creation.
void require_references(const std::vector<const manifest::Component*>& components);

// The host's own update rules and gradient processors accept their options, beyond the schemas.
void require_updates(const manifest::Manifest& manifest);

// predict_devices contains names of devices.
void require_devices(const manifest::Manifest& manifest);

// The names in runtime.disabled_passes. They must be passes of the backend, unless it is the null
// backend.
std::set<std::string, std::less<>> require_passes(const manifest::Manifest& manifest,
                                                  const runtime::Backend& backend);

// A run that resumes by itself needs the same folder at each start, so log_dir_action is not "new".
void require_steady_folder(const manifest::Manifest& manifest);
// The checkpoint that was saved last in the log folder, or in another folder that its run.json
// lists. Nothing if there is none. Throws base::Error (checkpoint) if another run has saved in its
// folder last.
std::optional<std::filesystem::path> newest_checkpoint(const manifest::Manifest& manifest);
// The checkpoint file to which a path leads; "": the newest one. Throws base::Error (checkpoint).
std::filesystem::path checkpoint_to_resume(const manifest::Manifest& manifest,
                                           const std::string& path);
// Nothing could read the records of a run, which are JSON, if they contained other paths.
void require_utf8(const manifest::Manifest& manifest);
// All paths are UTF-8, and a start could use the log folder, or the checkpoint to resume, as they
// are now. Changes nothing.
void require_start(const manifest::Manifest& manifest);

}  // namespace broch::session
