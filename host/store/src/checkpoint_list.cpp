// checkpoint_list.cpp: writes data, then the list, then deletes, so that a crash loses nothing.
#include "store/checkpoint_list.hpp"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <system_error>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "posix.hpp"
#include "store/adopted_checkpoint.hpp"
#include "store/atomic_file.hpp"

namespace broch::store {

namespace fs = std::filesystem;
using base::Diagnostic;
using base::Error;
using base::Exit;

namespace {

constexpr uint64_t kMaxListFile = 64 << 20;  // more than a million checkpoints
constexpr std::string_view kNewest = "model_checkpoint_path: ";
constexpr std::string_view kListed = "all_model_checkpoint_paths: ";

fs::path list_file(const fs::path& folder) { return folder / "checkpoint"; }

[[noreturn]] void damaged(const fs::path& path, size_t line, std::string found,
                          std::string expected) {
  throw Error(Exit::checkpoint,
              Diagnostic{path.string() + ":" + std::to_string(line), std::move(found),
                         std::move(expected), "name a checkpoint file to load instead"});
}

// Whether the name cannot leave the folder and needs no escaping in the list.
bool is_plain_name(std::string_view name) {
  const auto is_plain = [](unsigned char c) {
    return c >= 0x20 && c != 0x7F && c != '/' && c != '\\' && c != '"';
  };
  return !name.empty() && name.size() <= 200 && name.front() != '.' && base::is_utf8(name) &&
         std::all_of(name.begin(), name.end(), is_plain);
}

std::string read_text(const fs::path& path) {
  uint64_t size = 0;
  const Fd fd = open_regular(path, size, Exit::checkpoint);
  if (size > kMaxListFile)
    damaged(path, 1, "a file of " + std::to_string(size) + " bytes", "at most 64 MiB");
  std::string text(size, '\0');
  if (!read_fully(fd.get(), text.data(), size, 0))
    fail(Exit::checkpoint, path, "cannot be read", errno == 0 ? EIO : errno);
  return text;
}

// rest: what follows the key; it must be a plain name in double quotes.
std::string quoted_name(const fs::path& path, size_t line, std::string_view rest) {
  if (rest.size() < 2 || rest.front() != '"' || rest.back() != '"')
    damaged(path, line, base::quoted(rest), "a name in double quotes");
  const std::string_view name = rest.substr(1, rest.size() - 2);
  if (!is_plain_name(name))
    damaged(path, line, "the name " + base::quoted(name), "the name of a file in this folder");
  return std::string(name);
}

// Of a list that cannot be understood, before another one replaces it.
void keep_aside(const fs::path& folder, const Error& failure) {
  const fs::path aside = list_file(folder).string() + ".damaged";
  copy_atomically(list_file(folder), aside);
  base::warning(std::string(failure.what()) + "\n  a new list is begun, the old one is kept as " +
                aside.string() + ", and its checkpoints are not deleted");
}

// A run must not end at its first save because of an old list.
std::vector<std::string> names_to_go_on_with(const fs::path& folder) {
  try {
    return read_checkpoint_names(folder);
  } catch (const Error& failure) {
    keep_aside(folder, failure);
    return {};
  }
}

void write_list_of_one(const fs::path& folder, const std::string& name) {
  write_atomically(list_file(folder), std::string(kNewest) + '"' + name + "\"\n" +
                                          std::string(kListed) + '"' + name + "\"\n");
}

// Whether no other checkpoint of the folder has an earlier one of the same n steps.
bool is_first_of_steps(const fs::path& folder, const std::string& name, int64_t n) {
  const int64_t step = step_of(name);
  if (n <= 0 || step < n) return false;
  std::error_code error;
  for (const auto& file : fs::directory_iterator(folder, error)) {
    const int64_t other = step_of(file.path());
    if (step - step % n <= other && other < step) return false;
  }
  return true;
}

double seconds_between_kept(const KeepPolicy& policy) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  return policy.keep_every_n_hours.value_or(kNever) * 3600;
}

double first_keep_time(const KeepPolicy& policy, const base::Clock& clock) {
  return policy.hours_since.value_or(clock.monotonic()) + seconds_between_kept(policy);
}

}  // namespace

std::vector<std::string> read_checkpoint_names(const fs::path& folder) {
  const fs::path path = list_file(folder);
  std::error_code error;
  if (!fs::exists(path, error) && !error) return {};
  const std::string text = read_text(path);
  std::string newest;
  std::vector<std::string> names;
  size_t line_number = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view(text).substr(at, end - at);
    at = end + 1;
    ++line_number;
    if (line.starts_with(kListed)) {
      names.push_back(quoted_name(path, line_number, line.substr(kListed.size())));
    } else if (line.starts_with(kNewest) && newest.empty()) {
      newest = quoted_name(path, line_number, line.substr(kNewest.size()));
    } else if (!line.empty()) {
      damaged(path, line_number, base::quoted(line),
              "one model_checkpoint_path and lines all_model_checkpoint_paths");
    }
  }
  if (newest.empty()) damaged(path, line_number + 1, "no newest", "a line model_checkpoint_path");
  std::erase(names, newest);  // the newest goes last, wherever the file lists it
  names.push_back(newest);
  return names;
}

