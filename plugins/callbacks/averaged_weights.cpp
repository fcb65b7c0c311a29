// averaged_weights.cpp: triggers another callback while the averages of a weight-average are in the
// place of the weights, and then puts the weights back.
//
// Weights and averages are exchanged, so nothing is computed and both come back bit by bit, also if
// the other callback fails.
#include <broch/broch.hpp>

namespace {

struct Options {
  broch::ChildCallback callback;
  std::string name;

  static constexpr auto schema = broch::options(
      broch::option("callback", &Options::callback,
                    "The callback that is triggered, such as an inference-runner. Events of steps, "
                    "and before and after them, do not reach it."),
      broch::option("name", &Options::name, "The name of the weight-average.")
          .min_length(1)
          .by_default("average"));
};

class AveragedWeights final : public broch::Callback, public broch::Stateful {
 public:
  static constexpr uint32_t kStateVersion = 1;

  AveragedWeights(const broch::Host& host, const Options& options)
      : host_(host),
        variables_(host),
        scopes_(host),
        data_(host),
        child_(options.callback),
        name_(options.name) {}

  void setup_graph() override {
    find_pairs();
    exchange_.emplace(host_, "averaged-weights", [this](const broch::Tower& scope) {
      for (const Pair& pair : pairs_) {
        const broch::Tensor weight = scope.read(pair.weight), average = scope.read(pair.average);
        scope.update(pair.weight, average);
        scope.update(pair.average, weight);
      }
    });
    child_.setup_graph();
  }
  void before_train() override { child_.before_train(); }
  void after_train() override { child_.after_train(); }
  void trigger() override {
    with_averages([this] { child_.trigger(); });
  }
  void trigger_epoch() override {
    with_averages([this] { child_.trigger_epoch(); });
  }

  // Nothing has to be saved. But a checkpoint that the other callback saves could not be resumed.
  std::string save_state() override {
    if (exchanged_)
      throw broch::Error(BROCH_E_FAILED_PRECONDITION,
                         "a checkpoint was to be saved while averages are in the place of the "
                         "weights: put the saver beside this callback; checkpoints contain the "
                         "averages, and broch ckpt convert writes them alone");
    return "";
  }
  void load_state(uint32_t, const std::string&) override {}

 private:
  struct Pair {
    broch_variable weight, average;
  };

  void find_pairs() {
    const std::string start = name_ + "/";
    for (const broch_variable variable : variables_.list()) {
      const broch_variable_info info = variables_.info(variable);
      const std::string name = info.name;
      if (info.flags == 0 && name.compare(0, start.size(), start) == 0)
        pairs_.push_back({variables_.find(name.substr(start.size())), variable});
    }
    if (pairs_.empty())
      throw broch::Error(BROCH_E_NOT_FOUND,
                         "/name: found no averages named '" + name_ +
                             "', expected those of a weight-average of this name that stands "
                             "before this callback");
    updates_ = variables_.find(name_ + "_updates");
  }

  template <class Body>
  void with_averages(const Body& body) {
    if (!any_update()) {
      host_.info("no weights were averaged yet: takes the weights themselves");
      return body();
    }
    exchange();
    try {
      body();
    } catch (...) {
      exchange();
      throw;
    }
    exchange();
  }
  bool any_update() const {
    const broch::Scope scope = scopes_.open();
    return data_.item(variables_.value(updates_)) > 0;
  }
  void exchange() {
    exchange_->run();
    exchanged_ = !exchanged_;
  }

  broch::Host host_;
  broch::Variables variables_;
  broch::Scopes scopes_;
  broch::TensorData data_;
  broch::ChildCallback child_;
  std::string name_;
  std::vector<Pair> pairs_;
  broch_variable updates_ = 0;
  std::optional<broch::Operation> exchange_;
  bool exchanged_ = false;
};

}  // namespace

BROCH_CALLBACK(AveragedWeights, "broch.callback.averaged-weights", "1.0.0",
               "Triggers another callback with averages in the place of the weights.",
               Options::schema, broch::produces(), broch::evaluates())
