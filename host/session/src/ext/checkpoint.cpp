// checkpoint.cpp: serves broch.checkpoint/1 with Checkpoints.
#include "broch/ext/checkpoint.h"

#include <filesystem>

#include "abi/serve.hpp"
#include "base/log.hpp"
#include "session/checkpoints.hpp"
#include "tower/tower.hpp"
#include "tower/write_watch.hpp"
#include "train/trainer.hpp"
#include "value/fault.hpp"
#include "value/json.hpp"
#include "value/schema.hpp"

namespace broch::session {
namespace {

namespace fs = std::filesystem;
using value::Value;

constexpr const char* kSave = "broch.checkpoint/1 save";
constexpr const char* kLatest = "broch.checkpoint/1 latest";
constexpr const char* kCopy = "broch.checkpoint/1 copy";
constexpr const char* kRestore = "broch.checkpoint/1 restore";
constexpr const char* kRetain = "broch.checkpoint/1 retain";
constexpr const char* kRetainSteps = "broch.checkpoint/1 retain_steps";
constexpr const char* kSelect = "broch.checkpoint/1 select";

Checkpoints& checkpoints(abi::Instance& instance) {
  Checkpoints* found = instance.context().find<Checkpoints>();
  if (!found) throw abi::CallError(BROCH_E_FAILED_PRECONDITION, "there are no checkpoints here");
  return *found;
}

// A run can be saved and restored only if it has all its parts and is between two steps.
Checkpoints& checkpoints_at_rest(abi::Instance& instance) {
  Checkpoints& found = checkpoints(instance);
  if (!found.provided())
    throw abi::CallError(BROCH_E_FAILED_PRECONDITION,
                         "called before the graph is set up or after the run: call it in "
                         "session_init, or from before_train to after_train");
  const auto* context = instance.context().find<tower::RunContext>();
  if (context && context->in_run)
    throw abi::CallError(BROCH_E_FAILED_PRECONDITION,
                         "called inside a hooked run, from before_run to after_run: call it in "
                         "trigger_step or trigger");
  const auto* trainer = instance.context().find<train::Trainer>();
  if (trainer && trainer->in_step())
    throw abi::CallError(
        BROCH_E_FAILED_PRECONDITION,
        "called inside run_step, in the middle of a step: call it in trigger_step or "
        "trigger");
  return found;
}

// After a stop in after_run, for example: the step has updated variables, but is not complete.
void warn_within_step(abi::Instance& instance) {
  const auto* trainer = instance.context().find<train::Trainer>();
  if (trainer && trainer->ended_within_step())
    base::warning(instance.name() +
                  " saves after the training has ended within a step: a run that is resumed from "
                  "this checkpoint does the step again, and continues, but not with the same bits");
}

// Returns a text that is valid until the next call on this thread.
const char* keep(const fs::path& path) {
  static thread_local std::string text;
  text = path.string();
  return text.c_str();
}

broch_status retain(const broch_host* host, const char* folder, uint32_t max_to_keep,
                    double hours) {
  return abi::serve(host, kRetain, abi::Role::main, [&](abi::Instance& instance) {
    if (!(hours >= 0) || max_to_keep > INT32_MAX)
      throw abi::CallError(BROCH_E_INVALID_ARGUMENT, "numbers that are not negative are expected");
    store::KeepPolicy policy;
    policy.max_to_keep = int(max_to_keep);
    policy.keep_every_n_hours = hours > 0 ? std::optional<double>(hours) : std::nullopt;
    checkpoints(instance).retain(instance, folder ? folder : "", policy);
    return BROCH_OK;
  });
}

broch_status retain_steps(const broch_host* host, const char* folder, uint64_t n) {
  return abi::serve(host, kRetainSteps, abi::Role::main, [&](abi::Instance& instance) {
    if (n > INT64_MAX)
      throw abi::CallError(BROCH_E_INVALID_ARGUMENT, std::to_string(n) + " steps, expected fewer");
    checkpoints(instance).retain_steps(folder ? folder : "", int64_t(n));
    return BROCH_OK;
  });
}

broch_status select(const broch_host* host, const char* folder, uint32_t flags) {
  return abi::serve(host, kSelect, abi::Role::main, [&](abi::Instance& instance) {
    if (!flags || (flags & ~(BROCH_VARIABLE_TRAINABLE | BROCH_VARIABLE_MODEL)))
      throw abi::CallError(BROCH_E_INVALID_ARGUMENT,
                           "BROCH_VARIABLE_TRAINABLE, BROCH_VARIABLE_MODEL or both is expected");
    checkpoints(instance).select(folder ? folder : "", flags);
    return BROCH_OK;
  });
}

broch_status save(const broch_host* host, const char* folder, const char** path) {
  return abi::serve(host, kSave, abi::Role::main, [&](abi::Instance& instance) -> broch_status {
    abi::given(path, kSave, "path");
    try {
      warn_within_step(instance);
      *path = keep(checkpoints_at_rest(instance).save_for(instance, folder ? folder : ""));
      return BROCH_OK;
    } catch (const base::Error& error) {
      if (error.exit() != base::Exit::data) throw;
      throw abi::CallError(BROCH_E_DATA_LOSS, error.what());
    }
  });
}

broch_status latest(const broch_host* host, const char* folder, const char** path, int64_t* step) {
  return abi::serve(host, kLatest, abi::Role::main, [&](abi::Instance& instance) {
    abi::given(path, kLatest, "path");
    abi::given(step, kLatest, "step");
    Checkpoints& all = checkpoints(instance);
    const std::string where = all.folder_or_default(folder);
    if (const std::string why = all.missing_in(where); !why.empty())
      throw abi::CallError(BROCH_E_DATA_LOSS, "the newest could not be saved: " + why);
    const auto found = all.newest_in(where);
    if (!found) return BROCH_NONE;
    *path = keep(found->path);
    *step = found->global_step;
    return BROCH_OK;
  });
}

broch_status copy(const broch_host* host, const char* path, const char* name) {
  return abi::serve(host, kCopy, abi::Role::main, [&](abi::Instance& instance) {
    abi::given(path, kCopy, "path");
    const std::string target = abi::given(name, kCopy, "name");
    if (target.empty() || target.find('/') != std::string::npos)
      throw abi::CallError(BROCH_E_INVALID_ARGUMENT,
                           "'" + target +
                               "' is no name for a checkpoint: one without '/' was "
                               "expected");
    checkpoints(instance).copy_for(instance, path, target);
    return BROCH_OK;
  });
}

// The options of restore, checked as those of a component are.
constexpr char kRestoreSchema[] = R"({
  "type": "object", "additionalProperties": false,
  "properties": {
    "prefix": {"type": ["string", "null"]},
    "ignore": {"type": "array", "items": {"type": "string"}},
    "include": {"type": "array", "items": {"type": "string"}},
    "exclude": {"type": "array", "items": {"type": "string"}},
    "rename": {"type": "array", "items": {
      "type": "object", "required": ["from", "to"], "additionalProperties": false,
      "properties": {"from": {"type": "string", "minLength": 1}, "to": {"type": "string"}}}},
    "transpose": {"type": "array", "items": {"type": "string"}},
    "key": {"type": ["string", "null"]},
    "convert": {"type": "boolean"},
    "strict": {"enum": ["all", "shapes", "none"]},
    "relaxed": {"type": "boolean"}
  }
})";

