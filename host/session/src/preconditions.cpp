// preconditions.cpp: checks that `broch check` and a run share.
#include "session/preconditions.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <sstream>

#include "abi/extensions.hpp"
#include "base/text.hpp"
#include "broch/ext/torch_cxx.h"
#include "log_folder/checkpoint_owner.hpp"
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

// The newest checkpoint of the folder if a run can be resumed from it. One that cannot be read
// counts: the run that saved it should not begin anew without a word.
std::optional<std::filesystem::path> newest_of_run(const std::string& folder) {
  std::optional<std::filesystem::path> newest;
  if (!std::filesystem::is_directory(folder)) return newest;
  try {
    newest = store::latest_checkpoint(folder);
    if (newest && !store::read_counters(*newest).contains("resume_epoch")) newest.reset();
  } catch (const base::Error&) {
    if (!newest) newest = folder;
  }
  return newest;
}

// After another run has saved there, the newest checkpoint is not that of this one.
void require_own_folder(const std::string& folder, const log_folder::RunRecord& record,
                        const std::string& log_dir) {
  const auto owner = log_folder::read_owner(folder);
  if (!owner || owner->run == record.id) return;
  base::fail(
      base::Exit::checkpoint, folder,
      "checkpoints of another run, that of " + owner->log_dir + ", which has saved there last",
      "those of the run in " + log_dir,
      "name the checkpoint, as in --resume=" + folder +
          "/model-40, and give each run a checkpoint_dir of its own");
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

// The time counts, not the step: a run that went back has older checkpoints of later steps.
std::optional<std::filesystem::path> newest_checkpoint(const manifest::Manifest& manifest) {
  std::vector<std::string> folders{manifest.log_dir};
  const auto record = log_folder::record_to_resume(manifest.log_dir);
  if (record)
    folders.insert(folders.end(), record->checkpoint_folders.begin(),
                   record->checkpoint_folders.end());
  std::optional<std::filesystem::path> newest;
  std::string its_folder;
  std::filesystem::file_time_type newest_time;
  for (const std::string& folder : folders) {
    const auto found = newest_of_run(folder);
    if (!found) continue;
    std::error_code unknown;
    const auto time = std::filesystem::last_write_time(*found, unknown);
    if (newest && time <= newest_time) continue;
    newest = found;
    newest_time = time;
    its_folder = folder;
  }
  if (newest && record) require_own_folder(its_folder, *record, manifest.log_dir);
  return newest;
}

std::filesystem::path checkpoint_to_resume(const manifest::Manifest& manifest,
                                           const std::string& path) {
  if (!path.empty()) return find_checkpoint(path);
  const auto newest = newest_checkpoint(manifest);
  return find_checkpoint(newest.value_or(manifest.log_dir));
}

void require_utf8(const manifest::Manifest& manifest) {
  std::istringstream lines(manifest.resolved_text());
  for (std::string line; std::getline(lines, line);)
    if (!base::is_utf8(line))
      base::fail(
          base::Exit::data, manifest.source->name,
          base::quoted(line.substr(line.find_first_not_of(' '))) + ", a path that is no UTF-8",
          "UTF-8, in which the run is recorded", "rename the folder, or train in another one");
}

void require_start(const manifest::Manifest& manifest) {
  require_utf8(manifest);
  const manifest::Resume& resume = manifest.resume;
  const bool is_auto = resume.path == "auto";
  if (is_auto) require_steady_folder(manifest);
  const bool goes_on = resume.wanted && (!is_auto || newest_checkpoint(manifest));
  const char* const key = goes_on ? "resume" : "log_dir";
  try {
    if (goes_on)
      checkpoint_to_resume(manifest, is_auto ? "" : resume.path);
    else
      log_folder::check_log_dir(manifest.log_dir, manifest.log_dir_action);
  } catch (const base::Error& error) {
    throw value::in_manifest(error, manifest.value.find(key)->origin(), std::string("/") + key);
  }
}

}  // namespace broch::session
