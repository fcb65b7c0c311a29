// nan_guard.cpp: ends the run with exit code 6 at the first step in which a watched value is not
// finite.
#include <broch/broch.hpp>
#include <cmath>

namespace {

class NanGuard final : public broch::Callback {
 public:
  explicit NanGuard(const broch::Host& host)
      : run_(host), names_(broch::Config(host).strings("/names")) {}

  void setup_graph() override {
    for (const std::string& name : names_) fetches_.push_back(run_.fetch(name));
  }

  void after_run(broch_run run) override {
    for (size_t i = 0; i < names_.size(); ++i)
      if (const auto value = run_.scalar(run, fetches_[i]); value && !std::isfinite(*value))
        throw broch::Error(
            BROCH_E_NUMBERS,
            names_[i] + " is " + (std::isnan(*value) ? "nan" : std::to_string(*value)) +
                " at global_step " + std::to_string(run_.progress().global_step) +
                ", expected a finite number; the newest checkpoint is older than this "
                "step: lower the learning rate or clip gradients and resume from it");
  }

 private:
  broch::Run run_;
  std::vector<std::string> names_;
  std::vector<uint32_t> fetches_;
};

}  // namespace

BROCH_COMPONENT_MORE(NanGuard, "broch.callback.nan-guard", "callback", "1.0.0",
                     "Ends the run at the first step in which a watched value is not finite.",
                     R"("produces": [])", R"({
  "type": "object",
  "properties": {
    "names": {"type": "array", "items": {"type": "string"}, "minItems": 1, "default": ["cost"],
              "description": "Scalars to watch in every step."}
  },
  "additionalProperties": false
})")
