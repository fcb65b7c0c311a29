// new_files.cpp: a hidden folder, a lock on it, fsync and rename.
#include "data/new_files.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.hpp"
#include "base/new_file.hpp"

namespace broch::data {
namespace {

namespace fs = std::filesystem;
using base::Exit;

constexpr size_t kDigits = 6;  // at least, in the number of a shard

[[noreturn]] void fail(const fs::path& path, const std::string& action, int error) {
  base::fail(Exit::data, path.string(), action + ": " + std::strerror(error), "",
             error == ENOSPC ? "free space on this file system, or choose another one"
                             : "check the path and its permissions");
}

// Whether the name is that of a shard of the target: "a-000012.tar" for "a.tar".
bool is_shard(const fs::path& name, const fs::path& target) {
  const std::string text = name.stem().string(), begin = target.stem().string() + "-";
  return name.extension() == target.extension() && text.starts_with(begin) &&
         text.size() >= begin.size() + kDigits &&
         text.find_first_not_of("0123456789", begin.size()) == std::string::npos;
}

// Shards that an earlier conversion left beside those that were made now. Whoever reads all shards
// would get its points as well.
std::vector<fs::path> old_shards(const fs::path& target, const std::vector<fs::path>& made) {
  std::vector<fs::path> old;
  if (std::ranges::none_of(made, [&](auto& one) { return is_shard(one.filename(), target); }))
    return old;
  for (const fs::directory_entry& entry : fs::directory_iterator(target.parent_path())) {
    const fs::path name = entry.path().filename();
    const bool is_new =
        std::ranges::any_of(made, [&](auto& one) { return one.filename() == name; });
    if (is_shard(name, target) && !is_new && !fs::is_directory(entry.symlink_status()))
      old.push_back(entry.path());
  }
  std::ranges::sort(old);
  return old;
}

void make_durable(const fs::path& path, bool is_folder) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | (is_folder ? O_DIRECTORY : 0));
  if (fd < 0) fail(path, "cannot be opened", errno);
  const int error = ::fsync(fd) == 0 ? 0 : errno;
  ::close(fd);
  if (is_folder && error == EINVAL) return;  // the file system has no fsync for folders
  if (error) fail(path, "cannot be made durable", error);
}

}  // namespace

NewFiles::NewFiles(const fs::path& target, bool replace)
    : target_(fs::absolute(target)), replace_(replace), lock_(-1) {
  if (!replace) base::require_new(target);
  if (fs::is_directory(fs::symlink_status(target_)))
    base::fail(Exit::data, target.string(), "a folder", "a file or a new name",
               "choose another name, or remove the folder yourself");
  folder_ = target_.parent_path() / (".broch-partial-" + target_.filename().string());
  if (::mkdir(folder_.c_str(), 0777) != 0 && errno != EEXIST)
    fail(target, "cannot be written", errno);
  lock_ = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (lock_ < 0) fail(folder_, "cannot be opened", errno);
  if (::flock(lock_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    ::close(lock_);
    base::fail(Exit::data, target.string(), "another process is writing it",
               "one process for each file", "wait for it, or choose another name");
  }
  for (const fs::directory_entry& leftover : fs::directory_iterator(folder_))
    fs::remove_all(leftover.path());
}

NewFiles::~NewFiles() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
  ::close(lock_);
}

std::vector<fs::path> NewFiles::move_into_place() {
  std::vector<fs::path> made, moved;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_))
    made.push_back(entry.path());
  if (made.empty()) base::fail(Exit::data, target_.string(), "no file was written", "one", "");
  std::ranges::sort(made);
  for (const fs::path& one : made) {
    moved.push_back(target_.parent_path() / one.filename());
    if (!replace_) base::require_new(moved.back());
    for (const fs::directory_entry& inner : fs::is_directory(one)
                                                ? fs::recursive_directory_iterator(one)
                                                : fs::recursive_directory_iterator())
      make_durable(inner.path(), inner.is_directory());
    make_durable(one, fs::is_directory(one));
  }
  const std::vector<fs::path> old = old_shards(target_, made);
  if (!replace_)
    for (const fs::path& one : old) base::require_new(one);
  for (const fs::path& one : old) {
    std::error_code error;
    fs::remove(one, error);
    if (error) fail(one, "cannot be removed", error.value());
  }
  for (size_t i = 0; i < made.size(); ++i) {
    std::error_code error;
    fs::rename(made[i], moved[i], error);
    if (error) fail(moved[i], "cannot be replaced", error.value());
  }
  make_durable(target_.parent_path(), true);
  return moved;
}

}  // namespace broch::data
