// run_folder.cpp: reads stats.json and manifest.resolved.json.
#include "runs/run_folder.hpp"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <limits>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "session/checkpoints.hpp"
#include "value/json.hpp"

namespace broch::runs {

namespace fs = std::filesystem;

namespace {

constexpr size_t kMostBytes = size_t{1} << 30;
constexpr const char* kStats = "stats.json";
constexpr const char* kResolved = "manifest.resolved.json";

}  // namespace

Value read_json(const fs::path& path) {
  std::error_code error;
  if (fs::file_size(path, error) == uintmax_t(-1))
    throw base::Error(base::Exit::data,
                      {path.string(), error.message(), "the records of a run",
                       "name the log_dir of a run that has a monitor which writes this file"});
  value::Dialect dialect;
  dialect.exit = base::Exit::data;
  // Not the size: a running process replaces the file.
  dialect.limits.text_bytes = dialect.limits.nodes = kMostBytes;
  return value::parse(value::read_source(path.string(), dialect.limits), dialect);
}

double modified_at(const fs::path& file) {
  std::error_code error;
  const auto time = fs::last_write_time(file, error);
  if (error) return 0;
  const auto since = std::chrono::file_clock::to_sys(time).time_since_epoch();
  return std::chrono::duration<double>(since).count();
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
    for (const value::Member& member : record.object())
      if (!is_counter(member.key) && (member.value.is_number() || member.value.is_null()))
        values[member.key] = member.value.is_number() ? member.value.number()
                                                      : std::numeric_limits<double>::quiet_NaN();
  return values;
}

std::vector<std::string> chosen_metrics(const std::string& command,
                                        const std::set<std::string>& there,
                                        const std::vector<std::string>& wanted) {
  const std::vector<std::string> names(there.begin(), there.end());
  for (const std::string& name : wanted)
    if (!there.contains(name))
      throw base::Error(
          base::Exit::usage,
          {command, "--stat " + name + base::did_you_mean(name, names),
           names.empty() ? "runs that have statistics" : "one of " + base::join(names, ", "),
           "leave --stat out to see them all"});
  return wanted.empty() ? names : wanted;
}

Value manifest_of_run(const fs::path& log_dir) {
  const fs::path resolved = log_dir / kResolved;
  std::error_code error;
  return fs::exists(resolved, error) ? read_json(resolved) : Value();
}

std::string name_of_run(const fs::path& log_dir) {
  const Value manifest = manifest_of_run(log_dir);
  const Value* name = manifest.find("name");
  if (name && name->is(Value::Kind::string) && !name->string().empty()) return name->string();
  const fs::path whole = fs::absolute(log_dir).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path())
      .filename()
      .string();  // "run/" is "run"
}

void require_run(const fs::path& log_dir) {
  if (log_folder::is_run(log_dir)) return;
  throw base::Error(base::Exit::data,
                    {log_dir.string(), "no run", "the log folder of one, which has a log.log",
                     "broch run ls FOLDER lists those below a folder"});
}

namespace {

// "points" for "vars.points=3"; "": the override is for something else.
std::string variable_in(const std::string& override_text) {
  constexpr std::string_view kVariables = "vars.";
  if (!override_text.starts_with(kVariables)) return "";
  const std::string rest = override_text.substr(kVariables.size());
  return rest.substr(0, rest.find_first_of(".[="));
}

// Where a manifest uses a variable, as overrides name places.
void add_uses(const Value& value, const std::string& place, const std::string& variable,
              std::vector<std::string>& places) {
  const std::string use = "${vars." + variable;
  if (value.is(Value::Kind::string) && (value.string().find(use + "}") != std::string::npos ||
                                        value.string().find(use + ".") != std::string::npos))
    places.push_back(place);
  if (value.is(Value::Kind::array))
    for (size_t i = 0; i < value.array().size(); ++i)
      add_uses(value.array()[i], place + "[" + std::to_string(i) + "]", variable, places);
  if (value.is(Value::Kind::object))
    for (const value::Member& member : value.object())
      add_uses(member.value, place + (place.empty() ? "" : ".") + member.key, variable, places);
}

// In the manifest as it was given. Entries with "when" are deeper in the resolved one, so these are
// hints.
std::vector<std::string> uses_in_run(const fs::path& log_dir, const std::string& variable) {
  std::vector<std::string> places;
  try {
    Value manifest = read_json(log_dir / "manifest.json");
    manifest.remove("vars");
    add_uses(manifest, "", variable, places);
  } catch (const base::Error&) {
  }
  return places;
}

void refuse_variables(const std::string& log_dir, const std::vector<std::string>& overrides) {
  for (const std::string& one : overrides) {
    const std::string variable = variable_in(one);
    if (variable.empty()) continue;
    const std::vector<std::string> places = uses_in_run(log_dir, variable);
    throw base::Error(
        base::Exit::manifest,
        {"override vars." + variable, "a variable",
         "a place where it was used, as the manifest in " + log_dir + " has values only",
         places.empty() ? "broch config show " + log_dir + "/" + kResolved + " shows all places"
                        : "it was used at " + base::join(places, ", ")});
  }
}

}  // namespace

