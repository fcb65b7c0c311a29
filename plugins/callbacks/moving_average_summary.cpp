// moving_average_summary.cpp: updates the moving averages of the model's scalars in every hooked
// run. tensorpack: `MovingAverageSummary`.
#include <broch/broch.hpp>

namespace {

class MovingAverageSummary final : public broch::Callback {
 public:
  explicit MovingAverageSummary(const broch::Host& host) : host_(host) {}
  void setup_graph() override {
    broch::Run(host_).run_collection(broch::Config(host_).string("/collection"));
  }

 private:
  broch::Host host_;
};

}  // namespace

BROCH_COMPONENT_MORE(MovingAverageSummary, "broch.callback.moving-average-summary", "callback",
                     "1.0.0",
                     "Updates the moving averages of the model's scalars in every hooked run.",
                     R"("produces": [])",
                     R"({
  "type": "object",
  "properties": {
    "collection": {"type": "string", "default": "MOVING_SUMMARY_OPS",
                   "description": "Collection of the averages."}
  },
  "additionalProperties": false
})")
