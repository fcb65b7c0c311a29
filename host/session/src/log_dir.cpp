// log_dir.cpp: what to do with a folder that is there, and the extension over it.
#include "session/log_dir.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "abi/serve.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "broch/ext/log_dir.h"
#include "store/atomic_file.hpp"

namespace broch::session {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& place, const std::string& found,
                       const std::string& next = "") {
  throw base::Error(base::Exit::data, base::Complaint{place, found, "", next});
}

bool has_content(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error) && !fs::is_empty(path, error) && !error;
}

// path, or path with "-2", "-3" … behind it: the first that is free.
fs::path free_name(const fs::path& path) {
  fs::path name = path;
  for (int number = 2; fs::exists(name); ++number)
    name = path.string() + "-" + std::to_string(number);
  return name;
}

// "." or a folder above what the run reads is not to be renamed or emptied.
void require_no_own_files(const std::string& path) {
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(path, error);
  const fs::path here = fs::current_path(error);
  const fs::path below = here.lexically_relative(folder);
  if (!below.empty() && *below.begin() != "..")
    fail(path, "the log folder is the working directory, or holds it",
         "choose a folder of its own, such as train_log/name");
}

std::string prepare(const std::string& path, const std::string& action, const base::Clock& clock) {
  if (!has_content(path) || action == "keep") return path;
  if (action == "quit")
    fail(path, "the log folder has content and log_dir_action is quit",
         "choose another log_dir, or log_dir_action=backup, keep, delete or new");
  if (action == "new") return free_name(path);
  require_no_own_files(path);
  if (action == "delete") {
    if (!is_run(path))
      fail(path, "log_dir_action is delete, and the folder holds files of no run (no log.log)",
           "choose another log_dir, or empty the folder yourself");
    for (const fs::directory_entry& entry : fs::directory_iterator(path))
      fs::remove_all(entry.path());
    return path;
  }
  const fs::path backup = free_name(path + "." + base::file_stamp(clock.wall()));
  fs::rename(path, backup);
  base::info("the log folder " + path + " had content: renamed to " + backup.string());
  return path;
}

}  // namespace

bool is_run(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / "log.log", error) || fs::exists(folder / "manifest.json", error);
}

LogDir::LogDir(std::string path, const std::string& action, bool resume,
               const base::Clock& clock) try {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  if (resume && !fs::is_directory(path))
    fail(path, "there is no such folder to resume from", "start without --resume");
  if (action != "new" || resume) {
    fs::create_directories(path);
    lock_ = FolderLock(path);
  }
  path_ = resume ? path : prepare(path, action, clock);
  fs::create_directories(path_);
  // An old folder stays locked until the new one is: a second start is not to come between.
  if (!lock_.holds(path_)) lock_ = FolderLock(path_);
  const fs::path log = fs::path(path_) / "log.log";
  if (!resume && fs::exists(log))
    fs::rename(log, free_name(log.string() + "." + base::file_stamp(clock.wall())));
  store::remove_leftovers(path_);
  base::set_log_file(log.string());
} catch (const fs::filesystem_error& error) {
  fail(path, error.code().message(), "check the folder's owner, rights and free space");
}

LogDir::~LogDir() {
  if (exists()) base::set_log_file("");
}

void LogDir::write(const std::string& name, const std::string& text) const {
  store::write_atomically(fs::path(path_) / name, text);
}

namespace {

LogDir& folder(abi::Instance& instance) {
  LogDir* dir = instance.context().find<LogDir>();
  if (!dir || !dir->exists())
    throw abi::CallError(BROCH_E_FAILED_PRECONDITION, "this process has no log directory");
  return *dir;
}

void check_name(const std::string& name) {
  if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos)
    throw abi::CallError(BROCH_E_INVALID_ARGUMENT,
                         "'" + name + "' is no file name: a name without '/' was expected");
}

broch_status path(const broch_host* host, const char** path) {
  return abi::serve(host, "broch.log_dir/1 path", abi::kAnyRole, [&](abi::Instance& instance) {
    const LogDir* dir = instance.context().find<LogDir>();
    if (!dir || !dir->exists()) return BROCH_NONE;
    *path = dir->path().c_str();
    return BROCH_OK;
  });
}

broch_status write_file(const broch_host* host, const char* name, const void* bytes,
                        uint64_t size) {
  return abi::serve(
      host, "broch.log_dir/1 write_file", abi::Role::main, [&](abi::Instance& instance) {
        check_name(name);
        folder(instance).write(name, std::string(static_cast<const char*>(bytes), size));
        return BROCH_OK;
      });
}

broch_status read_file(const broch_host* host, const char* name, const broch_writer* content) {
  return abi::serve(host, "broch.log_dir/1 read_file", abi::Role::main,
                    [&](abi::Instance& instance) {
                      check_name(name);
                      const std::string file = folder(instance).path() + "/" + name;
                      std::error_code error;
                      if (fs::exists(file, error) && !fs::is_regular_file(file, error))
                        throw abi::CallError(BROCH_E_DATA_LOSS, file + ": it is no regular file");
                      std::ifstream in(file, std::ios::binary);
                      if (!in)
                        throw abi::CallError(BROCH_E_NOT_FOUND, file + ": there is no such file");
                      std::ostringstream text;
                      text << in.rdbuf();
                      const std::string bytes = text.str();
                      return content->write(content->context, bytes.data(), bytes.size());
                    });
}

constexpr broch_log_dir kTable = {sizeof(broch_log_dir), 0, &path, &write_file, &read_file};

}  // namespace

void extend_with_log_dir(abi::Context& context) { context.extend(BROCH_EXT_LOG_DIR, &kTable); }

}  // namespace broch::session
