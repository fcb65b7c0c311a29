// planner.cpp: a trainer and a callback whose plans are written in their options, and a model of
// two numbers for them.
#include <broch/broch.hpp>
#include <deque>
#include <map>
#include <stdexcept>

#include "builtins/trace.hpp"
#include "support/json_node.hpp"

namespace {

using broch::Config;
using broch::Error;
using broch::Host;

// variable = variable * times + plus, or a draw from [0, 1). Fails when it runs for the fail_at-th
// time; the description counts as 0.
class Operation {
 public:
  Operation(const Host& host, const Config& config, const std::string& at) : host_(host) {
    variable_ = config.string(at + "/variable");
    times_ = config.has(at + "/times") ? config.number(at + "/times") : 1;
    plus_ = config.has(at + "/plus") ? config.number(at + "/plus") : 0;
    draws_ = config.has(at + "/draw");
    fail_at_ = config.has(at + "/fail_at") ? config.integer(at + "/fail_at") : -1;
  }

  broch_operation define() {
    const broch::Variables variables(host_);
    try {
      variables.find(variable_);
    } catch (const Error&) {
      variables.create(variable_, {}, broch::Init::constant(0));
    }
    operation_.emplace(host_, variable_, [this](const broch::Tower& scope) { describe(scope); });
    return operation_->handle();
  }

 private:
  void describe(const broch::Tower& scope) {
    if (calls_++ == fail_at_) throw Error(BROCH_E_UNKNOWN, "the operation is worn out");
    const broch_variable variable = broch::Variables(host_).find(variable_);
    const broch::Tensor value = draws_ ? scope.ops().rand({}, BROCH_FLOAT32) : scope.read(variable);
    scope.update(variable, value * broch::Scalar(times_) + broch::Scalar(plus_));
  }

  Host host_;
  std::optional<broch::Operation> operation_;
  std::string variable_;
  double times_, plus_;
  bool draws_;
  int64_t fail_at_, calls_ = 0;
};

// The plans of the options and what their calls do.
class Planner {
 public:
  explicit Planner(const Host& host)
      : host_(host),
        config_(host),
        trace_(config_),
        table_(host.require<broch_host_plan>(BROCH_EXT_PLAN)) {}

  void setup() {
    for (uint64_t i = 0, n = config_.size("/plans"); i < n; ++i)
      make_plan("/plans/" + std::to_string(i));
  }
  // Carries out each of the steps; the first one that is not OK ends it.
  broch_status step() {
    for (const std::string& action : config_.strings("/steps"))
      if (const broch_status status = carry_out(action)) return status;
    return BROCH_OK;
  }

 private:
  struct Call {
    Planner* planner;
    std::string plan, action;
  };

  void make_plan(const std::string& at) {
    const std::string name = config_.string(at + "/name");
    host_.check(table_->create(host_.c(), name.c_str(), &plans_[name]));
    for (uint64_t i = 0, n = config_.size(at + "/nodes"); i < n; ++i)
      make_node(name, at + "/nodes/" + std::to_string(i));
    if (config_.boolean(at + "/seal")) host_.check(table_->seal(host_.c(), plans_[name]));
    for (const std::string& action : config_.strings(at + "/then")) carry_out_in(name, action);
  }

  void make_node(const std::string& plan, const std::string& at) {
    const std::vector<broch_node> inputs = inputs_of(plan, at);
    const auto n = uint32_t(inputs.size());
    const std::string text = config_.has(at + "/options") ? config_.string(at + "/options") : "";
    const std::string kind = "broch.plan." + config_.string(at + "/kind") + "/1";
    const bool direct = config_.has(at + "/direct");
    const support::JsonNode json(kind, text);
    const broch_node_options* const options = json.options();
    broch_node node = 0;
    if (kind == "broch.plan.operation/1" && !direct) {
      broch_operation op = 12345;  // no handle of an operation
      if (config_.has(at + "/op"))
        op = operations_.emplace_back(host_, config_, at + "/op").define();
      host_.check(
          table_->add_operation(host_.c(), plans_[plan], inputs.data(), n, options, op, &node));
    } else if (kind == "broch.plan.call/1" && !direct) {
      const bool has_function = config_.has(at + "/call");
      if (has_function) calls_.push_back({this, plan, config_.string(at + "/call")});
      host_.check(table_->add_call(host_.c(), plans_[plan], inputs.data(), n, options,
                                   has_function ? call : nullptr,
                                   has_function ? &calls_.back() : nullptr, &node));
    } else {
      host_.check(
          table_->add(host_.c(), plans_[plan], kind.c_str(), inputs.data(), n, options, &node));
    }
    nodes_[plan].push_back(node);
  }

  // "after": places in the plan, those that come later guessed from the first two; "foreign": the
  // first node of another plan.
  std::vector<broch_node> inputs_of(const std::string& plan, const std::string& at) {
    std::vector<broch_node> inputs;
    if (config_.has(at + "/foreign"))
      inputs.push_back(nodes_.at(config_.string(at + "/foreign")).at(0));
    if (!config_.has(at + "/after")) return inputs;
    const std::vector<broch_node>& made = nodes_[plan];
    for (const int64_t place : config_.integers(at + "/after"))
      inputs.push_back(size_t(place) < made.size()
                           ? made[size_t(place)]
                           : made.at(0) + uint64_t(place) * (made.at(1) - made.at(0)));
    return inputs;
  }

