// checkpoint.cpp: from contents to tensors and metadata, and back.
#include "store/checkpoint.hpp"

#include <algorithm>
#include <charconv>
#include <functional>

#include "base/error.hpp"
#include "base/text.hpp"
#include "store/checkpoint_list.hpp"

namespace broch::store {

namespace fs = std::filesystem;
using base::Diagnostic;
using base::Error;
using base::Exit;

namespace {

const std::string kFormatKey = "broch.checkpoint";
const std::string kFormat = "1";
const std::string kReserved = "broch.";
const std::string kCollections = "broch.collections/";
const std::string kState = "broch.state/";
const std::string kCursor = "broch.cursor/";
const std::string kCounter = "broch.counter/";
constexpr const char* kSuffix = ".safetensors";

// ---- writing

[[noreturn]] void unwritable(std::string found, std::string expected) {
  throw Error(Exit::data, Diagnostic{"checkpoint", std::move(found), std::move(expected), ""});
}

void refuse_reserved(const std::string& name) {
  if (name.starts_with(kReserved))
    unwritable("the name " + base::quoted(name), "a name that does not start with 'broch.'");
}

TensorView blob(std::string name, std::span<const std::byte> bytes) {
  return {std::move(name), Dtype::u8, {static_cast<int64_t>(bytes.size())}, bytes};
}

bool scoped_once(const std::vector<std::string>& collections) {
  return std::count(collections.begin(), collections.end(), "GLOBAL") +
             std::count(collections.begin(), collections.end(), "LOCAL") ==
         1;
}

bool is_word(const std::string& text) {
  return !text.empty() && text.find(' ') == std::string::npos;
}

void add_variable(const SavedVariable& variable, std::vector<TensorView>& tensors,
                  Metadata& metadata) {
  const std::string& name = variable.value.name;
  refuse_reserved(name);
  if (!scoped_once(variable.collections))
    unwritable("variable " + base::quoted(name) + " in " +
                   base::quoted(base::join(variable.collections, " ")),
               "one of GLOBAL and LOCAL");
  if (!std::all_of(variable.collections.begin(), variable.collections.end(), is_word))
    unwritable("a collection of " + base::quoted(name) + " with a blank name",
               "names without blanks");
  tensors.push_back(variable.value);
  metadata[kCollections + name] = base::join(variable.collections, " ");
}

void add_state(const SavedState& state, std::vector<TensorView>& tensors, Metadata& metadata) {
  if (!is_word(state.component))
    unwritable("the component id " + base::quoted(state.component), "an id without blanks");
  tensors.push_back(blob(kState + state.instance, state.bytes));
  metadata[kState + state.instance] = state.component + " " + std::to_string(state.version);
}

// ---- reading

[[noreturn]] void inconsistent(const std::string& where, std::string found, std::string expected) {
  throw Error(Exit::checkpoint, Diagnostic{where, std::move(found), std::move(expected),
                                           "the file was not written by this program"});
}

template <class Number>
Number number(const std::string& where, const std::string& key, const std::string& text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  if (result.ec != std::errc{} || result.ptr != end)
    inconsistent(where, "metadata " + base::quoted(key) + " is " + base::quoted(text),
                 "a whole number");
  return value;
}

class Reading {
 public:
  Reading(const SafetensorsFile& file, const std::string& where) : file_(file), where_(where) {}

  CheckpointContents contents() {
    check_format();
    for (const auto& [key, value] : file_.metadata()) take_metadata(key, value);
    for (const TensorView& tensor : file_.tensors()) take_tensor(tensor);
    return std::move(contents_);
  }

 private:
  [[noreturn]] void refuse(std::string found, std::string expected, std::string hint) const {
    throw Error(Exit::checkpoint,
                Diagnostic{where_, std::move(found), std::move(expected), std::move(hint)});
  }

  [[noreturn]] void inconsistent(std::string found, std::string expected) const {
    store::inconsistent(where_, std::move(found), std::move(expected));
  }

  void check_format() const {
    if (!file_.has_checksums())
      refuse("no checksums", "a checkpoint of a run",
             "weights from other programs can be given to session_init");
    const auto format = file_.metadata().find(kFormatKey);
    if (format == file_.metadata().end())
      refuse("no metadata 'broch.checkpoint'", "a checkpoint of a run",
             "weights from other programs can be given to session_init");
    if (format->second != kFormat)
      refuse("checkpoint format " + base::quoted(format->second), "format " + kFormat,
             "use the version of broch that wrote it, or a newer one");
  }

  void take_metadata(const std::string& key, const std::string& value) {
    if (key.starts_with(kCounter)) {
      contents_.counters[key.substr(kCounter.size())] = number<int64_t>(where_, key, value);
    } else if (!key.starts_with(kReserved)) {
      contents_.metadata[key] = value;
    } else if (key.starts_with(kState) && !file_.find(key)) {
      inconsistent("metadata " + base::quoted(key), "a tensor of that name");
    } else if (key.starts_with(kCollections) && !file_.find(key.substr(kCollections.size()))) {
      inconsistent("metadata " + base::quoted(key), "a variable of that name");
    }
  }

  void take_tensor(const TensorView& tensor) {
    if (tensor.name.starts_with(kState)) return take_state(tensor);
    if (tensor.name.starts_with(kCursor)) {
      contents_.cursors[tensor.name.substr(kCursor.size())] = tensor.bytes;
      return;
    }
    if (tensor.name.starts_with(kReserved))
      inconsistent("tensor " + base::quoted(tensor.name), "no unknown name starting with 'broch.'");
    std::vector<std::string> collections = words(metadata(kCollections + tensor.name));
    if (!scoped_once(collections))
      inconsistent("variable " + base::quoted(tensor.name) + " in no or several scopes",
                   "one of GLOBAL and LOCAL");
    contents_.variables.push_back({tensor, std::move(collections)});
  }

