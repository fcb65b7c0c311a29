// new_folder.cpp: a temporary folder that gets the wanted name.
#include "new_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <system_error>

#include "base/error.hpp"

namespace broch::scaffold {
namespace {

namespace fs = std::filesystem;
using base::Exit;

[[noreturn]] void cannot_write(const fs::path& path, const std::error_code& error) {
  base::fail(Exit::data, path.string(), error.message(), "a new folder that can be written",
             "name another one with --dir");
}

}  // namespace

NewFolder::NewFolder(const fs::path& wanted) : wanted_(wanted) {
  std::error_code error, ignored;
  // The working directory cannot be replaced under the shell that is in it.
  const bool is_here = fs::equivalent(wanted_, ".", ignored);
  if (is_here || (fs::exists(fs::symlink_status(wanted_)) && !fs::is_empty(wanted_, ignored)))
    base::fail(Exit::usage, wanted_.string(), "something that is there", "a new folder",
               "nothing is overwritten: name another one with --dir");
  if (wanted_.has_parent_path()) fs::create_directories(wanted_.parent_path(), error);
  if (error) cannot_write(wanted_.parent_path(), error);
  std::string name = (wanted_.parent_path() / (".broch-new-XXXXXX")).string();
  if (!mkdtemp(name.data())) cannot_write(wanted_, {errno, std::generic_category()});
  part_ = name;
  fs::permissions(part_, fs::perms(0755), error);
}

NewFolder::~NewFolder() {
  std::error_code ignored;
  if (!part_.empty()) fs::remove_all(part_, ignored);
}

void NewFolder::write(const fs::path& path, const std::string& text) const {
  std::error_code error;
  fs::create_directories((part_ / path).parent_path(), error);
  std::ofstream file(part_ / path, std::ios::binary);
  file << text;
  if (!file.flush()) cannot_write(wanted_ / path, {errno, std::generic_category()});
}

void NewFolder::commit() {
  std::error_code error;
  fs::rename(part_, wanted_, error);
  if (error) cannot_write(wanted_, error);
  part_.clear();
}

}  // namespace broch::scaffold
