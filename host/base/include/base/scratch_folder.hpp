// scratch_folder.hpp: a temporary folder that is removed, with its content, at the end.
#pragma once
#include <filesystem>
#include <string>

namespace broch::base {

class ScratchFolder {
 public:
  // Creates it in the system's folder for temporary files. Its name begins with `name`. Throws
  // Error (data).
  explicit ScratchFolder(const std::string& name);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace broch::base
