// resolve.cpp: finds the operator for a schema that a plugin was compiled with.
#include <ATen/core/jit_type.h>
#include <torch/csrc/jit/frontend/function_schema_parser.h>

#include <algorithm>
#include <sstream>
#include <string_view>

#include "base/text.hpp"
#include "compiler/aten.hpp"
#include "torch_backend.hpp"

namespace broch::libtorch {
namespace {

constexpr size_t kSchemaBytes = 4096;
constexpr size_t kArguments = 64;  // writes() returns one bit for each

[[noreturn]] void fail(broch_status status, const std::string& where, const std::string& found,
                       const std::string& expected, const std::string& hint) {
  throw OperatorError(status, base::Diagnostic{where, found, expected, hint});
}

c10::FunctionSchema parsed(const std::string& text) {
  if (text.size() > kSchemaBytes || !base::is_utf8(text)) {
    fail(BROCH_E_INVALID_ARGUMENT, "operator schema",
         "found " + std::to_string(text.size()) + " bytes",
         "UTF-8 text of at most " + std::to_string(kSchemaBytes) + " bytes",
         "take the text from LibTorch's native_functions.yaml");
  }
  try {
    return torch::jit::parseSchema(text, /*allow_typevars=*/false);
  } catch (const std::exception& error) {
    fail(BROCH_E_INVALID_ARGUMENT, "operator schema", "found " + base::quoted(text),
         "a schema like 'aten::relu(Tensor self) -> Tensor'",
         std::string("the parser says: ") + error.what());
  }
}

c10::OperatorHandle found(const c10::OperatorName& name) {
  auto& dispatcher = c10::Dispatcher::singleton();
  if (auto handle = dispatcher.findSchema(name)) return *handle;
  std::vector<std::string> names;
  for (const c10::OperatorName& other : dispatcher.getAllOpNames()) {
    names.push_back(c10::toString(other));
  }
  const std::string asked = c10::toString(name);
  fail(BROCH_E_NOT_FOUND, "operator " + base::quoted(asked),
       "LibTorch has no such operator" + base::did_you_mean(asked, names), "",
       "write name and overload as LibTorch does: aten::add.Tensor");
}

void check_compatible(const c10::FunctionSchema& now, const c10::FunctionSchema& declared,
                      const std::string& where) {
  std::ostringstream why;
  if (now.isBackwardCompatibleWith(declared, &why)) return;
  fail(BROCH_E_FAILED_PRECONDITION, where,
       "the declared schema does not fit" + (why.str().empty() ? "" : ": " + why.str()),
       "a schema compatible with " + c10::str(now), "rebuild the plugin with this schema");
}

Kind kind_of(const c10::TypePtr& type) {
  using c10::TypeKind;
  switch (type->kind()) {
    case TypeKind::TensorType:
      return Kind::tensor;
    case TypeKind::IntType:
    case TypeKind::SymIntType:
      return Kind::integer;
    case TypeKind::FloatType:
      return Kind::floating;
    case TypeKind::BoolType:
      return Kind::boolean;
    case TypeKind::NumberType:
      return Kind::scalar;
    case TypeKind::StringType:
      return Kind::string;
    case TypeKind::ScalarTypeType:
      return Kind::dtype;
    case TypeKind::LayoutType:
    case TypeKind::MemoryFormatType:
    case TypeKind::DeviceObjType:
    case TypeKind::GeneratorType:
      return Kind::host;
    default:
      return Kind::other;
  }
}

Kind list_kind_of(const c10::TypePtr& element) {
  if (const auto optional = element->cast<c10::OptionalType>()) {
    const bool tensors = kind_of(optional->getElementType()) == Kind::tensor;
    return tensors ? Kind::optional_tensors : Kind::other;
  }
  switch (kind_of(element)) {
    case Kind::tensor:
      return Kind::tensors;
    case Kind::integer:
      return Kind::integers;
    case Kind::floating:
      return Kind::floatings;
    case Kind::boolean:
      return Kind::booleans;
    default:
      return Kind::other;
  }
}

Slot slot_of(const c10::Argument& argument, const c10::FunctionSchema& declared) {
  Slot slot;
  slot.name = argument.name();
  slot.type = argument.real_type()->str();
  c10::TypePtr type = argument.real_type();
  if (const auto optional = type->cast<c10::OptionalType>()) {
    slot.optional = true;
    type = optional->getElementType();
  }
  const auto list = type->cast<c10::ListType>();
  slot.kind = list ? list_kind_of(list->getElementType()) : kind_of(type);
  if (const auto index = declared.argumentIndexWithName(slot.name)) slot.declared = *index;
  slot.has_default = argument.default_value().has_value();
  if (slot.has_default) slot.default_value = *argument.default_value();
  return slot;
}

void check_results(const c10::FunctionSchema& now, const std::string& where) {
  for (const c10::Argument& result : now.returns()) {
    const auto list = result.real_type()->cast<c10::ListType>();
    const Kind kind = kind_of(list ? list->getElementType() : result.real_type());
    if (kind <= Kind::scalar) continue;
    fail(BROCH_E_UNIMPLEMENTED, where, "its result is a " + result.real_type()->str(),
         "tensors and numbers", "take another operator");
  }
}

// Operators whose schema does not say that they update running statistics, and the flag that makes
// them do so; "": they always do.
struct SilentWriter {
  const char* name;
  const char* flag;
};
constexpr SilentWriter kSilentWriters[] = {
    {"aten::native_batch_norm", "training"},
    {"aten::batch_norm", "training"},
    {"aten::cudnn_batch_norm", "training"},
    {"aten::miopen_batch_norm", "training"},
    {"aten::_batch_norm_impl_index", "training"},
    {"aten::instance_norm", "use_input_stats"},
    {"aten::batch_norm_update_stats", ""},
    {"aten::batch_norm_gather_stats", ""},
    {"aten::batch_norm_gather_stats_with_counts", ""},
};

uint64_t bit(int declared) { return declared < 0 ? 0 : uint64_t{1} << declared; }

void mark_silent_writes(Operator& op) {
  const std::string& base_name = op.handle.operator_name().name;
  for (const SilentWriter& writer : kSilentWriters) {
    if (base_name != writer.name) continue;
    for (size_t i = 0; i < op.slots.size(); ++i) {
      const Slot& slot = op.slots[i];
      if (slot.name == "running_mean" || slot.name == "running_var") {
        op.writes_in_training |= bit(slot.declared);
      }
      if (slot.name == writer.flag) op.training_slot = static_cast<int>(i);
    }
  }
}

// Operators whose calls or shapes depend on values, and that have no tag which says so. Those of
// packed sequences look up how many sequences there are at each place.
constexpr std::string_view kReaders[] = {"aten::is_nonzero",
                                         "aten::lstm.data",
                                         "aten::gru.data",
                                         "aten::rnn_tanh.data",
                                         "aten::rnn_relu.data",
                                         "aten::_pack_padded_sequence",
                                         "aten::_pad_packed_sequence",
                                         "aten::_unique",
                                         "aten::tensor_split.tensor_indices_or_sections"};

// Operators that take a tensor make their results on its device.
int device_slot_of(const Operator& op) {
  int found = -1;
  for (size_t i = 0; i < op.slots.size(); ++i) {
    const Kind kind = op.slots[i].kind;
    if (kind == Kind::tensor || kind == Kind::tensors || kind == Kind::optional_tensors) return -1;
    if (op.slots[i].name == "device") found = static_cast<int>(i);
  }
  return found;
}

std::unique_ptr<Operator> made(const c10::OperatorHandle& handle,
                               const c10::FunctionSchema& declared) {
  auto op = std::make_unique<Operator>(handle);
  const c10::FunctionSchema& now = handle.schema();
  op->name = c10::toString(now.operator_name());
  op->declared_count = static_cast<uint32_t>(declared.arguments().size());
  for (const c10::Argument& argument : now.arguments()) {
    const Slot slot = slot_of(argument, declared);
    if (argument.alias_info() && argument.alias_info()->isWrite()) op->writes |= bit(slot.declared);
    if (slot.type.find("Generator") != std::string::npos) {
      op->generator_slot = static_cast<int>(op->slots.size());
    }
    op->slots.push_back(slot);
  }
  mark_silent_writes(*op);
  op->device_slot = device_slot_of(*op);
  op->random = op->generator_slot >= 0 || handle.hasTag(at::Tag::nondeterministic_seeded);
  // Whether index reads values depends on its arguments: a recorder looks at them.
  op->reads_value = handle.hasTag(at::Tag::data_dependent_output) ||
                    (handle.hasTag(at::Tag::dynamic_output_shape) &&
                     op->handle.operator_name().name != "aten::index") ||
                    std::ranges::find(kReaders, op->name) != std::end(kReaders);
  op->by_channel = op->name == "aten::native_batch_norm";
  return op;
}

}  // namespace

Operator* TorchBackend::resolve(const std::string& schema) {
  {
    const std::shared_lock lock(mutex_);
    if (const auto known = operators_.find(schema); known != operators_.end()) {
      return known->second.get();
    }
  }
  const c10::FunctionSchema declared = parsed(schema);
  const c10::OperatorHandle handle = found(declared.operator_name());
  const std::string where = "operator " + base::quoted(c10::toString(handle.operator_name()));
  check_compatible(handle.schema(), declared, where);
  check_results(handle.schema(), where);
  if (declared.arguments().size() > kArguments) {
    fail(BROCH_E_RESOURCE_EXHAUSTED, where,
         "found " + std::to_string(declared.arguments().size()) + " arguments",
         "at most " + std::to_string(kArguments), "declare fewer");
  }
  auto op = at_place("operator", [&] { return made(handle, declared); });
  op->declared_schema = schema;
  const std::unique_lock lock(mutex_);
  return operators_.try_emplace(schema, std::move(op)).first->second.get();
}

std::string TorchBackend::schema(const std::string& name) {
  const size_t space = name.find("::"), dot = name.find('.', space == name.npos ? 0 : space);
  const c10::OperatorName asked(name.substr(0, dot), dot == name.npos ? "" : name.substr(dot + 1));
  const auto handle = c10::Dispatcher::singleton().findSchema(asked);
  return handle ? c10::str(handle->schema()) : "";
}

uint64_t TorchBackend::writes(const Operator* op, const RawValue* args, uint32_t n) const {
  if (!op->writes_in_training) return op->writes;
  if (op->training_slot >= 0) {
    const int flag = op->slots[op->training_slot].declared;
    const bool training = flag >= 0 && static_cast<uint32_t>(flag) < n && args[flag].u.i64 != 0;
    if (!training) return op->writes;
  }
  return op->writes | op->writes_in_training;
}

}  // namespace broch::libtorch
