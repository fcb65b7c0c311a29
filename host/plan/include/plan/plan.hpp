// plan.hpp: what a step does: nodes added one by one, checked and bound when the plan is sealed.
//
// The kinds and their options are those of broch/ext/plan.h.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "abi/instance.hpp"
#include "broch/ext/plan.h"
#include "optimizer/gradient_operation.hpp"
#include "plan/names.hpp"
#include "plan/parameter_server_shard.hpp"
#include "plan/rank_gather.hpp"
#include "runtime/scalar_cell.hpp"
#include "tower/tower_runner.hpp"

namespace broch::plan {

// In the order in which a run executes them: all inputs, then all towers, …; reduce and process
// nodes among one another, and op and call nodes behind what they depend on, as they were added.
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
  op,
  call
};

struct Node {
  NodeKind kind = NodeKind::input;
  std::string name;              // for messages
  std::vector<uint32_t> inputs;  // indices in the plan
  int64_t every = 1, offset = 0;

  // As written.
  std::vector<uint32_t> towers;          // input: indices
  tower::TowerSpec spec;                 // tower
  std::optional<std::string> cost;       // gradients: published name; none: returned
  std::optional<std::string> variables;  // gradients, apply, serve: regex of whole names
  bool mean = true;                      // reduce, all_reduce: else the sum
  double scale = 1;                      // reduce, all_reduce: of what comes out
  bool by_nccl = false;                  // reduce: where it can
  std::optional<std::vector<std::string>> processors;  // process: entries; none: the run's
  std::optional<std::string> optimizer;                // apply, serve: entry; none: the run's
  std::optional<std::string> replica;                  // apply: whose variables; none: the list's
  std::string from;                                    // copy: replica
  std::vector<std::string> to;                         // copy, serve: replicas
  bool check = false;                                  // copy: weights have to be equal before
  uint32_t root = 0;                                   // broadcast: rank
  bool halves = false;                                 // all_reduce: float16 between ranks
  broch_status (*function)(void*) = nullptr;           // call
  void* user = nullptr;
  broch_graph_op op = 0;
  abi::Instance* instance = nullptr;  // call, op: who added it

  // Bound by seal.
  tower::Tower* tower = nullptr;         // tower
  std::vector<runtime::Variable*> list;  // gradients and all behind them: whose gradients
  std::vector<size_t> positions;         // apply, serve: of list in the list of the node before
  tower::GradientRequest request;        // gradients
  std::optional<uint32_t> cost_index;    // gradients: of the cost among published names, if there
  std::optional<size_t> average;         // gradients: of the cost among those that are recorded
  // reduce, process; nullptr: what comes in goes on.
  std::unique_ptr<GradientOperation> operation;
  std::unique_ptr<RankGather> gather;  // all_reduce: before the operation
  size_t application = 0;              // apply
  bool with_previous = false;          // apply: may run beside those right before it in the order
  std::unique_ptr<ParameterServerShard> served;  // serve
  struct Copied {
    runtime::Variable *to, *from;
  };
  std::vector<Copied> copied;  // copy; filled by the first run

  // Of the running run.
  bool active = false;
  size_t tower_run = 0;                     // tower: its place among the towers that run
  size_t request_place = 0;                 // gradients: its place among the requests of its tower
  GradientList gradients;                   // gradients and all behind them
  const GradientList* handed_on = nullptr;  // its own gradients, or those of the node before
};

class Plan {
 public:
  // local_rank: of this process among those on this machine, which decides what "cuda" is.
  Plan(std::string name, abi::Instance& owner, uint32_t local_rank)
      : name_(std::move(name)), owner_(owner), local_rank_(local_rank) {}

  const std::string& name() const { return name_; }
  abi::Instance& owner() const { return owner_; }
  bool sealed() const { return sealed_; }

  // Parses options; the place of the node. Throws abi::CallError: UNIMPLEMENTED for an unknown
  // kind, INVALID_ARGUMENT naming the node for options or inputs that are wrong.
  uint32_t add(std::string_view kind, std::vector<uint32_t> inputs, const char* options);
  uint32_t add_call(std::vector<uint32_t> inputs, const char* options, abi::Instance& instance,
                    broch_status (*function)(void*), void* user);
  uint32_t add_op(std::vector<uint32_t> inputs, const char* options, abi::Instance& instance,
                  broch_graph_op op);

  std::vector<Node>& nodes() { return nodes_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  // Indices in order of execution; set by seal.
  const std::vector<uint32_t>& order() const { return order_; }
  // "node 'grad' of plan 'main'".
  std::string describe(const Node& node) const;

  // Checks types and fixes the order. Throws base::Error naming the bad node. Binding to towers and
  // optimizers is the sealer's (plans.hpp).
  void check();
  void mark_sealed();
  // Of a sealed plan: whether all ranks come to the same run of it, and whether it calls code.
  bool meets_ranks() const { return meets_ranks_; }
  bool has_calls() const { return has_calls_; }

  std::optional<runtime::ScalarCell<int64_t>>
      runs;  // how many there were; set by seal if a node asks
  bool running = false;

 private:
  Node& append(NodeKind kind, std::vector<uint32_t> inputs, const std::string& options);
  void check_node(const Node& node) const;
  void check_tower(const Node& node) const;
  void make_order();

  std::string name_;
  abi::Instance& owner_;
  uint32_t local_rank_;
  std::vector<Node> nodes_;
  std::vector<uint32_t> order_;
  bool sealed_ = false, meets_ranks_ = false, has_calls_ = false;
};

const char* kind_name(NodeKind kind);  // "broch.plan.tower/1"

}  // namespace broch::plan
