// program.cpp: reads a program of torch.export.
#include "models/exported/program.hpp"

#include "models/exported/graph_reader.hpp"
#include "models/exported/signature.hpp"

namespace exported {
namespace {

constexpr size_t kMostSpecs = 1000000;

// The number that JSON does not have with which a text begins; "": none.
std::string_view odd_number(std::string_view text) {
  for (const std::string_view word : {"Infinity", "-Infinity", "NaN"})
    if (text.starts_with(word)) return word;
  return {};
}

// torch 2.6 writes such numbers as Python does; later versions put them in quotes, as is done here.
std::string with_quotes(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  bool is_string = false;
  while (!text.empty()) {
    const std::string_view odd = is_string ? std::string_view() : odd_number(text);
    const bool is_escaped = is_string && text[0] == '\\' && text.size() > 1;
    const size_t length = !odd.empty() ? odd.size() : is_escaped ? 2 : 1;
    if (!odd.empty()) result += '"';
    result += text.substr(0, length);
    if (!odd.empty()) result += '"';
    if (text[0] == '"') is_string = !is_string;
    text.remove_prefix(length);
  }
  return result;
}

}  // namespace

Program program_of(std::string_view text, const std::string& place) {
  const JsonText tree(with_quotes(text), place, kExportAgain);
  const Json json = tree.root(place + ": program");
  if (json.has("schema_version")) {
    const int64_t major = json["schema_version"]["major"].integer();
    if (major != 8)
      json.refuse("version " + std::to_string(major) + " of the schema",
                  "version 8, which torch 2.6 and later versions write");
  }
  Program program;
  const Json module = json["graph_module"];
  program.graph = graph_of(module["graph"]);
  read_signature(module, program);
  if (json.has("range_constraints"))
    json["range_constraints"].for_each_member(
        kMostSpecs, [&](const std::string& symbol, const Json& range) {
          const int64_t least = range.has("min_val") ? range["min_val"].integer() : 0;
          const int64_t most = range.has("max_val") ? range["max_val"].integer() : INT64_MAX;
          program.ranges[symbol] = {least, most};
        });
  return program;
}

}  // namespace exported