std::optional<fs::path> latest_checkpoint(const fs::path& folder) {
  const std::vector<std::string> names = read_checkpoint_names(folder);
  if (names.empty()) return std::nullopt;
  return checkpoint_file(folder, names.back());
}

fs::path adopt_checkpoint(const fs::path& file, const fs::path& folder, const std::string& name) {
  fs::path path = checkpoint_file(folder, name);
  copy_atomically(file, path);
  write_list_of_one(folder, name);
  return path;
}

void renew_damaged_list(const fs::path& folder, const std::string& name) {
  try {
    read_checkpoint_names(folder);
  } catch (const Error& failure) {
    std::error_code error;
    if (!fs::exists(checkpoint_file(folder, name), error)) return;
    keep_aside(folder, failure);
    write_list_of_one(folder, name);
  }
}

CheckpointList::CheckpointList(fs::path folder, KeepPolicy policy, const base::Clock& clock)
    : folder_(std::move(folder)),
      policy_(policy),
      clock_(clock),
      next_keep_time_(first_keep_time(policy, clock)) {
  remove_leftovers(folder_);
  for (const std::string& name : names_to_go_on_with(folder_)) {
    const fs::path file = checkpoint_file(folder_, name);
    std::error_code error;
    if (fs::exists(file, error)) {
      entries_.push_back({name, std::nullopt});
    } else {
      base::warning(list_file(folder_).string() + " lists " + base::quoted(name) +
                    ", which is gone");
    }
  }
}

void CheckpointList::keep(KeepPolicy policy) {
  if (policy.hours_since != policy_.hours_since) next_keep_time_ = first_keep_time(policy, clock_);
  policy_ = policy;
}

fs::path CheckpointList::save(const std::string& name, const CheckpointContents& contents) {
  if (!is_plain_name(name))
    throw Error(Exit::data,
                Diagnostic{folder_.string(), "the checkpoint name " + base::quoted(name),
                           "a plain file name", ""});
  const fs::path path = write_checkpoint(folder_, name, contents);
  std::erase_if(entries_, [&](const Entry& entry) { return entry.name == name; });
  entries_.push_back({name, clock_.monotonic()});
  const size_t superfluous = count_superfluous();
  write_list(superfluous);  // if it fails, the next save does the rest
  for (size_t i = 0; i < superfluous && policy_.max_to_keep > 0; ++i) delete_or_keep(entries_[i]);
  entries_.erase(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(superfluous));
  return path;
}

std::vector<std::string> CheckpointList::names() const {
  std::vector<std::string> names;
  for (const Entry& entry : entries_) names.push_back(entry.name);
  return names;
}

// With max_to_keep 0 the list contains only the newest.
size_t CheckpointList::count_superfluous() const {
  const size_t limit = policy_.max_to_keep > 0 ? static_cast<size_t>(policy_.max_to_keep) : 1;
  return entries_.size() - std::min(entries_.size(), limit);
}

void CheckpointList::write_list(size_t skip) const {
  std::string text = std::string(kNewest) + '"' + entries_.back().name + "\"\n";
  for (size_t i = skip; i < entries_.size(); ++i)
    text += std::string(kListed) + '"' + entries_[i].name + "\"\n";
  write_atomically(list_file(folder_), text);
}

// A checkpoint that was saved after the next keep time leaves the list, but its file is kept for
// ever; so is the first one of some steps. Whether it is one, the folder tells, also after a
// restart.
void CheckpointList::delete_or_keep(const Entry& entry) {
  if (entry.saved_at && *entry.saved_at > next_keep_time_) {
    next_keep_time_ += seconds_between_kept(policy_);
    return;
  }
  if (is_first_of_steps(folder_, entry.name, policy_.keep_every_n_steps)) return;
  const fs::path file = checkpoint_file(folder_, entry.name);
  std::error_code error;
  fs::remove(file, error);
  if (error) base::warning(file.string() + " cannot be deleted: " + error.message());
}

fs::path find_checkpoint(const fs::path& path) {
  const bool is_list = path.filename() == "checkpoint";
  if (fs::is_directory(path) || is_list) {
    const fs::path folder = fs::is_directory(path)   ? path
                            : path.has_parent_path() ? path.parent_path()
                                                     : fs::path(".");
    if (const auto latest = latest_checkpoint(folder)) return *latest;
    throw base::Error(base::Exit::checkpoint,
                      base::Diagnostic{folder.string(), "no checkpoint in this folder",
                                       "a file named checkpoint that lists one", ""});
  }
  if (fs::exists(path)) return path;
  const fs::path with_ending = path.string() + ".safetensors";
  if (fs::exists(with_ending)) return with_ending;
  throw base::Error(base::Exit::checkpoint,
                    base::Diagnostic{path.string(), "no such file",
                                     "a checkpoint file or the folder that holds one",
                                     "check the path; a log folder means its newest checkpoint"});
}

}  // namespace broch::store
