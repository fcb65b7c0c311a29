// checkpoint_owner.cpp: a hidden file beside the checkpoints.
#include "log_folder/checkpoint_owner.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "store/atomic_file.hpp"
#include "value/json.hpp"

namespace broch::log_folder {
namespace {

using value::Value;

std::string file_in(const std::string& folder) { return folder + "/.broch-run"; }

}  // namespace

void write_owner(const std::string& folder, const CheckpointOwner& owner) {
  Value value{Value::Object{}};
  value.set("run", Value(owner.run));
  value.set("log_dir", Value(base::to_utf8(owner.log_dir)));
  store::write_atomically(file_in(folder), value::to_pretty_text(value));
}

std::optional<CheckpointOwner> read_owner(const std::string& folder) {
  try {
    const Value value = value::parse(value::read_source(file_in(folder)));
    const Value *run = value.find("run"), *log_dir = value.find("log_dir");
    if (!run || !run->is(Value::Kind::string)) return std::nullopt;
    const bool has_place = log_dir && log_dir->is(Value::Kind::string);
    return CheckpointOwner{run->string(), has_place ? log_dir->string() : ""};
  } catch (const base::Error&) {
    return std::nullopt;
  }
}

}  // namespace broch::log_folder