std::vector<std::string> read_list(const Value& value, const char* key) {
  std::vector<std::string> list;
  if (const Value* found = value.find(key))
    for (const Value& name : found->array()) list.push_back(name.string());
  return list;
}

std::string read_text(const Value& value, const char* key) {
  const Value* const found = value.find(key);
  return found && found->is(Value::Kind::string) ? found->string() : "";
}
bool read_flag(const Value& value, const char* key) {
  const Value* const found = value.find(key);
  return found && found->boolean();
}

RestoreOptions read_options(const char* text) {
  const Value given = value::parse_text("options of restore", text ? text : "{}");
  static const Value schema = value::parse_text("schema of restore", kRestoreSchema);
  value::Faults faults;
  const Value value = value::check_value(given, schema, "", "", faults).value;
  faults.raise();
  RestoreOptions options;
  options.prefix = read_text(value, "prefix");
  options.key = read_text(value, "key");
  options.rules.ignore = read_list(value, "ignore");
  options.rules.include = read_list(value, "include");
  options.rules.exclude = read_list(value, "exclude");
  options.rules.transpose = read_list(value, "transpose");
  if (const Value* rename = value.find("rename"))
    for (const Value& rule : rename->array())
      options.rules.rename.emplace_back(rule.find("from")->string(), rule.find("to")->string());
  options.convert = read_flag(value, "convert");
  const std::string strict = read_text(value, "strict");
  if (strict == "all") options.strict = RestoreOptions::Strict::all;
  if (strict == "none" || read_flag(value, "relaxed"))
    options.strict = RestoreOptions::Strict::none;
  return options;
}

broch_status restore(const broch_host* host, const char* path, const char* options) {
  return abi::serve(host, kRestore, abi::Role::main, [&](abi::Instance& instance) {
    abi::given(path, kRestore, "path");
    Checkpoints& checkpoints = checkpoints_at_rest(instance);
    if (const auto* store = instance.context().find<runtime::VariableStore>())
      for (const auto& variable : store->all()) tower::about_to_write(instance, *variable);
    checkpoints.restore(path, read_options(options));
    return BROCH_OK;
  });
}

constexpr broch_host_checkpoint kTable = {sizeof(broch_host_checkpoint),
                                          0,
                                          &retain,
                                          &save,
                                          &latest,
                                          &copy,
                                          &restore,
                                          &select,
                                          &retain_steps};

}  // namespace

void extend_with_checkpoints(abi::Context& context) {
  context.extend(BROCH_EXT_CHECKPOINT, &kTable);
}

}  // namespace broch::session
