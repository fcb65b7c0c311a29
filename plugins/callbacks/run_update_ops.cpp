// run_update_ops.cpp: writes the updates of a collection in every hooked run. tensorpack:
// `RunUpdateOps`.
#include <broch/broch.hpp>

namespace {

class RunUpdateOps final : public broch::Callback {
 public:
  explicit RunUpdateOps(const broch::Host& host) : host_(host) {}
  void setup_graph() override {
    broch::Run(host_).run_collection(broch::Config(host_).string("/collection"));
  }

 private:
  broch::Host host_;
};

constexpr broch_component kComponents[] = {
    broch::component<RunUpdateOps>("broch.callback.run-update-ops", "callback")};

}  // namespace

BROCH_PLUGIN(kComponents, R"({"components": [{
  "id": "broch.callback.run-update-ops", "role": "callback", "version": "1.0.0", "run_on": "all", "produces": [],
  "summary": "Makes the updates in a collection as part of every hooked run.",
  "options": {
    "type": "object",
    "properties": {
      "collection": {"type": "string", "default": "UPDATE_OPS", "description": "Collection of the updates."}
    },
    "additionalProperties": false
  }}]})")
