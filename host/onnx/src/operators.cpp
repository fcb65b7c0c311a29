// operators.cpp: the table of all operators.
#include "operators.hpp"

namespace broch::onnx {
namespace {

const Table& table() {
  static const Table all = [] {
    Table table;
    add_pointwise(table);
    add_shapes(table);
    add_reductions(table);
    add_networks(table);
    return table;
  }();
  return all;
}

}  // namespace

Translation find_translation(std::string_view name) {
  constexpr std::string_view kPrefix = "aten::";
  if (!name.starts_with(kPrefix)) return nullptr;
  name.remove_prefix(kPrefix.size());
  name = name.substr(0, name.find('.'));
  if (name.ends_with('_') && !name.ends_with("__")) name.remove_suffix(1);
  const auto found = table().find(name);
  return found == table().end() ? nullptr : found->second;
}

}  // namespace broch::onnx
