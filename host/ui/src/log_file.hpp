// log_file.hpp: a file in the log folder of a run. Links are not followed, so that nothing outside
// the folder is read.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "value/value.hpp"

namespace broch::ui {

class LogFile {
 public:
  explicit LogFile(const std::filesystem::path& path);
  ~LogFile();
  LogFile(const LogFile&) = delete;
  LogFile& operator=(const LogFile&) = delete;

  // False: there is no such regular file, or it cannot be read.
  bool is_open() const { return fd_ >= 0; }
  uint64_t size() const { return size_; }
  // Changes whenever the file does.
  std::string version() const { return version_; }
  // Fewer bytes if the file ends before.
  std::string read(uint64_t at, uint64_t bytes) const;
  // The last bytes before this one, by which a file is recognized that was read up to there.
  std::string tail(uint64_t before) const;

 private:
  int fd_;
  uint64_t size_ = 0;
  std::string version_;
};

// The JSON in a file of at most 16 MiB; null if it cannot be read or is no JSON.
value::Value read_value(const std::filesystem::path& path);

}  // namespace broch::ui
