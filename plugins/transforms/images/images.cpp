// images.cpp: the transforms of images, as components of one library.
#include "images/components/color.hpp"
#include "images/components/convert.hpp"
#include "images/components/crop.hpp"
#include "images/components/decode.hpp"
#include "images/components/erase.hpp"
#include "images/components/geometry.hpp"
#include "images/components/mix.hpp"
#include "images/components/noise.hpp"
#include "images/components/normalize.hpp"
#include "images/components/paste.hpp"
#include "images/components/policy.hpp"
#include "images/components/size.hpp"

namespace {

// The host has threads of its own: one image is one thread's work.
[[maybe_unused]] const bool has_no_threads = (cv::setNumThreads(0), true);

template <class Class, class Options>
constexpr auto transform(const char* id, const char* summary, const Options& options) {
  return broch::component<Class>(id, "transform", "1.0.0", summary, options);
}

}  // namespace

using namespace images;

BROCH_COMPONENTS(
    transform<DecodeImage>("broch.transform.decode-image", "Decodes a JPEG, PNG or WebP file.",
                           DecodeImage::Options::schema),
    transform<DecodeCropTransform>("broch.transform.decode-crop",
                                   "Decodes only a random crop of an image file, and resizes it.",
                                   DecodeCropTransform::Options::schema),
    transform<CropFlipNormalize>("broch.transform.crop-flip-normalize",
                                 "Pads, crops, flips and normalizes a uint8 image in one pass.",
                                 CropFlipNormalize::Options::schema),
    transform<RandomCrop>("broch.transform.random-crop", "Crops at a random position.",
                          CropShapeOptions::schema),
    transform<CenterCrop>("broch.transform.center-crop", "Crops at the center.",
                          CropShapeOptions::schema),
    transform<RandomCropRandomShape>("broch.transform.random-crop-random-shape",
                                     "Crops with a random shape at a random position.",
                                     RandomShapeOptions::schema),
    transform<GoogleNetRandomCropAndResize>("broch.transform.google-net-random-crop-and-resize",
                                            "Crops a random part of the image and resizes it.",
                                            GoogleNetOptions::schema),
    transform<RandomCutout>("broch.transform.random-cutout",
                            "Fills a rectangle at a random position.", CutoutOptions::schema),
    transform<RandomErasing>("broch.transform.random-erasing",
                             "Fills a random rectangle, with a probability.",
                             ErasingOptions::schema),
    transform<CenterPaste>("broch.transform.center-paste",
                           "Pastes the image onto the center of a background.",
                           PasteOptions::schema),
    transform<RandomPaste>("broch.transform.random-paste",
                           "Pastes the image at a random position of a background.",
                           PasteOptions::schema),
    transform<Flip>("broch.transform.flip", "Flips the image, with a probability.",
                    FlipOptions::schema),
    transform<Resize>("broch.transform.resize", "Resizes the image.", ResizeOptions::schema),
    transform<RandomResize>("broch.transform.random-resize", "Resizes by random factors.",
                            RandomResizeOptions::schema),
    transform<ResizeShortestEdge>("broch.transform.resize-shortest-edge",
                                  "Resizes the shorter side to a length.",
                                  ShortestEdgeOptions::schema),
    transform<Transpose>("broch.transform.random-transpose",
                         "Transposes the image, with a probability.", TransposeOptions::schema),
    transform<Shift>("broch.transform.shift", "Shifts the image randomly.", ShiftOptions::schema),
    transform<Rotation>("broch.transform.rotation", "Rotates the image randomly.",
                        RotationOptions::schema),
    transform<RotationAndCropValid>(
        "broch.transform.rotation-and-crop-valid",
        "Rotates randomly, and crops the largest part without border pixels.",
        DegreeOptions::schema),
    transform<Affine>("broch.transform.affine", "Shifts, rotates, scales and shears randomly.",
                      AffineOptions::schema),
    transform<GaussianDeform>("broch.transform.gaussian-deform",
                              "Shifts the pixels around anchors randomly.", DeformOptions::schema),
    transform<Hue>("broch.transform.hue", "Changes the hue randomly.", HueOptions::schema),
    transform<Saturation>("broch.transform.saturation", "Changes the saturation randomly.",
                          SaturationOptions::schema),
    transform<Brightness>("broch.transform.brightness", "Adds a random number.",
                          BrightnessOptions::schema),
    transform<BrightnessScale>("broch.transform.brightness-scale", "Multiplies by a random number.",
                               BrightnessScaleOptions::schema),
    transform<Contrast>("broch.transform.contrast", "Changes the contrast randomly.",
                        ContrastOptions::schema),
    transform<Gamma>("broch.transform.gamma", "Changes the gamma randomly.", GammaOptions::schema),
    transform<GaussianBlur>("broch.transform.gaussian-blur",
                            "Blurs the image with a random window.", BlurOptions::schema),
    transform<Lighting>("broch.transform.lighting",
                        "Adds random multiples of the principal components of the colors.",
                        LightingOptions::schema),
    transform<MinMaxNormalize>("broch.transform.min-max-normalize",
                               "Scales the values to a range, as float32.", RangeOptions::schema),
    transform<MeanVarianceNormalize>("broch.transform.mean-variance-normalize",
                                     "Scales the values to mean 0 and variance 1, as float32.",
                                     VarianceOptions::schema),
    transform<Clip>("broch.transform.clip", "Clips the values.", ClipOptions::schema),
    transform<Grayscale>("broch.transform.grayscale", "Converts to a gray image.",
                         GrayscaleOptions::schema),
    transform<ColorSpace>("broch.transform.color-space", "Converts between color spaces.",
                          ColorSpaceOptions::schema),
    transform<ToUint8>("broch.transform.to-uint8",
                       "Clips to the range 0 to 255 and converts to uint8.", PixelOptions::schema),
    transform<ToFloat32>("broch.transform.to-float32", "Converts to float32.",
                         PixelOptions::schema),
    transform<JpegNoise>("broch.transform.jpeg-noise",
                         "Encodes as JPEG with random quality, and decodes again.",
                         JpegNoiseOptions::schema),
    transform<GaussianNoise>("broch.transform.gaussian-noise", "Adds normally distributed noise.",
                             GaussianNoiseOptions::schema),
    transform<SaltPepperNoise>("broch.transform.salt-pepper-noise",
                               "Sets random elements to 0 or 255.", SaltPepperOptions::schema),
    transform<RandAugment>("broch.transform.rand-augment",
                           "RandAugment: applies random operations of a fixed strength.",
                           RandAugmentOptions::schema),
    transform<TrivialAugment>("broch.transform.trivial-augment",
                              "TrivialAugment: applies one random operation of random strength.",
                              PolicyOptions::schema),
    transform<Mixup>("broch.transform.mixup",
                     "Mixup: averages each image and label of a batch with another one.",
                     MixOptions::schema),
    transform<Cutmix>("broch.transform.cutmix",
                      "CutMix: replaces a box in each image of a batch by that of another image.",
                      CutmixOptions::schema))
