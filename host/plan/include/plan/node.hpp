// node.hpp: one node of a plan: as it was added, what seal bound it to, and its part in the run
// that is going on.
//
// The kinds and their options are those of broch/plan_nodes.h.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "abi/instance.hpp"
#include "broch/plan_nodes.h"
#include "optimizer/gradient_operation.hpp"
#include "optimizer/optimizer_spec.hpp"
#include "plan/names.hpp"
#include "plan/parameter_server_shard.hpp"
#include "plan/rank_gather.hpp"
#include "plan/turns.hpp"
#include "replay/tower_runner.hpp"

namespace broch::plan {

// In the order in which a run executes them: all inputs, then all towers, and so on. Reduce and
// process nodes are executed in the order in which they were added; operation and call nodes after
// what they depend on. The order is also that of NodeSpec.
enum class NodeKind : uint8_t {
  input,
  tower,
  gradients,
  reduce,
  all_reduce,
  process,
  apply,
  serve,
  copy,
  broadcast,
  operation,
  call
};

struct InputNode {
  std::vector<uint32_t> towers;  // indices
};
struct TowerNode {
  tower::TowerSpec tower;
};
struct GradientsNode {
  std::optional<std::string> cost;       // published name; none: what the tower function returned
  std::optional<std::string> variables;  // regular expression for whole names; none: all
};
struct ReduceNode {
  bool mean = true;  // else the sum
  double scale = 1;
  bool by_nccl = false;  // if possible
};
struct AllReduceNode {
  bool mean = true;  // else the sum
  double scale = 1;
  bool float16 = false;  // between ranks
};
struct ProcessNode {
  std::optional<std::vector<std::string>> processors;  // manifest entries; none: of the manifest
};
struct ApplyNode {
  std::optional<std::string> optimizer;  // manifest entry; none: of the manifest or the model
  std::optional<std::string> variables;
  std::optional<std::string> replica;  // whose variables; none: those of the list
};
struct ServeNode {
  std::optional<std::string> optimizer;
  std::optional<std::string> variables;
  std::vector<std::string> to;  // replicas
};
struct CopyNode {
  std::string from;             // replica
  std::vector<std::string> to;  // replicas
  bool check = false;           // weights have to be equal before
};
struct BroadcastNode {
  uint32_t root = 0;  // rank
};
struct OperationNode {
  abi::Instance* instance = nullptr;  // who added it
  broch_operation op = 0;
};
struct CallNode {
  abi::Instance* instance = nullptr;  // who added it
  broch_status (*function)(void*) = nullptr;
  void* user = nullptr;
};
using NodeSpec =
    std::variant<InputNode, TowerNode, GradientsNode, ReduceNode, AllReduceNode, ProcessNode,
                 ApplyNode, ServeNode, CopyNode, BroadcastNode, OperationNode, CallNode>;

// What seal found or made for a node.
struct BoundNode {
  tower::Tower* tower = nullptr;         // tower
  std::vector<runtime::Variable*> list;  // gradients and all behind them: whose gradients
  std::vector<size_t> positions;         // apply, serve: of list in the list of the node before
  replay::GradientRequest request;       // gradients
  std::optional<uint32_t> cost_index;    // gradients: of the cost among the published names
  std::optional<size_t> average;         // gradients: of the cost among those that are recorded
  // reduce, process; nullptr: the list goes on as it is.
  std::unique_ptr<GradientOperation> operation;
  std::unique_ptr<RankGather> gather;  // all_reduce: before the operation
  std::optional<OptimizerSpec> rule;   // apply, serve
  size_t application = 0;              // apply
  bool with_previous = false;          // apply: may run beside those right before it in the order
  std::unique_ptr<ParameterServerShard> served;  // serve
  struct Copied {
    runtime::Variable *to, *from;
  };
  std::vector<Copied> copied;  // copy; filled by the first run
};

// The part of a node in the run that is going on.
struct NodeRun {
  bool active = false;
  size_t tower_run = 0;                     // tower: its place among the towers that run
  size_t request_place = 0;                 // gradients: its place among the requests of its tower
  GradientList gradients;                   // gradients and all behind them
  const GradientList* handed_on = nullptr;  // its own gradients, or those of the node before
};

struct Node {
  NodeKind kind = NodeKind::input;
  std::string name;              // for messages
  std::vector<uint32_t> inputs;  // indices in the plan
  Turns turns;                   // when it takes part, unless an input does not; see Plan::check

  NodeSpec spec;
  BoundNode bound;
  NodeRun run;

  // REQUIRES: the node is of this kind.
  template <class Spec>
  const Spec& as() const {
    return std::get<Spec>(spec);
  }
};

// The device of a name; throws base::Error if there is none.
using FindDevice = std::function<runtime::Device(const std::string& name)>;

// Reads the options of a node of this kind, which may be NULL. where: for messages. Throws
// abi::CallError (UNIMPLEMENTED for options of a newer header) and base::Error.
NodeSpec read_spec(NodeKind kind, const broch_node_options* options, const FindDevice& find_device,
                   const std::string& where);
// Reads what all nodes have into a node.
void read_common(Node& node, const broch_node_options* options, const std::string& where);

}  // namespace broch::plan
