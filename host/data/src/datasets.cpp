// datasets.cpp: reads the table of datasets.
#include "data/datasets.hpp"

#include <cstdlib>

#include "base/error.hpp"
#include "dataset_table.hpp"
#include "value/json.hpp"

namespace broch::data {
namespace {

namespace fs = std::filesystem;
using value::Value;

// Refuses members of another kind.
class Reader {
 public:
  Reader(const Value& object, std::string where) : object_(object), where_(std::move(where)) {}

  const Value* find(const char* key, Value::Kind kind, const char* expected) const {
    const Value* const found = object_.find(key);
    if (found && !found->is(kind)) refuse(key, "another kind of value", expected);
    return found;
  }
  std::string text(const char* key) const {
    const Value* const found = find(key, Value::Kind::string, "text");
    return found ? found->string() : "";
  }
  std::string needed_text(const char* key) const {
    const std::string found = text(key);
    if (found.empty()) refuse(key, "nothing", "text");
    return found;
  }
  std::vector<std::string> texts(const char* key) const {
    std::vector<std::string> all;
    if (const Value* const found = find(key, Value::Kind::array, "a list of texts"))
      for (const Value& one : found->array()) {
        if (!one.is(Value::Kind::string)) refuse(key, "another kind of value", "texts");
        all.push_back(one.string());
      }
    return all;
  }
  [[noreturn]] void refuse(const char* key, const char* found, const char* expected) const {
    base::fail(base::Exit::data, where_ + ": \"" + key + "\"", found, expected, "");
  }

 private:
  const Value& object_;
  std::string where_;
};

DatasetFile file_of(const Value& entry, const std::string& where) {
  const Reader reader(entry, where);
  DatasetFile file;
  file.name = reader.needed_text("name");
  if (file.name != fs::path(file.name).filename() || file.name == "..")
    reader.refuse("name", "a path", "the name of a file without a folder");
  file.url = reader.needed_text("url");
  file.split = reader.text("split");
  file.sha256 = reader.texts("sha256");
  if (file.sha256.empty()) reader.refuse("sha256", "nothing", "at least one checksum");
  if (const Value* bytes = reader.find("bytes", Value::Kind::integer, "an integer"))
    file.bytes = uint64_t(bytes->integer());
  if (const Value* unpack = reader.find("unpack", Value::Kind::boolean, "true or false"))
    file.unpack = unpack->boolean();
  return file;
}

}  // namespace

std::vector<Dataset> datasets_of(const std::string& table) {
  value::Dialect dialect;
  dialect.exit = base::Exit::data;
  const Value whole = table.empty()
                          ? value::parse_text("the table of datasets", kDatasetTable, dialect)
                          : value::parse(value::read_source(table), dialect);
  std::vector<Dataset> all;
  if (!whole.is(Value::Kind::object))
    base::fail(base::Exit::data, table, "no object", "{\"NAME\": {\"files\": […]}}", "");
  for (const value::Member& member : whole.object()) {
    const std::string where = (table.empty() ? "the table of datasets" : table) + ": " + member.key;
    const Reader reader(member.value, where);
    Dataset dataset{
        member.key, reader.text("about"), reader.text("hint"), reader.texts("also_in"), {}};
    if (const Value* files = reader.find("files", Value::Kind::array, "a list"))
      for (const Value& one : files->array()) dataset.files.push_back(file_of(one, where));
    all.push_back(std::move(dataset));
  }
  return all;
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

}  // namespace broch::data
