// file_store.cpp: MLflow's files. meta.yaml is read only as far as Broch and MLflow write it.
#include "mlflow/file_store.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <broch/broch.hpp>
#include <cerrno>
#include <chrono>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "store/atomic_file.hpp"

namespace broch::mlflow {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMeta = "meta.yaml";
constexpr const char* kDefault = "Default";  // the experiment with number 0

[[noreturn]] void fail(const fs::path& path, const std::string& what) {
  throw Error(BROCH_E_DATA_LOSS, path.string() + ": " + what);
}

template <class Action>
auto translated(const fs::path& path, Action&& action) {
  try {
    return action();
  } catch (const fs::filesystem_error& error) {
    fail(path, error.code().message());
  } catch (const base::Error& error) {
    throw Error(BROCH_E_DATA_LOSS, error.what());
  }
}

// Keeps other processes out of a folder, unless the file system has no locks, or one of them holds
// the lock for more than ten seconds.
class Lock {
 public:
  explicit Lock(const fs::path& folder)
      : fd_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    // Not a wait in flock: it would go on after a signal.
    for (int left = 1000; left > 0 && flock(fd_, LOCK_EX | LOCK_NB) != 0; --left) {
      if (errno != EWOULDBLOCK && errno != EINTR) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  }
  ~Lock() {
    if (fd_ >= 0) ::close(fd_);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  int fd_;
};

// A YAML scalar that is a text, whatever it looks like.
std::string quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "''" : c == '\n' ? " " : std::string(1, c);
  return quoted + "'";
}
std::string unquoted(const std::string& text) {
  if (text.size() < 2 || text.front() != '\'' || text.back() != '\'') return text;
  std::string plain;
  for (size_t i = 1; i + 1 < text.size(); ++i) {
    plain += text[i];
    i += text[i] == '\'' ? 1 : 0;
  }
  return plain;
}

std::string read(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}
void write(const fs::path& path, const std::string& text) {
  if (!(std::ofstream(path, std::ios::binary) << text << std::flush))
    fail(path, "it cannot be written");
}
// False: nothing was appended. MLflow reads no file with a half line in it.
bool append(const fs::path& path, const std::string& text) {
  std::error_code none;
  const uintmax_t before = fs::exists(path, none) ? fs::file_size(path, none) : 0;
  if (none) return false;
  if (std::ofstream(path, std::ios::app | std::ios::binary) << text << std::flush) return true;
  fs::resize_file(path, before, none);
  return false;
}
// Of a file or a folder.
void make_durable(const fs::path& path) {
  if (!store::make_durable(path)) fail(path, "it cannot be made durable");
}
void replace(const fs::path& path, const std::string& text) {
  translated(path, [&] { store::write_atomically(path, text); });
}

// The value of a key at the beginning of a line; "" if there is none.
std::string value_of(const std::string& yaml, const std::string& key) {
  std::istringstream lines(yaml);
  for (std::string line; std::getline(lines, line);)
    if (line.rfind(key + ": ", 0) == 0) return unquoted(line.substr(key.size() + 2));
  return "";
}

std::string url_of(const fs::path& folder) { return "file://" + fs::absolute(folder).string(); }

std::string random_digits(const char* digits, size_t base, size_t count) {
  std::random_device random;
  std::string text;
  for (size_t i = 0; i < count; ++i)
    text += digits[std::uniform_int_distribution<size_t>(0, base - 1)(random)];
  return text;
}

// The first lines of a file that is a list of them.
std::string first_lines(const std::string& text, int64_t count) {
  size_t end = 0;
  for (; count > 0 && end < text.size(); --count) {
    const size_t line = text.find('\n', end);
    if (line == text.npos) break;  // it was being written when the program was killed
    end = line + 1;
  }
  return text.substr(0, end);
}

}  // namespace

std::string FileStore::file_of(std::string key) {
  for (char& c : key)
    if (c == '/') c = '.';
  return key;
}

fs::path FileStore::folder_of(const RunId& run) const { return folder_ / run.experiment / run.run; }

bool FileStore::has(const RunId& run) const { return fs::exists(folder_of(run) / kMeta); }

std::string FileStore::experiment_id(const std::string& name) const {
  translated(folder_, [&] { fs::create_directories(folder_); });
  const Lock lock(folder_);  // another run may be about to make the same experiment
  std::error_code none;
  for (fs::directory_iterator at(folder_, none), end; !none && at != end; at.increment(none)) {
    const std::string yaml = read(at->path() / kMeta);
    if (value_of(yaml, "name") == name && value_of(yaml, "lifecycle_stage") == "active")
      return at->path().filename();
  }
  return new_experiment(name);
}

