// places.hpp: which components of a point a transform of images works on: options of all of them.
#pragma once
#include <broch/broch.hpp>
#include <vector>

#include "../../../points/component_name.hpp"

namespace images {

using broch::points::ComponentName;

#define BROCH_ONE_COMPONENT "{" BROCH_COMPONENT_NAME_SCHEMA "}"
constexpr const char* kOneComponent = BROCH_COMPONENT_NAME_SCHEMA;
constexpr const char* kComponents = R"("anyOf": [{"type": "null"}, )" BROCH_ONE_COMPONENT
                                    R"(, {"type": "array", "items": )" BROCH_ONE_COMPONENT "}]";

// Of transforms that leave pixels where they are.
struct PixelOptions {
  broch::JsonText component;
  static constexpr auto schema =
      broch::options(broch::option("component", &PixelOptions::component,
                                   "The component with the image: its name or index (from 0).")
                         .schema(kOneComponent)
                         .by_default(0));
};

// Of transforms that move pixels.
struct MotionOptions : PixelOptions {
  broch::JsonText boxes, points, mask;
  static constexpr auto schema = broch::options(
      PixelOptions::schema,
      broch::option(
          "boxes", &MotionOptions::boxes,
          "Components with boxes that move with the pixels: shape (N, 4), each row x1 y1 x2 y2.")
          .schema(kComponents)
          .by_default(nullptr),
      broch::option("points", &MotionOptions::points,
                    "Components with points that move with the pixels: shape (N, 2), each row x y.")
          .schema(kComponents)
          .by_default(nullptr),
      broch::option("mask", &MotionOptions::mask,
                    "Components with images of the same size that move with the pixels, without "
                    "interpolation.")
          .schema(kComponents)
          .by_default(nullptr));
};

// The components that these options name.
struct Places {
  explicit Places(const broch::Host& host) : Places(broch::Config(host)) {}
  explicit Places(const broch::Config& config)
      : image(config, "/component"),
        boxes(broch::points::component_names(config, "/boxes")),
        points(broch::points::component_names(config, "/points")),
        masks(broch::points::component_names(config, "/mask")) {}
  ComponentName image;
  std::vector<ComponentName> boxes, points, masks;
};

}  // namespace images
