// table.hpp: all kinds of layers. The schema, the reader and the table in the documentation follow.
#pragma once
#include "convolutions.hpp"
#include "images.hpp"
#include "norms.hpp"
#include "sequences.hpp"
#include "structure.hpp"

namespace broch::models {

using AllLayers =
    std::tuple<FullyConnected, Linear, Conv1d, Conv2d, Conv3d, Conv2dTranspose, BatchNorm,
               BatchRenorm, LayerNorm, RmsNorm, GroupNorm, InstanceNorm, Dropout, ActivationLayer,
               Prelu, Maxout, Softmax, LogSoftmax, MaxPool1d, MaxPool2d, MaxPool3d, AvgPool1d,
               AvgPool2d, AvgPool3d, GlobalAvgPool, GlobalMaxPool, AdaptiveAvgPool2d, FixedUnpool,
               UpsampleNearest, UpsampleBilinear, PixelShuffle, Embedding, PositionEmbedding, Rnn,
               Gru, Lstm, MultiHeadAttention, TransformerBlock, Flatten, Reshape, Permute, Mean,
               Select, Normalize, Scale, Residual, Parallel, Repeat, Skip, Concat, Add, Multiply>;

// The members of the schema of the option "layers".
struct LayersSchema {
  static constexpr void write(glue::TextWriter& w) {
    w.member("type", "array");
    w.key("items");
    w.raw(R"({"x-broch-ref": "#/properties/layers/definitions/layer"})");
    w.key("definitions");
    w.raw(R"({"layer": {"oneOf": [)");
    AllTagged<AllLayers>::write(w, "layer");
    w.raw("]}}");
  }
};
inline constexpr auto kLayersSchema = glue::constant_text<LayersSchema>();

inline Layers read_layers(const Config& config, const std::string& at) {
  Layers layers;
  for (uint64_t i = 0; i < config.size(at); ++i) {
    const std::string pointer = at + "/" + std::to_string(i);
    layers.push_back(AllTagged<AllLayers>::read<Layer>(config, pointer, "layer"));
    layers.back()->pointer = pointer;
    layers.back()->read_inner(config, pointer);
  }
  return layers;
}

}  // namespace broch::models