  void take_state(const TensorView& tensor) {
    const std::vector<std::string> parts = words(metadata(tensor.name));
    if (parts.size() != 2)
      inconsistent("metadata " + base::quoted(tensor.name), "a component and a version");
    contents_.states.push_back({tensor.name.substr(kState.size()), parts[0],
                                number<uint32_t>(where_, tensor.name, parts[1]), tensor.bytes});
  }

  const std::string& metadata(const std::string& key) const {
    const auto found = file_.metadata().find(key);
    if (found == file_.metadata().end())
      inconsistent("no metadata " + base::quoted(key), "one for each tensor");
    return found->second;
  }

  static std::vector<std::string> words(const std::string& text) {
    std::vector<std::string> parts;
    for (size_t at = 0; at <= text.size();) {
      const size_t blank = std::min(text.find(' ', at), text.size());
      parts.push_back(text.substr(at, blank - at));
      at = blank + 1;
    }
    return parts;
  }

  const SafetensorsFile& file_;
  const std::string& where_;
  CheckpointContents contents_;
};

Checkpoint interpret(SafetensorsFile file, const std::string& where) {
  CheckpointContents contents = Reading(file, where).contents();
  return {std::move(file), std::move(contents)};
}

Checkpoint read_alone(const fs::path& path) {
  return interpret(SafetensorsFile::read(path), path.string());
}

bool verifies(const fs::path& path) {
  try {
    read_alone(path);
    return true;
  } catch (const Error&) {
    return false;
  }
}

// The checkpoints of earlier steps in the folder of `path`, the newest first, whether they are
// listed or not.
std::vector<fs::path> of_earlier_steps(const fs::path& path) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::map<int64_t, fs::path, std::greater<>> files;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const int64_t step = step_of(at->path());
    if (at->path().extension() == kSuffix && step >= 0 && step < step_of(path))
      files[step] = at->path();
  }
  std::vector<fs::path> older;
  for (auto& [step, file] : files) older.push_back(std::move(file));
  return older;
}

// The newest checkpoint before `path` that is intact: in the list (of all, if `path` is not
// listed), then of those that are kept without being listed; "" if there is none.
fs::path older_that_verifies(const fs::path& path) {
  const fs::path folder = path.parent_path();
  std::vector<std::string> names;
  try {
    names = read_checkpoint_names(folder);
  } catch (const Error&) {
    return {};
  }
  const auto own = std::find(names.begin(), names.end(), path.stem().string());
  for (auto name = std::make_reverse_iterator(own); name != names.rend(); ++name)
    if (verifies(checkpoint_file(folder, *name))) return checkpoint_file(folder, *name);
  const auto is_listed = [&](const fs::path& file) {
    return std::find(names.begin(), own, file.stem().string()) != own;
  };
  for (const fs::path& file : of_earlier_steps(path))
    if (!is_listed(file) && verifies(file)) return file;
  return {};
}

}  // namespace

std::string checkpoint_name(int64_t global_step) { return "model-" + std::to_string(global_step); }

fs::path checkpoint_file(const fs::path& folder, const std::string& name) {
  return folder / (name + kSuffix);
}

int64_t step_of(const fs::path& checkpoint) {
  const std::string stem = checkpoint.stem().string();
  int64_t step = 0;
  if (!stem.starts_with("model-") || stem.size() == 6 || stem.size() > 24) return -1;
  for (const char c : stem.substr(6)) {
    if (c < '0' || c > '9') return -1;
    step = step * 10 + (c - '0');
  }
  return step;
}

fs::path write_checkpoint(const fs::path& folder, const std::string& name,
                          const CheckpointContents& contents) {
  std::vector<TensorView> tensors;
  Metadata metadata = contents.metadata;
  for (const auto& [key, value] : metadata) refuse_reserved(key);
  metadata[kFormatKey] = kFormat;
  for (const SavedVariable& variable : contents.variables)
    add_variable(variable, tensors, metadata);
  for (const SavedState& state : contents.states) add_state(state, tensors, metadata);
  for (const auto& [tower, bytes] : contents.cursors)
    tensors.push_back(blob(kCursor + tower, bytes));
  for (const auto& [counter, value] : contents.counters)
    metadata[kCounter + counter] = std::to_string(value);
  const fs::path path = checkpoint_file(folder, name);
  write_safetensors(path, std::move(tensors), std::move(metadata));
  return path;
}

Checkpoint read_checkpoint(const fs::path& path) {
  try {
    return read_alone(path);
  } catch (const Error& failure) {
    if (failure.exit() != Exit::checkpoint) throw;
    const fs::path older = older_that_verifies(path);
    if (older.empty()) throw;
    throw Error(Exit::checkpoint,
                std::string(failure.what()) + "\n  hint: " + older.string() + " is intact");
  }
}

std::map<std::string, int64_t> read_counters(const fs::path& path) {
  std::map<std::string, int64_t> counters;
  for (const auto& [key, value] : SafetensorsFile::read_metadata(path))
    if (key.starts_with(kCounter))
      counters[key.substr(kCounter.size())] = number<int64_t>(path.string(), key, value);
  return counters;
}

Checkpoint parse_checkpoint(std::span<const std::byte> bytes, const std::string& where) {
  return interpret(SafetensorsFile::parse(bytes, where), where);
}

}  // namespace broch::store
