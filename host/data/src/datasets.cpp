// datasets.cpp: reads the table of datasets, and looks for their files.
#include "data/datasets.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/error.hpp"
#include "base/text.hpp"
#include "dataset_table.hpp"
#include "value/fault.hpp"
#include "value/json.hpp"

namespace broch::data {
namespace {

namespace fs = std::filesystem;
using value::Value;

constexpr int64_t kMostBytes = 1'000'000'000'000'000;

[[noreturn]] void refuse(const Value& value, const std::string& pointer, const std::string& found,
                         const std::string& expected) {
  throw value::fault_at(value.origin(), pointer, {found, expected, "correct the table"},
                        base::Exit::data);
}

// Refuses members of another kind.
class Reader {
 public:
  // pointer: of the object.
  Reader(const Value& object, std::string pointer) : object_(object), pointer_(std::move(pointer)) {
    if (!object.is(Value::Kind::object)) refuse(object, pointer_, in_words(object), "an object");
  }

  const Value* find(const char* key, Value::Kind kind, const char* expected) const {
    const Value* const found = object_.find(key);
    if (found && !found->is(kind)) refuse_member(key, *found, expected);
    return found;
  }
  std::string text(const char* key) const {
    const Value* const found = find(key, Value::Kind::string, "text");
    return found ? found->string() : "";
  }
  std::string needed_text(const char* key) const {
    const std::string found = text(key);
    if (found.empty()) refuse(object_, pointer_ + "/" + key, "no text", "some");
    return found;
  }
  std::vector<std::string> texts(const char* key) const {
    std::vector<std::string> all;
    if (const Value* const found = find(key, Value::Kind::array, "a list of texts"))
      for (const Value& one : found->array()) {
        if (!one.is(Value::Kind::string)) refuse_member(key, one, "texts");
        all.push_back(one.string());
      }
    return all;
  }
  const Value::Array& needed_list(const char* key, const char* expected) const {
    const Value* const found = find(key, Value::Kind::array, expected);
    if (!found) refuse(object_, pointer_ + "/" + key, "nothing", expected);
    if (found->array().empty()) refuse_member(key, *found, expected);
    return found->array();
  }
  [[noreturn]] void refuse_member(const char* key, const Value& found,
                                  const std::string& expected) const {
    refuse(found, pointer_ + "/" + key, in_words(found), expected);
  }

