// gan.cpp: trains a generator and a discriminator, two parts of one model with a cost each.
// tensorpack: `GANTrainer`, `SeparateGANTrainer`.
//
// The model publishes both costs and creates the variables of each part in a scope of its own.
#include "data_parallel.hpp"

namespace {

using broch::Config;
using broch::Host;
using broch::Plan;

// The cost, variables and optimizer of one of the two parts.
struct Side {
  Side(const Config& config, const std::string& letter)
      : name(letter),
        cost(config.string("/" + letter + "_cost")),
        variables(under(config.string("/" + letter + "_scope"))),
        optimizer(config.has("/" + letter + "_optimizer") ? config.json("/" + letter + "_optimizer")
                                                          : "") {}

  broch_node gradients(Plan& plan, const Plan::Nodes& towers) const {
    return broch::trainers::mean_gradients(plan, towers, cost, variables);
  }
  void apply(Plan& plan, broch_node gradients) const {
    plan.apply(plan.process(gradients), {optimizer, "", std::nullopt}, {name});
  }

  std::string name, cost, variables, optimizer;

 private:
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
  explicit Gan(const Host& host)
      : host_(host),
        devices_(Config(host).strings("/devices")),
        generator_(Config(host), "g"),
        discriminator_(Config(host), "d") {}

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
  explicit SeparateGan(const Host& host)
      : host_(host),
        run_(host),
        devices_(Config(host).strings("/devices")),
        generator_{Side(Config(host), "g"), Config(host).integer("/g_period"), {}},
        discriminator_{Side(Config(host), "d"), Config(host).integer("/d_period"), {}},
        by_runs_(Config(host).string("/periods") == "runs") {
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

constexpr broch_component kComponents[] = {
    broch::component<Gan>("broch.trainer.gan", "trainer"),
    broch::component<SeparateGan>("broch.trainer.separate-gan", "trainer")};

}  // namespace

// clang-format off
#define SIDES \
  BROCH_TOWERS_SCHEMA R"(,)" \
  R"("g_scope": {"type": "string", "minLength": 1, "default": "gen",)" \
  R"( "description": "Scope of the generator's variables."},)" \
  R"("d_scope": {"type": "string", "minLength": 1, "default": "discrim",)" \
  R"( "description": "Scope of the discriminator's variables."},)" \
  R"("g_cost": {"type": "string", "minLength": 1, "default": "g_loss",)" \
  R"( "description": "Published name of the generator's cost."},)" \
  R"("d_cost": {"type": "string", "minLength": 1, "default": "d_loss",)" \
  R"( "description": "Published name of the discriminator's cost."},)" \
  R"("g_optimizer": {"type": ["object", "null"], "additionalProperties": true, "default": null,)" \
  R"( "description": "Entry of an optimizer for the generator; null: the manifest's optimizer."},)" \
  R"("d_optimizer": {"type": ["object", "null"], "additionalProperties": true, "default": null,)" \
  R"( "description": "Entry of an optimizer for the discriminator; null: the manifest's optimizer."})"

BROCH_PLUGIN(kComponents, "{\"components\": ["
  BROCH_META("broch.trainer.gan", "trainer", "1.0.0",
             "Updates a generator and a discriminator in each step.",
             R"({"type": "object", "properties": {)" SIDES R"(}, "additionalProperties": false})") ", "
  BROCH_META("broch.trainer.separate-gan", "trainer", "1.0.0",
             "Updates a generator and a discriminator in separate hooked runs.",
             R"({"type": "object", "properties": {)" SIDES R"(,
    "d_period": {"type": "integer", "minimum": 1, "default": 1,
      "description": "The discriminator is updated in every d_period-th step."},
    "g_period": {"type": "integer", "minimum": 1, "default": 1,
      "description": "The generator is updated in every g_period-th step."},
    "periods": {"enum": ["steps", "runs"], "default": "steps",
      "description": "What the periods count. runs: hooked runs; a step that updates both has two."}
  }, "additionalProperties": false})") "]}")
// clang-format on
