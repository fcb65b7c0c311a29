// plan.hpp: what a step does: nodes that are added one by one, then checked and bound by seal.
//
// The kinds and their options are those of broch/plan_nodes.h.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "abi/instance.hpp"
#include "plan/node.hpp"
#include "runtime/scalar_cell.hpp"

namespace broch::plan {

class Plan {
 public:
  // find_device: the device of that name; throws base::Error if there is none.
  Plan(std::string name, abi::Instance& owner, FindDevice find_device)
      : name_(std::move(name)), owner_(owner), find_device_(std::move(find_device)) {}

  const std::string& name() const { return name_; }
  abi::Instance& owner() const { return owner_; }
  bool sealed() const { return sealed_; }

  // options: of the struct of the kind, or NULL. Returns the index of the node. Throws
  // abi::CallError: UNIMPLEMENTED for an unknown kind, INVALID_ARGUMENT naming the node for options
  // or inputs that are wrong.
  uint32_t add(std::string_view kind, std::vector<uint32_t> inputs,
               const broch_node_options* options);
  uint32_t add_call(std::vector<uint32_t> inputs, const broch_node_options* options,
                    abi::Instance& instance, broch_status (*function)(void*), void* user);
  uint32_t add_operation(std::vector<uint32_t> inputs, const broch_node_options* options,
                         abi::Instance& instance, broch_operation op);

  std::vector<Node>& nodes() { return nodes_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  // Indices in order of execution; set by seal.
  const std::vector<uint32_t>& order() const { return order_; }
  // For example "node 'grad' of plan 'main'".
  std::string describe(const Node& node) const;

  // Checks the types of inputs and their turns, and fixes the order. Throws base::Error that names
  // the bad node. Binding to towers and optimizers is up to the caller (plans.hpp).
  void check();
  void mark_sealed();
  // For a sealed plan: whether executing it exchanges gradients between ranks, whether it waits for
  // all ranks to execute it, and whether it calls plugins' code.
  bool meets_ranks() const { return meets_ranks_; }
  bool waits_for_ranks() const { return waits_for_ranks_; }
  bool has_calls() const { return has_calls_; }

  // The number of executions so far; set by seal if a node runs only in some of them.
  std::optional<runtime::ScalarCell<int64_t>> run_count;
  bool running = false;  // an execution is going on

 private:
  Node& append(NodeKind kind, std::vector<uint32_t> inputs, const broch_node_options* options);
  void check_node(const Node& node) const;
  void check_tower(const Node& node) const;
  void check_turns() const;
  void make_order();

  std::string name_;
  abi::Instance& owner_;
  FindDevice find_device_;
  std::vector<Node> nodes_;
  std::vector<uint32_t> order_;
  bool sealed_ = false, meets_ranks_ = false, waits_for_ranks_ = false, has_calls_ = false;
};

const char* kind_name(NodeKind kind);  // "broch.plan.tower/1"

}  // namespace broch::plan