 private:
  const Value& object_;
  std::string pointer_;
};

bool is_sha256(const Value& value) {
  return value.is(Value::Kind::string) && value.string().size() == 64 &&
         value.string().find_first_not_of("0123456789abcdef") == std::string::npos;
}

DatasetFile file_of(const Value& entry, const std::string& pointer) {
  const Reader reader(entry, pointer);
  DatasetFile file;
  file.name = reader.needed_text("name");
  if (file.name != fs::path(file.name).filename() || file.name == "..")
    reader.refuse_member("name", *entry.find("name"), "the name of a file without a folder");
  file.url = reader.needed_text("url");
  file.split = reader.text("split");
  for (const Value& one : reader.needed_list("sha256", "a list with at least one checksum")) {
    if (!is_sha256(one)) reader.refuse_member("sha256", one, "64 of the digits 0-9 and a-f");
    file.sha256.push_back(one.string());
  }
  if (const Value* bytes = reader.find("bytes", Value::Kind::integer, "an integer")) {
    if (bytes->integer() < 0 || bytes->integer() > kMostBytes)
      reader.refuse_member("bytes", *bytes, "0 (not known) to " + std::to_string(kMostBytes));
    file.bytes = uint64_t(bytes->integer());
  }
  if (const Value* unpack = reader.find("unpack", Value::Kind::boolean, "true or false"))
    file.unpack = unpack->boolean();
  return file;
}

Dataset dataset_of(const std::string& name, const Value& entry) {
  const std::string pointer = "/" + name;
  const Reader reader(entry, pointer);
  Dataset dataset{name, reader.text("about"), reader.text("hint"), reader.texts("also_in"), {}};
  for (const Value& one : reader.needed_list("files", "a list with at least one file")) {
    const std::string place = pointer + "/files/" + std::to_string(dataset.files.size());
    DatasetFile file = file_of(one, place);
    for (const DatasetFile& before : dataset.files)
      if (before.name == file.name)
        refuse(one, place + "/name", base::quoted(file.name) + " twice", "each name once");
    dataset.files.push_back(std::move(file));
  }
  return dataset;
}

std::vector<std::string> splits_of(const Dataset& dataset) {
  std::vector<std::string> splits;
  for (const DatasetFile& file : dataset.files)
    if (!file.split.empty() && std::ranges::count(splits, file.split) == 0)
      splits.push_back(file.split);
  return splits;
}

void keep_splits(Dataset& dataset, const std::vector<std::string>& wanted) {
  const std::vector<std::string> known = splits_of(dataset);
  for (const std::string& split : wanted)
    if (std::ranges::count(known, split) == 0)
      base::fail(base::Exit::usage, "--split " + split, "no split of " + dataset.name,
                 known.empty() ? "a dataset with splits" : "one of " + base::join(known, ", "));
  if (wanted.empty()) return;
  std::erase_if(dataset.files, [&](const DatasetFile& file) {
    return !file.split.empty() && std::ranges::count(wanted, file.split) == 0;
  });
}

}  // namespace

std::vector<Dataset> datasets_of(const std::string& table) {
  value::Dialect dialect;
  dialect.exit = base::Exit::data;
  const Value whole = table.empty()
                          ? value::parse_text("the table of datasets", kDatasetTable, dialect)
                          : value::parse(value::read_source(table), dialect);
  if (!whole.is(Value::Kind::object) || whole.object().empty())
    refuse(whole, "", in_words(whole), "at least one dataset: {\"NAME\": {\"files\": […]}}");
  std::vector<Dataset> all;
  for (const value::Member& member : whole.object())
    all.push_back(dataset_of(member.key, member.value));
  return all;
}

Dataset find_dataset(const std::string& table, const std::string& name,
                     const std::vector<std::string>& splits) {
  std::vector<std::string> names;
  for (Dataset& dataset : datasets_of(table)) {
    names.push_back(dataset.name);
    if (dataset.name != name) continue;
    keep_splits(dataset, splits);
    return std::move(dataset);
  }
  base::fail(base::Exit::usage, "the dataset", base::quoted(name) + base::did_you_mean(name, names),
             names.empty() ? "a table with datasets" : "one of " + base::join(names, ", "),
             "broch data list shows them");
}

uint64_t bytes_of(const std::vector<DatasetFile>& files) {
  uint64_t bytes = 0;
  for (const DatasetFile& file : files) bytes += file.bytes;
  return bytes;
}

fs::path folder_of(const Dataset& dataset, const std::string& folder) {
  if (!folder.empty()) return fs::absolute(folder);
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  const char* const home = std::getenv("HOME");
  const fs::path base =
      cache && *cache == '/' ? fs::path(cache) : fs::path(home ? home : "") / ".cache";
  return fs::absolute(base / "broch" / "datasets" / dataset.name);
}

bool is_in(const fs::path& folder, const DatasetFile& file) {
  std::error_code error;
  const uint64_t bytes = fs::file_size(folder / file.name, error);
  return !error && (file.bytes == 0 || file.bytes == bytes);
}

FullestFolder fullest_folder(const Dataset& dataset) {
  std::vector<fs::path> folders{folder_of(dataset, "")};
  folders.insert(folders.end(), dataset.also_in.begin(), dataset.also_in.end());
  FullestFolder fullest{folders[0]};
  for (const fs::path& folder : folders) {
    const auto there = size_t(std::ranges::count_if(
        dataset.files, [&folder](const DatasetFile& file) { return is_in(folder, file); }));
    if (there > fullest.files) fullest = {folder, there};
  }
  return fullest;
}

}  // namespace broch::data
