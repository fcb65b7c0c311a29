// conv.cpp: convolutions. A block of pixels and channels of the result is summed in registers.
#include "kernels/conv.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "conv_image.hpp"
#include "gemm_call.hpp"
#include "targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "conv.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "conv_image-inl.hpp"
#include "gemm_pack-inl.hpp"
#include "sums-inl.hpp"

#ifndef BROCH_KERNELS_CONV_PARTS
#define BROCH_KERNELS_CONV_PARTS
namespace broch::kernels {

// A run: the taps of one row of the kernel, of one phase and of one block of channels. What they
// read is contiguous in the ordered image.
struct ConvRun {
  int64_t offset, start, depth;  // first float, from the pixel; depth of earlier runs; own depth
  int64_t weight, tap_step, channel;  // weight of the first tap; step between taps; first channel
  ImageRange rows;                    // of the result, for which the run reads no padding
  ImageRange columns;                 // the same for the first tap; one less for each later tap
};

// A pass computes results on a grid: forward, all results; backward with strides, those with the
// same taps.
struct ConvPass {
  Extent grid;
  int64_t in_row = 0;                           // from one row of results to the next, in the input
  int64_t out = 0, out_row = 0, out_pixel = 0;  // first result; distances between results
  int64_t depth = 0;                            // the total of all runs
  std::vector<ConvRun> runs;                    // those for one row of results are contiguous
};

struct ConvParts {
  Isa isa;
  ConvImage image;
  int64_t out_channels, out_image;  // of the result; the floats of one image
  Strides weights;                  // row: the step along what is summed; column: along the result
  std::vector<ConvPass> passes;

  // Rows of results, unless several passes write to them in turn.
  int64_t pieces() const noexcept { return passes.size() == 1 ? passes[0].grid.height : 1; }
  // The rows of the ordered image that these results of the only pass read.
  ImageRange rows_read(const ImageRange& results) const noexcept {
    const int64_t step = passes[0].in_row / image.row();
    const int64_t taps = image.rows - (passes[0].grid.height - 1) * step;
    return {results.begin * step, (results.end - 1) * step + taps};
  }
};

}  // namespace broch::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace broch::kernels::HWY_NAMESPACE {

// The height of a block in pixels, by its width in vectors of channels. Accumulators and operands
// fill the registers.
#if HWY_TARGET == HWY_AVX3
constexpr int kPixels[] = {0, 16, 14};
#else
constexpr int kPixels[] = {0, 12, 6};
#endif
constexpr int kVectors = 2;
// The number of floats of packed weights that stay in the first cache while all pixels are
// processed.
constexpr int64_t kPanel = 8192;

struct ConvTile : SumsTile {
  const float* in;
  const ConvRun *runs, *runs_end;
  const float* weights;
  int64_t column;  // of the first result
  bool edge;       // the first or last block of its row
};

template <int before, int behind, int pixels, int vectors>
HWY_INLINE void add_tap(Sums<pixels, vectors>& sums, const float* from, const float* weights) {
#pragma GCC unroll 4
  for (int64_t k = 0; k < 16; ++k, weights += vectors * lanes()) {
    sums.template add_panel<before, behind>(from + k, 16, weights);
  }
}

// Adds a tap. Its first or last pixel is left out if it is in the padding.
template <int pixels, int vectors>
HWY_INLINE void add_edge_tap(Sums<pixels, vectors>& sums, const float* from, const float* weights,
                             bool before, bool behind) {
  if (before) {
    behind ? add_tap<1, 1>(sums, from, weights) : add_tap<1, 0>(sums, from, weights);
  } else {
    behind ? add_tap<0, 1>(sums, from, weights) : add_tap<0, 0>(sums, from, weights);
  }
}

template <int pixels, int vectors, int pixel>
void conv_block(const ConvTile& tile) {
  Sums<pixels, vectors> sums;
  sums.clear(tile);
  const float* weights = tile.weights;
  for (const ConvRun* run = tile.runs; run != tile.runs_end; ++run) {
    const float* const from = tile.in + run->offset;
    if (pixel == 16 && tile.edge) {
      for (int64_t k = 0; k < run->depth; k += 16, weights += 16 * vectors * lanes()) {
        const int64_t column = tile.column + k / 16;
        const bool before = column < run->columns.begin;
        add_edge_tap(sums, from + k, weights, before, run->columns.end < column + pixels);
      }
      continue;
    }
    for (int64_t k = 0; k < run->depth; ++k, weights += vectors * lanes()) {
      sums.add_panel(from + k, pixel, weights);
    }
  }
  sums.finish(tile);
  sums.write(tile);
}

using ConvBlock = void (*)(const ConvTile&);

