// conv_weights.cpp: gradients of a convolution's weights and bias. They are sums over all pixels of
// the products of an output gradient and an input; a block of these sums is kept in registers.
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "conv_image.hpp"
#include "kernels/conv.hpp"
#include "targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "conv_weights.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "conv_image-inl.hpp"
#include "sums-inl.hpp"

#ifndef BROCH_KERNELS_CONV_WEIGHTS_PARTS
#define BROCH_KERNELS_CONV_WEIGHTS_PARTS
namespace broch::kernels {

// If x has few channels, vectors hold channels of dy, and the sums are (taps, channels of a block,
// out_channels); each block of channels has taps of its own. Otherwise vectors hold channels of x,
// and the sums are (out_channels, blocks, taps, 16).
struct ConvWeightsParts {
  Isa isa;
  ConvShape shape;
  ConvImage image;
  struct Tap {
    int64_t row;      // of the kernel
    int64_t place;    // in the weights of one filter, of its first channel
    int64_t offset;   // in the ordered image
    ImageRange rows;  // the rows of dy for which this tap does not read padding
    int64_t channels;
  };
  std::vector<Tap> taps;  // those of one row, phase and block are contiguous, as in the image
  struct Vector {
    int64_t offset;
    ImageRange rows;
  };
  std::vector<Vector> vectors;  // of x, in the order of blocks and taps; or of a pixel of dy

  bool few() const { return image.pixel < 16; }
  int64_t tap_count() const { return static_cast<int64_t>(taps.size()); }
  int64_t filter_floats() const { return tap_count() * image.pixel * (few() ? 1 : image.blocks()); }
  int64_t weight_floats() const { return shape.out_channels * filter_floats(); }
  int64_t sums_floats() const { return weight_floats() + shape.out_channels; }
};

}  // namespace broch::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace broch::kernels::HWY_NAMESPACE {

int64_t lanes_of() { return lanes(); }

// The height of a block in elements, by its width in vectors.
#if HWY_TARGET == HWY_AVX3
constexpr int kElements[] = {0, 16, 12, 8};
#else
constexpr int kElements[] = {0, 12, 6, 4};
#endif
constexpr int kMostVectors = 3;

// One factor of the products: where it begins, and the distances between pixels and between rows of
// pixels of the result.
struct ConvSide {
  const float* from;
  int64_t pixel, row;
};

struct OuterTile : SumsTile {
  ConvSide elements, factors;
  const ConvWeightsParts::Vector* vectors;  // the offsets of `factors`
  ImageRange rows;
  int64_t width;
};

template <int elements, int vectors>
void outer_block(const OuterTile& tile) {
  Sums<elements, vectors> sums;
  sums.clear(tile);
  for (int64_t row = tile.rows.begin; row < tile.rows.end; ++row) {
    const float* element = tile.elements.from + row * tile.elements.row;
    const float* from[vectors];
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) {
      from[v] = tile.factors.from + row * tile.factors.row + tile.vectors[v].offset;
    }
    const int64_t end = tile.width * tile.factors.pixel;
    for (int64_t at = 0; at < end; at += tile.factors.pixel, element += tile.elements.pixel) {
      F factors[vectors];
#pragma GCC unroll 4
      for (int v = 0; v < vectors; ++v) factors[v] = load(from[v] + at);
      sums.add(element, 1, factors);
    }
  }
  sums.finish(tile);
  sums.write(tile);
}

using OuterBlock = void (*)(const OuterTile&);

template <int vectors, int... elements>
constexpr std::array<OuterBlock, sizeof...(elements)> outer_blocks(
    std::integer_sequence<int, elements...>) {
  return {&outer_block<elements + 1, vectors>...};
}

OuterBlock outer_for(int64_t elements, int vectors) {
  static constexpr auto one = outer_blocks<1>(std::make_integer_sequence<int, kElements[1]>());
  static constexpr auto two = outer_blocks<2>(std::make_integer_sequence<int, kElements[2]>());
  static constexpr auto three = outer_blocks<3>(std::make_integer_sequence<int, kElements[3]>());
  const OuterBlock* const table[] = {one.data(), two.data(), three.data()};
  return table[vectors - 1][elements - 1];
}

