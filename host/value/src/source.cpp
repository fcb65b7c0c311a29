// source.cpp: reads the text of a file, but never more than the limit.
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "value/fault.hpp"
#include "value/json.hpp"

namespace broch::value {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& path, const Remark& remark) {
  throw base::Error(base::Exit::data,
                    base::Diagnostic{path, remark.found, remark.expected, remark.hint});
}

// Names of the files in the folder of a path that does not exist, for a hint.
std::vector<std::string> neighbors(const fs::path& path) {
  constexpr size_t kMost = 1000;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; entry != end && names.size() < kMost;
       entry.increment(error)) {
    // A link that leads nowhere has the name itself.
    if (entry->path().filename() != path.filename())
      names.push_back(entry->path().filename().string());
  }
  return names;
}

void require_readable(const std::string& path, const Limits& limits) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) {
    if (errno != ENOENT && errno != ENOTDIR)
      refuse(path, {std::strerror(errno), "a JSON file", "check the path and its permissions"});
    const std::string name = fs::path(path).filename().string();
    refuse(path, {"no such file", "a JSON file",
                  nearest_hint(name, neighbors(path), "give the path of a file that exists")});
  }
  if (!S_ISREG(info.st_mode)) {
    refuse(path, {S_ISDIR(info.st_mode) ? "a folder" : "no regular file", "a JSON file",
                  "name the file itself"});
  }
  if (static_cast<uint64_t>(info.st_size) > limits.text_bytes) {
    refuse(path, {std::to_string(info.st_size) + " bytes",
                  "at most " + std::to_string(limits.text_bytes) + " bytes",
                  "keep bulk data in files of its own and name them here"});
  }
}

// Takes memory for what is there, not for the limit.
std::string read_at_most(std::istream& file, size_t most) {
  constexpr size_t kPiece = 64 << 10;
  std::string text;
  while (file && text.size() < most) {
    const size_t begin = text.size();
    text.resize(std::min(most, begin + std::max(begin, kPiece)));
    file.read(text.data() + begin, static_cast<std::streamsize>(text.size() - begin));
    text.resize(begin + static_cast<size_t>(file.gcount()));
  }
  return text;
}

}  // namespace

std::shared_ptr<const Source> read_source(const std::string& path, const Limits& limits) {
  require_readable(path, limits);
  std::ifstream file(path, std::ios::binary);
  std::string text = read_at_most(file, limits.text_bytes + 1);  // the file may have grown
  if (!file.is_open() || file.bad()) {
    refuse(path, {"a file that cannot be read", "a readable file", "check its permissions"});
  }
  std::error_code error;
  const fs::path whole = fs::absolute(path, error).lexically_normal();
  return std::make_shared<const Source>(Source{path, whole.parent_path().string(), text});
}

}  // namespace broch::value
