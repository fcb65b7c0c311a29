// fault.cpp: messages that show the place in the text.
#include "value/fault.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "base/utf8.hpp"
#include "value/json.hpp"

namespace broch::value {
namespace {

constexpr size_t kMostMessages = 20;
constexpr int kExcerptBefore = 60;  // characters shown left of the column
constexpr int kExcerptAfter = 40;

// Without a byte order mark, which counts as no column.
std::string_view line_of(std::string_view text, int line) {
  if (text.starts_with(base::kByteOrderMark)) text.remove_prefix(base::kByteOrderMark.size());
  while (--line > 0) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  text = text.substr(0, text.find('\n'));
  return text.ends_with('\r') ? text.substr(0, text.size() - 1) : text;
}

// Characters [first, last) of a line, counted from 1. Control characters such as tabs become
// spaces, so that the caret is below the right column.
std::string characters(std::string_view line, int first, int last) {
  std::string shown;
  int column = 0;
  for (const char c : line) {
    if (base::starts_character(c)) ++column;
    if (column >= last) break;
    if (column >= first) shown += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return shown;
}

std::string place_of(const Origin& origin, const std::string& pointer) {
  return pointer.empty() ? origin.text() : origin.text() + ": " + pointer;
}

}  // namespace

std::string excerpt(const Origin& origin) {
  if (!origin.source || origin.line == 0) return "";
  const std::string_view line = line_of(origin.source->text, origin.line);
  const int first = std::max(1, origin.column - kExcerptBefore);
  const std::string shown = characters(line, first, origin.column + kExcerptAfter);
  if (!base::is_utf8(shown)) return "";
  const std::string number = std::to_string(origin.line);
  return "\n    " + number + " | " + shown + "\n    " + std::string(number.size(), ' ') + " | " +
         std::string(static_cast<size_t>(origin.column - first), ' ') + "^";
}

base::Error fault_at(const Origin& origin, const std::string& pointer, const Remark& remark,
                     base::Exit exit) {
  return base::Error(exit, base::Diagnostic{place_of(origin, pointer), remark.found,
                                            remark.expected, remark.hint + excerpt(origin)});
}

base::Error in_manifest(const base::Error& error, const Origin& origin,
                        const std::string& pointer) {
  return {error.exit(), std::string(error.what()) +
                            "\n  in the manifest: " + place_of(origin, pointer) + excerpt(origin)};
}

void Faults::add(const Origin& origin, const std::string& pointer, const Remark& remark,
                 base::Exit exit) {
  errors_.push_back(fault_at(origin, pointer, remark, exit));
}

void Faults::add(const base::Error& error) { errors_.push_back(error); }

void Faults::add(const Faults& others) {
  errors_.insert(errors_.end(), others.errors_.begin(), others.errors_.end());
}

void Faults::raise() const {
  if (errors_.empty()) return;
  std::string message;
  for (size_t i = 0; i < std::min(errors_.size(), kMostMessages); ++i) {
    if (i > 0) message += '\n';
    message += errors_[i].what();
  }
  if (errors_.size() > kMostMessages) {
    message += "\nand " + std::to_string(errors_.size() - kMostMessages) + " more";
  }
  throw base::Error(errors_.front().exit(), message);
}

std::string one_of(const std::vector<std::string>& names) {
  return (names.size() == 1 ? "" : "one of ") + base::join(names, ", ");
}

std::string nearest_hint(std::string_view word, const std::vector<std::string>& names,
                         const std::string& otherwise) {
  const std::string near = base::nearest(word, names);
  return near.empty() ? otherwise : "did you mean '" + near + "'?";
}

std::string in_words(const Value& value) {
  const auto& substitution = value.origin().substitution;
  const std::string hidden = substitution ? substitution->concealed : "";
  if (!hidden.empty()) return base::quoted(hidden);
  switch (value.kind()) {
    case Value::Kind::string:
      return base::quoted(value.string());
    case Value::Kind::array:
      return "a list of " + std::to_string(value.array().size());
    case Value::Kind::object:
      return "an object";
    default:
      return to_text(value);
  }
}

}  // namespace broch::value
