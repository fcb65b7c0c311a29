// restoration.cpp: matches the names of the model, without the prefix, with those that the rules
// make of the names in the file.
#include "restoration.hpp"

#include <algorithm>
#include <cstring>
#include <set>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/noun.hpp"
#include "base/text.hpp"
#include "checkpoint_variables.hpp"
#include "optimizer/optimizers.hpp"
#include "runtime/update_rule.hpp"
#include "weights/edit.hpp"
#include "weights/values.hpp"

namespace broch::session {
namespace {

using Strict = RestoreOptions::Strict;

constexpr size_t kMostShown = 20;  // names in a line of the log

// Some of the names; the table that -v shows has all of them.
std::string some_of(const std::vector<std::string>& names) {
  if (names.size() <= kMostShown) return base::join(names, ", ");
  const std::vector<std::string> first(names.begin(), names.begin() + kMostShown);
  return base::join(first, ", ") + " and " + std::to_string(names.size() - kMostShown) + " more";
}

void tell_names(void (*say)(std::string_view), const std::vector<std::string>& names,
                const std::string& what) {
  if (!names.empty()) say(what + ": " + some_of(names));
}

std::string type_text(store::Dtype dtype, const std::vector<int64_t>& shape) {
  return std::string(store::dtype_name(dtype)) + " " + base::shape_text(shape);
}

std::vector<int64_t> shape_of(const runtime::Variable& variable) {
  const auto dims = variable.shape.span();
  return {dims.begin(), dims.end()};
}

bool is_local(const weights::Tensor& tensor) {
  return std::ranges::find(tensor.collections, "LOCAL") != tensor.collections.end();
}

// In a checkpoint of Broch the collections tell it, elsewhere the name does.
bool is_of_training(const weights::Tensor& tensor, const std::string& name) {
  return tensor.collections.empty() ? weights::is_training_name(name) : !weights::is_weight(tensor);
}

}  // namespace

Restoration::Restoration(const RunState& run, const weights::Weights& weights, std::string where,
                         const RestoreOptions& options)
    : run_(run),
      weights_(weights),
      where_(std::move(where)),
      options_(options),
      rules_(options.rules, "/", base::Exit::manifest) {
  for (const weights::Tensor& tensor : weights.tensors())
    file_names_.push_back(weights::without_output(tensor.name));
}

void Restoration::load() {
  const std::string prefix = options_.prefix.empty() ? "" : options_.prefix + "/";
  std::vector<std::pair<runtime::Variable*, std::string>> variables;
  std::vector<std::string> wanted;
  for (const auto& variable : run_.variables->all()) {
    if (variable->local() || !variable->name.starts_with(prefix)) continue;
    wanted.push_back(variable->name.substr(prefix.size()));
    variables.emplace_back(variable.get(), wanted.back());
  }
  std::ranges::sort(wanted);
  std::set<std::string> names;
  for (size_t i = 0; i < file_names_.size(); ++i)
    if (!is_local(weights_.tensors()[i])) names.insert(file_names_[i]);
  // An expression may also leave out what the file does not have; a rule for a name must not.
  if (options_.rules.rename.empty()) names.insert(wanted.begin(), wanted.end());
  rules_.require_matches(names);
  find_sources();
  for (const auto& [variable, name] : variables) plan(*variable, name);
  complete_counts();
  note_unused(wanted);
  require_fit();
  std::vector<runtime::Tensor> values;
  for (const auto& [variable, index] : loads_) values.push_back(read(*variable, index));
  const runtime::VariableWrites::Write write(run_.variables->writes());
  for (size_t i = 0; i < loads_.size(); ++i)
    run_.backend->assign(loads_[i].first->value, values[i]);
}

void Restoration::find_sources() {
  for (size_t i = 0; i < file_names_.size(); ++i) {
    if (is_local(weights_.tensors()[i])) continue;
    std::string reason = rules_.reason(file_names_[i]);
    const std::string name = rules_.renamed(file_names_[i]);
    const auto [at, is_new] = sources_.emplace(name, Source{i, reason});
    if (is_new || !reason.empty()) continue;
    if (at->second.reason.empty())
      base::fail(base::Exit::manifest, "/rename",
                 base::quoted(file_names_[at->second.index]) + " and " +
                     base::quoted(file_names_[i]) + ", which both become " + base::quoted(name),
                 "a name for each", "correct the rules, or exclude one of them");
    at->second = {i, ""};
  }
}

void Restoration::plan(runtime::Variable& variable, const std::string& name) {
  const auto found = sources_.find(name);
  const std::string reason = found != sources_.end() ? found->second.reason : rules_.reason(name);
  if (!reason.empty()) {
    left_out_.push_back(variable.name + " (" + reason + ")");
    table_.push_back(variable.name + ": left out, " + reason);
  } else if (found == sources_.end()) {
    const bool of_training = optimizer::Optimizers::remembers_in(variable) ||
                             run_.hypers->has(variable.name) || weights::is_training_name(name);
    (of_training ? missing_of_training_ : missing_).push_back(variable.name);
    if (!of_training && (variable.flags & (BROCH_VARIABLE_TRAINABLE | BROCH_VARIABLE_MODEL)))
      missing_weights_.push_back(variable.name);
    table_.push_back(variable.name + ": not in the file");
  } else {
    match(variable, found->second);
  }
}

void Restoration::match(runtime::Variable& variable, const Source& source) {
  const weights::Tensor& tensor = weights_.tensors()[source.index];
  const bool transposes = rules_.transposes(file_names_[source.index], tensor.shape);
  const std::vector<int64_t> shape = transposes ? weights::transposed(tensor.shape) : tensor.shape;
  std::string how = type_text(tensor.dtype, tensor.shape);
  if (transposes) how += ", transposed to " + base::shape_text(shape);
  if (!fit_shape(variable, tensor, shape, how) || !fit_dtype(variable, tensor.dtype, how)) return;
  loads_.emplace_back(&variable, source.index);
  loaded_.push_back(variable.name);
  table_.push_back(variable.name + ": " + tensor.name + ", " + how);
}

bool Restoration::fit_shape(const runtime::Variable& variable, const weights::Tensor& tensor,
                            const std::vector<int64_t>& shape, std::string& how) {
  if (shape == shape_of(variable)) return true;
  const std::string there = base::shape_text(shape), here = base::shape_text(shape_of(variable));
  if (options_.strict != Strict::none) {
    misfit(variable, "shape " + there, "shape " + here);
    return false;
  }
  if (tensor.elements() != uint64_t(variable.shape.elements())) {
    base::warning(where_ + ": variable " + variable.name + " has shape " + there + " there and " +
                  here + " here: not loaded");
    left_out_.push_back(variable.name + " (another shape)");
    table_.push_back(variable.name + ": another shape, " + there + " instead of " + here);
    return false;
  }
  base::warning(where_ + ": variable " + variable.name + " is reshaped from " + there + " to " +
                here);
  how += ", reshaped to " + here;
  return true;
}

bool Restoration::fit_dtype(const runtime::Variable& variable, store::Dtype found,
                            std::string& how) {
  const store::Dtype wanted = dtype_of(variable);
  if (found == wanted) return true;
  const std::string there(store::dtype_name(found)), here(store::dtype_name(wanted));
  const bool rounds = !weights::holds(wanted, found);
  const bool may_round = (options_.strict == Strict::none || options_.convert) &&
                         weights::is_float(wanted) && weights::is_float(found);
  if (rounds && !may_round) {
    misfit(variable, "dtype " + there, "dtype " + here + ", or \"convert\": true");
    return false;
  }
  const std::string cast = " from " + there + " to " + here;
  if (rounds && !options_.convert)
    base::warning(where_ + ": variable " + variable.name + " is cast" + cast);
  how += ", converted" + cast;
  return true;
}

void Restoration::misfit(const runtime::Variable& variable, const std::string& found,
                         const std::string& expected) {
  misfits_.push_back({variable.name, found, expected});
  table_.push_back(variable.name + ": " + found + " instead of " + expected);
}

// The number of updates of a buffer lies under the first of its variables. If that is another one
// than in the file, the slots are loaded, but their number is not. The variables of a buffer are
// made one after the other, the number last.
void Restoration::complete_counts() {
  std::set<const runtime::Variable*> loaded;
  for (const auto& [variable, index] : loads_) loaded.insert(variable);
  std::vector<runtime::Variable*> without;  // numbers of which only the slots are loaded
  bool has_slots = false;
  for (const auto& variable : run_.variables->all()) {
    if (!optimizer::Optimizers::remembers_in(*variable) || run_.hypers->has(variable->name))
      continue;
    const bool is_loaded = loaded.contains(variable.get());
    if (!runtime::is_update_count(variable->name))
      has_slots = has_slots || (is_loaded && !runtime::has_own_count(variable->name));
    else if (std::exchange(has_slots, false) && !is_loaded)
      without.push_back(variable.get());
  }
  if (without.empty()) return;
  const std::optional<size_t> common = common_count();
  for (runtime::Variable* variable : without) take_count(*variable, common);
}

// common: the place of the number in the file, if it is the same for all buffers there.
void Restoration::take_count(runtime::Variable& variable, std::optional<size_t> common) {
  const auto missing = std::ranges::find(missing_of_training_, variable.name);
  if (missing == missing_of_training_.end()) return;  // left out
  if (!common)
    return base::warning(where_ + ": no number of updates for " + variable.name +
                         ", which begins at 0, although slots are loaded");
  missing_of_training_.erase(missing);
  counts_.insert(*common);
  loads_.emplace_back(&variable, *common);
  loaded_.push_back(variable.name);
  table_.push_back(variable.name + ": " + weights_.tensors()[*common].name +
                   ", the number of updates of all buffers there");
}

// In the file: one of the numbers of updates, if all are the same.
std::optional<size_t> Restoration::common_count() const {
  std::optional<size_t> found;
  std::set<int64_t> numbers;
  for (const auto& [name, source] : sources_) {
    const weights::Tensor& tensor = weights_.tensors()[source.index];
    const bool is_number = tensor.dtype == store::Dtype::i64 && tensor.shape.empty();
    if (!runtime::is_update_count(name) || !is_number || !source.reason.empty() ||
        !is_of_training(tensor, name))
      continue;
    std::vector<std::byte> room;
    int64_t number = 0;
    std::memcpy(&number, weights_.read(source.index, room).data(), sizeof number);
    numbers.insert(number);
    found = source.index;
  }
  return numbers.size() == 1 ? found : std::nullopt;
}

void Restoration::note_unused(const std::vector<std::string>& wanted) {
  for (const auto& [name, source] : sources_) {
    if (std::ranges::binary_search(wanted, name) || !source.reason.empty() ||
        counts_.contains(source.index))
      continue;
    const weights::Tensor& tensor = weights_.tensors()[source.index];
    const std::string& in_file = tensor.name;
    (is_of_training(tensor, name) ? unused_of_training_ : unused_).push_back(in_file);
    table_.push_back(in_file + ": in the file only");
  }
}

void Restoration::require_fit() const {
  if (!misfits_.empty()) {
    std::vector<std::string> others;
    for (size_t i = 1; i < misfits_.size(); ++i)
      others.push_back(misfits_[i].name + " (" + misfits_[i].found + ")");
    base::fail(base::Exit::checkpoint, where_ + ": variable " + misfits_[0].name, misfits_[0].found,
               misfits_[0].expected,
               "exclude it, or restore with \"strict\": \"none\"" +
                   (others.empty() ? "" : "; these do not fit either: " + some_of(others)));
  }
  if (options_.complete && !missing_weights_.empty())
    base::fail(base::Exit::checkpoint, where_,
               (loads_.empty() ? "none of the variables of the model; only there: "
                               : "not all variables of the model; missing: ") +
                   some_of(loads_.empty() && !unused_.empty() ? unused_ : missing_weights_),
               "a checkpoint of this model", "broch ckpt inspect lists what a file has");
  if (options_.strict == Strict::none || (missing_.empty() && unused_.empty())) return;
  const auto named = [](const std::vector<std::string>& names) {
    return names.empty() ? std::string("none") : some_of(names);
  };
  if (loads_.empty() && !missing_.empty() && (!unused_.empty() || weights_.tensors().empty()))
    base::fail(base::Exit::checkpoint, where_,
               unused_.empty() ? "no tensors" : "no variable of the model, but " + named(unused_),
               "some of " + named(missing_),
               "add rules to rename, or a prefix; \"strict\": \"none\" only warns");
  if (options_.strict != Strict::all) return;
  base::fail(base::Exit::checkpoint, where_,
             "variables that differ from the model's; only there: " + named(unused_) +
                 "; only in the model: " + named(missing_),
             "the same names, as \"strict\": \"all\" demands",
             "add rules to rename, include or exclude, or restore with \"strict\": \"shapes\"");
}

runtime::Tensor Restoration::read(const runtime::Variable& variable, size_t index) const {
  const weights::Tensor& tensor = weights_.tensors()[index];
  std::vector<std::byte> room;
  std::span<const std::byte> bytes = weights_.read(index, room);
  std::vector<std::byte> turned, cast;
  if (rules_.transposes(file_names_[index], tensor.shape)) {
    turned = weights::transposed(bytes, tensor.shape, store::dtype_size(tensor.dtype));
    bytes = turned;
  }
  const store::Dtype wanted = dtype_of(variable);
  if (wanted != tensor.dtype) {
    cast = weights::converted(bytes, tensor.dtype, wanted);
    bytes = cast;
  }
  return to_tensor(*run_.backend, wanted, bytes, variable);
}

void Restoration::tell() const {
  for (const std::string& line : table_) base::debug(line);
  if (!options_.quiet) {
    base::info("restored from " + where_ + ": " + base::counted(std::ssize(loaded_), "variable") +
               (loaded_.empty() ? "" : ": ") + some_of(loaded_));
    tell_names(&base::info, left_out_, "not restored");
    tell_names(&base::info, missing_of_training_, "not restored, as the file does not have them");
    tell_names(&base::info, unused_of_training_, "not restored, as this run does not use them");
    tell_names(&base::info, weights_.others(), "left out, as no tensors that Broch can read");
  }
  tell_names(&base::warning, missing_, "variables of the model that are not in " + where_);
  tell_names(&base::warning, unused_, "variables in " + where_ + " that the model does not have");
  if (options_.quiet) return;
  for (const std::string& name : loaded_) {
    if (!run_.hypers->has(name)) continue;
    const double now = run_.hypers->get(name);
    if (now != run_.hypers->initial(name))
      base::warning(name + " is " + base::shortest(now) + " from the checkpoint, " +
                    run_.changes->says(name) + ": exclude it to use that");
  }
}

}  // namespace broch::session
