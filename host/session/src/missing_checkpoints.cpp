// missing_checkpoints.cpp: remembers checkpoints that could not be written.
#include "base/error.hpp"
#include "base/log.hpp"
#include "session/checkpoints.hpp"
#include "store/checkpoint.hpp"

namespace broch::session {

namespace fs = std::filesystem;

namespace {

// Only failures of files and disks are tolerated; anything else ends the run.
void require_data(const base::Error& error) {
  if (error.exit() != base::Exit::data) throw;
}

}  // namespace

fs::path Checkpoints::save_for(const abi::Instance& instance, const std::string& folder) {
  std::string target = folder;
  try {
    target = folder_or_default(folder.c_str());
    return save(folder);
  } catch (const base::Error& error) {
    require_data(error);
    unsaved_[target] = error.what();
    base::error(instance.name() +
                ": no checkpoint was saved, training continues: " + std::string(error.what()));
    throw;
  }
}

void Checkpoints::copy_for(const abi::Instance& instance, const fs::path& source,
                           const std::string& name) {
  const fs::path target = store::checkpoint_file(source.parent_path(), name);
  try {
    copy(source, name);
    uncopied_.erase(target);
    const abi::Instance*& first = copied_by_.try_emplace(target, &instance).first->second;
    if (!first || first == &instance) return;
    base::warning(first->name() + " and " + instance.name() + " both keep a checkpoint as " +
                  target.string() + " and replace that of each other: give one another filename");
    first = nullptr;
  } catch (const base::Error& error) {
    require_data(error);
    uncopied_[target] = {source, name, error.what()};
    base::error(instance.name() + ": " + source.filename().string() + " is not kept as " + name +
                ", training continues: " + std::string(error.what()));
    throw;
  }
}

std::string Checkpoints::missing_in(const std::string& folder) const {
  const auto found = unsaved_.find(folder);
  return found == unsaved_.end() ? "" : found->second;
}

void Checkpoints::try_again() {
  for (const auto& [folder, why] : std::map(unsaved_)) try {
      base::warning("the last checkpoint in " + folder + " could not be saved: trying once more");
      base::info("saved to " + save(folder).string());
    } catch (const base::Error& error) {
      require_data(error);
      unsaved_[folder] = error.what();
    }
  for (const auto& [target, copy] : std::map(uncopied_)) try {
      this->copy(copy.source, copy.name);
      base::info(copy.source.string() + " is kept as " + copy.name);
      uncopied_.erase(target);
    } catch (const base::Error& error) {
      require_data(error);
      uncopied_[target].why = error.what();
    }
}

bool Checkpoints::tell_missing() const {
  for (const auto& [folder, why] : unsaved_)
    base::error("the last checkpoint is not in " + folder + ": " + why);
  for (const auto& [target, copy] : uncopied_)
    base::error(target.string() + " was not written: " + copy.why);
  return !unsaved_.empty() || !uncopied_.empty();
}

}  // namespace broch::session
