// picture_file.hpp: a file that gets a picture.
#pragma once
#include <filesystem>

#include "plot/parallel.hpp"
#include "plot/picture.hpp"

namespace broch::runs {

// Throws base::Error (data) if something else than a picture has this name.
void require_replaceable_picture(const std::filesystem::path& path);

// An existing picture may be replaced, but no other file and no device.
class PictureFile {
 public:
  // Throws base::Error: usage if the name has no ending of a picture, data if the file is something
  // else.
  explicit PictureFile(std::filesystem::path path);
  const std::filesystem::path& path() const { return path_; }
  // To be called before work that would be lost if the file could not be written. Throws
  // base::Error (data) if its folder is missing or cannot be written to.
  void require_folder() const;
  // Throws base::Error.
  void write(const plot::Picture& picture) const;
  void write(const plot::ParallelPicture& picture) const;

 private:
  std::filesystem::path path_;
  plot::Format format_{};
};

}  // namespace broch::runs