std::string FileStore::new_experiment(const std::string& name) const {
  const std::string id =
      name == kDefault ? "0"
                       : random_digits("123456789", 9, 1) + random_digits("0123456789", 10, 17);
  const fs::path folder = folder_ / id;
  translated(folder, [&] { fs::create_directories(folder); });
  const std::string time = std::to_string(milliseconds_now());
  replace(folder / kMeta, "artifact_location: " + quoted(url_of(folder)) +
                              "\ncreation_time: " + time + "\nexperiment_id: " + quoted(id) +
                              "\nlast_update_time: " + time +
                              "\nlifecycle_stage: active\nname: " + quoted(name) + "\n");
  return id;
}

RunId FileStore::begin(const NewRun& run) {
  const RunId id{experiment_id(run.experiment), random_digits("0123456789abcdef", 16, 32)};
  const fs::path folder = folder_of(id);
  for (const char* part : {"metrics", "params", "tags", "artifacts"})
    translated(folder, [&] { fs::create_directories(folder / part); });
  for (const auto& [key, value] : run.params) write(folder / "params" / file_of(key), value);
  for (const auto& [key, value] : run.tags) write(folder / "tags" / file_of(key), value);
  write(folder / kMeta,
        "artifact_uri: " + quoted(url_of(folder / "artifacts")) +
            "\nend_time: null\nentry_point_name: ''\nexperiment_id: " + quoted(id.experiment) +
            "\nlifecycle_stage: active\nrun_id: " + quoted(id.run) +
            "\nrun_name: " + quoted(run.name) + "\nrun_uuid: " + quoted(id.run) +
            "\nsource_name: ''\nsource_type: 4\nsource_version: ''\nstart_time: " +
            std::to_string(run.start) + "\nstatus: 1\ntags: []\nuser_id: " + quoted(run.user) +
            "\n");
  return id;
}

void FileStore::log(const RunId& run, const std::vector<Metric>& metrics) {
  for (const Metric& metric : metrics)
    waiting_[file_of(metric.key)] += std::to_string(metric.timestamp) + " " +
                                     number_text(metric.value) + " " + std::to_string(metric.step) +
                                     "\n";
  fs::path failed;
  for (auto file = waiting_.begin(); file != waiting_.end();) {
    const fs::path path = folder_of(run) / "metrics" / file->first;
    const bool appended = append(path, file->second);
    if (appended)
      unsynced_.insert(file->first);
    else
      failed = path;
    file = appended ? waiting_.erase(file) : std::next(file);
  }
  if (!failed.empty()) fail(failed, "lines could not be appended; they wait for the next time");
}

void FileStore::sync(const RunId& run) {
  const fs::path folder = folder_of(run) / "metrics";
  const std::set<std::string> files = std::exchange(unsynced_, {});
  for (const std::string& file : files) make_durable(folder / file);
  if (!files.empty()) make_durable(folder);  // it has the names of new files
}

void FileStore::set_status(const RunId& run, Status status, int64_t end) {
  const fs::path path = folder_of(run) / kMeta;
  const std::string text = read(path);
  if (value_of(text, "run_id").empty())
    fail(path, "found no line with run_id, expected the file of a run; its status is not changed");
  std::istringstream lines(text);
  std::string yaml;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("status:", 0) == 0) line = "status: " + std::to_string(int(status));
    if (line.rfind("end_time:", 0) == 0)
      line = "end_time: " + (end == 0 ? "null" : std::to_string(end));
    yaml += line + "\n";
  }
  replace(path, yaml);
}

std::map<std::string, int64_t> FileStore::cut(const RunId& run,
                                              const std::map<std::string, int64_t>& lines) const {
  const fs::path folder = folder_of(run) / "metrics";
  std::map<std::string, std::string> keys;  // by file
  for (const auto& [key, count] : lines) keys[file_of(key)] = key;
  std::map<std::string, int64_t> kept;
  translated(folder, [&] {
    std::vector<fs::path> files;
    for (const fs::directory_entry& file : fs::directory_iterator(folder))
      files.push_back(file.path());
    for (const fs::path& file : files) {
      const auto found = keys.find(file.filename());
      if (found == keys.end()) {
        fs::remove(file);
        continue;
      }
      const std::string text = first_lines(read(file), lines.at(found->second));
      store::write_atomically(file, text);
      kept[found->second] = std::count(text.begin(), text.end(), '\n');
    }
  });
  return kept;
}

}  // namespace broch::mlflow
