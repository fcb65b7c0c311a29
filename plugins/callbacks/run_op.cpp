// run_op.cpp: an operation on variables: copies some to others, moves them towards others, or sets
// them to a number; for target networks and for states that begin again. tensorpack: `RunOp`.
//
// Towers with variables of their own get the same assignments, so that they stay equal.
#include <map>

#include "variable_pattern.hpp"

namespace {

struct Assignment {
  std::string variables;
  std::optional<std::string> from;
  std::optional<double> value;
  double rate;

  static constexpr auto schema = broch::options(
      broch::option("variables", &Assignment::variables,
                    "A regular expression; what is assigned to is each variable whose whole name "
                    "it matches.")
          .min_length(1),
      broch::option("from", &Assignment::from,
                    "The name of the variable to copy; $1 stands for the first group of the "
                    "expression."),
      broch::option("value", &Assignment::value, "Instead of from: a number for all elements."),
      broch::option("rate", &Assignment::rate,
                    "1: the new value replaces the old one; less: the old value moves so far "
                    "towards the new one.")
          .above(0)
          .maximum(1)
          .by_default(1));
};

struct Options {
  std::vector<Assignment> assign;
  bool run_before, run_as_trigger, run_step, verbose;

  static constexpr auto schema = broch::options(
      broch::option("assign", &Options::assign, "What is assigned, all at once.").min_items(1),
      broch::option("run_before", &Options::run_before, "Run before training, not after a resume.")
          .by_default(true),
      broch::option("run_as_trigger", &Options::run_as_trigger, "Run on each trigger.")
          .by_default(true),
      broch::option("run_step", &Options::run_step, "Run after each step.").by_default(false),
      broch::option("verbose", &Options::verbose, "Log each run.").by_default(false));
};

class RunOp final : public broch::Callback {
 public:
  RunOp(const broch::Host& host, const Options& options)
      : host_(host), run_(host), variables_(host), options_(options) {}

  void setup_graph() override {
    for (const broch_variable variable : variables_.list())
      if (const std::string name = variables_.info(variable).name;
          !broch::callbacks::replica_of(name).empty())
        of_replicas_.emplace(name, variable);
    for (size_t i = 0; i < options_.assign.size(); ++i)
      find_pairs(options_.assign[i], "/assign/" + std::to_string(i));
    operation_.emplace(host_, "run-op", [this](const broch::Tower& scope) {
      std::vector<broch::Tensor> results;  // all before the first update, which reads would see
      for (const Pair& pair : pairs_) results.push_back(result(scope, pair));
      for (size_t i = 0; i < pairs_.size(); ++i) scope.update(pairs_[i].to, results[i]);
    });
  }
  void before_train() override {
    if (options_.run_before && !run_.progress().resumed) run("before training");
  }
  void trigger() override {
    if (options_.run_as_trigger) run("on a trigger");
  }
  void trigger_step() override {
    if (options_.run_step) run("after a step");
  }

 private:
  struct Pair {
    broch_variable to, from;
    std::optional<double> value;  // instead of from
    double rate;
  };

  static broch::Tensor result(const broch::Tower& scope, const Pair& pair) {
    const broch::Tensor old = scope.read(pair.to);
    const broch::Tensor goal =
        pair.value ? scope.ops().full_like(old, broch::Scalar(*pair.value)) : scope.read(pair.from);
    return pair.rate == 1 ? goal : scope.ops().lerp(old, goal, broch::Scalar(pair.rate));
  }

  // at: the pointer of the assignment.
  void find_pairs(const Assignment& assignment, const std::string& at) {
    if (bool(assignment.from) == bool(assignment.value))
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         at + ": found " + std::string(assignment.from ? "both" : "neither") +
                             " of from and value for '" + assignment.variables +
                             "', expected exactly one of them");
    broch::callbacks::for_each_match(
        variables_, 0, "variable", at + "/variables", assignment.variables,
        [&](broch_variable variable, const std::string& name, const auto& pattern) {
          const std::string from =
              assignment.from ? pattern.replaced(name, *assignment.from) : name;
          const Pair pair{variable, variables_.find(from), assignment.value, assignment.rate};
          pairs_.push_back(pair);
          add_replicas(name, from, pair);
        });
  }
  // A replica takes its own variable of the name, if it has one.
  void add_replicas(const std::string& to, const std::string& from, const Pair& pair) {
    for (const auto& [name, variable] : of_replicas_) {
      const std::string replica = broch::callbacks::replica_of(name);
      if (name != replica + to) continue;
      const auto own = of_replicas_.find(replica + from);
      pairs_.push_back(
          {variable, own == of_replicas_.end() ? pair.from : own->second, pair.value, pair.rate});
    }
  }

  void run(const char* when) {
    if (options_.verbose)
      host_.info("assigns to " + std::to_string(pairs_.size()) + " variables " + when);
    operation_->run();
  }

  broch::Host host_;
  broch::Run run_;
  broch::Variables variables_;
  Options options_;
  std::map<std::string, broch_variable> of_replicas_;  // by full name
  std::vector<Pair> pairs_;
  std::optional<broch::Operation> operation_;
};

}  // namespace

BROCH_CALLBACK(RunOp, "broch.callback.run-op", "1.0.0",
               "Assigns to variables: copies, moves towards others, or a number.", Options::schema,
               broch::produces(), broch::run_on("all"))
