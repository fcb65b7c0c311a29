// lower.cpp: reads the arguments of nodes, replaces operators.
#include "lower.hpp"

#include <algorithm>

namespace broch::passes {
bool is_dense_float(const Program& program, int view) {
  return view != kNoView && program.views[view].dtype == at::kFloat &&
         program.views[view].contiguous();
}

bool all_dense_or_none(const Program& program, std::initializer_list<int> views) {
  return std::ranges::all_of(
      views, [&](int view) { return view == kNoView || is_dense_float(program, view); });
}

bool same_memory(const Program& program, int a, int b) {
  if (a == kNoView || b == kNoView) return false;
  return program.views[a].dtype == at::kFloat && program.views[b].dtype == at::kFloat &&
         same_order(program, a, b);
}

bool same_order(const Program& program, int a, int b) {
  const View &left = program.views[a], &right = program.views[b];
  return left.sizes == right.sizes && ((left.contiguous() && right.contiguous()) ||
                                       (is_channels_last(left) && is_channels_last(right)));
}

bool is_channels_last(const View& view) {
  if (view.sizes.size() != 4 || view.conjugate || view.negative) return false;
  const auto& n = view.sizes;
  return view.strides == std::vector<int64_t>{n[1] * n[2] * n[3], 1, n[3] * n[1], n[1]} &&
         !view.contiguous();
}

std::optional<Matrix> matrix_of(const Program& program, int number) {
  if (number == kNoView) return std::nullopt;
  const View& view = program.views[number];
  if (view.sizes.size() != 2 || view.dtype != at::kFloat || view.conjugate || view.negative)
    return std::nullopt;
  if ((view.sizes[0] > 1 && !view.strides[0]) || (view.sizes[1] > 1 && !view.strides[1]))
    return std::nullopt;  // an expanded view
  return Matrix{number, view.sizes[0], view.sizes[1], view.strides[0], view.strides[1]};
}

bool is_plain_cast(const Program& program, const Uses& uses, const Node& node, at::ScalarType to) {
  if (!node.is("aten::_to_copy") || node.makes.size() != 1) return false;
  const View& from = program.views[node.argument_view(0)];
  const View& made = program.views[node.result_view(0)];
  return made.dtype == to && from.dtype == (to == at::kFloat ? at::kBFloat16 : at::kFloat) &&
         !from.conjugate && !from.negative && made.sizes == from.sizes &&
         made.strides == from.strides && uses.writers[node.makes[0]].size() == 1;
}

void lower(Node& node, std::string name, std::function<Kernel(const Binder&)> bind) {
  node.name = std::move(name);
  node.bind = std::move(bind);
  node.allocations.clear();
  node.allocation_of.clear();
}

namespace {
constexpr const char* kAbsorbed = "absorbed";
}

void absorb(Node& node) {
  node.name = kAbsorbed;
  node.reads.clear();
  node.writes.clear();
}

void drop_absorbed(std::vector<Node>& nodes) {
  std::erase_if(nodes, [](const Node& node) { return node.name == kAbsorbed; });
}

void replace_view(Program& program, int number, int by) {
  for (Node& node : program.nodes)
    for (std::vector<Argument>* list : {&node.arguments, &node.results})
      for (Argument& argument : *list) std::ranges::replace(argument.views, number, by);
  std::ranges::replace(program.outputs, number, by);
}

void read_instead(Program& program, int buffer, int other) {
  for (Node& node : program.nodes)
    if (std::erase(node.reads, buffer)) append_new(node.reads, other);
}

int add_scratch(Program& program, Node& node, int64_t floats) {
  const int view = program.new_value({std::max<int64_t>(floats, 1)}, at::kFloat);
  node.makes.push_back(program.views[view].buffer);
  append_new(node.writes, program.views[view].buffer);
  return view;
}

bool is_fixed(const Program& program, int view) {
  const Buffer& buffer = program.buffer_of(view);
  return buffer.kind == Buffer::Kind::constant || buffer.persistent;
}

int add_prepared(Program& program, std::string name, int from, int64_t floats,
                 std::function<void(const float* from, float* to)> write) {
  Node node;
  const int to = add_scratch(program, node, floats);
  program.buffers[program.views[to].buffer].persistent = true;
  node.arguments.push_back({Argument::Kind::tensor, {}, {from}});
  node.results.push_back({Argument::Kind::tensor, {}, {to}});
  node.reads = {program.views[from].buffer};
  lower(node, std::move(name), [=, write = std::move(write)](const Binder& binder) {
    return [=, source = at_address<float>(binder, from), target = at_address<float>(binder, to)] {
      write(source, target);
    };
  });
  program.once.push_back(std::move(node));
  return to;
}

Uses::Uses(const Program& program)
    : readers(program.buffers.size()),
      writers(program.buffers.size()),
      wanted(program.wanted_buffers()) {
  for (size_t i = 0; i < program.nodes.size(); ++i) {
    for (const int buffer : program.nodes[i].reads) readers[buffer].push_back(i);
    for (const int buffer : program.nodes[i].writes) writers[buffer].push_back(i);
  }
}

std::optional<size_t> Uses::only_reader(const Program& program, int buffer) const {
  if (program.buffers[buffer].kind != Buffer::Kind::value || wanted[buffer]) return std::nullopt;
  if (writers[buffer].size() != 1 || readers[buffer].size() != 1) return std::nullopt;
  return readers[buffer][0];
}

bool Uses::only_first_result_is_read(const Program& program, const Node& node) const {
  for (size_t i = 1; i < node.results.size(); ++i) {
    const int view = node.result_view(i);
    if (view == kNoView) continue;
    const int buffer = program.views[view].buffer;
    if (wanted[buffer] || !readers[buffer].empty()) return false;
  }
  return true;
}

bool Uses::written_between(int buffer, size_t first, size_t last) const {
  return std::ranges::any_of(writers[buffer],
                             [=](size_t writer) { return writer > first && writer < last; });
}

double number_argument(const Node& node, size_t i, double otherwise) {
  if (i >= node.arguments.size()) return otherwise;
  const c10::IValue& value = node.arguments[i].value;
  if (value.isDouble()) return value.toDouble();
  if (value.isInt()) return static_cast<double>(value.toInt());
  if (value.isBool()) return value.toBool() ? 1 : 0;
  return otherwise;
}

int64_t integer_argument(const Node& node, size_t i, int64_t otherwise) {
  if (i >= node.arguments.size()) return otherwise;
  const c10::IValue& value = node.arguments[i].value;
  return value.isInt() ? value.toInt() : otherwise;
}

bool flag_argument(const Node& node, size_t i, bool otherwise) {
  if (i >= node.arguments.size()) return otherwise;
  const c10::IValue& value = node.arguments[i].value;
  return value.isBool() ? value.toBool() : otherwise;
}

std::vector<int64_t> integers_argument(const Node& node, size_t i) {
  if (i >= node.arguments.size()) return {};
  const c10::IValue& value = node.arguments[i].value;
  return value.isIntList() ? value.toIntVector() : std::vector<int64_t>{};
}

}  // namespace broch::passes