// Adds to tile.c(elements, vectors) the products of all `elements` and all vectors, over those rows
// in tile.rows that the vectors need.
void outer_rows(OuterTile tile, int64_t elements, int64_t vectors) {
  const ImageRange inside = tile.rows;
  const float* const from = tile.elements.from;
  float* const to = tile.c;
  for (int64_t v = 0; v < vectors; v += kMostVectors) {
    const auto wide = static_cast<int>(std::min<int64_t>(vectors - v, kMostVectors));
    const int64_t most = kElements[wide], count = (elements + most - 1) / most;
    tile.columns = wide * lanes();
    tile.rows = tile.vectors->rows;
    for (int i = 1; i < wide; ++i) {
      tile.rows.begin = std::min(tile.rows.begin, tile.vectors[i].rows.begin);
      tile.rows.end = std::max(tile.rows.end, tile.vectors[i].rows.end);
    }
    tile.rows = {std::max(tile.rows.begin, inside.begin), std::min(tile.rows.end, inside.end)};
    for (int64_t left = count, element = 0; left > 0; --left) {
      const int64_t tall = (elements - element + left - 1) / left;
      tile.elements.from = from + element;
      tile.c = to + element * tile.c_row + v * lanes();
      outer_for(tall, wide)(tile);
      element += tall;
    }
    tile.vectors += wide;
  }
}

void add_image(const ConvWeightsParts& parts, const float* x, const float* dy, bool first,
               float* sums) {
  const ConvShape& shape = parts.shape;
  OuterTile tile{};
  const Extent out = shape.out();
  tile.rows = {0, out.height};
  tile.width = out.width;
  tile.epilogue.accumulate = !first;
  tile.vectors = parts.vectors.data();
  const ConvSide from_x{x, parts.image.pixel, parts.image.kept.height * parts.image.row()};
  const ConvSide from_dy{dy, shape.out_channels, out.width * shape.out_channels};
  if (!parts.few()) {
    tile.elements = from_dy;
    tile.factors = from_x;
    tile.c = sums;
    tile.c_row = parts.filter_floats();
    return outer_rows(tile, shape.out_channels, tile.c_row / lanes());
  }
  tile.elements = from_x;
  tile.factors = from_dy;
  tile.c_row = shape.out_channels;
  for (int64_t tap = 0; tap < parts.tap_count();) {
    const int64_t offset = parts.taps[tap].offset, begin = tap;
    int64_t size = 0;  // of the taps that are contiguous
    while (tap < parts.tap_count() && parts.taps[tap].offset == offset + size &&
           parts.taps[tap].row == parts.taps[begin].row) {
      ++tap;
      size += parts.image.pixel;
    }
    tile.elements.from = x + offset;
    tile.rows = parts.taps[begin].rows;
    tile.c = sums + begin * parts.image.pixel * tile.c_row;
    outer_rows(tile, size, shape.out_channels / lanes());
  }
}

void sum_weights(const ConvWeightsParts& parts, const void* x, const float* dy,
                 const ImageRange& range, float* sums, float* scratch) {
  const ConvShape& shape = parts.shape;
  const Extent out = shape.out();
  const int64_t pixels = out.height * out.width, channels = shape.out_channels;
  for (int64_t image = range.begin; image < range.end; ++image) {
    const float* const output_gradient = dy + image * pixels * channels;
    const bool first = image == range.begin;
    add_image(parts, ordered(parts.image, x, image, scratch, {0, parts.image.rows}),
              output_gradient, first, sums);
    column_sums(output_gradient, pixels, channels, channels, sums + parts.weight_floats(), !first);
  }
}

// Writes the sums [at, at + size), added over all threads.
void join_sums(const ConvWeightsParts& parts, const float* sums, int64_t count, int64_t at,
               int64_t size, float* to, int64_t step) {
  for (int64_t i = 0; i < size; ++i) {
    float sum = sums[at + i];
    for (int64_t other = 1; other < count; ++other)
      sum += sums[other * parts.sums_floats() + at + i];
    to[i * step] = sum;
  }
}

// The sums (taps, channels of a block, out_channels).
void finish_few(const ConvWeightsParts& parts, const float* sums, int64_t count, float* d_weights) {
  const ConvStrides& strides = parts.shape.weights;
  const int64_t outs = parts.shape.out_channels, pixel = parts.image.pixel;
  for (int64_t tap = 0; tap < parts.tap_count(); ++tap) {
    float* const to = d_weights + parts.taps[tap].place;
    for (int64_t c = 0; c < parts.taps[tap].channels; ++c) {
      join_sums(parts, sums, count, (tap * pixel + c) * outs, outs, to + c * strides.channel,
                strides.first);
    }
  }
}

