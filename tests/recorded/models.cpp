// models.cpp: the networks whose long trainings are compared, as plugins.
#include <broch/layers.hpp>

namespace {

constexpr int64_t kClasses = 10;

broch::Tensor cost_of(broch::Tower& t, const broch::Tensor& logits, const broch::Tensor& label) {
  t.publish("logits", logits);
  return t.publish("cost", t.ops().cross_entropy_loss(logits, label));
}

// A linear layer over the last dimension, whatever comes before it.
broch::Tensor linear(broch::Tower& t, const std::string& name, const broch::Tensor& x, int64_t in,
                     int64_t out) {
  const auto scope = t.scope(name);
  const broch::Tensor w = t.variable("W", {out, in}, broch::Init::glorot_uniform()).value;
  const broch::Tensor b = t.variable("b", {out}, broch::Init::constant(0)).value;
  return t.ops().linear(x, w, b);
}

broch::Tensor norm(broch::Tower& t, const std::string& name, const broch::Tensor& x,
                   int64_t width) {
  const auto scope = t.scope(name);
  const broch::Tensor gamma = t.variable("gamma", {width}, broch::Init::constant(1)).value;
  const broch::Tensor beta = t.variable("beta", {width}, broch::Init::constant(0)).value;
  return t.ops().layer_norm(x, {width}, gamma, beta);
}

class Mlp final : public broch::Model {
 public:
  explicit Mlp(const broch::Host& host) : Model(host) {}
  std::vector<broch::Input> inputs() override {
    return {{"x", BROCH_FLOAT32, {-1, 64}, {"B", ""}}, {"label", BROCH_INT64, {-1}, {"B"}}};
  }
  broch::Tensor tower(broch::Tower& t, const std::vector<broch::Tensor>& inputs) override {
    broch::Tensor x = t.ops().relu(linear(t, "fc1", inputs[0], 64, 128));
    x = t.ops().relu(linear(t, "fc2", x, 128, 128));
    return cost_of(t, linear(t, "fc3", x, 128, kClasses), inputs[1]);
  }
};

// Its gradients are 2.5 MiB; that of fc2/W has its elements in another order than W.
class Wide final : public broch::Model {
 public:
  explicit Wide(const broch::Host& host) : Model(host) {}
  std::vector<broch::Input> inputs() override {
    return {{"x", BROCH_FLOAT32, {-1, 64}, {"B", ""}}, {"label", BROCH_INT64, {-1}, {"B"}}};
  }
  broch::Tensor tower(broch::Tower& t, const std::vector<broch::Tensor>& inputs) override {
    broch::Tensor x = inputs[0];
    x = t.ops().relu(linear(t, "fc1", x, 64, 550));
    x = t.ops().relu(turned(t, "fc2", x));
    x = t.ops().relu(linear(t, "fc3", x, 550, 550));
    return cost_of(t, linear(t, "fc4", x, 550, kClasses), inputs[1]);
  }

