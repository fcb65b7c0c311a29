// aliases.cpp: which arguments and results share memory, as schemas tell, and what a write changes.
#include "aliases.hpp"

#include <algorithm>
#include <set>

#include "operators.hpp"

namespace broch::onnx {
namespace {

using graph::Node;

// The kind of each argument in a schema: "" (no memory in common), "a" (shares memory), "a!" (is
// written to).
std::vector<std::string> marks(const std::string& schema) {
  std::vector<std::string> result;
  const size_t open = schema.find('('), arrow = schema.rfind(" -> ");
  if (open == std::string::npos || arrow == std::string::npos || arrow < open + 2) return result;
  int depth = 0;
  std::string mark;
  for (size_t at = open + 1; at + 1 < arrow; ++at) {
    const char c = schema[at];
    if (c == '*' && depth == 0) {  // no argument; those behind it have names
      at += 1;
    } else if (c == '(') {
      ++depth;
    } else if (c == ')') {
      --depth;
    } else if (c == ',' && depth == 0) {
      result.push_back(std::move(mark));
      mark.clear();
    } else if (depth == 1) {
      mark += c;
    }
  }
  result.push_back(std::move(mark));
  return result;
}

std::string_view plain_name(std::string_view name) {
  name.remove_prefix(std::min(name.size(), name.find("::") == name.npos ? 0 : name.find("::") + 2));
  return name.substr(0, name.find('.'));
}

// Operators whose results always share the memory of their first argument.
bool is_view(std::string_view name) {
  static const std::set<std::string_view> views = {
      "alias",   "detach",    "expand", "narrow", "permute", "select", "slice",    "split",
      "squeeze", "transpose", "t",      "unbind", "view",    "chunk",  "unsqueeze"};
  return views.contains(plain_name(name));
}

// parent with child in the place of its elements from begin to end.
std::string replaced(Call& c, int64_t axis, const graph::Number& begin,
                     const std::optional<graph::Number>& end, const std::string& child) {
  Names parts;
  if (begin != graph::Number(0)) parts.push_back(c.b.slice(c.x(0), axis, 0, begin));
  parts.push_back(child);
  if (end && *end != graph::Number(INT64_MAX))
    parts.push_back(c.b.slice(c.x(0), axis, *end, INT64_MAX));
  return parts.size() == 1 ? child : c.b.add("Concat", parts, {attribute("axis", axis)});
}

std::vector<int64_t> order_back(Call& c, std::string_view name) {
  const int64_t rank = c.rank(0);
  std::vector<int64_t> order(size_t(rank), 0);
  for (int64_t i = 0; i < rank; ++i) order[size_t(i)] = i;
  if (name == "t") std::ranges::reverse(order);
  if (name == "transpose")
    std::swap(order[size_t(c.axis(1, rank))], order[size_t(c.axis(2, rank))]);
  if (name == "permute") {
    const std::vector<int64_t> there = c.axes(1, rank);
    for (size_t i = 0; i < there.size(); ++i) order[size_t(there[i])] = int64_t(i);
  }
  return order;
}

}  // namespace

Aliases::Aliases(Builder& builder)
    : builder_(builder),
      graph_(builder.graph()),
      origins_(graph_.types.size()),
      last_use_(graph_.types.size(), -1) {
  for (size_t n = 0; n < graph_.nodes.size(); ++n)
    for (const graph::Argument& argument : graph_.nodes[n].arguments)
      for (const int value : argument.values)
        if (value >= 0) last_use_[size_t(value)] = int64_t(n);
  for (const graph::Output& output : graph_.outputs)
    last_use_[size_t(output.value)] = int64_t(graph_.nodes.size());
}

void Aliases::add(size_t n) {
  const Node& node = graph_.nodes[n];
  const std::vector<std::string> kinds = marks(graph_.operators[node.op]);
  for (size_t i = 0; i < node.arguments.size() && i < kinds.size(); ++i) {
    if (kinds[i].empty() || node.arguments[i].kind != graph::Argument::Kind::value) continue;
    const int value = node.arguments[i].values[0];
    for (const int result : node.results)
      if (result >= 0) origins_[size_t(result)] = {value, n};
    if (kinds[i].find('!') != std::string::npos) write(value, n);
  }
}

void Aliases::write(int value, size_t n) {
  const std::vector<int> others = needed_others(value, n);
  const Node& node = graph_.nodes[n];
  if (!node.results.empty() && node.results[0] >= 0)
    builder_.define(value, builder_.name(node.results[0]));
  if (others.empty()) return;
  std::set<int> current = {value};
  for (int inner = value; const auto& origin = origins_[size_t(inner)]; inner = origin->value) {
    builder_.define(origin->value, around(origin->node, builder_.name(inner)));
    current.insert(origin->value);
  }
  for (const int other : others) {
    if (current.contains(other)) continue;
    const size_t made_by = origins_[size_t(other)]->node;
    const std::string& schema = graph_.operators[graph_.nodes[made_by].op];
    const std::string name = schema.substr(0, schema.find('('));
    if (!is_view(name)) throw Refusal{"it writes to memory that " + name + " may share"};
    Call call(builder_, graph_.nodes[made_by], name);
    const Names results = find_translation(name)(call);
    for (size_t i = 0; i < results.size(); ++i)
      if (graph_.nodes[made_by].results[i] == other) builder_.define(other, results[i]);
  }
}

std::string Aliases::around(size_t n, const std::string& child) {
  const std::string& schema = graph_.operators[graph_.nodes[n].op];
  const std::string whole = schema.substr(0, schema.find('('));
  const std::string_view name = plain_name(whole);
  Call c(builder_, graph_.nodes[n], whole);
  if (name.ends_with('_') || name == "alias" || name == "detach") return child;
  if (name == "slice" && c.integer(4, 1) == 1)
    return replaced(c, c.axis(1, c.rank(0)), c.number(2), c.number(3, INT64_MAX), child);
  if (name == "narrow") {
    const graph::Number begin = begin_of_narrow(c);
    return replaced(c, c.axis(1, c.rank(0)), begin, sum(begin, c.number(3)), child);
  }
  if (name == "select") {
    const int64_t axis = c.axis(1, c.rank(0));
    const graph::Number index = c.number(2);
    std::optional<graph::Number> end;
    if (index != graph::Number(-1)) end = sum(index, 1);
    return replaced(c, axis, index, end, c.b.unsqueeze(child, {axis}));
  }
  if (name == "view" || name == "unsqueeze" || name == "squeeze")
    return c.b.reshape(child, c.shape(0));
  if (name == "t" || name == "transpose" || name == "permute")
    return c.b.add("Transpose", {child}, {attribute("perm", order_back(c, name))});
  throw Refusal{"it writes to memory through " + whole};
}

std::vector<int> Aliases::needed_others(int value, size_t n) const {
  std::vector<int> found;
  std::vector<bool> needed(origins_.size(), false);
  for (size_t v = 0; v < needed.size(); ++v) {
    if (last_use_[v] <= int64_t(n) || int(v) == value || is_result(int(v), n)) continue;
    if (root(int(v)) != root(value)) continue;
    // With what it is a part of, up to the root.
    for (int at = int(v); !needed[size_t(at)]; at = origins_[size_t(at)]->value) {
      needed[size_t(at)] = true;
      if (!origins_[size_t(at)]) break;
    }
  }
  for (size_t v = 0; v < needed.size(); ++v)
    if (needed[v]) found.push_back(int(v));
  std::ranges::sort(found, {}, [&](int v) {
    return origins_[size_t(v)] ? int64_t(origins_[size_t(v)]->node) : int64_t{-1};
  });
  return found;
}

int Aliases::root(int value) const {
  while (origins_[size_t(value)]) value = origins_[size_t(value)]->value;
  return value;
}

bool Aliases::is_result(int value, size_t n) const {
  return std::ranges::count(graph_.nodes[n].results, value) > 0;
}

}  // namespace broch::onnx
