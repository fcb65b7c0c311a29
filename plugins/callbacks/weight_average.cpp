// weight_average.cpp: keeps a running average of the weights, in variables of its own. PyTorch:
// `torch.optim.swa_utils.AveragedModel`; TensorFlow: `tf.train.ExponentialMovingAverage`.
//
// The average of conv/W is the variable {name}/conv/W, and {name}_updates is their number. Every
// rank keeps its own, as all ranks have the same weights.
#include "variable_pattern.hpp"

namespace {

enum class Kind { exponential, equal };

struct Options {
  std::string name, variables;
  Kind kind;
  double decay;
  bool warm_up, statistics;
  int64_t period, from_step, from_epoch;

  static constexpr auto schema = broch::options(
      broch::option("kind", &Options::kind,
                    "exponential: newer weights count more, see decay; equal: all the same, the "
                    "plain mean.")
          .one_of("exponential", "equal")
          .by_default("exponential"),
      broch::option("decay", &Options::decay,
                    "The share of the old average in the new one; exponential only.")
          .minimum(0)
          .below(1)
          .by_default(0.999),
      broch::option("warm_up", &Options::warm_up,
                    "After n updates, the decay is at most (1 + n) / (10 + n); exponential only.")
          .by_default(false),
      broch::option("period", &Options::period,
                    "Number of steps from one update to the next; 0: update on each trigger.")
          .minimum(0)
          .by_default(1),
      broch::option("from_step", &Options::from_step, "No update before this global_step.")
          .minimum(0)
          .by_default(0),
      broch::option("from_epoch", &Options::from_epoch, "No update before this epoch.")
          .minimum(0)
          .by_default(0),
      broch::option("variables", &Options::variables,
                    "A regular expression for whole names: what is averaged.")
          .min_length(1)
          .by_default(".*"),
      broch::option("statistics", &Options::statistics,
                    "Also average floats that inference needs and that are not trained, such as "
                    "the statistics of batch normalization.")
          .by_default(true),
      broch::option("name", &Options::name,
                    "The average of the variable W is {name}/W; several need different names.")
          .pattern("^[^/ :]+$")
          .by_default("average"));
};

const Options& checked(const Options& options) {
  if (options.warm_up && options.kind == Kind::equal)
    throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                       "/warm_up: found \"kind\": \"equal\", whose averages have no decay, "
                       "expected \"exponential\"; leave warm_up out");
  return options;
}

class WeightAverage final : public broch::Callback {
 public:
  WeightAverage(const broch::Host& host, const Options& options)
      : host_(host),
        run_(host),
        variables_(host),
        options_(checked(options)),
        pattern_("/variables", options.variables) {}

  void setup_graph() override {
    for (const broch_variable variable : variables_.list())
      if (takes(variables_.info(variable))) add(variable);
    if (pairs_.empty())
      throw broch::Error(BROCH_E_NOT_FOUND,
                         "/variables: found no weight whose whole name matches '" +
                             options_.variables + "', expected at least one");
    updates_ =
        variables_.create(options_.name + "_updates", {}, broch::Init::constant(0), 0, BROCH_INT64);
    operation_.emplace(host_, "weight-average",
                       [this](const broch::Tower& scope) { update(scope); });
  }
  void trigger() override {
    if (options_.period == 0) run_if_begun();
  }
  void trigger_step() override {
    if (options_.period > 0 && run_.progress().global_step % options_.period == 0) run_if_begun();
  }

 private:
  struct Pair {
    broch_variable weight, average;
    broch_dtype dtype;
  };

  bool takes(const broch_variable_info& info) const {
    if (info.flags & BROCH_VARIABLE_LOCAL) return false;
    if (info.dtype < BROCH_FLOAT32 || info.dtype > BROCH_BFLOAT16) return false;
    const uint32_t wanted =
        BROCH_VARIABLE_TRAINABLE | (options_.statistics ? BROCH_VARIABLE_MODEL : 0);
    return (info.flags & wanted) && pattern_.matches(info.name);
  }
  void add(broch_variable weight) {
    const broch_variable_info info = variables_.info(weight);
    const std::vector<int64_t> shape(info.shape, info.shape + info.rank);
    const broch_variable average = variables_.create(options_.name + "/" + info.name, shape,
                                                     broch::Init::constant(0), 0, info.dtype);
    pairs_.push_back({weight, average, info.dtype});
  }

  void run_if_begun() const {
    const broch_progress& now = run_.progress();
    if (now.global_step >= options_.from_step && now.epoch_num >= options_.from_epoch)
      operation_->run();
  }

  void update(const broch::Tower& scope) const {
    const broch::Tensor updates = scope.read(updates_), share = share_of_new(updates);
    for (const Pair& pair : pairs_)
      scope.update(pair.average, scope.ops().lerp(scope.read(pair.average), scope.read(pair.weight),
                                                  scope.ops().to_dtype(share, pair.dtype)));
    scope.update(updates_, updates + broch::Scalar(1));
  }
  // How far the averages move towards the weights. The first update copies them.
  broch::Tensor share_of_new(const broch::Tensor& updates) const {
    broch::Ops& ops = updates.ops();
    const broch::Tensor before = ops.to_dtype(updates, BROCH_FLOAT64);
    if (options_.kind == Kind::equal) return ops.reciprocal(before + broch::Scalar(1));
    broch::Tensor share = ops.full_like(before, broch::Scalar(1 - options_.decay));
    if (options_.warm_up)  // 1 - (1 + n) / (10 + n)
      share = ops.maximum(share, ops.reciprocal(before + broch::Scalar(10)) * broch::Scalar(9));
    return ops.maximum(share, ops.to_dtype(ops.eq(before, broch::Scalar(0)), BROCH_FLOAT64));
  }

  broch::Host host_;
  broch::Run run_;
  broch::Variables variables_;
  Options options_;
  broch::callbacks::VariablePattern pattern_;
  std::vector<Pair> pairs_;
  broch_variable updates_ = 0;
  std::optional<broch::Operation> operation_;
};

}  // namespace

BROCH_CALLBACK(WeightAverage, "broch.callback.weight-average", "1.0.0",
               "Keeps a running average of the weights, exponential or equal.", Options::schema,
               broch::produces(), broch::run_on("all"))
