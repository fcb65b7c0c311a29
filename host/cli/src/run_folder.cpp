// run_folder.cpp: stats.json, manifest.resolved.json.
#include "run_folder.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "manifest/json.hpp"

namespace broch::cli {

namespace fs = std::filesystem;

namespace {

constexpr const char* kStats = "stats.json";

}  // namespace

Value read_json(const fs::path& path) {
  std::error_code error;
  const uintmax_t size = fs::file_size(path, error);
  if (error)
    throw base::Error(base::Exit::data,
                      {path.string(), error.message(), "the records of a run",
                       "name the log_dir of a run whose monitors include json-writer"});
  manifest::Dialect dialect;
  dialect.exit = base::Exit::data;
  dialect.limits.text_bytes = dialect.limits.nodes = size_t(size) + 1;
  return manifest::parse(manifest::read_source(path.string(), dialect.limits), dialect);
}

namespace {

bool is_record(const Value& value) {
  const Value* epoch = value.find("epoch_num");
  return epoch && epoch->is(Value::Kind::integer);
}

bool is_list_of_records(const Value& value) {
  return value.is(Value::Kind::array) && !value.array().empty() &&
         std::all_of(value.array().begin(), value.array().end(), is_record);
}

}  // namespace

Value::Array read_records(const fs::path& log_dir) {
  const fs::path path = log_dir / kStats;
  Value list = read_json(path);
  if (!is_list_of_records(list))
    throw base::Error(base::Exit::data,
                      {path.string(), "no records", "a list of objects with epoch_num",
                       "wait for the end of the first epoch"});
  return std::move(list.array());
}

Value::Array records_so_far(const fs::path& log_dir) {
  std::error_code error;
  if (!fs::exists(log_dir / kStats, error)) return {};
  Value list = read_json(log_dir / kStats);
  if (!is_list_of_records(list)) return {};
  return std::move(list.array());
}

bool is_counter(std::string_view key) { return key == "epoch_num" || key == "global_step"; }

std::map<std::string, double> last_values(const Value::Array& records) {
  std::map<std::string, double> values;
  for (const Value& record : records)
    for (const manifest::Member& member : record.object())
      if (!is_counter(member.key) && (member.value.is_number() || member.value.is_null()))
        values[member.key] = number_or_nan(member.value);
  return values;
}

Value manifest_of_run(const fs::path& log_dir) {
  const fs::path resolved = log_dir / "manifest.resolved.json";
  std::error_code error;
  return fs::exists(resolved, error) ? read_json(resolved) : Value();
}

std::string name_of_run(const fs::path& log_dir) {
  const Value manifest = manifest_of_run(log_dir);
  const Value* name = manifest.find("name");
  if (name && name->is(Value::Kind::string) && !name->string().empty()) return name->string();
  return fs::absolute(log_dir).lexically_normal().filename().string();
}

void require_run(const fs::path& log_dir) {
  if (session::is_run(log_dir)) return;
  throw base::Error(base::Exit::data,
                    {log_dir.string(), "no run", "the log folder of one, which has a log.log",
                     "broch run ls FOLDER lists those below a folder"});
}

bool is_loss(std::string_view name) {
  return name.find("cost") != name.npos || name.find("loss") != name.npos;
}
bool is_error(std::string_view name) { return name.find("error") != name.npos; }

}  // namespace broch::cli
