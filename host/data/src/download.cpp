// download.cpp: a child process fetches; the checksum decides.
#include "data/download.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "spawn.hpp"

namespace broch::data {
namespace {

namespace fs = std::filesystem;
using base::Exit;

uint64_t size_of(const fs::path& file) {
  std::error_code error;
  const uint64_t bytes = fs::file_size(file, error);
  return error ? 0 : bytes;
}

// Two processes must not write the same file. The programs that fetch and unpack inherit the lock,
// since they go on if this process is killed.
class Lock {
 public:
  explicit Lock(const fs::path& folder) : fd_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY)) {
    if (fd_ < 0)
      base::fail(Exit::data, folder.string(), std::strerror(errno), "a folder that can be opened");
    if (::flock(fd_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
    ::close(fd_);
    base::fail(Exit::data, folder.string(), "another process downloads into this folder",
               "one process for each folder", "wait for it");
  }
  ~Lock() { ::close(fd_); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  int fd_;
};

std::string sha256_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::vector<char> block(1 << 20);
  base::Sha256 checksum;
  while (stream.read(block.data(), std::streamsize(block.size())), stream.gcount() > 0)
    checksum.add(block.data(), size_t(stream.gcount()));
  if (stream.bad() || !stream.eof())
    base::fail(Exit::data, file.string(), "it cannot be read to the end", "a readable file");
  return checksum.finish();
}

void require_space(const fs::path& folder, const std::vector<DatasetFile>& files) {
  uint64_t needed = 0;
  for (const DatasetFile& file : files)
    if (!is_in(folder, file)) needed += file.unpack ? 2 * file.bytes : file.bytes;
  std::error_code error;
  const fs::space_info space = fs::space(folder, error);
  if (!error && space.available < needed)
    base::fail(Exit::data, folder.string(), size_text(space.available) + " of free space",
               "at least " + size_text(needed), "free space, or choose another --folder");
}

class Download {
 public:
  Download(const Dataset& dataset, fs::path folder, session::Ui& ui)
      : dataset_(dataset), folder_(std::move(folder)), ui_(ui) {}

  // Returns whether the file had to be fetched.
  bool get(const DatasetFile& file) {
    if (is_in(folder_, file)) {
      verify(folder_ / file.name, file);
      if (file.unpack) unpack(file);
      return false;
    }
    const fs::path partial = folder_ / (file.name + ".partial");
    if (file.bytes == 0 || size_of(partial) != file.bytes) fetch(file, partial);
    verify(partial, file);
    fs::rename(partial, folder_ / file.name);
    if (file.unpack) unpack(file);
    return true;
  }

 private:
  // What was fetched before is continued, unless the server cannot do that.
  void fetch(const DatasetFile& file, const fs::path& partial) {
    const uint64_t before = size_of(partial);
    if (before > 0) base::info(file.name + ": continues after " + size_text(before));
    int code = start(file, partial);
    if (code != 0 && before > 0 && size_of(partial) <= before) {
      fs::remove(partial);
      code = start(file, partial);
    }
    if (code == 0 && fs::exists(partial)) return;
    base::fail(Exit::data, file.url, program_ + " ended with exit code " + std::to_string(code),
               "the file " + file.name,
               "try again, which continues it; without a network, put the file into " +
                   folder_.string() + (dataset_.hint.empty() ? "" : "; " + dataset_.hint));
  }

  int start(const DatasetFile& file, const fs::path& partial) {
    const std::vector<std::vector<std::string>> programs = {
        {"curl", "--fail", "--location", "--silent", "--show-error", "--retry", "3",
         "--connect-timeout", "30", "--continue-at", "-", "--output", partial.string(), "--",
         file.url},
        {"wget", "--no-verbose", "--tries=3", "--timeout=30", "--continue",
         "--output-document=" + partial.string(), "--", file.url}};
    for (const std::vector<std::string>& words : programs) {
      ui_.begin(this, file.name + " (kB)", int64_t(file.bytes / 1000));
      const std::optional<int> code =
          run_program(words, [&] { ui_.advance(this, int64_t(size_of(partial) / 1000)); });
      ui_.end(this);
      program_ = words[0];
      if (code) return *code;
    }
    base::fail(Exit::data, "broch data download", "no program curl and no wget", "one of them",
               "install curl, or fetch " + file.url + " in another way and put it into " +
                   folder_.string());
  }

  void verify(const fs::path& path, const DatasetFile& file) {
    const std::string found = sha256_of(path);
    if (std::ranges::count(file.sha256, found) > 0) return;
    const bool is_partial = path.extension() == ".partial";
    if (is_partial) fs::remove(path);
    base::fail(Exit::data, path.string(), "the SHA-256 checksum " + found,
               base::join(file.sha256, " or "),
               is_partial ? "what was fetched is removed: try again; if it happens again, " +
                                file.url + " has another file now"
                          : "move the file away and try again");
  }

  // The content was verified by its checksum.
  void unpack(const DatasetFile& file) {
    const std::optional<int> code =
        run_program({"tar", "-x", "--no-same-owner", "-f", (folder_ / file.name).string(), "-C",
                     folder_.string()},
                    [] {});
    if (code != 0)
      base::fail(Exit::data, (folder_ / file.name).string(),
                 code ? "tar ended with exit code " + std::to_string(*code) : "no program tar",
                 "the files of the archive", "unpack it in " + folder_.string());
  }

  const Dataset& dataset_;
  fs::path folder_;
  session::Ui& ui_;
  std::string program_;
};

}  // namespace

std::string size_text(uint64_t bytes) {
  if (bytes == 0) return "of unknown size";
  if (bytes < 1'000'000) return base::general(double(bytes) / 1e3, 3) + " kB";
  return base::general(double(bytes) / 1e6, bytes < 1'000'000'000 ? 3 : 4) + " MB";
}

std::vector<std::string> download(const Dataset& dataset, const fs::path& folder, session::Ui& ui) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    base::fail(Exit::data, folder.string(), error.message(), "a folder that can be made",
               "choose another one with --folder");
  const Lock lock(folder);
  require_space(folder, dataset.files);
  Download one(dataset, folder, ui);
  std::vector<std::string> fetched;
  for (const DatasetFile& file : dataset.files) {
    if (!is_in(folder, file)) base::info(file.url + ", " + size_text(file.bytes));
    if (one.get(file)) fetched.push_back(file.name);
  }
  return fetched;
}

}  // namespace broch::data