// The sums (out_channels, blocks, taps, 16). Of each block, all taps of a channel are written
// before the next channel, as they usually are in memory.
void finish_blocks(const ConvWeightsParts& parts, const float* sums, int64_t count,
                   float* d_weights) {
  const ConvShape& shape = parts.shape;
  const ConvStrides& strides = shape.weights;
  const int64_t taps = parts.tap_count(), pixel = parts.image.pixel, all = parts.sums_floats();
  for (int64_t o = 0; o < shape.out_channels; ++o) {
    for (int64_t c = 0; c < shape.channels; c += pixel) {
      const float* const from = sums + (o * parts.image.blocks() + c / pixel) * taps * pixel;
      const int64_t channels = std::min(pixel, shape.channels - c);
      for (int64_t i = 0; i < channels; ++i) {
        float* const to = d_weights + o * strides.first + (c + i) * strides.channel;
        for (int64_t tap = 0; tap < taps; ++tap) {
          float sum = from[tap * pixel + i];
          for (int64_t other = 1; other < count; ++other)
            sum += from[other * all + tap * pixel + i];
          to[parts.taps[tap].place] = sum;
        }
      }
    }
  }
}

void finish_weights(const ConvWeightsParts& parts, const float* sums, int64_t count,
                    float* d_weights, float* d_bias) {
  parts.few() ? finish_few(parts, sums, count, d_weights)
              : finish_blocks(parts, sums, count, d_weights);
  if (d_bias)
    join_sums(parts, sums, count, parts.weight_floats(), parts.shape.out_channels, d_bias, 1);
}

}  // namespace broch::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace broch::kernels {

static std::vector<ConvWeightsParts::Tap> taps_of(const ConvShape& shape, const ConvImage& image) {
  std::vector<ConvWeightsParts::Tap> taps;
  const int64_t blocks = image.pixel < 16 ? image.blocks() : 1;
  for (int64_t row = 0; row < shape.kernel.height; ++row) {
    for (int64_t phase = 0; phase < image.kept.width; ++phase) {
      for (int64_t block = 0; block < blocks; ++block) {
        const int64_t first = block * image.pixel;
        for (int64_t column = phase; column < shape.kernel.width; column += image.step.width) {
          taps.push_back({row,
                          row * shape.weights.row + column * shape.weights.column +
                              first * shape.weights.channel,
                          image.at(row, phase, block, column / image.step.width),
                          image.results_inside(row, shape.out().height),
                          std::min(image.pixel, shape.channels - first)});
        }
      }
    }
  }
  return taps;
}

ConvWeightsPlan::ConvWeightsPlan(const ConvShape& shape) {
  ConvWeightsParts parts;
  parts.isa = isa();
  parts.shape = shape;
  // With whole vectors only, since reading must not pass the end of dy.
  parts.image = input_of(shape, shape.out_channels % 16 == 0 ? pixel_of(shape.channels) : 16);
  const ConvImage& image = parts.image;
  parts.taps = taps_of(shape, image);
  const int64_t lanes = BROCH_KERNEL_FOR(parts.isa, lanes_of)();
  if (parts.few()) {
    for (int64_t o = 0; o < shape.out_channels; o += lanes)
      parts.vectors.push_back({o, {0, shape.out().height}});
  } else {
    for (int64_t block = 0; block < image.blocks(); ++block) {
      for (const auto& tap : parts.taps) {
        for (int64_t c = 0; c < 16; c += lanes) {
          parts.vectors.push_back({tap.offset + block * image.line() + c, tap.rows});
        }
      }
    }
  }
  parts_ = std::make_shared<const ConvWeightsParts>(std::move(parts));
}

int64_t ConvWeightsPlan::sums_size() const noexcept { return parts_->sums_floats(); }

int64_t ConvWeightsPlan::scratch_size() const noexcept { return parts_->image.scratch(); }

void ConvWeightsPlan::run(const void* x, const float* dy, const ImageRange& range, float* sums,
                          float* scratch) const noexcept {
  BROCH_KERNEL_FOR(parts_->isa, sum_weights)(*parts_, x, dy, range, sums, scratch);
}

void ConvWeightsPlan::finish(const float* sums, int64_t count, float* d_weights,
                             float* d_bias) const noexcept {
  BROCH_KERNEL_FOR(parts_->isa, finish_weights)(*parts_, sums, count, d_weights, d_bias);
}

}  // namespace broch::kernels
#endif
