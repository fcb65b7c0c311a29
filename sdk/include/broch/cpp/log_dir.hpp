// log_dir.hpp: the log folder of the run.
#pragma once
#include <optional>
#include <string>

#include "host.hpp"

namespace broch {
inline namespace v0 {

// The log folder of this run; see ext/log_dir.h.
class LogDir {
 public:
  explicit LogDir(const Host& host)
      : host_(host), table_(host.require<broch_host_log_dir>(BROCH_EXT_LOG_DIR)) {}

  // No value: this process has no log folder, because it is not the chief.
  std::optional<std::string> path() const {
    const char* path = "";
    if (host_.check(table_->path(host_.c(), &path)) == BROCH_NONE) return std::nullopt;
    return path;
  }
  // Writes a file in the log folder, completely or not at all. name must not contain '/'.
  void write_file(const std::string& name, const std::string& text) const {
    host_.check(table_->write_file(host_.c(), name.c_str(), text.data(), text.size()));
  }
  // The content of a file in the log folder. No value: there is no such file.
  std::optional<std::string> read_file(const std::string& name) const {
    WrittenText content(host_);
    const broch_status status = table_->read_file(host_.c(), name.c_str(), content.c());
    if (status == BROCH_E_NOT_FOUND) return std::nullopt;
    host_.check(status);
    return content.text();
  }

 private:
  Host host_;
  const broch_host_log_dir* table_;
};

}  // namespace v0
}  // namespace broch
