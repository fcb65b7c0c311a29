// candidates.cpp: candidates from the catalog, the manifest and the file system.
#include "completion/candidates.hpp"

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "log_folder/log_dir.hpp"
#include "manifest/override_paths.hpp"
#include "manifest/short_name.hpp"
#include "session/setup.hpp"

namespace broch::completion {
namespace {

namespace fs = std::filesystem;
using Kind = manifest::OverridePath::Kind;

constexpr int kDeepest = 3;           // levels of folders between the word and a run
constexpr size_t kMostLooked = 1000;  // folder entries examined in total

// If a plugin of the manifest is missing, for instance not built yet, uses the other plugins.
std::unique_ptr<plugins::Catalog> open_what_can_be(const Words& files, const Words& plugin_path) {
  try {
    return session::open_catalog(files, plugin_path);
  } catch (const base::Error&) {
    return session::open_catalog({}, plugin_path);
  }
}

void add_candidates(const manifest::OverridePath& one, const std::string& word, Words& candidates) {
  const bool removes = word.starts_with("~"), appends = word.starts_with("+");
  if (removes && one.kind == Kind::entry) candidates.push_back("~" + one.path);
  if (removes || one.kind == Kind::entry || (appends && one.kind != Kind::list)) return;
  const std::string setting = (appends ? "+" : "") + one.path + "=";
  if (!word.starts_with(setting)) return candidates.push_back(setting);
  for (const std::string& value : one.values) candidates.push_back(setting + value);
}

// Whether the folder, or one at most depth levels below it, is the log folder of a run.
bool leads_to_run(const fs::path& folder, int depth, size_t& looked) {
  if (log_folder::is_run(folder)) return true;
  if (depth == 0) return false;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (++looked > kMostLooked) return false;
    if (it->is_symlink(error) || !it->is_directory(error)) continue;
    if (leads_to_run(it->path(), depth - 1, looked)) return true;
  }
  return false;
}

}  // namespace

Words components(const Words& plugin_path) {
  Words names;
  const auto catalog = open_what_can_be({}, plugin_path);
  const session::Kinds kinds(*catalog);
  for (const std::string& id : kinds.ids()) {
    names.push_back(id);
    names.emplace_back(manifest::last_word(id));
  }
  return names;
}

Words overrides(const std::string& manifest, const Words& earlier, const Words& plugin_path,
                const std::string& word) {
  const manifest::Overridable read = manifest::overridable(manifest, earlier);
  const auto catalog = open_what_can_be(read.plugins, plugin_path);
  const session::Kinds kinds(*catalog);
  Words candidates;
  for (const manifest::OverridePath& one : manifest::override_paths(read.value, kinds))
    add_candidates(one, word, candidates);
  return candidates;
}

Words runs(const std::string& word) {
  const std::string before = word.substr(0, word.rfind('/') + 1);  // npos + 1 is 0
  Words candidates;
  std::error_code error;
  size_t looked = 0;
  for (fs::directory_iterator it(before.empty() ? "." : before, error), end; !error && it != end;
       it.increment(error)) {
    const std::string path = before + it->path().filename().string();
    if (!path.starts_with(word) || !it->is_directory(error)) continue;
    if (log_folder::is_run(it->path())) {
      candidates.push_back(path);
    } else if (leads_to_run(it->path(), kDeepest, looked)) {
      candidates.push_back(path + "/");
    }
  }
  return candidates;
}

}  // namespace broch::completion
