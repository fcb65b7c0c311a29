// plans.hpp: all plans of a run; sealing binds a plan to towers, processors and optimizers.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "optimizer/optimizers.hpp"
#include "plan/agreement.hpp"
#include "plan/cost_averages.hpp"
#include "plan/interrupt.hpp"
#include "plan/names.hpp"
#include "plan/plan.hpp"
#include "plan/towers.hpp"

namespace broch::plan {

class Plans {
 public:
  struct Deps {
    runtime::Backend* backend = nullptr;
    Towers* towers = nullptr;  // nullptr: the run has no model
    Optimizers* optimizers = nullptr;
    runtime::VariableStore* variables = nullptr;
    tower::RunContext* world = nullptr;
    dist::Group* group = nullptr;     // of those that train; nullptr: there is one
    dist::Group* everyone = nullptr;  // with parameter servers; nullptr: there is one rank
    runtime::HyperParams* hypers = nullptr;
    std::string optimizer;                // the run's entry; "": the model's
    std::vector<std::string> processors;  // the run's entries
    const Interrupt* interrupt = nullptr;
    InstanceMaker make_instance;
  };
  explicit Plans(Deps deps) : deps_(std::move(deps)) {}

  broch_plan create(const char* name, abi::Instance& owner);
  // Throws abi::CallError for a handle that is none.
  Plan& at(broch_plan handle);
  broch_node node_handle(const Plan& plan, uint32_t place) const;
  // Indices in the plan; a node of another plan is an error.
  std::vector<uint32_t> places_of(const Plan& plan, const broch_node* nodes, uint32_t n) const;

  // Checks the plan, defines its towers, fixes its gradient lists and announces its updates.
  void seal(Plan& plan);

  // Tells gradients where processors and updates read them, and which may be rows. After
  // Optimizers::build.
  void bind_buffers();
  // How everything but towers is run: sums and chains of processors, rules of plugins, then
  // operations; each once.
  std::vector<tower::TowerRunner*> runners() const;

  // Whether the gradients of some plan are computed from that published name of a tower.
  bool differentiates(const tower::Tower& tower, std::string_view name) const;

  // Has the costs of the main tower averaged in every run.
  void average_costs(CostAverages& averages);
  // Moving averages of what processors watch.
  std::vector<tower::Moving> averages() const;
  // How many towers take data points: those of all input nodes, from the first one on.
  uint32_t fed_towers() const;
  // All nodes in words, a line each: what has to be the same on all ranks.
  std::string outline() const;
  // What these plans keep in sync between ranks, as long as the run.
  std::vector<Agreed> kept_alike() const;
  // Those of serve nodes, by number.
  std::vector<ParameterServerShard*> served_lists() const;
  // The first plan of an instance; nullptr: it has none.
  Plan* first_of(const abi::Instance& owner) const;
  // Throws base::Error naming the first plan that was not sealed.
  void require_sealed() const;

 private:
  void count_runs(Plan& plan);
  void bind_rows(Plan& plan, Node& gradients) const;
  static void bind_gather(Plan& plan, const Node& node);
  void bind_neighbours(Plan& plan) const;
  void bind_tower(Plan& plan, Node& node);
  void bind_gradients(Plan& plan);
  void probe(Plan& plan, Node& tower_node, const std::vector<Node*>& gradients);
  void choose_variables(Plan& plan, Node& node, const runtime::Tensor& cost,
                        const tower::TowerResult& result);
  void bind_reduce(Plan& plan, Node& node);
  void bind_all_reduce(Plan& plan, Node& node);
  std::unique_ptr<dist::Group> another_group();
  void check_meeting(const Plan& plan) const;
  void check_root(const Plan& plan, const Node& node) const;
  void bind_process(Plan& plan, Node& node);
  OptimizerSpec bind_update(Plan& plan, Node& node, const std::optional<std::string>& variables,
                            const std::optional<std::string>& optimizer);
  void bind_apply(Plan& plan, Node& node);
  void bind_serve(Plan& plan, Node& node);
  void process_by(Plan& plan, Node& node, const std::vector<std::string>& entries,
                  const std::string& place);
  runtime::Variable& of_replica(const Plan& plan, const Node& node, const std::string& replica,
                                const runtime::Variable& variable) const;
  static void set_buffers(Node& list, const std::vector<runtime::Tensor>& buffers);
  const std::string& default_optimizer(const std::string& place);

  Deps deps_;
  std::vector<std::unique_ptr<Plan>> plans_;
  uint32_t groups_ = 0;  // made for nodes
};

// The tensor a gradients node differentiates: what the tower returned or a published name.
runtime::Tensor cost_of(const Plan& plan, const Node& node, const tower::TowerResult& result);

}  // namespace broch::plan
