// policy.hpp: the operations of RandAugment and TrivialAugment, as Pillow defines them: uint8, 3
// channels in the order red, green, blue. from and to are not the same memory.
#pragma once
#include <broch/cpp/draws.hpp>
#include <optional>

#include "images/geometry.hpp"

namespace images {

enum class PolicyOperation {
  identity,
  shear_x,
  shear_y,
  translate_x,
  translate_y,
  rotate,
  brightness,
  color,
  contrast,
  sharpness,
  posterize,
  solarize,
  auto_contrast,
  equalize
};
constexpr int kPolicyOperations = 14;

// The strength of an operation: what a magnitude of `bin` out of `bins` stands for, with its sign.
// wide: the larger ranges of TrivialAugment. Sources: Cubuk et al., "RandAugment", 2019; Mueller
// and Hutter, "TrivialAugment", 2021; the ranges are those of torchvision.
double strength_of(PolicyOperation operation, int bin, int bins, cv::Size size, bool wide,
                   bool negative);
// Whether the sign of its strength is drawn.
bool has_sign(PolicyOperation operation);

// The matrix of an operation that moves pixels. No value: it changes their values.
std::optional<cv::Matx23d> motion_of(PolicyOperation operation, double strength, cv::Size size);
// An operation that changes values.
void change_values(PolicyOperation operation, double strength, const cv::Mat& from, cv::Mat& to);

}  // namespace images
