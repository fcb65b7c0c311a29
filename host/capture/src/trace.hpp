// trace.hpp: what one call of a tower function computes, with the numbers of this call.
#pragma once
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/graph.hpp"
#include "tower/call_tape.hpp"

namespace broch::capture {

class Trace final : public tower::CallTape {
 public:
  // inputs: how many the tower has. fed: more tensors with which the call begins.
  Trace(runtime::Backend& backend, size_t inputs, std::vector<runtime::Tensor> fed)
      : backend_(backend), inputs_left_(inputs), fed_(std::move(fed)) {}

  void input(const runtime::Tensor& value) override;
  void variable(const runtime::Variable& variable, const runtime::Tensor& value) override;
  void constant(const runtime::Tensor& value) override;
  void called(const runtime::Operator* op, std::span<const broch_value> arguments,
              std::span<const broch_value> results) override;
  void same(const runtime::Tensor& from, const runtime::Tensor& to) override;
  void foreign(std::string_view what) override;
  void read(std::string_view how) override;
  void published(std::string_view name, const runtime::Tensor& value) override;

  // The operators on which these outputs depend. kept: inputs, by place, that the graph has even if
  // no operator needs their elements. Throws base::Error (Exit::training), where: the
  // tower for messages.
  struct Result {
    graph::Graph graph;  // all numbers are constants, there are no symbols
    std::vector<runtime::Tensor> weights;
  };
  // inputs: names of those of the tower, then of those that are fed.
  Result take(const std::vector<std::string>& inputs, const std::vector<std::string>& outputs,
              const std::string& where, const std::set<size_t>& kept);

 private:
  enum class Origin : uint8_t { input, weight, node, foreign };
  struct Value {
    Origin origin = Origin::node;
    std::string name;  // of a weight; of foreign: what computed it
    runtime::Tensor tensor;
  };

  int add(Origin origin, std::string name, const runtime::Tensor& tensor);
  int value_of(uint64_t impl);
  graph::Argument argument(const broch_value& value);
  graph::Type type_of(const runtime::Tensor& tensor) const;

  runtime::Backend& backend_;
  size_t inputs_left_;
  const std::vector<runtime::Tensor> fed_;
  std::vector<Value> values_;
  std::vector<runtime::Tensor> others_;  // with the elements of a value
  std::unordered_map<const void*, int> by_impl_;
  std::vector<std::string> operators_;
  std::map<const runtime::Operator*, uint32_t> operator_numbers_;
  std::vector<graph::Node> nodes_;  // with numbers of values_
  std::vector<bool> writes_;        // by node: whether it writes to an argument
  std::map<std::string, int, std::less<>> published_;
  std::string foreign_ = "code that is no operator", refusal_;
  int constants_ = 0;
};

}  // namespace broch::capture
