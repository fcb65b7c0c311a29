// aliases.hpp: values of a graph that share memory. ONNX has none: after a write to one of them,
// the others get new names, of what they contain then.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "builder.hpp"

namespace broch::onnx {

class Aliases {
 public:
  explicit Aliases(Builder& builder);

  // For each node in order, when its results have names. Throws Refusal if a write cannot be seen
  // through the others.
  void add(size_t n);

 private:
  struct Origin {
    int value;  // whose memory it is
    size_t node;
  };
  void write(int value, size_t n);
  // The value that was written to contains child now; the value around it, with that.
  std::string around(size_t node, const std::string& child);
  // The others that share memory with value and are needed behind node n, in the order of nodes.
  std::vector<int> needed_others(int value, size_t n) const;
  int root(int value) const;
  bool is_result(int value, size_t n) const;

  Builder& builder_;
  const graph::Graph& graph_;
  std::vector<std::optional<Origin>> origins_;  // by value
  std::vector<int64_t> last_use_;               // by value: the last node that reads it; -1: none
};

}  // namespace broch::onnx
