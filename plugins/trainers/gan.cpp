// gan.cpp: trains a generator and a discriminator, two parts of one model with a cost each.
// tensorpack: `GANTrainer`, `SeparateGANTrainer`.
//
// The model publishes both costs and creates the variables of each part in a scope of its own.
#include "data_parallel.hpp"

namespace {

using broch::Host;
using broch::Plan;

// g: of the generator, d: of the discriminator.
struct Options : broch::trainers::TowersOptions {
  std::string g_scope, d_scope, g_cost, d_cost;
  std::optional<broch::JsonText> g_optimizer, d_optimizer;

  static constexpr const char* kEntry =
      R"("type": ["object", "null"], "additionalProperties": true)";
  static constexpr auto schema = broch::options(
      TowersOptions::schema,
      broch::option("g_scope", &Options::g_scope, "Scope of the generator's variables.")
          .min_length(1)
          .by_default("gen"),
      broch::option("d_scope", &Options::d_scope, "Scope of the discriminator's variables.")
          .min_length(1)
          .by_default("discrim"),
      broch::option("g_cost", &Options::g_cost, "Published name of the generator's cost.")
          .min_length(1)
          .by_default("g_loss"),
      broch::option("d_cost", &Options::d_cost, "Published name of the discriminator's cost.")
          .min_length(1)
          .by_default("d_loss"),
      broch::option("g_optimizer", &Options::g_optimizer,
                    "Entry of an optimizer for the generator; null: the manifest's optimizer.")
          .schema(kEntry),
      broch::option("d_optimizer", &Options::d_optimizer,
                    "Entry of an optimizer for the discriminator; null: the manifest's optimizer.")
          .schema(kEntry));
};

enum class Periods { steps, runs };

struct SeparateOptions : Options {
  int64_t d_period, g_period;
  Periods periods;

  static constexpr auto schema = broch::options(
      Options::schema,
      broch::option("d_period", &SeparateOptions::d_period,
                    "The discriminator is updated in every d_period-th step.")
          .minimum(1)
          .by_default(1),
      broch::option("g_period", &SeparateOptions::g_period,
                    "The generator is updated in every g_period-th step.")
          .minimum(1)
          .by_default(1),
      broch::option("periods", &SeparateOptions::periods,
                    "What the periods count. runs: hooked runs; a step that updates both has two.")
          .one_of("steps", "runs")
          .by_default("steps"));
};

// The cost, variables and optimizer of one of the two parts.
struct Side {
  static Side generator(const Options& of) {
    return {"g", of.g_cost, under(of.g_scope), text(of.g_optimizer)};
  }
  static Side discriminator(const Options& of) {
    return {"d", of.d_cost, under(of.d_scope), text(of.d_optimizer)};
  }

  broch_node gradients(Plan& plan, const Plan::Nodes& towers) const {
    return broch::trainers::mean_gradients(plan, towers, cost, variables);
  }
  void apply(Plan& plan, broch_node gradients) const {
    plan.apply(plan.process(gradients), {optimizer, "", std::nullopt}, {name});
  }

  std::string name, cost, variables, optimizer;

  static std::string text(const std::optional<broch::JsonText>& entry) {
    return entry ? entry->text : "";
  }
  // A regular expression that matches all names in a scope.
  static std::string under(const std::string& scope) {
    std::string pattern;
    for (const char c : scope) {
      if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '/') pattern += '\\';
      pattern += c;
    }
    return pattern + "/.*";
  }
};

// A step takes one data point per tower, does one forward pass and computes both gradients. Then
// the generator is updated, and after it the discriminator.
class Gan final : public broch::Trainer {
 public:
  Gan(const Host& host, const Options& options)
      : host_(host),
        devices_(options.devices),
        generator_(Side::generator(options)),
        discriminator_(Side::discriminator(options)) {}

  void setup_graph() override {
    Plan plan(host_, "train");
    const Plan::Nodes towers = broch::trainers::add_towers(plan, devices_);
    const broch_node g = generator_.gradients(plan, towers);
    const broch_node d = discriminator_.gradients(plan, towers);
    generator_.apply(plan, g);
    discriminator_.apply(plan, d);
    plan.seal();
  }

 private:
  Host host_;
  std::vector<std::string> devices_;
  Side generator_, discriminator_;
};

// A step is a run that updates the discriminator, then a run that updates the generator, each on
// its own data points and every period-th time only.
class SeparateGan final : public broch::SteppingTrainer {
 public:
  SeparateGan(const Host& host, const SeparateOptions& options)
      : host_(host),
        run_(host),
        devices_(options.devices),
        generator_{Side::generator(options), options.g_period, {}},
        discriminator_{Side::discriminator(options), options.d_period, {}},
        by_runs_(options.periods == Periods::runs) {
    if (generator_.period > 1 && discriminator_.period > 1)
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         "d_period " + std::to_string(discriminator_.period) + " and g_period " +
                             std::to_string(generator_.period) +
                             ": one of them has to be 1, else steps would do nothing");
  }

  void setup_graph() override {
    build(discriminator_, "discriminator");
    build(generator_, "generator");
  }

  broch_status run_step() override {
    if (const broch_status status = take_turn(discriminator_)) return status;
    return take_turn(generator_);
  }

 private:
  struct Player {
    Side side;
    int64_t period;
    std::optional<Plan> plan;
  };

  void build(Player& player, const char* name) {
    Plan& plan = player.plan.emplace(host_, name);
    const Plan::Nodes towers = broch::trainers::add_towers(plan, devices_);
    player.side.apply(plan, player.side.gradients(plan, towers));
    plan.seal();
  }

  // Periods count steps or, as in tensorpack, hooked runs.
  broch_status take_turn(Player& player) {
    const broch_progress& now = run_.progress();
    const int64_t steps = (now.epoch_num - 1) * now.steps_per_epoch + now.local_step;
    const int64_t count = by_runs_ ? now.global_step : steps;
    return count % player.period == 0 ? player.plan->run() : BROCH_OK;
  }

  Host host_;
  broch::Run run_;
  std::vector<std::string> devices_;
  Player generator_, discriminator_;
  bool by_runs_;
};

}  // namespace

BROCH_COMPONENTS(broch::component<Gan>("broch.trainer.gan", "trainer", "1.0.0",
                                       "Updates a generator and a discriminator in each step.",
                                       Options::schema, broch::needs("model", "input")),
                 broch::component<SeparateGan>(
                     "broch.trainer.separate-gan", "trainer", "1.0.0",
                     "Updates a generator and a discriminator in separate hooked runs.",
                     SeparateOptions::schema, broch::needs("model", "input")))
