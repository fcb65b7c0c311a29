// preconditions.cpp: checks that `broch check` and a run share.
#include "session/preconditions.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "abi/extensions.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "broch/ext/torch_cxx.h"
#include "log_folder/log_dir.hpp"
#include "log_folder/run_record.hpp"
#include "optimizer/preconditions.hpp"
#include "replay/extensions.hpp"
#include "runtime/device_name.hpp"
#include "runtime/extensions.hpp"
#include "session/checkpoints.hpp"
#include "session/ui.hpp"
#include "tower/extensions.hpp"
#include "train/trainer.hpp"
#include "value/fault.hpp"

namespace broch::session {
namespace {

using manifest::Component;

// Runs a check. If it throws, adds the position of the component in the manifest to the error.
template <class Check>
void at_entry(const Component& component, Check check) {
  try {
    check();
  } catch (const base::Error& error) {
    throw value::in_manifest(error, component.entry.origin(), component.pointer);
  }
}

void require_usable(const Component& component, const plugins::Catalog& catalog,
                    const abi::Context& context) {
  if (component.is_reference()) return;
  if (!optimizer::is_built_in(component.use))
    at_entry(component, [&] {
      require_extensions(catalog.find(component.use).component, component.use,
                         [&](const std::string& id) {  // only a run knows its LibTorch
                           return context.extension(id) || id.starts_with(BROCH_EXT_TORCH_CXX);
                         });
    });
  for (const Component& child : component.children) require_usable(child, catalog, context);
}

// The folders besides its log folder in which the run there has saved checkpoints.
std::vector<std::string> checkpoint_folders(const manifest::Manifest& manifest) {
  const auto record = log_folder::read_record(manifest.log_dir);
  return record ? record->checkpoint_folders : std::vector<std::string>{};
}

// The newest checkpoint of the folder if a run can be resumed from it. One that cannot be read
// counts: the run that saved it should not begin anew without a word.
std::optional<std::filesystem::path> newest_of_run(const std::string& folder) {
  std::optional<std::filesystem::path> newest;
  try {
    newest = store::latest_checkpoint(folder);
    if (newest && !store::read_counters(*newest).contains("resume_epoch")) newest.reset();
  } catch (const base::Error&) {
    if (!newest) newest = folder;
  }
  return newest;
}

}  // namespace

void extend_with_all(abi::Context& context) {
  abi::register_extensions(context);
  runtime::register_extensions(context);
  tower::register_extensions(context);
  replay::register_extensions(context);
  train::register_extensions(context);
  log_folder::extend_with_log_dir(context);
  extend_with_checkpoints(context);
  extend_with_ui(context);
}

void require_usable(const std::vector<const Component*>& components,
                    const plugins::Catalog& catalog) {
  abi::Context context;
  extend_with_all(context);
  for (const Component* component : components) require_usable(*component, catalog, context);
}

void require_extensions(const plugins::Component& component, const std::string& where,
                        const std::function<bool(const std::string& id)>& has) {
  for (const std::string& id : component.requires_ext)
    if (!has(id))
      throw base::Error(base::Exit::plugin,
                        {where, "needs extension " + id + ", which this host does not have", "",
                         "use a newer host, or an older version of the plugin"});
}

void require_updates(const manifest::Manifest& manifest) {
  const auto entry_of = [](const Component& component) {
    return optimizer::Entry{component.entry, component.pointer};
  };
  try {
    if (manifest.optimizer) optimizer::check_optimizer(entry_of(*manifest.optimizer));
    for (const Component& processor : manifest.gradient_processors)
      optimizer::check_processor(entry_of(processor));
  } catch (const base::Error& error) {
    throw base::Error(base::Exit::manifest, error.what());
  }
}

void require_devices(const manifest::Manifest& manifest) {
  try {
    for (const std::string& device : manifest.predict_devices) runtime::require_device_name(device);
  } catch (const base::Error& error) {
    throw value::in_manifest(error, manifest.value.find("predict_devices")->origin(),
                             "/predict_devices");
  }
}

std::set<std::string, std::less<>> require_passes(const manifest::Manifest& manifest,
                                                  const runtime::Backend& backend) {
  const std::vector<std::string> known = backend.passes();
  std::set<std::string, std::less<>> names;
  for (const std::string& name : manifest.runtime.disabled_passes) {
    if (!backend.is_null() && std::ranges::find(known, name) == known.end())
      throw value::fault_at(value::find_at(manifest.value, "/runtime/disabled_passes")->origin(),
                            "/runtime/disabled_passes",
                            {base::quoted(name), "names of passes: " + base::join(known, ", "),
                             value::nearest_hint(name, known, "remove it")});
    names.insert(name);
  }
  return names;
}

void require_steady_folder(const manifest::Manifest& manifest) {
  if (manifest.log_dir_action != "new") return;
  throw value::fault_at(
      manifest.value.find("log_dir_action")->origin(), "/log_dir_action",
      {"\"new\" together with resume \"auto\"", "a folder that is the same at each start",
       "set it to \"backup\", or start without resume \"auto\""});
}

bool resumes_by_itself(const manifest::Manifest& manifest) {
  if (has_checkpoint(manifest.log_dir)) return true;
  for (const std::string& other : checkpoint_folders(manifest))
    if (newest_of_run(other))
      base::fail(base::Exit::checkpoint, "resume: auto",
                 "no checkpoint in " + manifest.log_dir + ", but its run has saved in " + other,
                 "one in the log folder, the only place that is looked at",
                 "go on with --resume=" + other + ", or start anew without resume");
  return false;
}

void warn_of_newer_checkpoints(const manifest::Manifest& manifest, const std::string& resumed) {
  for (const std::string& other : checkpoint_folders(manifest))
    if (const auto newest = newest_of_run(other); newest && step_of(*newest) > step_of(resumed))
      base::warning("the run continues from " + resumed + ", although " + newest->string() +
                    " is of a later step: --resume=" + other + " would continue there");
}

void require_start(const manifest::Manifest& manifest) {
  const manifest::Resume& resume = manifest.resume;
  const bool is_auto = resume.path == "auto";
  if (is_auto) require_steady_folder(manifest);
  const bool goes_on = resume.wanted && (!is_auto || resumes_by_itself(manifest));
  const char* const key = goes_on ? "resume" : "log_dir";
  try {
    if (goes_on)
      find_checkpoint(is_auto || resume.path.empty() ? manifest.log_dir : resume.path);
    else
      log_folder::check_log_dir(manifest.log_dir, manifest.log_dir_action);
  } catch (const base::Error& error) {
    throw value::in_manifest(error, manifest.value.find(key)->origin(), std::string("/") + key);
  }
}

}  // namespace broch::session