template <int vectors, int pixel, int... pixels>
constexpr std::array<ConvBlock, sizeof...(pixels)> conv_blocks(
    std::integer_sequence<int, pixels...>) {
  return {&conv_block<pixels + 1, vectors, pixel>...};
}

// The functions for 1, 2, ... pixels.
template <int vectors>
const ConvBlock* conv_blocks_for(int64_t pixel) {
  constexpr auto counts = std::make_integer_sequence<int, kPixels[vectors]>();
  static constexpr auto one = conv_blocks<vectors, 1>(counts);
  static constexpr auto three = conv_blocks<vectors, 3>(counts);
  static constexpr auto four = conv_blocks<vectors, 4>(counts);
  static constexpr auto sixteen = conv_blocks<vectors, 16>(counts);
  return (pixel == 1 ? one : pixel == 3 ? three : pixel == 4 ? four : sixteen).data();
}

// A panel of channels of the result, and the runs that one sweep over the pixels adds.
struct ConvSweep {
  const float *in, *weights;
  float* out;
  int64_t channel, columns;
  int vectors;
  const ConvRun *runs, *runs_end;
  ImageRange rows;  // of the results
  ConvEpilogue epilogue;
};

void sweep_pixels(const ConvParts& parts, const ConvPass& pass, const ConvSweep& sweep) {
  const int64_t pixel = parts.image.pixel;
  const ConvBlock* const blocks =
      sweep.vectors == 1 ? conv_blocks_for<1>(pixel) : conv_blocks_for<2>(pixel);
  const int64_t most = kPixels[sweep.vectors], count = (pass.grid.width + most - 1) / most;
  ConvTile tile{};
  tile.c_row = pass.out_pixel;
  tile.columns = sweep.columns;
  tile.epilogue = {sweep.epilogue.accumulate, sweep.epilogue.bias, sweep.epilogue.relu, nullptr,
                   pass.out_pixel};
  if (sweep.epilogue.bias) tile.epilogue.bias += sweep.channel;
  for (int64_t row = sweep.rows.begin; row < sweep.rows.end; ++row) {
    const auto reads = [=](const ConvRun& run) {
      return row >= run.rows.begin && row < run.rows.end;
    };
    tile.runs = std::find_if(sweep.runs, sweep.runs_end, reads);
    tile.runs_end = std::find_if_not(tile.runs, sweep.runs_end, reads);
    if (tile.runs != tile.runs_end) {
      tile.weights = sweep.weights + tile.runs->start * sweep.vectors * lanes();
    }
    const float* const in = sweep.in + row * pass.in_row;
    const int64_t out = pass.out + row * pass.out_row + sweep.channel;
    for (int64_t left = count, column = 0; left > 0; --left) {
      const int64_t pixels = (pass.grid.width - column + left - 1) / left;
      const int64_t at = out + column * pass.out_pixel;
      tile.column = column;
      tile.edge = column == 0 || left == 1;
      tile.in = in + column * pixel;
      tile.c = sweep.out + at;
      if (sweep.epilogue.gate) tile.epilogue.gate = sweep.epilogue.gate + at;
      blocks[pixels - 1](tile);
      column += pixels;
    }
  }
}

// Computes one panel. Its runs are divided into parts whose weights stay in the first cache.
void run_panel(const ConvParts& parts, const ConvPass& pass, ConvSweep sweep,
               const ConvEpilogue& epilogue) {
  const int64_t width = sweep.vectors * lanes();
  const ConvRun* const end = pass.runs.data() + pass.runs.size();
  sweep.runs_end = pass.runs.data();
  sweep.epilogue.accumulate = epilogue.accumulate;
  do {
    sweep.runs = sweep.runs_end;
    int64_t depth = 0;
    while (sweep.runs_end != end &&
           (depth == 0 || (depth + sweep.runs_end->depth) * width <= kPanel)) {
      depth += sweep.runs_end++->depth;
    }
    if (sweep.runs_end == end) {
      sweep.epilogue = epilogue;
      sweep.epilogue.accumulate = epilogue.accumulate || sweep.runs != pass.runs.data();
    }
    sweep_pixels(parts, pass, sweep);
    sweep.epilogue.accumulate = true;
  } while (sweep.runs_end != end);
}

HWY_INLINE int64_t padded(int64_t channels) { return (channels + lanes() - 1) / lanes() * lanes(); }

// Calls body(first channel, columns, vectors) for each panel.
template <class Body>
HWY_INLINE void over_panels(int64_t channels, const Body& body) {
  for (int64_t at = 0; at < channels; at += kVectors * lanes()) {
    const int64_t columns = std::min(channels - at, kVectors * lanes());
    body(at, columns, static_cast<int>(padded(columns) / lanes()));
  }
}

