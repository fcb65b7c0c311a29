// by_turns.cpp: trains one part of the variables in even steps and the other in odd ones.
#include <broch/broch.hpp>

class ByTurns final : public broch::SteppingTrainer {
 public:
  explicit ByTurns(const broch::Host& host)
      : host_(host), run_(host), parts_(broch::Config(host).strings("/parts")) {}

  void setup_graph() override {
    for (const std::string& part : parts_) {
      broch::Plan& plan = plans_.emplace_back(host_, part);
      const broch_node tower = plan.tower({plan.input()}, {});
      plan.apply(plan.process(plan.gradients(tower, "", part)), {}, {part});
      plan.seal();
    }
  }
  broch_status run_step() override {
    return plans_[size_t(run_.progress().global_step) % plans_.size()].run();
  }

 private:
  broch::Host host_;
  broch::Run run_;
  std::vector<std::string> parts_;
  std::vector<broch::Plan> plans_;
};

BROCH_TRAINER(ByTurns, "net.outsider.by-turns", "1.0.0", "Trains parts of the model by turns.", R"({
  "type": "object",
  "properties": {"parts": {"type": "array", "items": {"type": "string"}, "minItems": 1,
                           "description": "Regular expressions of whole names of variables."}},
  "required": ["parts"], "additionalProperties": false})")
