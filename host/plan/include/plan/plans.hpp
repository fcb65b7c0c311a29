// plans.hpp: all plans of a run. Sealing binds a plan to towers, processors and optimizers.
#pragma once
#include <map>
#include <memory>
#include <optional>
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
  // All outlive the Plans. What may be nullptr or empty says so.
  struct Deps {
    runtime::Backend* backend = nullptr;
    Towers* towers = nullptr;  // nullptr: the run has no model
    Optimizers* optimizers = nullptr;
    runtime::VariableStore* variables = nullptr;
    tower::RunContext* context = nullptr;
    dist::Group* group = nullptr;     // the ranks that train; nullptr: there is only one
    dist::Group* everyone = nullptr;  // with parameter servers; nullptr: one rank
    runtime::HyperParams* hypers = nullptr;
    std::optional<Entry> optimizer;  // the run's; none: the model's
    std::vector<Entry> processors;   // the run's
    const Interrupt* interrupt = nullptr;
    InstanceMaker make_instance;  // empty: there are no plugins
    // False: nothing is trained. A device of a tower that this machine lacks is a CPU tower then.
    bool trains = true;
  };
  explicit Plans(Deps deps) : deps_(std::move(deps)) {}

  broch_plan create(const char* name, abi::Instance& owner);
  // Throws abi::CallError if the handle is not a plan's.
  Plan& at(broch_plan handle);
  broch_node node_handle(const Plan& plan, uint32_t index) const;
  // Returns indices in the plan. A node of another plan is an error.
  std::vector<uint32_t> places_of(const Plan& plan, const broch_node* nodes, uint32_t n) const;

  // Checks the plan, defines its towers, fixes its lists of gradients and announces its updates.
  void seal(Plan& plan);

  // Chooses for gradients the buffers where processors and updates read them, and which may be
  // sparse (rows). Call after Optimizers::build.
  void bind_buffers();
  // The runners of everything except towers: sums and chains of processors, rules of plugins, then
  // operations; each once.
  std::vector<replay::TowerRunner*> runners() const;

  // Whether the gradients of some plan are computed from this published name of a tower.
  bool differentiates(const tower::Tower& tower, std::string_view name) const;

  // Adds the costs of the main tower to the averages; every execution will update them.
  void average_costs(CostAverages& averages);
  // Moving averages that processors update.
  std::vector<tower::Moving> averages() const;
  // Number of towers that take data points: from tower 0 to the last one of an input node.
  uint32_t fed_towers() const;
  // All nodes as text, and the gradients that ranks exchange. It must be the same on all ranks.
  std::string outline() const;
  // The values that these plans keep equal on all ranks. Valid as long as the run.
  std::vector<Agreed> kept_alike() const;
  // The shards of serve nodes, by number.
  std::vector<ParameterServerShard*> served_lists() const;
  // What is special about the updates of a variable, by its name without the replica: "frozen",
  // "weight_decay x 0".
  const std::map<std::string, std::string>& remarks() const { return remarks_; }
  // The first plan of an instance; nullptr if it has none.
  Plan* first_of(const abi::Instance& owner) const;
  // Throws base::Error that names the first plan which is not sealed.
  void require_sealed() const;

 private:
  void count_runs(Plan& plan);
  void bind_rows(Plan& plan, Node& gradients) const;
  void bind_update_buffers(Plan& plan, const Node& node) const;
  void bind_neighbors(Plan& plan) const;
  void bind_tower(Plan& plan, Node& node);
  void read_rules(Plan& plan);
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
  void bind_update(Plan& plan, Node& node, const std::optional<std::string>& variables);
  void bind_apply(Plan& plan, Node& node);
  void bind_serve(Plan& plan, Node& node);
  void process_by(Plan& plan, Node& node, const std::vector<Entry>& entries);
  std::unique_ptr<GradientOperation> make_chain(Plan& plan, const Node& node,
                                                const std::vector<Entry>& entries,
                                                std::vector<runtime::Variable*> variables,
                                                const std::string& name);
  runtime::Variable& of_replica(const Plan& plan, const Node& node, const std::string& replica,
                                const runtime::Variable& variable) const;
  const Entry& default_optimizer(const std::string& where);

  Deps deps_;
  std::vector<std::unique_ptr<Plan>> plans_;
  std::map<std::string, std::string> remarks_;
  uint32_t groups_ = 0;  // number of groups that were made for nodes
};

}  // namespace broch::plan
