// conv_few.cpp: products of all taps, added to rows of results.
#include "kernels/conv_few.hpp"

#include <algorithm>

#include "kernels/gemm.hpp"

namespace broch::kernels {

// A pixel (y, x) of the input contributes to the results (y * stride + i - padding, x * stride + j
// - padding) of all taps (i, j): the gradient of an input. A convolution at stride 1 is the same
// with its taps in reverse.
struct ConvFewParts {
  Extent in, out, kernel, stride, padding;
  int64_t summed = 0, channels = 0;  // of a pixel of the input, and of a result
  int64_t in_image = 0;              // from one image of the input to the next
  Strides pixels;                    // of the input: from channel to channel, from pixel to pixel
  ConvStrides weights;               // first: along what is summed; channel: along the result
  bool is_reversed = false;

  int64_t taps() const noexcept { return channels * kernel.height * kernel.width; }
  // Rows of the input that are multiplied together.
  int64_t band() const noexcept {
    constexpr int64_t kPixels = 512;
    return std::clamp<int64_t>(kPixels / in.width, 1, in.height);
  }
  int64_t band_pixels() const noexcept { return band() * in.width; }
  // Of a whole band; parts of a band are ranges of it, so that they have the same bits.
  GemmPlan product() const noexcept {
    return GemmPlan({taps(), band_pixels(), summed, {summed, 1}, pixels, band_pixels()});
  }
  // Results that are one stride apart lie together in a line.
  int64_t line() const noexcept { return in.width + (kernel.width - 1) / stride.width; }
  int64_t row() const noexcept { return channels * stride.width * line(); }
};

namespace {

int64_t rounded_up(int64_t a, int64_t b) { return a > 0 ? (a + b - 1) / b : 0; }

// Sums of results, which are stored when no row of the input is left that adds to them. As many
// rows are open at once as the kernel has.
class OpenRows {
 public:
  OpenRows(const ConvFewParts& parts, float* memory) : parts_(parts), memory_(memory) {
    std::fill_n(memory, parts.kernel.height * parts.row(), 0.0F);
  }

  // products: of one row of the input and tap row i, for the first channel.
  void add(int64_t row, const float* products, int64_t channel_step, int64_t tap_step) {
    const int64_t stride = parts_.stride.width;
    for (int64_t c = 0; c < parts_.channels; ++c) {
      for (int64_t j = 0; j < parts_.kernel.width; ++j) {
        const float* const from = products + c * channel_step + j * tap_step;
        float* const to = line(row, c, j % stride) + j / stride;
        for (int64_t x = 0; x < parts_.in.width; ++x) to[x] += from[x];
      }
    }
  }

  // to, gate: of this row.
  void store(int64_t row, const ConvEpilogue& epilogue, float* to) {
    const int64_t stride = parts_.stride.width, channels = parts_.channels;
    for (int64_t c = 0; c < channels; ++c) {
      const float bias = epilogue.bias ? epilogue.bias[c] : 0;
      for (int64_t x = 0; x < std::min(stride, parts_.out.width); ++x) {
        const int64_t padded = x + parts_.padding.width, first = padded / stride;
        const float* const sums = line(row, c, padded % stride) + first;
        const int64_t count = (parts_.out.width - x + stride - 1) / stride;
        for (int64_t i = 0; i < count; ++i) {
          const int64_t at = (x + i * stride) * channels + c;
          float sum = first + i < parts_.line() ? sums[i] : 0;
          if (epilogue.accumulate) sum += to[at];
          if (epilogue.bias) sum += bias;
          if (epilogue.relu && sum < 0) sum = 0;
          if (epilogue.gate && epilogue.gate[at] <= 0) sum = 0;
          to[at] = sum;
        }
      }
    }
    std::fill_n(line(row, 0, 0), parts_.row(), 0.0F);
  }

 private:
  float* line(int64_t row, int64_t channel, int64_t phase) const {
    return memory_ + row % parts_.kernel.height * parts_.row() +
           (channel * parts_.stride.width + phase) * parts_.line();
  }

