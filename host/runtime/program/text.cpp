// text.cpp: a program as text, one line an operator.
#include <sstream>

#include "base/text.hpp"
#include "program.hpp"

namespace broch::runtime {
namespace {

std::string buffer_name(const Program& program, int number) {
  const Buffer& buffer = program.buffers[number];
  switch (buffer.kind) {
    case Buffer::Kind::input:
      return "input" + std::to_string(buffer.slot);
    case Buffer::Kind::variable:
      return "'" + buffer.parts.front().second + (buffer.parts.size() > 1 ? "' …" : "'");
    case Buffer::Kind::constant:
      return "constant" + std::to_string(number);
    case Buffer::Kind::value:
      break;
  }
  return "%" + std::to_string(number);
}

// The variable in which a view begins.
const std::pair<size_t, std::string>* part_of(const Program& program, const View& view) {
  const std::pair<size_t, std::string>* found = nullptr;
  const size_t begin = static_cast<size_t>(view.offset) * c10::elementSize(view.dtype);
  for (const auto& part : program.buffers[view.buffer].parts)
    if (part.first <= begin && (!found || part.first > found->first)) found = &part;
  return found;
}

std::string list_of(const Program& program, const Argument& argument) {
  if (argument.kind == Argument::Kind::constant) {
    std::ostringstream out;
    out << argument.value;
    std::string text = out.str();
    constexpr size_t kLongest = 60;
    if (text.size() > kLongest) text.replace(kLongest - 3, std::string::npos, "...");
    return text;
  }
  std::vector<std::string> texts;
  for (const int view : argument.views)
    texts.push_back(view == kNoView ? "none" : describe(program, view));
  const std::string text = base::join(texts, ", ");
  return argument.kind == Argument::Kind::tensor ? text : "[" + text + "]";
}

std::string list_of(const Program& program, const std::vector<Argument>& arguments) {
  std::vector<std::string> texts;
  for (const Argument& argument : arguments) texts.push_back(list_of(program, argument));
  return base::join(texts, ", ");
}

std::string join(const std::vector<int64_t>& numbers) {
  std::vector<std::string> texts;
  for (const int64_t number : numbers) texts.push_back(std::to_string(number));
  return base::join(texts, " ");
}

}  // namespace

std::string describe(const Program& program, int number) {
  const View& view = program.views[number];
  const auto* part = part_of(program, view);
  int64_t offset = view.offset;
  if (part) offset -= static_cast<int64_t>(part->first / c10::elementSize(view.dtype));
  std::string text = (part ? "'" + part->second + "'" : buffer_name(program, view.buffer)) + " " +
                     c10::toString(view.dtype) + "(" + join(view.sizes) + ")";
  if (!view.contiguous()) text += "/(" + join(view.strides) + ")";
  if (offset) text += "+" + std::to_string(offset);
  if (view.conjugate) text += " conj";
  if (view.negative) text += " neg";
  return text;
}

std::string describe(const Program& program, const Node& node) {
  std::string text = list_of(program, node.results);
  if (!text.empty()) text += " = ";
  return text + node.name + "(" + list_of(program, node.arguments) + ")";
}

std::string text_of(const Program& program) {
  std::string text;
  for (const Node& node : program.nodes) text += describe(program, node) + "\n";
  for (size_t i = 0; i < program.outputs.size(); ++i)
    if (program.outputs[i] != kNoView)
      text += "output " + std::to_string(i) + ": " + describe(program, program.outputs[i]) + "\n";
  return text;
}

std::string dot_of(const Program& program) {
  std::ostringstream out;
  out << "digraph program {\n  node [shape=box, fontname=\"monospace\"];\n";
  std::vector<int> writer(program.buffers.size(), -1);
  const auto source = [&](int buffer) {
    if (writer[buffer] >= 0) return "n" + std::to_string(writer[buffer]);
    const std::string name = "b" + std::to_string(buffer);
    out << "  " << name << " [shape=ellipse, label=\"" << buffer_name(program, buffer) << "\"];\n";
    return name;
  };
  for (size_t i = 0; i < program.nodes.size(); ++i) {
    const Node& node = program.nodes[i];
    out << "  n" << i << " [label=\"" << node.name << "\"];\n";
    for (const int buffer : node.reads) out << "  " << source(buffer) << " -> n" << i << ";\n";
    for (const int buffer : node.writes) writer[buffer] = static_cast<int>(i);
  }
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    if (program.outputs[i] == kNoView) continue;
    out << "  o" << i << " [shape=ellipse, label=\"output " << i << "\"];\n";
    out << "  " << source(program.views[program.outputs[i]].buffer) << " -> o" << i << ";\n";
  }
  out << "}\n";
  return out.str();
}

}  // namespace broch::runtime
