// ckpt_command.cpp: broch ckpt ls, inspect, verify, diff; the commands that write are in
// ckpt_weights.cpp.
#include <filesystem>
#include <iostream>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/noun.hpp"
#include "base/text.hpp"
#include "ckpt_commands.hpp"
#include "commands.hpp"
#include "options.hpp"
#include "output.hpp"
#include "runs/checkpoints.hpp"
#include "store/checkpoint_difference.hpp"
#include "weights/contents.hpp"

namespace broch::cli {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::Exit;

struct CkptOptions {
  std::string path, other, key, other_key;
  bool json = false;
};

// ---- ls

std::string to_text(const std::optional<int64_t>& number) {
  return number ? std::to_string(*number) : "?";
}

int ls(const CkptOptions& options) {
  if (!fs::is_directory(options.path))
    base::fail(Exit::data, options.path, "no folder", "the log folder of a run",
               "look at one file with broch ckpt inspect");
  Value::Array all;
  Table table({"checkpoint", "step", "epoch", "bytes", "saved", ""});
  for (const runs::CheckpointEntry& entry : runs::checkpoints_in(options.path)) {
    const auto step = entry.counter("global_step"), epoch = entry.counter("epoch_num");
    all.push_back(object({{"file", text(entry.file.string())},
                          {"step", integer(step)},
                          {"epoch", integer(epoch)},
                          {"bytes", integer(int64_t(entry.bytes))},
                          {"saved_at", number(entry.saved_at)},
                          {"listed", Value(entry.listed)},
                          {"newest", Value(entry.newest)},
                          {"error", text_or_null(entry.error)}}));
    table.add({entry.file.stem().string(), to_text(step), to_text(epoch),
               std::to_string(entry.bytes), time_text(entry.saved_at),
               !entry.error.empty() ? "damaged"
               : entry.newest       ? "newest"
               : entry.listed       ? ""
                                    : "kept"});
    if (!entry.error.empty()) base::warning(entry.error);
  }
  if (options.json)
    print_json(object({{"folder", text(options.path)}, {"checkpoints", Value(std::move(all))}}));
  else
    table.print();
  return 0;
}

// ---- inspect

Value integers(const std::vector<int64_t>& values) {
  Value::Array array;
  for (const int64_t value : values) array.push_back(integer(value));
  return Value(std::move(array));
}

Value to_json(const store::CheckpointContents& contents) {
  Value counters{Value::Object{}}, metadata{Value::Object{}}, cursors{Value::Object{}};
  for (const auto& [name, value] : contents.counters) counters.set(name, integer(value));
  for (const auto& [name, value] : contents.metadata) metadata.set(name, text(value));
  for (const auto& [name, bytes] : contents.cursors)
    cursors.set(name, integer(int64_t(bytes.size())));
  Value::Array variables, states;
  for (const store::SavedVariable& one : contents.variables)
    variables.push_back(object({{"name", text(one.value.name)},
                                {"dtype", text(std::string(store::dtype_name(one.value.dtype)))},
                                {"shape", integers(one.value.shape)},
                                {"collections", list(one.collections)},
                                {"bytes", integer(int64_t(one.value.bytes.size()))}}));
  for (const store::SavedState& one : contents.states)
    states.push_back(object({{"instance", text(one.instance)},
                             {"component", text(one.component)},
                             {"version", integer(one.version)},
                             {"bytes", integer(int64_t(one.bytes.size()))}}));
  return object({{"counters", counters},
                 {"metadata", metadata},
                 {"variables", Value(std::move(variables))},
                 {"states", Value(std::move(states))},
                 {"cursors", cursors}});
}

void print_contents(const store::CheckpointContents& contents) {
  for (const auto& [name, value] : contents.counters) std::cout << name << ": " << value << '\n';
  for (const auto& [name, value] : contents.metadata) std::cout << name << ": " << value << '\n';
  const auto bytes = [](auto span) { return std::to_string(span.size()); };
  Table variables({"variable", "type", "collections", "bytes"});
  for (const store::SavedVariable& one : contents.variables)
    variables.add({one.value.name, store::type_of(one.value), base::join(one.collections, " "),
                   bytes(one.value.bytes)});
  Table states({"state of", "component", "version", "bytes"});
  for (const store::SavedState& one : contents.states)
    states.add({one.instance, one.component, std::to_string(one.version), bytes(one.bytes)});
  for (const auto& [tower, cursor] : contents.cursors)
    states.add({"input, " + tower, "cursor", "", bytes(cursor)});
  std::cout << '\n';
  variables.print();
  std::cout << '\n';
  states.print();
}

// Files of other programs have tensors alone.
int inspect_weights(const CkptOptions& options, const fs::path& file) {
  const auto weights = weights::open(file, options.key);
  Value::Array variables;
  Table table({"tensor", "type", "bytes"});
  for (const weights::Tensor& one : weights->tensors()) {
    variables.push_back(object({{"name", text(one.name)},
                                {"dtype", text(std::string(store::dtype_name(one.dtype)))},
                                {"shape", integers(one.shape)},
                                {"bytes", integer(int64_t(one.bytes()))}}));
    table.add(
        {one.name, store::type_of({one.name, one.dtype, one.shape}), std::to_string(one.bytes())});
  }
  if (options.json) {
    print_json(object({{"file", text(file.string())},
                       {"format", text(weights->format())},
                       {"variables", Value(std::move(variables))},
                       {"others", list(weights->others())}}));
    return 0;
  }
  std::cout << weights->format() << ": " << file.string() << "\n\n";
  table.print();
  if (!weights->others().empty())
    std::cout << "\nno tensors that Broch can read: " << base::join(weights->others(), ", ")
              << '\n';
  return 0;
}

int inspect(const CkptOptions& options) {
  const fs::path file = weights::find(options.path);
  if (!weights::is_checkpoint(file)) return inspect_weights(options, file);
  const store::Checkpoint checkpoint = store::read_checkpoint(file);
  if (options.json) {
    Value whole = to_json(checkpoint.contents);
    whole.set("file", text(file.string()));
    print_json(whole);
    return 0;
  }
  std::cout << "checkpoint: " << file.string() << '\n';
  print_contents(checkpoint.contents);
  return 0;
}

// ---- verify

int verify(const CkptOptions& options) {
  std::vector<fs::path> files;
  if (fs::is_directory(options.path))
    files = runs::checkpoint_files(options.path);
  else
    files.push_back(weights::find(options.path));
  if (!options.key.empty() && (fs::is_directory(options.path) || weights::is_checkpoint(files[0])))
    base::fail(Exit::usage, "--key", options.path, "one file of torch.save", "leave it out");
  Value::Array all;
  std::string lines;
  bool ok = true;
  for (const fs::path& file : files) {
    std::string damage;
    try {
      weights::verify(file, options.key);
    } catch (const Error& failure) {
      if (failure.exit() != Exit::checkpoint) throw;
      damage = failure.what();
      base::error(damage);
      ok = false;
    }
    lines += file.string() + (damage.empty() ? ": ok\n" : ": damaged\n");
    all.push_back(object({{"file", text(file.string())},
                          {"ok", Value(damage.empty())},
                          {"error", text_or_null(damage)}}));
  }
  if (options.json)
    print_json(object({{"ok", Value(ok)}, {"checkpoints", Value(std::move(all))}}));
  else
    std::cout << lines;
  return ok ? 0 : int(Exit::checkpoint);
}

// ---- diff

Value to_json(const store::VariableDifference& one) {
  Value value =
      object({{"name", text(one.name)}, {"a", text_or_null(one.a)}, {"b", text_or_null(one.b)}});
  if (!one.same_type()) return value;
  value.set("elements", integer(int64_t(one.elements)));
  value.set("different_elements", integer(int64_t(one.different_elements)));
  value.set("different_bits", integer(int64_t(one.different_bits)));
  value.set("largest_absolute", number(one.largest_absolute));
  value.set("largest_relative", number(one.largest_relative));
  return value;
}

std::vector<std::string> to_row(const store::VariableDifference& one) {
  if (one.a.empty()) return {one.name, "only in B: " + one.b, "", "", "", ""};
  if (one.b.empty()) return {one.name, "only in A: " + one.a, "", "", "", ""};
  if (!one.same_type()) return {one.name, one.a + " in A, " + one.b + " in B", "", "", "", ""};
  return {one.name,
          one.a,
          std::to_string(one.different_elements) + " of " + std::to_string(one.elements),
          std::to_string(one.different_bits),
          base::general(one.largest_absolute, 6),
          base::general(one.largest_relative, 6)};
}

int diff(const CkptOptions& options) {
  const weights::Contents a(options.path, options.key), b(options.other, options.other_key);
  for (const weights::Contents* one : {&a, &b})
    if (!one->others().empty())
      base::warning(one->file().string() + ": not compared, as no tensors that Broch can read: " +
                    base::join(one->others(), ", "));
  const std::vector<store::VariableDifference> found =
      store::differences(a.contents(), b.contents());
  if (options.json) {
    Value::Array variables;
    for (const store::VariableDifference& one : found) variables.push_back(to_json(one));
    print_json(object({{"a", text(a.file().string())},
                       {"b", text(b.file().string())},
                       {"equal", Value(found.empty())},
                       {"differences", Value(std::move(variables))}}));
  } else if (found.empty()) {
    std::cout << "equal: " << base::counted(std::ssize(a.contents().variables), "variable")
              << ", to the last bit\n";
  } else {
    Table table(
        {"variable", "type", "elements that differ", "bits", "largest difference", "relative"});
    for (const store::VariableDifference& one : found) table.add(to_row(one));
    table.print();
  }
  return found.empty() ? 0 : 1;
}

}  // namespace

