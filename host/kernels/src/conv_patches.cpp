// conv_patches.cpp: copies images to patches and back, around matrix products.
#include "kernels/conv_patches.hpp"

#include <algorithm>

#include "gemm_call.hpp"

namespace broch::kernels {
namespace {

constexpr int64_t kLine = 16;          // floats of a cache line
constexpr int64_t kMostColumns = 512;  // of the patches that are made together

int64_t rounded(int64_t floats) { return (floats + kLine - 1) / kLine * kLine; }

bool in_order(const ConvShape& shape) {
  const ConvStrides& strides = shape.weights;
  const int64_t width = shape.kernel.width, taps = shape.kernel.height * width;
  return (width == 1 || strides.column == 1) &&
         (shape.kernel.height == 1 || strides.row == width) &&
         (shape.channels == 1 || strides.channel == taps) &&
         (shape.out_channels == 1 || strides.first == shape.channels * taps);
}

bool is_plain(const ConvShape& shape) {
  const ConvStrides& x = shape.x;
  const int64_t channels = shape.channels;
  const Extent &kernel = shape.kernel, &stride = shape.stride, &padding = shape.padding;
  return kernel.height * kernel.width == 1 && stride.height == 1 && stride.width == 1 &&
         padding.height == 0 && padding.width == 0 && (channels == 1 || x.channel == 1) &&
         (shape.image.width == 1 || x.column == channels) &&
         (shape.image.height == 1 || x.row == shape.image.width * channels) &&
         (shape.images == 1 || x.first == shape.image.height * shape.image.width * channels);
}

// Calls body(tap, result, pixel) for each pixel that is read; the numbers count row by row.
template <class Body>
void each_read(const ConvShape& shape, const Body& body) {
  const Extent out = shape.out();
  for (int64_t y = 0; y < out.height; ++y) {
    for (int64_t x = 0; x < out.width; ++x) {
      for (int64_t i = 0; i < shape.kernel.height; ++i) {
        for (int64_t j = 0; j < shape.kernel.width; ++j) {
          const int64_t row = y * shape.stride.height + i - shape.padding.height;
          const int64_t column = x * shape.stride.width + j - shape.padding.width;
          if (row < 0 || row >= shape.image.height || column < 0 || column >= shape.image.width)
            continue;
          body(i * shape.kernel.width + j, y * out.width + x, row * shape.image.width + column);
        }
      }
    }
  }
}

int64_t gemm_scratch(int64_t k, int64_t n) {
  constexpr int64_t kDepth = 512, kWidest = 64;  // as in gemm.cpp
  return rounded(gemm_panel_size(std::min(k, kDepth)) + n * kWidest);
}

// The images whose patches are made together.
int64_t chunk_of(const ConvShape& shape, bool is_plain) {
  const Extent out = shape.out();
  return is_plain ? shape.images
                  : std::clamp<int64_t>(kMostColumns / (out.height * out.width), 1, shape.images);
}

}  // namespace

bool ConvPatches::fits(const ConvShape& shape) {
  constexpr int64_t kFewPixels = 2, kLeastChannels = 16, kLeastColumns = 16, kMostPadding = 4;
  if (!in_order(shape) || shape.is_bytes) return false;
  if (is_plain(shape)) return true;
  const Extent out = shape.out();
  if (out.width > kFewPixels || shape.image.width > kFewPixels * shape.stride.width ||
      shape.channels < kLeastChannels || shape.out_channels < kLeastChannels ||
      shape.images * out.height * out.width < kLeastColumns)
    return false;
  int64_t reads = 0;
  each_read(shape, [&](int64_t, int64_t, int64_t) { ++reads; });
  return out.height * out.width * shape.kernel.height * shape.kernel.width <= kMostPadding * reads;
}

ConvPatches::ConvPatches(const ConvShape& shape)
    : shape_(shape),
      plain_(is_plain(shape)),
      pixels_(shape.image.height * shape.image.width),
      results_(shape.out().height * shape.out().width),
      taps_(shape.kernel.height * shape.kernel.width),
      depth_(shape.channels * taps_),
      chunk_(chunk_of(shape, plain_)),
      product_({chunk_ * results_,
                shape.out_channels,
                depth_,
                {shape.channels, 1},
                {1, depth_},
                shape.out_channels}) {
  if (plain_) return;
  sources_.assign(static_cast<size_t>(taps_ * results_), -1);
  places_.resize(static_cast<size_t>(pixels_));
  each_read(shape, [&](int64_t tap, int64_t result, int64_t pixel) {
    sources_[static_cast<size_t>(tap * results_ + result)] = pixel;
    places_[static_cast<size_t>(pixel)].push_back({tap, result});
  });
}

int64_t ConvPatches::scratch_size() const noexcept {
  const int64_t outs = shape_.out_channels, columns = chunk_ * results_;
  // Of forward(), backward_input() and backward_weights().
  const int64_t products =
      std::max({gemm_scratch(depth_, outs), gemm_scratch(outs, plain_ ? depth_ : columns),
                gemm_scratch(columns, depth_)});
  if (plain_) return products;
  return products + rounded(depth_ * columns) + rounded(kLine * chunk_ * pixels_);
}

int64_t ConvPatches::pieces() const noexcept { return plain_ ? shape_.image.height : 1; }

// Calls body(chunk) for parts of the range.
template <class Body>
void ConvPatches::over_chunks(const PieceRange& range, const Body& body) const {
  if (plain_ && range.begin < range.end) {
    const int64_t width = shape_.image.width;
    return body(Chunk{0, 0, range.begin * width, (range.end - range.begin) * width});
  }
  for (int64_t first = range.begin; first < range.end; first += chunk_) {
    const int64_t images = std::min(chunk_, range.end - first);
    body(Chunk{first, images, first * results_, images * results_});
  }
}

// channels: memory for all pixels of some channels, one channel after another.
void ConvPatches::gather(const float* x, int64_t images, float* patches, float* channels) const {
  const ConvStrides& strides = shape_.x;
  const int64_t columns = images * results_, size = images * pixels_;
  for (int64_t first = 0; first < shape_.channels; first += kLine) {
    const int64_t count = std::min(kLine, shape_.channels - first);
    for (int64_t i = 0; i < images; ++i) {
      for (int64_t pixel = 0; pixel < pixels_; ++pixel) {
        const float* const from = x + i * strides.first + pixel / shape_.image.width * strides.row +
                                  pixel % shape_.image.width * strides.column +
                                  first * strides.channel;
        float* const to = channels + i * pixels_ + pixel;
        for (int64_t c = 0; c < count; ++c) to[c * size] = from[c * strides.channel];
      }
    }
    for (int64_t c = 0; c < count; ++c) {
      const float* const from = channels + c * size;
      float* to = patches + (first + c) * taps_ * columns;
      for (int64_t tap = 0; tap < taps_; ++tap) {
        const int64_t* const sources = sources_.data() + tap * results_;
        for (int64_t i = 0; i < images; ++i) {
          const float* const image = from + i * pixels_;
          for (int64_t result = 0; result < results_; ++result) {
            const int64_t source = sources[result];
            *to++ = source < 0 ? 0 : image[source];
          }
        }
      }
    }
  }
}

// Adds what was copied from each pixel, and stores it.
void ConvPatches::scatter(const float* patches, int64_t images, int64_t first, float* dx,
                          const ConvEpilogue& epilogue) const {
  const int64_t columns = images * results_, channels = shape_.channels;
  for (int64_t block = 0; block < channels; block += kLine) {
    const int64_t count = std::min(kLine, channels - block);
    for (int64_t i = 0; i < images; ++i) {
      for (int64_t pixel = 0; pixel < pixels_; ++pixel) {
        const int64_t at = ((first + i) * pixels_ + pixel) * channels + block;
        for (int64_t c = 0; c < count; ++c) {
          const float* const from = patches + (block + c) * taps_ * columns + i * results_;
          float sum = 0;
          for (const auto& [tap, result] : places_[static_cast<size_t>(pixel)])
            sum += from[tap * columns + result];
          if (epilogue.accumulate) sum += dx[at + c];
          if (epilogue.bias) sum += epilogue.bias[block + c];
          if (epilogue.relu && sum < 0) sum = 0;
          if (epilogue.gate && epilogue.gate[at + c] <= 0) sum = 0;
          dx[at + c] = sum;
        }
      }
    }
  }
}

// A matrix with a row for each result.
struct ConvPatches::Patches {
  const float* first;
  Strides strides;
  float* memory;  // what is left of the scratch memory
};

ConvPatches::Patches ConvPatches::patches_of(const float* x, const Chunk& chunk,
                                             float* scratch) const noexcept {
  if (plain_) return {x + chunk.row * shape_.channels, {shape_.channels, 1}, scratch};
  float* const channels = scratch + rounded(depth_ * chunk.rows);
  gather(x + chunk.image * shape_.x.first, chunk.images, scratch, channels);
  return {scratch, {1, chunk.rows}, channels + rounded(kLine * chunk_ * pixels_)};
}

template <class Product>
void ConvPatches::over_patches(const float* x, float* y, const ConvEpilogue& epilogue,
                               const PieceRange& range, float* scratch,
                               const Product& product) const {
  const int64_t n = shape_.out_channels;
  over_chunks(range, [&](const Chunk& chunk) {
    const int64_t at = chunk.row * n;
    product(patches_of(x, chunk, scratch), chunk.rows, y + at,
            GemmEpilogue{epilogue.accumulate, epilogue.bias, epilogue.relu,
                         epilogue.gate ? epilogue.gate + at : nullptr, n});
  });
}

void ConvPatches::forward(const float* x, const float* weights, float* y,
                          const ConvEpilogue& epilogue, const PieceRange& range,
                          float* scratch) const noexcept {
  const int64_t n = shape_.out_channels;
  over_patches(x, y, epilogue, range, scratch,
               [&](const Patches& patches, int64_t rows, float* to, const GemmEpilogue& after) {
                 const GemmPlan product({rows, n, depth_, patches.strides, {1, depth_}, n});
                 product.run(patches.first, weights, to, after, patches.memory);
               });
}

void ConvPatches::forward_packed(const float* x, const float* packed, float* y,
                                 const ConvEpilogue& epilogue, const PieceRange& range,
                                 float* scratch) const noexcept {
  over_patches(x, y, epilogue, range, scratch,
               [&](const Patches& patches, int64_t rows, float* to, const GemmEpilogue& after) {
                 const PackedGemmPlan product = product_.with(rows, patches.strides);
                 product.run(patches.first, packed, to, after, product.whole());
               });
}

void ConvPatches::backward_input(const float* dy, const float* weights, float* dx,
                                 const ConvEpilogue& epilogue, const PieceRange& range,
                                 float* scratch) const noexcept {
  const int64_t outs = shape_.out_channels, channels = shape_.channels;
  over_chunks(range, [&](const Chunk& chunk) {
    const float* const from = dy + chunk.row * outs;
    if (plain_) {
      const int64_t at = chunk.row * channels;
      const GemmPlan product({chunk.rows, channels, outs, {outs, 1}, {channels, 1}, channels});
      return product.run(from, weights, dx + at,
                         {epilogue.accumulate, epilogue.bias, epilogue.relu,
                          epilogue.gate ? epilogue.gate + at : nullptr, channels},
                         scratch);
    }
    const GemmPlan product({depth_, chunk.rows, outs, {1, depth_}, {1, outs}, chunk.rows});
    product.run(weights, from, scratch, {}, scratch + rounded(depth_ * chunk.rows));
    scatter(scratch, chunk.images, chunk.image, dx, epilogue);
  });
}

void ConvPatches::backward_weights(const float* x, const float* dy, const ImageRange& range,
                                   float* d_weights, float* scratch) const noexcept {
  const int64_t outs = shape_.out_channels;
  GemmEpilogue epilogue;
  over_chunks({range.begin * pieces(), range.end * pieces()}, [&](const Chunk& chunk) {
    const Patches patches = patches_of(x, chunk, scratch);
    const GemmPlan product({outs, depth_, chunk.rows, {1, outs}, patches.strides, depth_});
    product.run(dy + chunk.row * outs, patches.first, d_weights, epilogue, patches.memory);
    epilogue.accumulate = true;
  });
}

}  // namespace broch::kernels