 private:
  static broch::Tensor turned(broch::Tower& t, const std::string& name, const broch::Tensor& x) {
    const auto scope = t.scope(name);
    const broch::Tensor w = t.variable("W", {10, 550, 55}, broch::Init::normal(0, 0.05)).value;
    return t.ops().linear(x, t.ops().reshape(t.ops().permute(w, {0, 2, 1}), {550, 550}));
  }
};

class ConvNet final : public broch::Model {
 public:
  explicit ConvNet(const broch::Host& host) : Model(host) {}
  std::vector<broch::Input> inputs() override {
    return {{"x", BROCH_FLOAT32, {-1, 1, 12, 12}, {"B", "", "", ""}},
            {"label", BROCH_INT64, {-1}, {"B"}}};
  }
  broch::Tensor tower(broch::Tower& t, const std::vector<broch::Tensor>& inputs) override {
    broch::Conv2dOptions conv;
    conv.channels = 8;
    conv.activation = broch::relu;
    broch::Tensor x = broch::conv2d(t, "conv1", inputs[0], conv);
    conv.channels = 16;
    conv.use_bias = false;
    conv.activation = nullptr;
    broch::BatchNormOptions bn;
    bn.activation = broch::relu;
    x = broch::batch_norm(t, "bn", broch::conv2d(t, "conv2", x, conv), bn);
    x = broch::dropout(t, "dropout", broch::max_pool2d(t, "pool", x), 0.25);
    broch::FullyConnectedOptions last;
    last.units = kClasses;
    return cost_of(t, broch::fully_connected(t, "fc", x, last), inputs[1]);
  }
};

// Batch norms between convolutions and between linear layers, with the statistics of all towers.
class Synchronized final : public broch::Model {
 public:
  explicit Synchronized(const broch::Host& host) : Model(host) {}
  std::vector<broch::Input> inputs() override {
    return {{"x", BROCH_FLOAT32, {-1, 64}, {"B", ""}}, {"label", BROCH_INT64, {-1}, {"B"}}};
  }
  broch::Tensor tower(broch::Tower& t, const std::vector<broch::Tensor>& inputs) override {
    broch::BatchNormOptions bn;
    bn.activation = broch::relu;
    bn.sync = true;
    broch::Conv2dOptions conv;
    conv.channels = 6;
    conv.use_bias = false;
    broch::Tensor x = t.ops().reshape(inputs[0], {-1, 1, 8, 8});
    x = broch::batch_norm(t, "bn1", broch::conv2d(t, "conv1", x, conv), bn);
    broch::FullyConnectedOptions wide;
    wide.units = 32;
    wide.use_bias = false;
    x = broch::batch_norm(t, "bn2", broch::fully_connected(t, "fc1", x, wide), bn);
    return cost_of(t, linear(t, "fc2", x, 32, kClasses), inputs[1]);
  }
};

// One block before its mean over time: causal attention of four heads, then two layers with gelu.
class Transformer final : public broch::Model {
 public:
  explicit Transformer(const broch::Host& host) : Model(host) {}
  std::vector<broch::Input> inputs() override {
    return {{"x", BROCH_FLOAT32, {-1, kTime, kWidth}, {"B", "", ""}},
            {"label", BROCH_INT64, {-1}, {"B"}}};
  }
  broch::Tensor tower(broch::Tower& t, const std::vector<broch::Tensor>& inputs) override {
    broch::Ops& ops = t.ops();
    const broch::Init noise = broch::Init::normal(0, 0.02);
    broch::Tensor x = inputs[0] + t.variable("positions", {kTime, kWidth}, noise).value;
    x = x + linear(t, "out", attention(t, norm(t, "norm1", x, kWidth)), kWidth, kWidth);
    const broch::Tensor up = linear(t, "up", norm(t, "norm2", x, kWidth), kWidth, 4 * kWidth);
    x = x + linear(t, "down", ops.gelu(up), 4 * kWidth, kWidth);
    return cost_of(t, linear(t, "head", ops.mean_dim(x, {1}), kWidth, kClasses), inputs[1]);
  }

 private:
  static constexpr int64_t kTime = 16, kWidth = 32, kHeads = 4;

  static broch::Tensor attention(broch::Tower& t, const broch::Tensor& x) {
    broch::Ops& ops = t.ops();
    const broch::Tensor all = linear(t, "in", x, kWidth, 3 * kWidth);
    const broch::Tensor parts = ops.permute(
        ops.reshape(all, {t.size(x, 0), kTime, 3, kHeads, kWidth / kHeads}), {2, 0, 3, 1, 4});
    const broch::Tensor mixed = ops.scaled_dot_product_attention(
        ops.select(parts, 0, 0), ops.select(parts, 0, 1), ops.select(parts, 0, 2), {}, 0, true);
    return ops.reshape(ops.permute(mixed, {0, 2, 1, 3}), {t.size(x, 0), kTime, kWidth});
  }
};

// Large tables: one whose rows repeat within a batch, one with a row that learns nothing, and one
// that is looked up twice. Where to look is computed.
class Tables final : public broch::Model {
 public:
  explicit Tables(const broch::Host& host) : Model(host) {}
  std::vector<broch::Input> inputs() override { return {{"x", BROCH_FLOAT32, {-1, 8}, {"B", ""}}}; }
  broch::Tensor tower(broch::Tower& t, const std::vector<broch::Tensor>& inputs) override {
    broch::Ops& ops = t.ops();
    const broch::Tensor far = row_numbers(ops, inputs[0], kRows - 1),
                        near = row_numbers(ops, inputs[0], 7);
    const broch::Tensor often = table(t, "often"), padded = table(t, "padded"),
                        twice = table(t, "twice");
    const broch::Tensor found = ops.embedding(often, near) + ops.embedding(padded, near, 3) +
                                ops.embedding(twice, far) * ops.embedding(twice, near);
    const broch::Tensor x = ops.reshape(found, {t.size(inputs[0], 0), 8 * kWidth});
    const broch::Tensor y = ops.tanh(linear(t, "head", x, 8 * kWidth, kClasses));
    return t.publish("cost", ops.mean(ops.square(y)));
  }

 private:
  static constexpr int64_t kRows = 20000, kWidth = 16;

