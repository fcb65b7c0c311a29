// misuse.cpp: a model that calls layers as they must not be called: all of misuses.def, each error
// going to the log, or one of them, whose error ends the training.
#include <broch/layers.hpp>
#include <cmath>

namespace {

using namespace broch;

Conv2dOptions conv_of(int64_t channels, int64_t kernel) {
  return with(Conv2dOptions(), &Conv2dOptions::channels, channels, &Conv2dOptions::kernel, kernel);
}
Conv2dTransposeOptions up_of(int64_t channels, int64_t kernel, int64_t stride) {
  using Options = Conv2dTransposeOptions;
  return with(Options(), &Options::channels, channels, &Options::kernel, kernel, &Options::stride,
              stride);
}
FullyConnectedOptions units_of(int64_t units) {
  return with(FullyConnectedOptions(), &FullyConnectedOptions::units, units);
}
PoolOptions pool_of(int64_t kernel, int64_t stride, int64_t padding) {
  return {kernel, stride, padding};
}
EmbeddingOptions table_of(int64_t rows, int64_t width) {
  return with(EmbeddingOptions(), &EmbeddingOptions::rows, rows, &EmbeddingOptions::width, width);
}
LayerNormOptions dims_of(uint32_t dims) {
  return with(LayerNormOptions(), &LayerNormOptions::dims, dims);
}
RecurrentOptions recurrent_of(int64_t units) {
  return with(RecurrentOptions(), &RecurrentOptions::units, units);
}
AttentionOptions heads_of(int64_t heads, double dropout) {
  return with(AttentionOptions(), &AttentionOptions::heads, heads, &AttentionOptions::dropout,
              dropout);
}

class Misuse final : public Model {
 public:
  explicit Misuse(const Host& host)
      : Model(host), host_(host), one_(Config(host).string("/case")) {}
  std::vector<Input> inputs() override { return {{"x", BROCH_FLOAT32, {}, {}}}; }

  Tensor tower(Tower& t, const std::vector<Tensor>& inputs) override {
    const auto scope = t.scope("net");
    Ops& ops = t.ops();
    const Tensor w = t.variable("w", {6}, Init::constant(1)).value;
    const Tensor row = ops.arange(6, BROCH_FLOAT32), rows = ops.zeros({2, 6}, BROCH_FLOAT32);
    const Tensor image = ops.zeros({2, 3, 8, 8}, BROCH_FLOAT32);
    const Tensor steps = ops.zeros({2, 5, 4}, BROCH_FLOAT32);
    const Tensor ids = ops.reshape(ops.arange(10, BROCH_INT64), {2, 5});
    const auto misuse = [&](const std::string& name, const auto& call) {
      if (!one_.empty() && one_ != name) return;
      try {
        call();
      } catch (const Error& error) {
        if (!one_.empty()) throw;
        host_.warning("MISUSE " + name + ": " + error.what());
      }
    };
#define MISUSE(name, call, ...) misuse(#name, [&] { call; });
#include "misuses.def"
    return t.publish("cost", ops.mean(w) * inputs[0]);
  }

 private:
  Host host_;
  std::string one_;
};

}  // namespace

// clang-format off
BROCH_MODEL(Misuse, "layers.misuse", "1.0.0", "Layers as they must not be called.",
  R"({"type": "object", "properties": {"case": {"type": "string", "default": ""}},)"
  R"( "additionalProperties": false})")
// clang-format on