std::string manifest_file(const std::string& path, const std::vector<std::string>& overrides) {
  if (!fs::is_directory(path)) return path;
  const fs::path file = fs::path(path) / kResolved;
  if (fs::exists(file)) {
    refuse_variables(path, overrides);
    return file.string();
  }
  throw base::Error(base::Exit::data, {path, "a folder without " + std::string(kResolved),
                                       "a manifest, or the log folder of a run",
                                       "broch run ls FOLDER lists those below a folder"});
}

namespace {

// Checkpoints whose name does not contain a step: neither model-20, nor min-cost-20 beside
// min-cost, nor links to one of them.
std::vector<std::string> named_checkpoints(const fs::path& log_dir) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(log_dir))
    if (entry.path().extension() == ".safetensors" && !entry.is_symlink() &&
        session::step_of(entry.path()) < 0)
      names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  const std::vector<std::string> all = names;
  std::erase_if(names, [&](const std::string& name) {
    const size_t digits = name.find_last_not_of("0123456789") + 1;
    return digits > 1 && digits < name.size() && name[digits - 1] == '-' &&
           std::ranges::binary_search(all, name.substr(0, digits - 1));
  });
  return names;
}

}  // namespace

std::string checkpoint_of_run(const fs::path& log_dir, const std::string& which) {
  if (which.empty() || which == "last") return session::find_checkpoint(log_dir).string();
  if (which != "best") {
    const fs::path inside = log_dir / which;
    const bool is_name = !fs::exists(which) && !fs::exists(which + ".safetensors");
    return is_name && (fs::exists(inside) || fs::exists(inside.string() + ".safetensors"))
               ? inside.string()
               : which;
  }
  const std::vector<std::string> names = named_checkpoints(log_dir);
  if (names.size() == 1) return (log_dir / (names[0] + ".safetensors")).string();
  throw base::Error(base::Exit::checkpoint,
                    {log_dir.string(),
                     names.empty() ? "no checkpoint that is named after a statistic"
                                   : "several best checkpoints: " + base::join(names, ", "),
                     "one",
                     names.empty() ? "leave --checkpoint out for the newest"
                                   : "name one of them, as in --checkpoint " + names[0]});
}

namespace {

// An object, or a comment before it. What can be read only once, such as a pipe, is not looked at.
bool begins_like_manifest(const std::string& path) {
  if (!fs::is_regular_file(path)) return true;
  std::string text(512, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(text.data(), std::streamsize(text.size()));
  text.resize(size_t(file.gcount()));
  const size_t mark = text.starts_with(base::kByteOrderMark) ? base::kByteOrderMark.size() : 0;
  const size_t first = text.find_first_not_of(" \t\r\n", mark);
  const bool is_binary = text.find('\0') != text.npos;
  return !is_binary && first != text.npos && (text[first] == '{' || text[first] == '/');
}

}  // namespace

void require_model(const std::string& path, const std::string& expected) {
  const std::string hint = "broch run ls FOLDER lists the runs below a folder";
  std::error_code error;
  if (!fs::exists(path, error)) base::fail(base::Exit::data, path, "no such file", expected, hint);
  if (!fs::is_directory(path) && !begins_like_manifest(path))
    base::fail(base::Exit::usage, path, "a file of another kind", expected, hint);
}

std::string checkpoint_to_use(const std::string& command, const std::string& manifest,
                              const std::string& checkpoint) {
  if (fs::is_directory(manifest)) return checkpoint_of_run(manifest, checkpoint);
  if (!checkpoint.empty()) return checkpoint;
  require_model(manifest, "a manifest or the log folder of a run");
  throw base::Error(
      base::Exit::usage,
      {command, "a manifest without --checkpoint", "a checkpoint",
       "add --checkpoint PATH, or give the log folder of a run instead of its manifest"});
}

bool is_loss(std::string_view name) {
  return name.find("cost") != name.npos || name.find("loss") != name.npos;
}
bool is_error(std::string_view name) { return name.find("error") != name.npos; }

}  // namespace broch::runs
