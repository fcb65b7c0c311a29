// facts.cpp: sizes and times of files, of those in folders, and of those that match a pattern.
#include "facts.hpp"

#include <glob.h>

#include <algorithm>
#include <set>
#include <vector>

#include "base/checksum.hpp"
#include "strings.hpp"

namespace broch::predict {
namespace {

namespace fs = std::filesystem;
using value::Value;

std::string facts_of_file(const fs::path& file) {
  std::error_code error;
  const uintmax_t size = fs::file_size(file, error);
  const auto changed = fs::last_write_time(file, error).time_since_epoch().count();
  return file.string() + " " + std::to_string(size) + " " + std::to_string(changed);
}

// One line, whatever the number of files.
std::string facts_of_folder(const fs::path& folder) {
  std::error_code error;
  std::vector<std::string> all;
  const auto options = fs::directory_options::follow_directory_symlink;
  for (fs::recursive_directory_iterator at(folder, options, error), end; !error && at != end;
       at.increment(error)) {
    // What this program is writing there is no part of it.
    if (at->path().filename().string().starts_with(".broch-"))
      at.disable_recursion_pending();
    else if (at->is_regular_file(error))
      all.push_back(facts_of_file(at->path()));
  }
  std::ranges::sort(all);
  std::string text;
  for (const std::string& one : all) text += one + "\n";
  return folder.string() + " " + base::xxh128(text.data(), text.size());
}

// What stands between braces matters less than that no file is left out.
std::string without_braces(std::string pattern) {
  for (size_t open = 0; (open = pattern.find('{')) != pattern.npos;) {
    const size_t close = pattern.find('}', open);
    if (close == pattern.npos) break;
    pattern.replace(open, close - open + 1, "*");
  }
  return pattern;
}

std::vector<std::string> matches_of(const std::string& word) {
  const std::string pattern = without_braces(word);
  std::vector<std::string> files;
  if (pattern.find_first_of("*?[") == pattern.npos) return files;
  glob_t found{};
  if (::glob(pattern.c_str(), 0, nullptr, &found) == 0)
    files.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  return files;
}

}  // namespace

std::string facts_of(const fs::path& file) {
  std::error_code error;
  return fs::is_directory(file, error) ? facts_of_folder(file) : facts_of_file(file);
}

std::string facts_of(const Value& flow) {
  std::set<std::string> strings, files;
  add_strings(flow, strings);
  for (const std::string& word : strings) {
    std::error_code error;
    // Lists may name files below the root; nobody reads all of them.
    if (word.empty() || fs::path(word).lexically_normal() == "/") continue;
    if (fs::exists(word, error)) files.insert(word);
    for (const std::string& one : matches_of(word)) files.insert(one);
  }
  std::string text;
  for (const std::string& one : files) text += facts_of(fs::path(one)) + "\n";
  return text;
}

}  // namespace broch::predict
