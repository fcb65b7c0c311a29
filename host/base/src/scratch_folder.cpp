// scratch_folder.cpp: creates the folder with mkdtemp.
#include "base/scratch_folder.hpp"

#include <cstdlib>

#include "base/error.hpp"

namespace broch::base {

namespace fs = std::filesystem;

ScratchFolder::ScratchFolder(const std::string& name) {
  std::string path = (fs::temp_directory_path() / (name + "-XXXXXX")).string();
  if (!mkdtemp(path.data()))
    throw Error(Exit::data, {path, "it cannot be created", "room for a folder",
                             "set TMPDIR to a folder that can be written to"});
  path_ = path;
}

ScratchFolder::~ScratchFolder() {
  std::error_code error;
  fs::remove_all(path_, error);
}

}  // namespace broch::base
