// json.hpp: JSON text to values and back.
//
// The reader accepts JSON (RFC 8259) plus // and /* */ comments and trailing commas; the writer is
// strict. Duplicate keys, invalid UTF-8, lone surrogates, NUL characters, integers beyond 64 bits
// and numbers beyond a double are errors. Every error is a base::Error that names file, line,
// column and JSON pointer. Limits are checked before memory is allocated.
#pragma once
#include <memory>
#include <string>

#include "base/error.hpp"
#include "value/value.hpp"

namespace broch::value {

struct Limits {
  size_t text_bytes = 1 << 20;
  size_t depth = 64;  // of nested lists and objects
  size_t nodes = 10'000;
  size_t string_bytes = 64 << 10;
};

struct Dialect {
  Limits limits;
  bool relaxed = true;                     // allows comments and trailing commas
  base::Exit exit = base::Exit::manifest;  // exit code of errors
};

// Reads a file. The source's name is the path as given; its folder is absolute. A missing,
// unreadable or too large file is an error (data).
std::shared_ptr<const Source> read_source(const std::string& path, const Limits& limits = {});

Value parse(std::shared_ptr<const Source> source, const Dialect& dialect = {});
// For text that is not from a file. name: for messages.
Value parse_text(std::string name, std::string text, const Dialect& dialect = {});

// One line without spaces, the form for plugins. Doubles are written in the shortest form that
// reads back equal, with a point or an exponent, so that they stay doubles.
std::string to_text(const Value& value);
// Indented by two spaces per level; ends with a newline.
std::string to_pretty_text(const Value& value);

}  // namespace broch::value
