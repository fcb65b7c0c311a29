// freeze.cpp: keeps variables as they are from one epoch to another. Keras, PyTorch: `trainable`,
// `requires_grad`, changed during the training.
//
// A copy is made before the first step of a phase, and put back after each step, also of what the
// optimizer remembers of the variable, and of the replicas of towers. So it does not matter how a
// step changes the variable. The copies are the variables frozen/…, so that a run can be resumed
// within a phase.
#include <map>

#include "../options/saved_state.hpp"
#include "variable_pattern.hpp"

namespace {

struct Phase {
  std::string variables;
  int64_t from_epoch;
  std::optional<int64_t> to_epoch;

  static constexpr auto schema = broch::options(
      broch::option("variables", &Phase::variables,
                    "A regular expression; what is frozen is each variable whose whole name it "
                    "matches.")
          .min_length(1),
      broch::option("from_epoch", &Phase::from_epoch, "The first epoch in which they are frozen.")
          .minimum(1)
          .by_default(1),
      broch::option("to_epoch", &Phase::to_epoch,
                    "The last epoch in which they are; null: they stay so.")
          .minimum(1));
};

struct Options {
  std::vector<Phase> phases;

  static constexpr auto schema = broch::options(
      broch::option("phases", &Options::phases, "Which variables are frozen when.").min_items(1));
};

class Freeze final : public broch::Callback, public broch::Stateful {
 public:
  static constexpr uint32_t kStateVersion = 1;

  Freeze(const broch::Host& host, const Options& options)
      : host_(host), run_(host), variables_(host) {
    for (const Phase& phase : options.phases) {
      const std::string pointer = "/phases/" + std::to_string(phases_.size());
      if (phase.to_epoch && *phase.to_epoch < phase.from_epoch)
        throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                           pointer + "/to_epoch: found " + std::to_string(*phase.to_epoch) +
                               ", expected from_epoch, " + std::to_string(phase.from_epoch) +
                               ", or a later one");
      const std::string variables = pointer + "/variables";
      phases_.push_back(
          {phase, variables, broch::callbacks::VariablePattern(variables, phase.variables)});
    }
  }

  void setup_graph() override {
    for (Running& phase : phases_) {
      find_pairs(phase);
      define(phase.keep, "freeze", phase.pairs, &Pair::copy, &Pair::variable);
      define(phase.put_back, "put back", phase.pairs, &Pair::variable, &Pair::copy);
    }
  }
  void before_epoch() override {
    for (Running& phase : phases_) {
      const bool was_frozen = phase.is_frozen;
      phase.is_frozen = is_in(phase.phase);
      if (phase.is_frozen && !was_frozen) phase.keep->run();
      if (phase.is_frozen != was_frozen)
        host_.info(std::string(phase.is_frozen ? "freezes " : "no longer freezes ") +
                   phase.phase.variables);
    }
  }
  void trigger_step() override {
    for (const Running& phase : phases_)
      if (phase.is_frozen) phase.put_back->run();
  }

  // For each phase, whether its copies have been made.
  std::string save_state() override {
    std::string text;
    for (const Running& phase : phases_) text += phase.is_frozen ? '1' : '0';
    return text;
  }
  void load_state(uint32_t, const std::string& bytes) override {
    if (bytes.size() != phases_.size() || bytes.find_first_not_of("01") != std::string::npos)
      broch::saved::refuse(broch::saved::quoted(bytes),
                           "0 or 1 for each of " + std::to_string(phases_.size()) + " phases");
    for (size_t i = 0; i < bytes.size(); ++i) phases_[i].is_frozen = bytes[i] == '1';
  }

 private:
  struct Pair {
    broch_variable variable, copy;
  };
  struct Running {
    Phase phase;
    std::string option;  // the pointer of its expression
    broch::callbacks::VariablePattern pattern;
    std::vector<Pair> pairs{};
    std::optional<broch::Operation> keep{}, put_back{};
    bool is_frozen = false;
  };

  bool is_in(const Phase& phase) const {
    const int64_t epoch = run_.progress().epoch_num;
    return epoch >= phase.from_epoch && (!phase.to_epoch || epoch <= *phase.to_epoch);
  }
  static std::string bare(const std::string& name) {
    return name.substr(broch::callbacks::replica_of(name).size());
  }

  void find_pairs(Running& phase) {
    const std::vector<broch_variable> all = variables_.list();
    for (const broch_variable variable : all) {
      const broch_variable_info info = variables_.info(variable);
      const bool is_weight = info.flags & (BROCH_VARIABLE_TRAINABLE | BROCH_VARIABLE_MODEL);
      if (!is_weight || !phase.pattern.matches(bare(info.name))) continue;
      phase.pairs.push_back({variable, copy_of(variable)});
      for (const broch_variable other : all)
        if (is_slot(variables_.info(other), info)) phase.pairs.push_back({other, copy_of(other)});
    }
    if (phase.pairs.empty())
      throw broch::Error(BROCH_E_NOT_FOUND, phase.option +
                                                ": found no weight whose whole name matches '" +
                                                phase.phase.variables + "', expected at least one");
  }
  // Its shape may be another one: adafactor has means of the rows and columns of a variable.
  static bool is_slot(const broch_variable_info& slot, const broch_variable_info& of) {
    const std::string start = std::string(of.name) + "/", name = slot.name;
    return name.compare(0, start.size(), start) == 0 && slot.dtype == of.dtype &&
           !(slot.flags & (BROCH_VARIABLE_TRAINABLE | BROCH_VARIABLE_MODEL));
  }
  // The same for all phases.
  broch_variable copy_of(broch_variable variable) {
    const broch_variable_info info = variables_.info(variable);
    broch_variable& copy = copies_[info.name];
    if (!copy) {
      std::string name = info.name;
      if (const std::string own = bare(name); own != name)
        name = own + "_of_replica_" + name.substr(5, name.find('/') - 5);
      const std::vector<int64_t> shape(info.shape, info.shape + info.rank);
      copy = variables_.create("frozen/" + name, shape, broch::Init::constant(0),
                               info.flags & BROCH_VARIABLE_LOCAL, info.dtype);
    }
    return copy;
  }
  void define(std::optional<broch::Operation>& operation, const char* name,
              const std::vector<Pair>& pairs, broch_variable Pair::*to,
              broch_variable Pair::*from) {
    operation.emplace(host_, name, [&pairs, to, from](const broch::Tower& scope) {
      for (const Pair& pair : pairs) scope.update(pair.*to, scope.read(pair.*from));
    });
  }

  broch::Host host_;
  broch::Run run_;
  broch::Variables variables_;
  std::vector<Running> phases_;
  std::map<std::string, broch_variable> copies_;
};

}  // namespace

BROCH_CALLBACK(Freeze, "broch.callback.freeze", "1.0.0",
               "Keeps variables as they are from one epoch to another.", Options::schema,
               broch::produces(), broch::run_on("all"))
