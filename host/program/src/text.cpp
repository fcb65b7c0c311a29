// text.cpp: a program as text, one operator per line.
#include "base/text.hpp"

#include <algorithm>
#include <sstream>

#include "program/program.hpp"

namespace broch::program {
namespace {

// The bytes of a number, so that recordings with different constants have different texts.
std::string value_of(const Buffer& buffer) {
  std::string bytes(static_cast<const char*>(buffer.held.data()),
                    std::min<size_t>(buffer.bytes, 8));
  std::ranges::reverse(bytes);
  return "=" + base::hexadecimal(bytes);
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
  for (const Argument& argument : arguments)
    if (argument.kind != Argument::Kind::constant || !argument.value.isCapsule())  // host code
      texts.push_back(list_of(program, argument));
  return base::join(texts, ", ");
}

std::string join(const std::vector<int64_t>& numbers) {
  std::vector<std::string> texts;
  for (const int64_t number : numbers) texts.push_back(std::to_string(number));
  return base::join(texts, " ");
}

}  // namespace

std::string memory_name(const Program& program, int number, int64_t offset) {
  const Buffer& buffer = program.buffers[number];
  const auto numbered = [number](const char* kind) { return kind + std::to_string(number); };
  if (buffer.kind == Buffer::Kind::input) return "input" + std::to_string(buffer.slot);
  if (buffer.kind == Buffer::Kind::constant && buffer.variables.empty())
    return numbered("constant") + value_of(buffer);
  if (buffer.kind == Buffer::Kind::value) return numbered("%");
  const std::pair<int64_t, std::string>* nearest = nullptr;  // the last one at or before offset
  for (const auto& variable : buffer.variables)
    if (variable.first <= offset && (!nearest || variable.first >= nearest->first))
      nearest = &variable;
  return nearest ? base::quoted(nearest->second) : "variable";
}

std::string describe(const Program& program, int number) {
  const View& view = program.views[number];
  std::string text = memory_name(program, view.buffer, view.offset) + " " +
                     c10::toString(view.dtype) + "(" + join(view.sizes) + ")";
  if (!view.contiguous()) text += "/(" + join(view.strides) + ")";
  const bool named = !program.buffers[view.buffer].variables.empty();
  if (view.offset && !named) (text += '+') += std::to_string(view.offset);
  if (view.conjugate) text += " conj";
  if (view.negative) text += " neg";
  return text;
}

std::string describe(const Program& program, const Node& node) {
  std::string text = list_of(program, node.results);
  if (!text.empty()) text += " = ";
  return text + node.name + "(" + list_of(program, node.arguments) + ")";
}

namespace {

// Such as "output 3 'cost'".
std::string name_of_output(const Program& program, size_t i) {
  const std::string text = "output " + std::to_string(i);
  return i < program.output_names.size() ? text + " " + program.output_names[i] : text;
}

std::string describe_output(const Program& program, size_t i) {
  const std::string text =
      name_of_output(program, i) + ": " + describe(program, program.outputs[i]);
  const Program::Rows* const rows = program.rows_of(static_cast<uint32_t>(i));
  if (!rows) return text;
  return text + " as rows " + describe(program, rows->indices) + " of " +
         std::to_string(rows->table[0]);
}

}  // namespace

std::string text_of(const Program& program) {
  std::string text;
  for (const Node& node : program.nodes) text += describe(program, node) + "\n";
  for (size_t i = 0; i < program.outputs.size(); ++i)
    if (program.outputs[i] != kNoView) text += describe_output(program, i) + "\n";
  return text;
}

std::string dot_of(const Program& program) {
  std::ostringstream out;
  out << "digraph program {\n  node [shape=box, fontname=\"monospace\"];\n";
  std::vector<int> writer(program.buffers.size(), -1);
  const auto source = [&](int buffer) {
    if (writer[buffer] >= 0) return 'n' + std::to_string(writer[buffer]);
    const std::string name = 'b' + std::to_string(buffer);
    out << "  " << name << " [shape=ellipse, label=\"" << memory_name(program, buffer, 0)
        << "\"];\n";
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
    out << "  o" << i << " [shape=ellipse, label=\"" << name_of_output(program, i) << "\"];\n";
    out << "  " << source(program.views[program.outputs[i]].buffer) << " -> o" << i << ";\n";
  }
  out << "}\n";
  return out.str();
}

}  // namespace broch::program
