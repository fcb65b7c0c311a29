// conv_patches.hpp: convolutions as matrix products, for small images and for kernels of one pixel.
//
// With images that are only a few pixels wide, rows of pixels are too short to fill the registers.
// So the pixels of all images become the columns of one matrix, the patches: it has a row for each
// channel and tap, in the order of the weights, and a column for each pixel of the results. Where a
// tap reads padding, it is 0. If the kernel is one pixel, the images themselves are this matrix.
#pragma once
#include <cstdint>
#include <vector>

#include "kernels/conv.hpp"
#include "kernels/gemm.hpp"

namespace broch::kernels {

class ConvPatches {
 public:
  // Whether this is faster than to sum row by row.
  static bool fits(const ConvShape& shape);

  explicit ConvPatches(const ConvShape& shape);

  // The number of floats that each function needs as scratch memory, for each thread.
  int64_t scratch_size() const noexcept;

  // The number of pieces of an image: rows of pixels if the images are the patches, otherwise 1.
  int64_t pieces() const noexcept;

  void forward(const float* x, const float* weights, float* y, const ConvEpilogue& epilogue,
               const PieceRange& range, float* scratch) const noexcept;
  // The same with weights that never change: pack() writes them once, packed_size() floats.
  int64_t packed_size() const noexcept { return product_.packed_size(); }
  void pack(const float* weights, float* packed) const noexcept { product_.pack(weights, packed); }
  void forward_packed(const float* x, const float* packed, float* y, const ConvEpilogue& epilogue,
                      const PieceRange& range, float* scratch) const noexcept;
  void backward_input(const float* dy, const float* weights, float* dx,
                      const ConvEpilogue& epilogue, const PieceRange& range,
                      float* scratch) const noexcept;
  // Writes the gradient of the weights, in their order, as a sum over the images of the range.
  void backward_weights(const float* x, const float* dy, const ImageRange& range, float* d_weights,
                        float* scratch) const noexcept;

 private:
  // An element of the patches that a pixel of an image is copied to.
  struct Place {
    int64_t tap, result;
  };

  // Whole images, or, if they are the patches, any number of pixels.
  struct Chunk {
    int64_t image, images;
    int64_t row, rows;  // of the patches: pixels of results
  };
  template <class Body>
  void over_chunks(const PieceRange& range, const Body& body) const;
  // Calls product(patches, rows of them, result, epilogue) for each chunk.
  template <class Product>
  void over_patches(const float* x, float* y, const ConvEpilogue& epilogue, const PieceRange& range,
                    float* scratch, const Product& product) const;
  struct Patches;
  Patches patches_of(const float* x, const Chunk& chunk, float* scratch) const noexcept;
  void gather(const float* x, int64_t images, float* patches, float* channels) const;
  void scatter(const float* patches, int64_t images, int64_t first, float* dx,
               const ConvEpilogue& epilogue) const;

  ConvShape shape_;
  bool plain_;                              // the images are the patches
  int64_t pixels_;                          // of an image
  int64_t results_;                         // pixels of a result
  int64_t taps_, depth_;                    // of the kernel; rows of the patches
  int64_t chunk_;                           // images whose patches are made together
  PackedGemmPlan product_;                  // of a whole chunk
  std::vector<int64_t> sources_;            // by tap and result: the pixel, or -1 for padding
  std::vector<std::vector<Place>> places_;  // by pixel
};

}  // namespace broch::kernels
