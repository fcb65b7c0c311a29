// picture_file.cpp: looks at what is there before it replaces it.
#include "runs/picture_file.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/error.hpp"
#include "store/atomic_file.hpp"

namespace broch::runs {
namespace {

namespace fs = std::filesystem;

plot::Format format_of(const fs::path& path) {
  if (const auto format = plot::format_of(path.string())) return *format;
  throw base::Error(
      base::Exit::usage,
      {"-o", path.string(), "a name that ends with .png, .svg or .pdf", "add one of them"});
}

}  // namespace

void require_replaceable_picture(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return;
  std::string start(512, '\0');
  const bool is_file = fs::is_regular_file(fs::symlink_status(path, error));
  if (is_file) {
    std::ifstream file(path, std::ios::binary);
    file.read(start.data(), std::streamsize(start.size()));
    start.resize(size_t(file.gcount()));
  }
  if (!is_file || (!plot::is_picture(start) && fs::file_size(path, error) > 0))
    throw base::Error(base::Exit::data, {path.string(), "something that is no picture",
                                         "a picture or a new name", "choose another name"});
}

PictureFile::PictureFile(fs::path path) : path_(std::move(path)) {
  require_replaceable_picture(path_);
  format_ = format_of(path_);
}

void PictureFile::require_folder() const {
  const fs::path folder = path_.has_parent_path() ? path_.parent_path() : fs::path(".");
  if (access((folder / ".").c_str(), W_OK | X_OK) == 0) return;
  const char* const why = std::strerror(errno);
  throw base::Error(base::Exit::data,
                    {path_.string(), folder.string() + ": " + why,
                     "a folder that can be written to", "make the folder, or choose another -o"});
}

void PictureFile::write(const plot::Picture& picture) const {
  store::write_atomically(path_, plot::draw(picture, format_));
}

void PictureFile::write(const plot::ParallelPicture& picture) const {
  store::write_atomically(path_, plot::draw(picture, format_));
}

}  // namespace broch::runs
