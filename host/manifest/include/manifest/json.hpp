// json.hpp: JSON text to values and back.
//
// Reading takes JSON (RFC 8259) plus // and /* */ comments and trailing commas; writing is strict.
// Duplicate keys, invalid UTF-8, lone surrogates, NUL characters, integers beyond 64 bits and
// numbers beyond a double are errors. Every error is a base::Error that names file, line, column
// and JSON pointer. Limits are applied before memory is spent.
#pragma once
#include <memory>
#include <string>

#include "base/error.hpp"
#include "manifest/value.hpp"

namespace broch::manifest {

struct Limits {
  size_t text_bytes = 1 << 20;
  size_t depth = 64;  // lists and objects inside each other
  size_t nodes = 10'000;
  size_t string_bytes = 64 << 10;
};

struct Dialect {
  Limits limits;
  bool relaxed = true;                     // comments and trailing commas
  base::Exit exit = base::Exit::manifest;  // of the errors
};

// The text of a file, named as given, its folder made absolute. A missing, unreadable or too large
// file is an error (data).
std::shared_ptr<const Source> read_source(const std::string& path, const Limits& limits = {});

Value parse(std::shared_ptr<const Source> source, const Dialect& dialect = {});
// A text that stands in no file; the name is used in messages.
Value parse_text(std::string name, std::string text, const Dialect& dialect = {});

// One line without spaces, as plugins get it. Doubles are written in the shortest form that reads
// back equal, and keep a point or an exponent, so that kinds survive too.
std::string to_text(const Value& value);
// Two spaces a level, ending in a newline.
std::string to_pretty_text(const Value& value);

}  // namespace broch::manifest