void add_ckpt(CLI::App& app, int& exit_code) {
  static CkptOptions options;
  CLI::App* ckpt = app.add_subcommand(
      "ckpt", "List, compare, convert and average checkpoints and other weights");
  ckpt->require_subcommand(1);
  const auto add = [&](const char* name, const char* says, int (*action)(const CkptOptions&)) {
    CLI::App* command = ckpt->add_subcommand(name, says);
    add_json_flag(*command, options.json);
    command->callback([&exit_code, action] { exit_code = action(options); });
    return command;
  };
  add("ls", "List the checkpoints of a run", &ls)
      ->add_option("log_dir", options.path,
                   "The log folder of a run, or another folder with checkpoints")
      ->required();
  CLI::App* command =
      add("inspect", "Show what is in a checkpoint or another file of weights", &inspect);
  command->add_option("checkpoint", options.path, "A file, or a log folder for its newest one")
      ->required();
  const char* const key = "The way to the state dict in a file of torch.save, such as model";
  command->add_option("--key", options.key, key);
  command =
      add("verify", "Read every byte and compare checksums; exit code 9 if one is wrong", &verify);
  command
      ->add_option("checkpoint", options.path, "A file, or a log folder for all checkpoints in it")
      ->required();
  command->add_option("--key", options.key, key);
  command = add("diff", "Compare the variables of two files; exit code 1 if they differ", &diff);
  command->add_option("a", options.path, "A file, or a log folder for its newest one")->required();
  command->add_option("b", options.other, "The same")->required();
  command->add_option("--key", options.key, std::string(key) + "; for A");
  command->add_option("--key-b", options.other_key, "The same for B");
  add_ckpt_weights(*ckpt, exit_code);
}

}  // namespace broch::cli