  const ConvFewParts& parts_;
  float* memory_;
};

// Some rows of the results of one image.
struct Band {
  const float *from, *packed;
  float* to;
  ConvEpilogue epilogue;
  ImageRange rows;
};

void store_until(const ConvFewParts& parts, const Band& band, int64_t end, OpenRows& open,
                 int64_t& next) {
  const int64_t size = parts.out.width * parts.channels;
  for (; next < std::min(end, band.rows.end); ++next) {
    ConvEpilogue epilogue = band.epilogue;
    if (epilogue.gate) epilogue.gate += next * size;
    open.store(next, epilogue, band.to + next * size);
  }
}

void run_band(const ConvFewParts& parts, const Band& band, float* scratch) {
  const int64_t stride = parts.stride.height, padding = parts.padding.height;
  const int64_t first = rounded_up(band.rows.begin + padding - parts.kernel.height + 1, stride);
  const int64_t end = std::min(parts.in.height, (band.rows.end - 1 + padding) / stride + 1);
  float* const products = scratch + parts.kernel.height * parts.row();
  float* const memory = products + parts.taps() * parts.band_pixels();
  const GemmPlan product = parts.product();
  const int64_t tap_step = parts.band_pixels(), row_step = parts.kernel.width * tap_step;
  OpenRows open(parts, scratch);
  int64_t next = band.rows.begin;
  for (int64_t y = first; y < end; y += parts.band()) {
    const int64_t rows = std::min(parts.band(), end - y);
    product.run(band.packed, band.from + y * parts.in.width * parts.pixels.column, products, {},
                memory, {0, parts.taps(), 0, rows * parts.in.width});
    for (int64_t row = 0; row < rows; ++row) {
      for (int64_t i = 0; i < parts.kernel.height; ++i) {
        const int64_t result = (y + row) * stride + i - padding;
        if (result < band.rows.begin || result >= band.rows.end) continue;
        open.add(result, products + i * row_step + row * parts.in.width,
                 parts.kernel.height * row_step, tap_step);
      }
      store_until(parts, band, (y + row + 1) * stride - padding, open, next);
    }
  }
  store_until(parts, band, band.rows.end, open, next);
}

// Adding the products takes as long for each channel of a result, however many have been summed.
bool are_few(int64_t channels, int64_t summed) { return channels <= 6 && summed >= 4 * channels; }

// `width` of the input. The products of a row have to stay in the second cache, or close to it.
bool has_few_products(const ConvShape& shape, int64_t channels, int64_t width) {
  constexpr int64_t kMost = 1 << 20;
  const int64_t taps = shape.kernel.height * shape.kernel.width;
  return taps > 1 && taps * channels * width <= kMost;
}

// Whether the pixels of an image are a fixed distance apart.
bool is_matrix(const ConvShape& shape) {
  return shape.image.height == 1 || shape.x.row == shape.image.width * shape.x.column;
}

}  // namespace

bool ConvFewPlan::fits_forward(const ConvShape& shape) noexcept {
  return are_few(shape.out_channels, shape.channels) && !shape.is_bytes &&
         shape.stride.height == 1 && shape.stride.width == 1 &&
         has_few_products(shape, shape.out_channels, shape.image.width) &&
         shape.padding.height < shape.kernel.height && shape.padding.width < shape.kernel.width &&
         is_matrix(shape);
}

bool ConvFewPlan::fits_backward_input(const ConvShape& shape) noexcept {
  return are_few(shape.channels, shape.out_channels) &&
         has_few_products(shape, shape.channels, shape.out().width);
}

ConvFewPlan ConvFewPlan::forward(const ConvShape& shape) {
  ConvFewParts parts;
  parts.in = shape.image;
  parts.out = shape.out();
  parts.kernel = shape.kernel;
  parts.padding = {shape.kernel.height - 1 - shape.padding.height,
                   shape.kernel.width - 1 - shape.padding.width};
  parts.summed = shape.channels;
  parts.channels = shape.out_channels;
  parts.in_image = shape.x.first;
  parts.pixels = {shape.x.channel, shape.x.column};
  parts.weights = shape.weights;
  std::swap(parts.weights.first, parts.weights.channel);
  parts.is_reversed = true;
  return ConvFewPlan(std::make_shared<const ConvFewParts>(parts));
}

ConvFewPlan ConvFewPlan::backward_input(const ConvShape& shape) {
  ConvFewParts parts;
  parts.in = shape.out();
  parts.out = shape.image;
  parts.kernel = shape.kernel;
  parts.stride = shape.stride;
  parts.padding = shape.padding;
  parts.summed = shape.out_channels;
  parts.channels = shape.channels;
  parts.in_image = parts.in.height * parts.in.width * parts.summed;
  parts.pixels = {1, parts.summed};
  parts.weights = shape.weights;
  return ConvFewPlan(std::make_shared<const ConvFewParts>(parts));
}

int64_t ConvFewPlan::packed_size() const noexcept { return parts_->taps() * parts_->summed; }

int64_t ConvFewPlan::scratch_size() const noexcept {
  return parts_->kernel.height * parts_->row() + parts_->taps() * parts_->band_pixels() +
         parts_->product().scratch_size();
}

void ConvFewPlan::pack(const float* weights, float* packed) const noexcept {
  const ConvStrides& strides = parts_->weights;
  const Extent kernel = parts_->kernel;
  for (int64_t c = 0; c < parts_->channels; ++c) {
    for (int64_t tap = 0; tap < kernel.height * kernel.width; ++tap) {
      const int64_t i = tap / kernel.width, j = tap % kernel.width;
      const int64_t row = parts_->is_reversed ? kernel.height - 1 - i : i;
      const int64_t column = parts_->is_reversed ? kernel.width - 1 - j : j;
      const float* const from =
          weights + c * strides.channel + row * strides.row + column * strides.column;
      for (int64_t k = 0; k < parts_->summed; ++k) *packed++ = from[k * strides.first];
    }
  }
}

int64_t ConvFewPlan::pieces() const noexcept { return parts_->out.height; }

void ConvFewPlan::run(const float* from, const float* packed, float* to,
                      const ConvEpilogue& epilogue, const PieceRange& range,
                      float* scratch) const noexcept {
  const int64_t rows = pieces(), size = rows * parts_->out.width * parts_->channels;
  for (int64_t image = range.begin / rows; image * rows < range.end; ++image) {
    ConvEpilogue own = epilogue;
    if (own.gate) own.gate += image * size;
    run_band(*parts_,
             {from + image * parts_->in_image,
              packed,
              to + image * size,
              own,
              {std::max<int64_t>(range.begin - image * rows, 0),
               std::min(range.end - image * rows, rows)}},
             scratch);
  }
}

}  // namespace broch::kernels
