// new_folder.hpp: a folder that is there completely or not at all.
#pragma once
#include <filesystem>
#include <string>

namespace broch::scaffold {

// Writes into a temporary folder beside the wanted one and renames it when it is complete.
class NewFolder {
 public:
  // Throws base::Error (usage) if something is there already.
  explicit NewFolder(const std::filesystem::path& wanted);
  ~NewFolder();  // removes the folder unless it was committed
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;

  void write(const std::filesystem::path& path, const std::string& text) const;
  void commit();

 private:
  std::filesystem::path wanted_, part_;
};

}  // namespace broch::scaffold
