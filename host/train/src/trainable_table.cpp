// trainable_table.cpp: formats a table with columns as wide as their widest cell.
#include "train/trainable_table.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

namespace broch::train {

namespace {

using Row = std::vector<std::string>;

std::string format(const std::vector<Row>& rows) {
  std::vector<size_t> widths(rows[0].size());
  for (const Row& row : rows)
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i)
      line += row[i] + std::string(widths[i] - row[i].size() + 2, ' ');
    line.resize(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string shape_text(const runtime::Shape& shape) {
  std::string text = "[";
  for (uint32_t i = 0; i < shape.rank; ++i) text += (i ? ", " : "") + std::to_string(shape.dims[i]);
  return text + "]";
}

std::string totals(const std::vector<runtime::Variable*>& variables) {
  int64_t elements = 0;
  size_t bytes = 0;
  for (const runtime::Variable* variable : variables) {
    elements += variable->shape.elements();
    bytes += static_cast<size_t>(variable->shape.elements()) * runtime::dtype_size(variable->dtype);
  }
  char text[160];
  std::snprintf(text, sizeof text,
                "Number of trainable variables: %zu\n"
                "Number of parameters (elements): %lld\n"
                "Storage space needed for all trainable variables: %.2fMB",
                variables.size(), static_cast<long long>(elements),
                static_cast<double>(bytes) / (1024 * 1024));
  return text;
}

}  // namespace

std::string trainable_table(const runtime::VariableStore& store,
                            const std::map<std::string, std::string>& remarks) {
  std::vector<runtime::Variable*> variables = store.with_flags(BROCH_VARIABLE_TRAINABLE);
  std::erase_if(variables, [](const auto* variable) { return !variable->replica.empty(); });
  if (variables.empty()) return "";
  const auto differ = [&](auto member) {
    return std::ranges::any_of(
        variables, [&](const auto* one) { return !(one->*member == variables[0]->*member); });
  };
  const bool devices = differ(&runtime::Variable::device);
  const bool dtypes = differ(&runtime::Variable::dtype) || variables[0]->dtype != BROCH_FLOAT32;

  std::vector<Row> rows{{"name", "shape", "#elements"}};
  if (devices) rows[0].emplace_back("device");
  if (dtypes) rows[0].emplace_back("dtype");
  if (!remarks.empty()) rows[0].emplace_back("update");
  for (const runtime::Variable* variable : variables) {
    Row& row = rows.emplace_back(Row{variable->name, shape_text(variable->shape),
                                     std::to_string(variable->shape.elements())});
    if (devices) row.push_back(to_string(variable->device));
    if (dtypes) row.emplace_back(runtime::dtype_name(variable->dtype));
    const auto remark = remarks.find(variable->name);
    if (!remarks.empty()) row.push_back(remark == remarks.end() ? "" : remark->second);
  }
  return "Trainable Variables:\n" + format(rows) + totals(variables);
}

}  // namespace broch::train
