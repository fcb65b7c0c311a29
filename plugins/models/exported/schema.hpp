// schema.hpp: the text of an operator's schema, taken apart.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace exported {

struct SchemaType {
  std::string name;  // "Tensor", "int", "Scalar", …; SymInt is int
  bool is_list = false;
  bool is_optional = false;   // of a list: the whole list
  bool has_optional = false;  // of a list: its elements
  int64_t count = 0;  // of the elements of a list where one number may stand for all; else 0
  std::string alias;  // "a": it may share memory with what else has this letter; "": none
  bool is_written = false;

  bool operator==(const SchemaType& other) const {
    return name == other.name && is_list == other.is_list && is_optional == other.is_optional;
  }
};

struct SchemaArgument {
  std::string name;
  SchemaType type;
  bool has_default = false;
  std::string default_text;
};

struct Schema {
  std::string text;  // "" for no operator
  std::string name;  // "aten::add.Tensor"
  std::vector<SchemaArgument> arguments;
  std::vector<SchemaType> results;

  explicit operator bool() const { return !text.empty(); }
  int find(const std::string& argument) const;  // -1: there is none
};

// The text is the host's, as broch.ops/1 schema gives it. Throws broch::Error if it is another one.
Schema schema_of(const std::string& text);

}  // namespace exported