  static broch::Tensor table(broch::Tower& t, const std::string& name) {
    return t.variable(name, {kRows, kWidth}, broch::Init::normal(0, 1)).value;
  }
  static broch::Tensor row_numbers(broch::Ops& ops, const broch::Tensor& x, int64_t rows) {
    const broch::Tensor scaled = ops.mul_scalar(ops.abs(x), static_cast<double>(rows));
    return ops.to_dtype(scaled, BROCH_INT64);
  }
};

// A generator and a discriminator of 8x8 pictures, which judges real ones too; a fixed filter
// stands between them. Channels are few and odd.
class Gan final : public broch::Model {
 public:
  explicit Gan(const broch::Host& host) : Model(host) {}
  std::vector<broch::Input> inputs() override {
    return {{"z", BROCH_FLOAT32, {-1, kNoise}, {"B", ""}},
            {"x", BROCH_FLOAT32, {-1, 3, 8, 8}, {"B", "", "", ""}}};
  }
  broch::Tensor tower(broch::Tower& t, const std::vector<broch::Tensor>& inputs) override {
    broch::Ops& ops = t.ops();
    const broch::Tensor picture = generated(t, inputs[0]);
    broch::Tensor fake, real;
    {
      const auto scope = t.scope("discrim");
      fake = judged(t, picture);
    }
    {
      const auto scope = t.reuse("discrim");
      real = judged(t, inputs[1]);
    }
    const broch::Tensor yes = ops.ones_like(fake), no = ops.zeros_like(fake);
    const broch::Tensor g = t.publish("g_loss", ops.binary_cross_entropy_with_logits(fake, yes));
    const broch::Tensor d = t.publish("d_loss", ops.binary_cross_entropy_with_logits(real, yes) +
                                                    ops.binary_cross_entropy_with_logits(fake, no));
    return t.publish("cost", g + d);
  }

 private:
  static constexpr int64_t kNoise = 6;

  static broch::Tensor generated(broch::Tower& t, const broch::Tensor& z) {
    const auto scope = t.scope("gen");
    broch::Ops& ops = t.ops();
    broch::Tensor x = ops.view(linear(t, "fc", z, kNoise, 20 * 4), {-1, 20, 2, 2});
    x = ops.relu(broch::batch_norm(t, "bn", widened(t, "up1", ops.relu(x), 9, false)));
    x = ops.tanh(widened(t, "up2", x, 3, true));
    const auto fixed = t.scope("fixed");
    const broch::Tensor filter =
        t.variable("W", {3, 3, 3, 3}, broch::Init::normal(0, 0.3), BROCH_VARIABLE_MODEL).value;
    return ops.conv2d(x, filter, {}, {1, 1}, {1, 1});
  }
  // Twice as high and wide.
  static broch::Tensor widened(broch::Tower& t, const std::string& name, const broch::Tensor& x,
                               int64_t channels, bool use_bias) {
    const auto scope = t.scope(name);
    const broch::Tensor w =
        t.variable("W", {t.size(x, 1), channels, 4, 4}, broch::Init::he_normal()).value;
    const broch::Tensor b =
        use_bias ? t.variable("b", {channels}, broch::Init::constant(0)).value : broch::Tensor();
    return t.ops().conv_transpose2d(x, w, b, {2, 2}, {1, 1});
  }
  static broch::Tensor judged(broch::Tower& t, const broch::Tensor& picture) {
    broch::Conv2dOptions conv;
    conv.channels = 7;
    conv.kernel = 4;
    conv.stride = 2;
    conv.padding = 1;
    const broch::Tensor x = broch::leaky_relu(broch::conv2d(t, "conv1", picture, conv), 0.2);
    conv.channels = 18;
    conv.use_bias = false;
    const broch::Tensor y = broch::batch_norm(t, "bn", broch::conv2d(t, "conv2", x, conv));
    broch::FullyConnectedOptions last;
    last.units = 1;
    return broch::fully_connected(t, "fc", broch::leaky_relu(y, 0.2), last);
  }
};

constexpr broch_component kComponents[] = {
    broch::component<Mlp>("recorded.mlp", "model"),
    broch::component<Wide>("recorded.wide", "model"),
    broch::component<ConvNet>("recorded.convnet", "model"),
    broch::component<Synchronized>("recorded.synchronized", "model"),
    broch::component<Transformer>("recorded.transformer", "model"),
    broch::component<Tables>("recorded.tables", "model"),
    broch::component<Gan>("recorded.gan", "model")};

}  // namespace

#define NETWORK(id, summary)                                                                  \
  R"({"id": "recorded.)" id R"(", "role": "model", "version": "1.0.0", "summary": ")" summary \
  R"(", "options": {"type": "object", "additionalProperties": false}})"

BROCH_PLUGIN(kComponents,
             "{\"components\": [" NETWORK("mlp", "Three linear layers.") ","
             NETWORK("wide", "Four linear layers.") ","
             NETWORK("convnet", "Convolutions, batch norm, dropout.") ","
             NETWORK("synchronized", "Batch norms with the statistics of all towers.") ","
             NETWORK("transformer", "One block of a transformer.") ","
             NETWORK("tables", "Rows of three tables.") ","
             NETWORK("gan", "A generator and a discriminator.") "]}")
