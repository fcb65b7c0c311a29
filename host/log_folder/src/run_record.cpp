// run_record.cpp: run.json, and the state of a run according to it and to the lock of the folder.
#include "log_folder/run_record.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/inside.hpp"
#include "value/json.hpp"

namespace broch::log_folder {
namespace {

namespace fs = std::filesystem;
using value::Value;

constexpr const char* kName = "run.json";

template <class T>
Value or_null(const std::optional<T>& value) {
  return value ? Value(*value) : Value();
}

const Value* find(const Value& record, const char* key, Value::Kind kind) {
  const Value* value = record.find(key);
  return value && value->is(kind) ? value : nullptr;
}

std::vector<std::string> texts(const Value& record, const char* key) {
  std::vector<std::string> texts;
  if (const Value* const list = find(record, key, Value::Kind::array))
    for (const Value& one : list->array())
      if (one.is(Value::Kind::string)) texts.push_back(one.string());
  return texts;
}

// Folders inside the log folder are written relative to it, so that they are found after it was
// moved or renamed.
std::string written(const fs::path& folder, const fs::path& log_dir) {
  return (base::is_inside(folder, log_dir) ? folder.lexically_relative(log_dir) : folder).string();
}

fs::path whole(const std::string& log_dir) {
  std::error_code error;
  const fs::path found = fs::canonical(log_dir, error);
  return error ? fs::absolute(log_dir) : found;
}

std::optional<RunRecord> record_in(const Value& value, const std::string& log_dir) {
  const Value* const started = value.find("started");
  if (!started || !started->is_number()) return std::nullopt;
  RunRecord record;
  record.started = started->number();
  if (const Value* id = find(value, "id", Value::Kind::string)) record.id = id->string();
  if (const Value* host = find(value, "host", Value::Kind::string)) record.host = host->string();
  if (const Value* pid = find(value, "pid", Value::Kind::integer)) record.pid = pid->integer();
  if (const Value* exit = find(value, "exit", Value::Kind::integer)) record.exit = exit->integer();
  if (const Value* ended = value.find("ended"); ended && ended->is_number())
    record.ended = ended->number();
  if (const Value* from = find(value, "resumed_from", Value::Kind::string))
    record.resumed_from = from->string();
  const fs::path own = whole(log_dir);
  for (const std::string& folder : texts(value, "checkpoint_folders"))
    record.checkpoint_folders.push_back((own / folder).string());
  return record;
}

}  // namespace

void write_record(const LogDir& log_dir, const RunRecord& record) {
  Value value{Value::Object{}};
  value.set("id", Value(record.id));
  value.set("host", Value(record.host));
  value.set("pid", Value(record.pid));
  value.set("started", Value(record.started));
  value.set("ended", or_null(record.ended));
  value.set("exit", or_null(record.exit));
  value.set("resumed_from", record.resumed_from.empty() ? Value() : Value(record.resumed_from));
  const fs::path own = whole(log_dir.path());
  Value::Array folders;
  for (const std::string& folder : record.checkpoint_folders)
    folders.push_back(Value(written(folder, own)));
  value.set("checkpoint_folders", Value(std::move(folders)));
  value.set("settings", record.settings);
  value.set("manifest_says", record.not_as_in_manifest);
  log_dir.write(kName, value::to_pretty_text(value));
}

std::optional<RunRecord> read_record(const std::string& log_dir) {
  try {
    return record_in(value::parse(value::read_source(log_dir + "/" + kName)), log_dir);
  } catch (const base::Error&) {
    return std::nullopt;
  }
}

std::optional<RunRecord> record_to_resume(const std::string& log_dir) {
  const std::string file = log_dir + "/" + kName;
  if (std::error_code unknown; !fs::exists(file, unknown)) return std::nullopt;
  const std::optional<RunRecord> record = read_record(log_dir);
  if (!record)
    base::fail(base::Exit::checkpoint, file, "no record of a run that can be read",
               "the record, which names other folders with checkpoints of the run",
               "restore the file, or remove it if all checkpoints are in " + log_dir);
  return record;
}

std::string state_of_run(const std::string& log_dir) {
  if (FolderLock::is_held(log_dir)) return "running";
  const std::optional<RunRecord> record = read_record(log_dir);
  if (!record) return "unknown";
  if (!record->exit) return "killed";
  switch (base::Exit(*record->exit)) {
    case base::Exit::ok:
      return "finished";
    case base::Exit::saved:
    case base::Exit::interrupted:
    case base::Exit::terminated:
      return "interrupted";
    default:
      return "failed";
  }
}

}  // namespace broch::log_folder
