// variables.cpp: creates variables, and checks their names, shapes and initializers.
#include "runtime/variables.hpp"

#include <algorithm>
#include <atomic>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "runtime/dlpack.hpp"

namespace broch::runtime {
namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& found,
                         const std::string& expected, const std::string& hint) {
  throw base::Error(base::Exit::training, {.where = "variable " + base::quoted(name),
                                           .found = found,
                                           .expected = expected,
                                           .hint = hint});
}

Shape shape_of(const broch_variable_spec& spec) {
  Shape shape;
  shape.rank = std::min<uint32_t>(spec.rank, BROCH_RANK_MAX);
  std::copy_n(spec.shape, shape.rank, shape.dims.begin());
  return shape;
}

bool can_train(broch_dtype dtype) {
  return (dtype >= BROCH_FLOAT32 && dtype <= BROCH_BFLOAT16) || dtype == BROCH_COMPLEX64 ||
         dtype == BROCH_COMPLEX128;
}

void check_values(const std::string& name, const broch_variable_spec& spec, const Shape& shape) {
  if (!spec.values)
    refuse(name, "initializer VALUES without values", "a tensor in spec.values", "set it");
  const TensorInfo values = describe_dl(*spec.values);
  if (values.dtype != spec.dtype || !(values.shape == shape))
    refuse(name, "initial values " + type_text(values.dtype, values.shape),
           type_text(spec.dtype, shape), "give values of the variable's dtype and shape");
}

void check_spec(const std::string& name, const broch_variable_spec& spec) {
  if (!dtype_size(spec.dtype))
    refuse(name, "dtype code " + std::to_string(spec.dtype), "one of value.h",
           "set spec.dtype, for example to BROCH_FLOAT32");
  if (spec.rank > BROCH_RANK_MAX)
    refuse(name, std::to_string(spec.rank) + " dimensions", "at most 8", "flatten some of them");
  const Shape shape = shape_of(spec);
  for (const int64_t dim : shape.span())
    if (dim < 0)
      refuse(name, "shape " + to_string(shape), "dimensions that are known and not negative",
             "a variable's shape must not depend on unknown dimensions of the input");
  int64_t bytes = static_cast<int64_t>(dtype_size(spec.dtype));
  for (const int64_t dim : shape.span())
    if (__builtin_mul_overflow(bytes, dim, &bytes))
      refuse(name, "shape " + to_string(shape), "one that memory can hold",
             "look at how its dimensions are computed");
  if ((spec.flags & BROCH_VARIABLE_TRAINABLE) && !can_train(spec.dtype))
    refuse(name, std::string("a trainable variable of dtype ") + dtype_name(spec.dtype),
           "a floating-point dtype", "leave out BROCH_VARIABLE_TRAINABLE");
  if (spec.initializer < BROCH_INIT_CONSTANT || spec.initializer > BROCH_INIT_VALUES)
    refuse(name, "initializer " + std::to_string(spec.initializer), "one of BROCH_INIT_…",
           "set spec.initializer");
  if (spec.initializer == BROCH_INIT_VALUES) check_values(name, spec, shape);
}

std::vector<std::string> parts_of(const std::string& name) {
  std::vector<std::string> parts;
  size_t from = 0;
  for (size_t slash; (slash = name.find('/', from)) != std::string::npos; from = slash + 1)
    parts.push_back(name.substr(from, slash - from));
  parts.push_back(name.substr(from));
  return parts;
}

std::string in_replica(const std::string& name, const std::string& replica) {
  return replica.empty() ? name : replica + '/' + name;
}

uint32_t next_serial() {
  static std::atomic<uint32_t> serial{0};
  return ++serial;
}

}  // namespace

void check_variable_name(const std::string& name, const std::string& made_by) {
  const auto wrong = [&](const std::string& found, const std::string& expected,
                         const std::string& hint) {
    refuse(name, found + " (asked for by " + made_by + ")", expected, hint);
  };
  const bool odd =
      std::ranges::any_of(name, [](unsigned char c) { return c <= ' ' || c == ':' || c == 127; });
  if (odd || !base::is_utf8(name))
    wrong("a character that names do not have", "no ':', space or control character", "rename it");
  const std::vector<std::string> parts = parts_of(name);
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].empty())
      wrong("an empty part", "\"scope/name\" without leading, trailing or double '/'",
            "check the scopes and the name");
    if (parts[i].find("tower") != std::string::npos)
      wrong("\"tower\" in part '" + parts[i] + "'", "names that do not depend on the replica",
            "rename it: which tower a variable belongs to is no part of its name");
    if (std::find(parts.begin(), parts.begin() + i, parts[i]) != parts.begin() + i)
      wrong("'" + parts[i] + "' twice in the path",
            "another name than those of the layers or scopes around it",
            (i + 1 == parts.size() ? "the variable itself is called '" + parts[i] + "': " : "") +
                "rename the layer or scope '" + parts[i] + "', for example '" + parts[i] +
                "_1', and open no scope again inside itself");
  }
}