// Computes the results of an image; rows: those of the only pass, or null.
void run_image(const ConvParts& parts, const float* packed, const ConvEpilogue& epilogue,
               const ImageRange* rows, ConvSweep sweep) {
  const float* weights = packed;
  for (const ConvPass& pass : parts.passes) {
    sweep.rows = rows ? *rows : ImageRange{0, pass.grid.height};
    over_panels(parts.out_channels, [&](int64_t channel, int64_t columns, int vectors) {
      sweep.channel = channel;
      sweep.columns = columns;
      sweep.vectors = vectors;
      sweep.weights = weights + pass.depth * channel;
      run_panel(parts, pass, sweep, epilogue);
    });
    weights += pass.depth * padded(parts.out_channels);
  }
}

void run_conv(const ConvParts& parts, const void* from, const float* packed, float* to,
              const ConvEpilogue& epilogue, const PieceRange& range, float* scratch) {
  const int64_t pieces = parts.pieces();
  for (int64_t image = range.begin / pieces; image * pieces < range.end; ++image) {
    const ImageRange rows{std::max<int64_t>(range.begin - image * pieces, 0),
                          std::min(range.end - image * pieces, pieces)};
    const bool whole = rows.end - rows.begin == pieces;
    ConvSweep sweep{};
    ConvEpilogue own = epilogue;
    if (epilogue.gate) own.gate += image * parts.out_image;
    sweep.in = ordered(parts.image, from, image, scratch,
                       whole ? ImageRange{0, parts.image.rows} : parts.rows_read(rows));
    sweep.out = to + image * parts.out_image;
    run_image(parts, packed, own, whole ? nullptr : &rows, sweep);
  }
}

void pack_run(const ConvParts& parts, const ConvRun& run, const float* weights, int64_t columns,
              int vectors, float* to) {
  const int64_t width = vectors * lanes(), pixel = parts.image.pixel;
  const int64_t channels = std::min(pixel, parts.image.channels - run.channel);
  for (int64_t k = 0; k < run.depth; k += pixel, weights += run.tap_step, to += pixel * width) {
    pack_panel(weights, parts.weights, channels, columns, vectors, to);
    zero(to + channels * width, (pixel - channels) * width);
  }
}

void pack_conv(const ConvParts& parts, const float* weights, float* packed) {
  for (const ConvPass& pass : parts.passes) {
    over_panels(parts.out_channels, [&](int64_t channel, int64_t columns, int vectors) {
      float* to = packed + pass.depth * channel;
      for (const ConvRun& run : pass.runs) {
        pack_run(parts, run, weights + run.weight + channel * parts.weights.column, columns,
                 vectors, to);
        to += run.depth * vectors * lanes();
      }
    });
    packed += pass.depth * padded(parts.out_channels);
  }
}

int64_t packed_floats(const ConvParts& parts) {
  int64_t depth = 0;
  for (const ConvPass& pass : parts.passes) depth += pass.depth;
  return depth * padded(parts.out_channels);
}

}  // namespace broch::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace broch::kernels {
namespace {

// Taps first, first + step, ... in one dimension of the kernel, `count` of them. The first result
// of the pass reads the first of them at `origin` of the ordered image.
struct Taps {
  int64_t first, step, count, origin;
};

// Adds one run for each row of taps, phase and block of channels.
void add_runs(const ConvParts& parts, const ConvStrides& weights, const Taps& rows,
              const Taps& columns, ConvPass& pass) {
  const ConvImage& image = parts.image;
  for (int64_t i = 0; i < rows.count; ++i) {
    for (int64_t phase = 0; phase < std::min(image.kept.width, columns.count); ++phase) {
      const int64_t taps = (columns.count - phase + image.step.width - 1) / image.step.width;
      for (int64_t block = 0; block < image.blocks(); ++block) {
        ConvRun run{};
        run.offset = image.at(rows.origin + i, phase, block, columns.origin);
        run.start = pass.depth;
        run.depth = taps * image.pixel;
        run.columns = {image.first_behind(image.left, phase) - columns.origin,
                       image.first_behind(image.left + image.size.width, phase) - columns.origin};
        run.rows = image.results_inside(rows.origin + i, pass.grid.height);
        run.channel = block * image.pixel;
        run.weight = (rows.first + i * rows.step) * weights.row +
                     (columns.first + phase * columns.step) * weights.column +
                     run.channel * parts.weights.row;
        run.tap_step = image.step.width * columns.step * weights.column;
        pass.depth += run.depth;
        pass.runs.push_back(run);
      }
    }
  }
}

// The taps for dx. Results at `phase`, phase + stride, ... use taps that are one stride apart, the
// last one first.
Taps backward_taps(int64_t phase, int64_t kernel, int64_t stride, int64_t padding) {
  const int64_t first = (phase + padding) % stride, read = (phase + padding) / stride;
  const int64_t count = first < kernel ? (kernel - first + stride - 1) / stride : 0;
  return {first + (count - 1) * stride, -stride, count, read - (count - 1)};
}

struct Axis {
  std::vector<Taps> taps;  // for each phase, with results in the image
  int64_t before = 0, length = 0;
};

Axis backward_axis(int64_t size, int64_t kernel, int64_t stride, int64_t padding) {
  Axis axis;
  int64_t begin = 0, end = 1;
  for (int64_t phase = 0; phase < std::min(stride, size); ++phase) {
    const Taps taps = backward_taps(phase, kernel, stride, padding);
    const int64_t results = (size - phase + stride - 1) / stride;
    begin = std::min(begin, taps.origin);
    end = std::max(end, taps.origin + taps.count + results - 1);
    axis.taps.push_back(taps);
  }
  for (Taps& taps : axis.taps) taps.origin -= begin;
  axis.before = -begin;
  axis.length = end - begin;
  return axis;
}

}  // namespace

