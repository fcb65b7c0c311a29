// program.hpp: a program as torch.export writes it (torch/_export/serde/schema.py of PyTorch,
// schema version 8), with names resolved to the places of values.
#pragma once
#include <broch/value.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "archive/json.hpp"

namespace exported {

using broch::archive::Json;
using broch::archive::JsonText;

// What to do about a file that cannot be read.
inline constexpr const char* kExportAgain = "export the model again with torch.export.save";

inline bool is_floating(broch_dtype dtype) {
  return dtype >= BROCH_FLOAT32 && dtype <= BROCH_BFLOAT16;
}

struct Graph;

// One dimension of a tensor.
struct Size {
  int64_t value = -1;                // -1: it depends on the data
  std::string symbol;                // "s40" if it is a symbol alone, "" if it is an expression
  std::optional<int64_t> hint = {};  // what it was in the example of the export
};

struct TensorMeta {
  broch_dtype dtype = 0;  // 0: one that Broch does not have
  int64_t torch_dtype = 0;
  std::vector<Size> sizes;
  bool requires_grad = false;
};
// An element of a list, or an argument that is a single value.
struct Item {
  enum class Kind { none, value, integer, floating, boolean };
  Kind kind = Kind::none;
  int value = -1;  // the place of the value in its graph
  int64_t integer = 0;
  double floating = 0;
};

struct Argument {
  enum class Kind {
    item,
    list,  // of items
    string,
    dtype,      // integer: a broch_dtype
    placement,  // a device, a layout or a memory format
    graph,
    unsupported,  // string: "a complex number"
  };
  Kind kind = Kind::item;
  Item item;
  std::vector<Item> items;
  std::string string;  // memory formats too: "contiguous", "" for any other
  std::shared_ptr<Graph> graph;
};

struct Node {
  std::string name, target;
  std::string source;  // "model.py, line 7: x = F.relu(x)"; "" if the file does not say
  std::vector<std::pair<std::string, Argument>> arguments;  // with the names of the schema
  std::vector<int> results;                                 // places of values; -1: none
};

struct Graph {
  std::vector<Item> inputs;  // places of values, or constants
  std::vector<Item> outputs;
  std::vector<Node> nodes;
  std::vector<std::string> values;            // their names
  std::map<std::string, TensorMeta> tensors;  // by name
};

struct Input {
  enum class Kind { user, parameter, buffer, constant };
  Kind kind = Kind::user;
  Item item;         // in graph.inputs
  std::string name;  // of the argument, of the parameter, …
  bool persistent = true;
};
struct Output {
  enum class Kind { user, loss, buffer, input, parameter, other };
  Kind kind = Kind::user;
  Item item;
  std::string name;  // of a user's output as in the structure that forward returned; else what it
                     // changes
};

struct Program {
  Graph graph;
  std::vector<Input> inputs;
  std::vector<Output> outputs;
  std::map<std::string, std::pair<int64_t, int64_t>> ranges;  // of symbols; INT64_MAX: any
};

// place: the file and the entry, for errors.
Program program_of(std::string_view text, const std::string& place);

// The dtype of a number in torch/_export/serde/schema.py; 0: Broch has none.
broch_dtype dtype_of_torch(int64_t number);
std::string torch_dtype_name(int64_t number);
TensorMeta tensor_meta_of(const Json& json);

}  // namespace exported
