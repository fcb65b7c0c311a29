// scratch_folder.hpp: a folder of its own, which goes with all that is in it.
#pragma once
#include <filesystem>
#include <string>

namespace broch::base {

class ScratchFolder {
 public:
  // In the folder for temporary files; name: what its own begins with. Throws Error (data).
  explicit ScratchFolder(const std::string& name);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace broch::base
