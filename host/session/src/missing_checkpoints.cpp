// missing_checkpoints.cpp: checkpoints that were wanted and could not be written.
#include "base/error.hpp"
#include "base/log.hpp"
#include "session/checkpoints.hpp"
#include "store/atomic_file.hpp"

namespace broch::session {

namespace fs = std::filesystem;

namespace {

// What is no matter of files ends the run.
void require_data(const base::Error& error) {
  if (error.exit() != base::Exit::data) throw;
}

}  // namespace

fs::path Checkpoints::save_for(const abi::Instance& instance, const std::string& folder) {
  const std::string target = folder_or_default(folder.c_str());
  try {
    return save(folder);
  } catch (const base::Error& error) {
    require_data(error);
    unsaved_[target] = error.what();
    base::error(instance.name() +
                ": no checkpoint this time, training goes on: " + std::string(error.what()));
    throw;
  }
}

void Checkpoints::copy_for(const abi::Instance& instance, const fs::path& source,
                           const std::string& name) {
  const fs::path folder = source.parent_path();
  const fs::path target =
      store::checkpoint_file(scratch_ ? fs::path(rehearsed(folder)) : folder, name);
  try {
    store::copy_atomically(source, target);
    uncopied_.erase(target);
  } catch (const base::Error& error) {
    require_data(error);
    uncopied_[target] = {source, name, error.what()};
    base::error(instance.name() + ": " + source.filename().string() + " is not kept as " + name +
                " this time, training goes on: " + std::string(error.what()));
    throw;
  }
}

std::string Checkpoints::missing_in(const std::string& folder) {
  const auto found = unsaved_.find(folder_or_default(folder.c_str()));
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
      store::copy_atomically(copy.source, target);
      base::info(copy.source.string() + " is kept as " + copy.name);
      uncopied_.erase(target);
    } catch (const base::Error& error) {
      require_data(error);
      uncopied_[target].why = error.what();
    }
}

bool Checkpoints::complete() const {
  for (const auto& [folder, why] : unsaved_)
    base::error("the last checkpoint is not in " + folder + ": " + why);
  for (const auto& [target, copy] : uncopied_)
    base::error(target.string() + " is not what it should be: " + copy.why);
  return unsaved_.empty() && uncopied_.empty();
}

}  // namespace broch::session
