// wrong_state.cpp: a language model that counts its tokens, and forgets to add those of a call.
#include <broch/broch.hpp>

namespace {

struct Options {
  bool forgets;
  static constexpr auto schema = broch::options(
      broch::option("forgets", &Options::forgets, "Whether next/count is what it was before.")
          .by_default(false));
};

class Counter final : public broch::Model {
 public:
  Counter(const broch::Host& host, const Options& options) : Model(host), options_(options) {}

  std::vector<broch::Input> inputs() override {
    return {{"tokens", BROCH_INT64, {-1, -1}, {}}, {"targets", BROCH_INT64, {-1, -1}, {}}};
  }

  // The scores of the bytes are minus their distance from the number of tokens so far.
  broch::Tensor tower(broch::Tower& t, const std::vector<broch::Tensor>& inputs) override {
    broch::Ops& ops = t.ops();
    const broch::Scalar count(t.size(inputs[0], 1));
    const broch::Tensor before = t.publish("state/count", ops.zeros({1}, BROCH_INT64));
    t.publish("next/count", options_.forgets ? before : before + count);
    const broch::Tensor places = before + ops.arange(count, BROCH_INT64);
    const broch::Tensor distance =
        ops.abs(ops.unsqueeze(places, 1) - ops.arange(broch::Scalar(256), BROCH_INT64));
    const broch::Tensor rows = ops.to_dtype(ops.unsqueeze(inputs[0] * 0, 2), BROCH_FLOAT32);
    const broch::Tensor w = t.variable("w", {1}, broch::Init::constant(0)).value;
    t.publish("logits", rows - ops.to_dtype(distance, BROCH_FLOAT32) + w);
    return ops.sum(w * w);
  }

 private:
  Options options_;
};

}  // namespace

BROCH_MODEL(Counter, "org.test.counter", "1.0.0", "Says how many tokens there were.",
            Options::schema)