ConvPlan ConvPlan::forward(const ConvShape& shape) {
  const Extent out = shape.out();
  ConvParts parts;
  parts.isa = isa();
  parts.image = input_of(shape, pixel_of(shape.channels));
  parts.out_channels = shape.out_channels;
  parts.out_image = out.height * out.width * shape.out_channels;
  parts.weights = {shape.weights.channel, shape.weights.first};
  ConvPass pass;
  pass.grid = out;
  pass.in_row = parts.image.kept.height * parts.image.row();
  pass.out_pixel = shape.out_channels;
  pass.out_row = out.width * pass.out_pixel;
  add_runs(parts, shape.weights, {0, 1, shape.kernel.height, 0}, {0, 1, shape.kernel.width, 0},
           pass);
  parts.passes.push_back(std::move(pass));
  return ConvPlan(std::make_shared<const ConvParts>(std::move(parts)));
}

ConvPlan ConvPlan::backward_input(const ConvShape& shape) {
  const Extent out = shape.out(), size = shape.image, stride = shape.stride;
  const int64_t count = shape.out_channels;
  const Axis rows =
      backward_axis(size.height, shape.kernel.height, stride.height, shape.padding.height);
  const Axis columns =
      backward_axis(size.width, shape.kernel.width, stride.width, shape.padding.width);
  ConvParts parts;
  parts.isa = isa();
  parts.out_channels = shape.channels;
  parts.image.channels = count;
  parts.image.size = out;
  parts.image.strides = {out.height * out.width * count, 1, out.width * count, count};
  parts.image.pixel = pixel_of(count);
  parts.image.rows = rows.length;
  parts.image.columns = columns.length;
  parts.image.top = rows.before;
  parts.image.left = columns.before;
  parts.out_image = size.height * size.width * shape.channels;
  parts.weights = {shape.weights.first, shape.weights.channel};
  for (size_t i = 0; i < rows.taps.size(); ++i) {
    for (size_t j = 0; j < columns.taps.size(); ++j) {
      const auto y = static_cast<int64_t>(i), x = static_cast<int64_t>(j);
      ConvPass pass;
      pass.grid = {(size.height - y + stride.height - 1) / stride.height,
                   (size.width - x + stride.width - 1) / stride.width};
      pass.in_row = parts.image.row();
      pass.out = (y * size.width + x) * shape.channels;
      pass.out_row = stride.height * size.width * shape.channels;
      pass.out_pixel = stride.width * shape.channels;
      add_runs(parts, shape.weights, rows.taps[i], columns.taps[j], pass);
      parts.passes.push_back(std::move(pass));
    }
  }
  return ConvPlan(std::make_shared<const ConvParts>(std::move(parts)));
}

int64_t ConvPlan::packed_size() const noexcept {
  return BROCH_KERNEL_FOR(parts_->isa, packed_floats)(*parts_);
}

int64_t ConvPlan::scratch_size() const noexcept { return parts_->image.scratch(); }

int64_t ConvPlan::pieces() const noexcept { return parts_->pieces(); }

void ConvPlan::pack(const float* weights, float* packed) const noexcept {
  BROCH_KERNEL_FOR(parts_->isa, pack_conv)(*parts_, weights, packed);
}

void ConvPlan::run(const void* from, const float* packed, float* to, const ConvEpilogue& epilogue,
                   const PieceRange& range, float* scratch) const noexcept {
  BROCH_KERNEL_FOR(parts_->isa, run_conv)
  (*parts_, from, packed, to, epilogue, range, scratch);
}

}  // namespace broch::kernels
#endif
