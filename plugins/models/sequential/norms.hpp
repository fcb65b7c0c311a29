// norms.hpp: normalizations, and dropout.
#pragma once
#include "values.hpp"

namespace broch::models {

// Part of a layer: the switches of its scale and bias.
struct Scaled {
  double epsilon;
  bool use_scale, use_bias;
  static constexpr auto schema = options(
      option("epsilon", &Scaled::epsilon, "Is added to the variance.").minimum(0).by_default(1e-5),
      option("use_scale", &Scaled::use_scale, "Whether to multiply by a variable.")
          .by_default(true),
      option("use_bias", &Scaled::use_bias, "Whether to add a variable.").by_default(true));
  template <class Options>
  void set(Options& o, Names names) const {
    o.epsilon = epsilon;
    o.use_scale = use_scale;
    o.use_bias = use_bias;
    o.names = names;
  }
};

struct BatchNorm final : Kind<BatchNorm>, Scaled, Activated {
  static constexpr const char* kKind = "batch_norm";
  static constexpr const char* kDescription =
      "Batch normalization by channel, (N, C, ...); in inference with running statistics.";
  double momentum;
  bool sync, update;
  int64_t virtual_batch;
  std::optional<bool> training;
  static constexpr auto schema = options(
      Layer::schema,
      option("momentum", &BatchNorm::momentum,
             "The running statistics are momentum * old + (1 - momentum) * batch.")
          .minimum(0)
          .maximum(1)
          .by_default(0.9),
      Scaled::schema,
      option("sync", &BatchNorm::sync,
             "Whether to use the statistics of all towers and ranks together.")
          .by_default(false),
      option("virtual_batch", &BatchNorm::virtual_batch,
             "Number of samples that are normalized together; it divides larger batches. 0: the "
             "batch.")
          .minimum(0)
          .by_default(0),
      option("update", &BatchNorm::update, "Whether the running statistics change in training.")
          .by_default(true),
      option("training", &BatchNorm::training,
             "Whether to use the statistics of the batch; null: in training."),
      Activated::schema);
  Tensor apply(Build& build, const std::string& name, const Tensor& x) const override {
    BatchNormOptions o;
    set(o, build.names);
    o.momentum = momentum;
    o.sync = sync;
    o.update = update;
    o.virtual_batch = virtual_batch;
    o.training = training;
    o.activation = function();
    return batch_norm(build.t, name, x, o);
  }
};

struct BatchRenorm final : Kind<BatchRenorm>, Scaled, Activated {
  static constexpr const char* kKind = "batch_renorm";
  static constexpr const char* kDescription =
      "Batch renormalization: batch normalization that is corrected towards the running "
      "statistics.";
  double rmax, dmax, momentum;
  static constexpr auto schema =
      options(Layer::schema,
              option("rmax", &BatchRenorm::rmax, "Largest correction of the scale.")
                  .minimum(1)
                  .by_default(3),
              option("dmax", &BatchRenorm::dmax, "Largest correction of the mean.")
                  .minimum(0)
                  .by_default(5),
              option("momentum", &BatchRenorm::momentum, "As for batch_norm.")
                  .minimum(0)
                  .maximum(1)
                  .by_default(0.99),
              Scaled::schema, Activated::schema);
  Tensor apply(Build& build, const std::string& name, const Tensor& x) const override {
    BatchRenormOptions o;
    set(o, build.names);
    o.rmax = rmax;
    o.dmax = dmax;
    o.momentum = momentum;
    o.activation = function();
    return batch_renorm(build.t, name, x, o);
  }
};

struct LayerNorm final : Kind<LayerNorm>, Scaled {
  static constexpr const char* kKind = "layer_norm";
  static constexpr const char* kDescription =
      "Normalizes the last dimensions of each sample together.";
  uint32_t dims;
  static constexpr auto schema = options(
      Layer::schema,
      option("dims", &LayerNorm::dims, "Number of last dimensions.").minimum(1).by_default(1),
      Scaled::schema);
  Tensor apply(Build& build, const std::string& name, const Tensor& x) const override {
    LayerNormOptions o;
    set(o, build.names);
    o.dims = dims;
    return layer_norm(build.t, name, x, o);
  }
};

struct RmsNorm final : Kind<RmsNorm> {
  static constexpr const char* kKind = "rms_norm";
  static constexpr const char* kDescription =
      "Divides the last dimensions by the root of their mean square.";
  uint32_t dims;
  double epsilon;
  bool use_scale;
  static constexpr auto schema =
      options(Layer::schema,
              option("dims", &RmsNorm::dims, "Number of last dimensions.").minimum(1).by_default(1),
              option("epsilon", &RmsNorm::epsilon, "Is added to the mean square.")
                  .minimum(0)
                  .by_default(1e-6),
              option("use_scale", &RmsNorm::use_scale, "Whether to multiply by a variable.")
                  .by_default(true));
  Tensor apply(Build& build, const std::string& name, const Tensor& x) const override {
    RmsNormOptions o;
    o.dims = dims;
    o.epsilon = epsilon;
    o.use_scale = use_scale;
    o.names = build.names;
    return rms_norm(build.t, name, x, o);
  }
};

struct GroupNorm final : Kind<GroupNorm>, Scaled, Activated {
  static constexpr const char* kKind = "group_norm";
  static constexpr const char* kDescription =
      "Normalizes each sample by groups of channels, (N, C, ...).";
  int64_t groups;
  static constexpr auto schema =
      options(Layer::schema,
              option("groups", &GroupNorm::groups, "Number of groups; it divides the channels.")
                  .minimum(1)
                  .by_default(32),
              Scaled::schema, Activated::schema);
  Tensor apply(Build& build, const std::string& name, const Tensor& x) const override {
    GroupNormOptions o;
    set(o, build.names);
    o.groups = groups;
    o.activation = function();
    return group_norm(build.t, name, x, o);
  }
};

struct InstanceNorm final : Kind<InstanceNorm>, Scaled, Activated {
  static constexpr const char* kKind = "instance_norm";
  static constexpr const char* kDescription =
      "Normalizes each channel of each sample, (N, C, L, ...).";
  static constexpr auto schema = options(Layer::schema, Scaled::schema, Activated::schema);
  Tensor apply(Build& build, const std::string& name, const Tensor& x) const override {
    InstanceNormOptions o;
    set(o, build.names);
    o.activation = function();
    return instance_norm(build.t, name, x, o);
  }
};

struct Dropout final : Kind<Dropout> {
  static constexpr const char* kKind = "dropout";
  static constexpr const char* kDescription =
      "In training sets a share of the numbers to 0, and multiplies the others by 1 / (1 - rate).";
  double rate;
  static constexpr auto schema =
      options(Layer::schema,
              option("rate", &Dropout::rate, "The share.").minimum(0).below(1).by_default(0.5));
  Tensor apply(Build& build, const std::string& name, const Tensor& x) const override {
    return dropout(build.t, name, x, rate);
  }
};

}  // namespace broch::models