  static broch_status call(void* user) {
    const Call& call = *static_cast<Call*>(user);
    return broch::at_border(call.planner->host_.c(),
                            [&] { return call.planner->carry_out_in(call.plan, call.action); });
  }
  broch_status carry_out_in(const std::string& plan, const std::string& action) {
    if (action == "garbage") return 77;
    if (action == "escape") throw std::logic_error("not meant to leave");
    if (action == "stop") throw broch::StopTraining("the plan has had enough");
    if (action == "fail") throw Error(BROCH_E_UNKNOWN, "the call is worn out");
    if (action == "seal") return host_.check(table_->seal(host_.c(), plans_[plan]));
    if (action == "add")
      return host_.check(
          table_->add(host_.c(), plans_[plan], BROCH_NODE_INPUT, nullptr, 0, nullptr, nullptr));
    return carry_out(action);
  }
  // "hooked PLAN", "plain PLAN", "try PLAN" (plain; the status is written down and forgotten), or a
  // line for the trace.
  broch_status carry_out(const std::string& action) {
    const size_t space = action.find(' ');
    const std::string verb = action.substr(0, space);
    const std::string plan = space == std::string::npos ? "" : action.substr(space + 1);
    if (verb == "hooked" || verb == "plain")
      return host_.check(table_->run(host_.c(), plans_.at(plan), verb == "hooked", nullptr));
    if (verb == "try")
      trace_.write("status " + std::to_string(table_->run(host_.c(), plans_.at(plan), 0, nullptr)));
    else
      trace_.write(action);
    return BROCH_OK;
  }

  Host host_;
  Config config_;
  broch::test::Trace trace_;
  const broch_host_plan* table_;
  std::map<std::string, broch_plan> plans_;
  std::map<std::string, std::vector<broch_node>> nodes_;
  std::deque<Operation> operations_;
  std::deque<Call> calls_;
};

class PlanTrainer final : public broch::Trainer {
 public:
  explicit PlanTrainer(const Host& host) : planner_(host) {}
  void setup_graph() override { planner_.setup(); }

 private:
  Planner planner_;
};

class StepTrainer final : public broch::SteppingTrainer {
 public:
  explicit StepTrainer(const Host& host) : planner_(host) {}
  void setup_graph() override { planner_.setup(); }
  broch_status run_step() override { return planner_.step(); }

 private:
  Planner planner_;
};

class PlanCallback final : public broch::Callback {
 public:
  explicit PlanCallback(const Host& host) : planner_(host) {}
  void setup_graph() override { planner_.setup(); }
  void trigger_step() override { planner_.step(); }

 private:
  Planner planner_;
};

// cost = (a + 3 b) * mean(x)
class Pair final : public broch::Model {
 public:
  explicit Pair(const Host& host) : Model(host) {
    for (const int64_t size : Config(host).integers("/shape")) shape_.push_back(size);
  }
  std::vector<broch::Input> inputs() override { return {{"x", BROCH_FLOAT32, shape_, {}}}; }
  broch::Tensor tower(broch::Tower& t, const std::vector<broch::Tensor>& inputs) override {
    const broch::Tensor a = t.variable("a", {}, broch::Init::constant(0)).value;
    const broch::Tensor b = t.variable("b", {}, broch::Init::constant(0)).value;
    const broch::Tensor sum = t.ops().add(a, b, 3);
    return t.publish("cost", t.ops().mul(sum, t.ops().mean(inputs[0])));
  }
  std::string optimizer() override { return R"({"use": "sgd", "with": {"learning_rate": 1.0}})"; }

 private:
  std::vector<int64_t> shape_;
};

constexpr broch_component kComponents[] = {
    broch::component<PlanTrainer>("test.plan-trainer", "trainer"),
    broch::component<StepTrainer>("test.step-trainer", "trainer"),
    broch::component<PlanCallback>("test.plan-callback", "callback"),
    broch::component<Pair>("test.pair", "model")};

}  // namespace

// clang-format off
#define PLANNER_OPTIONS \
  R"({)" \
  R"("type": "object", )" \
  R"("properties": {)" \
  R"("trace": {"type": ["string", "null"], "default": null}, )" \
  R"("steps": {"type": "array", "items": {"type": "string"}, "default": []}, )" \
  R"("plans": {"type": "array", "items": {)" \
  R"("type": "object", )" \
  R"("properties": {)" \
  R"("name": {"type": "string"}, )" \
  R"("nodes": {"type": "array", "items": {"type": "object", "additionalProperties": true}}, )" \
  R"("seal": {"type": "boolean", "default": true}, )" \
  R"("then": {"type": "array", "items": {"type": "string"}, "default": []} )" \
  R"(}, )" \
  R"("required": ["name", "nodes"], )" \
  R"("additionalProperties": false )" \
  R"(}} )" \
  R"(}, )" \
  R"("required": ["plans"], )" \
  R"("additionalProperties": false )" \
  R"(} )"

BROCH_PLUGIN(kComponents, "{\"components\": ["
  BROCH_META("test.plan-trainer", "trainer", "1.0.0", "Plans of the options.", PLANNER_OPTIONS) ", "
  BROCH_META("test.step-trainer", "trainer", "1.0.0", "And steps of them.", PLANNER_OPTIONS) ", "
  BROCH_META("test.plan-callback", "callback", "1.0.0", "After each step.", PLANNER_OPTIONS) ", "
  BROCH_META("test.pair", "model", "1.0.0", "Two numbers.", R"({
    "type": "object",
    "properties": {
      "shape": {"type": "array", "items": {"type": "integer"}, "default": [-1]}
    },
    "additionalProperties": false
  })") "]}")
// clang-format on
