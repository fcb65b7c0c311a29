// tensors.cpp: what a program keeps from step to step.
#include "models/exported/tensors.hpp"

#include <algorithm>
#include <regex>

#include "arrays/diagnostic.hpp"
#include "models/exported/interface.hpp"

namespace exported {
namespace {

// Borrows both.
broch_dl_tensor view_of(const Stored& stored, const std::vector<std::byte>& elements) {
  return broch::dl_view(const_cast<std::byte*>(elements.data()), broch::dl_type(stored.dtype),
                        const_cast<int64_t*>(stored.shape.data()), int32_t(stored.shape.size()));
}

bool is_used(const Program& program, const Item& input) {
  const auto is_it = [&](const Item& item) {
    return item.kind == Item::Kind::value && item.value == input.value;
  };
  for (const Node& node : program.graph.nodes)
    for (const auto& [name, argument] : node.arguments)
      if (is_it(argument.item) || std::any_of(argument.items.begin(), argument.items.end(), is_it))
        return true;
  return std::any_of(program.outputs.begin(), program.outputs.end(),
                     [&](const Output& output) { return is_it(output.item); });
}

}  // namespace

Tensors::Tensors(const broch::Host& host, const Archive& archive, const Executable& executable,
                 const std::vector<std::string>& freeze)
    : host_(host),
      variables_(host.require<broch_host_variables>(BROCH_EXT_VARIABLES)),
      archive_(archive),
      program_(archive.program()),
      executable_(executable) {
  arrays::about("/file", [&] { find_all(); });
  freeze_those(freeze);
}

void Tensors::find_all() {
  kept_.resize(program_.inputs.size());
  std::map<std::string, std::string> first;  // of tied parameters, by their memory
  for (size_t i = 0; i < program_.inputs.size(); ++i) {
    const Input& input = program_.inputs[i];
    if (input.kind == Input::Kind::user) continue;
    Kept& kept = kept_[i];
    kept.name = input.name;
    if (archive_.is_foreign(input.name) && !is_used(program_, input.item)) continue;
    kept.stored = &archive_.stored(input.name);
    const bool is_parameter = input.kind == Input::Kind::parameter;
    const bool is_changed = executable_.writes_to(i, true) || is_returned(input.name);
    kept.is_variable =
        is_parameter || is_changed || (input.kind == Input::Kind::buffer && input.persistent);
    const TensorMeta* meta = meta_of(program_, input.item);
    kept.flags = is_parameter && meta && meta->requires_grad ? BROCH_VARIABLE_TRAINABLE
                                                             : BROCH_VARIABLE_MODEL;
    if (is_parameter) kept.name = first.try_emplace(kept.stored->memory, input.name).first->second;
    if (!kept.is_variable) kept.elements = archive_.elements(*kept.stored);
  }
}

bool Tensors::is_returned(const std::string& buffer) const {
  return std::any_of(program_.outputs.begin(), program_.outputs.end(), [&](const Output& output) {
    return output.kind == Output::Kind::buffer && output.name == buffer;
  });
}

void Tensors::freeze_those(const std::vector<std::string>& patterns) {
  const auto refuse = [](const std::string& pattern, const std::string& rest) {
    throw arrays::OptionError(BROCH_E_INVALID_ARGUMENT, "/freeze: found '" + pattern + "'" + rest);
  };
  std::vector<bool> is_trainable;
  for (const Kept& kept : kept_) is_trainable.push_back(kept.flags & BROCH_VARIABLE_TRAINABLE);
  for (const std::string& pattern : patterns) {
    std::regex regex;
    try {
      regex = std::regex(pattern);
    } catch (const std::regex_error& error) {
      refuse(pattern, std::string(" (") + error.what() + "), expected a regular expression");
    }
    bool is_used = false;
    for (size_t i = 0; i < kept_.size(); ++i)
      if (is_trainable[i] && std::regex_match(kept_[i].name, regex)) {
        kept_[i].flags = BROCH_VARIABLE_MODEL;
        is_used = true;
      }
    if (!is_used)
      refuse(pattern, ", which matches no trainable parameter; broch plan prints their names");
  }
}

broch::Tensor Tensors::value(broch::Tower& t, size_t input, Made& made) const {
  const Kept& kept = kept_[input];
  if (!kept.stored) return {};
  if (!kept.is_variable) return t.constant(view_of(*kept.stored, kept.elements));
  const auto found = made.find(kept.name);
  if (found != made.end()) return found->second.value;
  return made.emplace(kept.name, variable(t, kept)).first->second.value;
}

// One that exists keeps its value, so the file is only read for those that are new.
broch::Variable Tensors::variable(broch::Tower& t, const Kept& kept) const {
  const Stored& stored = *kept.stored;
  const auto made = [&](const broch::Init& init) {
    return t.variable(kept.name, stored.shape, init, kept.flags, stored.dtype);
  };
  if (exists(t, kept.name)) return made(broch::Init::constant(0));
  const std::vector<std::byte> elements = archive_.elements(stored);
  return made(broch::Init::values(view_of(stored, elements)));
}

bool Tensors::exists(const broch::Tower& t, const std::string& name) const {
  const std::string scope = t.info().vs_name;
  broch_variable variable = 0;
  return variables_->find(host_.c(), (scope.empty() ? name : scope + "/" + name).c_str(),
                          &variable) >= 0;
}

void Tensors::update(broch::Tower& t, const std::vector<broch_tensor>& values,
                     const std::vector<broch_value>& results, const Made& made) const {
  const auto write = [&](const std::string& name, broch_tensor value) {
    const auto found = made.find(name);
    if (found == made.end()) return;
    t.update(found->second.handle, t.ops().detach(broch::Tensor(&t.ops(), value)));
  };
  for (size_t i = 0; i < kept_.size(); ++i)
    if (kept_[i].is_variable && executable_.writes_to(i, true)) write(kept_[i].name, values[i]);
  for (size_t i = 0; i < results.size(); ++i)
    if (program_.outputs[i].kind == Output::Kind::buffer && results[i].tag == BROCH_TAG_TENSOR)
      write(program_.outputs[i].name, results[i].u.tensor);
}

}  // namespace exported
