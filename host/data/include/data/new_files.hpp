// new_files.hpp: files that get their final name only when they are complete.
#pragma once
#include <filesystem>
#include <vector>

namespace broch::data {

// A folder beside the target in which its file, or files, are made. It has a fixed name, so that
// what a killed process left is removed by the next one.
class NewFiles {
 public:
  // Throws base::Error (data) if the target exists and may not be replaced, or if another process
  // is making it.
  NewFiles(const std::filesystem::path& target, bool replace);
  // Removes the folder with what is in it.
  ~NewFiles();
  NewFiles(const NewFiles&) = delete;
  NewFiles& operator=(const NewFiles&) = delete;

  // Where the file is to be made.
  std::filesystem::path path() const { return folder_ / target_.filename(); }
  // Makes everything in the folder durable and moves it to the folder of the target. Returns where
  // it is now. Throws base::Error (data) if there is nothing, or something is in the way.
  std::vector<std::filesystem::path> move_into_place();

 private:
  std::filesystem::path target_, folder_;
  bool replace_;
  int lock_;  // descriptor of folder_
};

}  // namespace broch::data