VariableStore::VariableStore(Backend& backend, uint64_t root_seed)
    : backend_(backend), root_seed_(root_seed), serial_(next_serial()) {}

Variable& VariableStore::create(const std::string& name, const broch_variable_spec& spec,
                                Device device, const std::string& made_by,
                                const std::string& replica) {
  check_variable_name(name, made_by);
  const std::string full = in_replica(name, replica);
  if (const Variable* first = find(full))
    refuse(full, "made by " + made_by + ", but " + first->made_by + " has made it already",
           "a name that is free", "rename one of them, or look it up instead of making it");
  if (sealed_)
    refuse(name, "made by " + made_by + " after set-up",
           "all variables to exist when training starts", "make it in setup_graph");
  check_spec(name, spec);
  auto variable = std::make_unique<Variable>();
  variable->id = static_cast<uint32_t>(variables_.size());
  variable->name = full;
  variable->replica = replica;
  variable->dtype = spec.dtype;
  variable->shape = shape_of(spec);
  variable->flags = spec.flags | (replica.empty() ? 0 : BROCH_VARIABLE_LOCAL);
  variable->made_by = made_by;
  variable->device = device;
  // The value depends only on seed and name, so replicas and ranks start with the same values, in
  // whatever order variables are created.
  variable->value = backend_.initial(spec, base::hash64(name, root_seed_), device);
  variables_.push_back(std::move(variable));
  by_name_.emplace(full, variables_.back().get());
  return *variables_.back();
}

Variable* VariableStore::find(const std::string& name, const std::string& replica) {
  return find(in_replica(name, replica));
}

Variable* VariableStore::find(std::string_view name) {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

Variable& VariableStore::at(std::string_view name, const char* hint) {
  if (Variable* variable = find(name)) return *variable;
  refuse(std::string(name), "no such variable",
         "one of the " + std::to_string(variables_.size()) + " there are" + likely(name), hint);
}

// For messages: a similar name, else some that end with the same part, as if a scope was left out.
std::string VariableStore::likely(std::string_view name) const {
  const std::string similar = base::did_you_mean(name, names());
  if (!similar.empty()) return similar;
  constexpr size_t kShown = 3;
  const std::string last = "/" + std::string(name.substr(name.rfind('/') + 1));
  std::vector<std::string> alike;
  for (const std::string& other : names())
    if (other.ends_with(last) && alike.size() < kShown) alike.push_back(base::quoted(other));
  return alike.empty() ? "" : ", such as " + base::join(alike, ", ");
}

Variable& VariableStore::reuse(const std::string& name, const broch_variable_spec& spec,
                               const std::string& asked_by, const std::string& replica) {
  Variable* variable = find(name, replica);
  if (!variable)
    refuse(name, "asked for by " + asked_by + " under reuse, but nobody has made it",
           "a variable that exists" + base::did_you_mean(name, names()),
           "a tower function asks for the same variables in every call, whatever the mode");
  const Shape shape = shape_of(spec);
  if (variable->dtype != spec.dtype || spec.rank != variable->shape.rank ||
      !(variable->shape == shape))
    refuse(name, "asked for by " + asked_by + " as " + type_text(spec.dtype, shape),
           type_text(variable->dtype, variable->shape) + " as made by " + variable->made_by,
           "ask for the same shape and dtype, or use another name");
  return *variable;
}

std::vector<Variable*> VariableStore::with_flags(uint32_t flags) const {
  std::vector<Variable*> found;
  for (const auto& variable : variables_)
    if ((variable->flags & flags) == flags) found.push_back(variable.get());
  return found;
}

std::vector<std::string> VariableStore::names() const {
  std::vector<std::string> names;
  names.reserve(variables_.size());
  for (const auto& variable : variables_) names.push_back(variable->name);
  return names;
}

VariableStore::FlatList VariableStore::lay_out(const std::vector<Variable*>& variables) {
  std::vector<Tensor> values;
  values.reserve(variables.size());
  for (const Variable* variable : variables) {
    const Variable& first = *variables.front();
    if (sealed_ || variable->flat)
      refuse(variable->name, sealed_ ? "laid out after set-up" : "laid out twice",
             "storage that moves once, in setup_graph",
             "put each variable into one gradient list at most");
    if (variable->dtype != first.dtype || variable->device != first.device)
      refuse(variable->name, dtype_name(variable->dtype) + (" on " + to_string(variable->device)),
             dtype_name(first.dtype) + (" on " + to_string(first.device)) + " like '" + first.name +
                 "'",
             "make one list for each dtype and device");
    values.push_back(variable->value);
  }
  Backend::Flat flat = backend_.flatten(values);
  for (size_t i = 0; i < variables.size(); ++i) {
    variables[i]->value = std::move(flat.views[i]);
    variables[i]->flat = true;
  }
  return {std::move(flat.buffer), variables};
}

}  // namespace broch::runtime
