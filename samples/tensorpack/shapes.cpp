// shapes.cpp: generated images of circles, squares and triangles, and what an example wants to know
// of them.
#include <array>
#include <broch/broch.hpp>
#include <cmath>
#include <string>

namespace {

enum class Component { picture, ringed, edges, mask, kind };

struct Options {
  int64_t size, seed, count;
  double noise;
  std::vector<Component> components;

  static constexpr auto schema = broch::options(
      broch::option("size", &Options::size, "Number of points.").minimum(1).by_default(1000),
      broch::option("seed", &Options::seed, "The seed of the images; not that of the run.")
          .by_default(0),
      broch::option("count", &Options::count, "Shapes in an image; later ones hide earlier ones.")
          .minimum(1)
          .by_default(1),
      broch::option("noise", &Options::noise, "Standard deviation of noise in the pictures.")
          .minimum(0)
          .by_default(0),
      broch::option(
          "components", &Options::components,
          "picture (3, 32, 32): red circles, green squares and blue triangles on black, "
          "from -1 to 1; ringed (1, 32, 32): the same shapes in black with a white ring, on gray; "
          "edges (1, 32, 32): 1 beside an edge of a shape, 0 elsewhere; mask (1, 32, 32): 1 in a "
          "shape, 0 elsewhere; kind: 0, 1 or 2 for the last shape.")
          .one_of("picture", "ringed", "edges", "mask", "kind"));
};

constexpr int kSide = 32;

struct Shape {
  int kind;
  double x, y, radius, angle;

  explicit Shape(broch::Draws& draws)
      : kind(int(draws.below(3))),
        x(draws.between(10, kSide - 10)),
        y(draws.between(10, kSide - 10)),
        radius(draws.between(6, 10)),
        angle(draws.between(0, 6.2831853)) {}

  bool contains(double px, double py) const {
    const double dx = px - x, dy = py - y;
    if (kind == 0) return std::hypot(dx, dy) < radius;
    const int corners = kind == 1 ? 4 : 3;
    for (int i = 0; i < corners; ++i) {  // behind one of its sides?
      const double to = angle + 6.2831853 * i / corners;
      if (dx * std::cos(to) + dy * std::sin(to) > radius * (kind == 1 ? 0.8 : 0.6)) return false;
    }
    return true;
  }
};

// One image: which shape is at each pixel.
class Scene {
 public:
  Scene(broch::Draws& draws, int64_t count) {
    for (int64_t i = 0; i < count; ++i) shapes_.emplace_back(draws);
    for (int y = 0; y < kSide; ++y)
      for (int x = 0; x < kSide; ++x) at_[size_t(y)][size_t(x)] = shape_at(x + 0.5, y + 0.5);
  }

  int kind() const { return shapes_.back().kind; }
  int kind_at(int x, int y) const {
    const int shape = at(x, y);
    return shape < 0 ? -1 : shapes_[size_t(shape)].kind;
  }
  // Whether something else is at most so many pixels away.
  bool edge_near(int x, int y, int distance) const {
    for (int dy = -distance; dy <= distance; ++dy)
      for (int dx = -distance; dx <= distance; ++dx)
        if (std::abs(dx) + std::abs(dy) <= distance && at(x + dx, y + dy) != at(x, y)) return true;
    return false;
  }

 private:
  int shape_at(double x, double y) const {
    for (size_t i = shapes_.size(); i-- > 0;)
      if (shapes_[i].contains(x, y)) return int(i);
    return -1;
  }
  int at(int x, int y) const {
    const auto inside = [](int i) { return size_t(std::min(std::max(i, 0), kSide - 1)); };
    return at_[inside(y)][inside(x)];
  }

  std::vector<Shape> shapes_;
  std::array<std::array<int, kSide>, kSide> at_{};
};

class Shapes final : public broch::Indexed {
 public:
  Shapes(const broch::Host&, const Options& options) : options_(options) {}

  std::optional<int64_t> size() override { return options_.size; }
  bool read(const broch::Position& at, const broch::Cancel&, broch::PointWriter& point) override {
    if (at.index >= uint64_t(options_.size)) return false;
    broch::Draws draws(broch::mixed(uint64_t(options_.seed), at.index));
    const Scene scene(draws, options_.count);
    for (const Component component : options_.components) write(component, scene, draws, point);
    return true;
  }

 private:
  void write(Component component, const Scene& scene, broch::Draws& draws,
             broch::PointWriter& point) const {
    switch (component) {
      case Component::picture:
        return picture(scene, draws, point);
      case Component::ringed:
        return plane(point, "ringed", [&](int x, int y) {
          return scene.kind_at(x, y) < 0 ? 0.0F : scene.edge_near(x, y, 2) ? 1.0F : -1.0F;
        });
      case Component::edges:
        return plane(point, "edges",
                     [&](int x, int y) { return scene.edge_near(x, y, 1) ? 1.0F : 0.0F; });
      case Component::mask:
        return plane(point, "mask",
                     [&](int x, int y) { return scene.kind_at(x, y) < 0 ? 0.0F : 1.0F; });
      case Component::kind:
        *point.allocate<int64_t>({}, "kind") = scene.kind();
    }
  }

  void picture(const Scene& scene, broch::Draws& draws, broch::PointWriter& point) const {
    float* pixel = point.allocate<float>({3, kSide, kSide}, "picture");
    for (int channel = 0; channel < 3; ++channel)
      for (int y = 0; y < kSide; ++y)
        for (int x = 0; x < kSide; ++x) {
          const double noise = options_.noise > 0 ? options_.noise * draws.normal() : 0;
          *pixel++ = float((scene.kind_at(x, y) == channel ? 1 : -1) + noise);
        }
  }
  template <class Value>
  static void plane(broch::PointWriter& point, const char* name, Value&& value) {
    float* pixel = point.allocate<float>({1, kSide, kSide}, name);
    for (int y = 0; y < kSide; ++y)
      for (int x = 0; x < kSide; ++x) *pixel++ = value(x, y);
  }

  const Options options_;
};

}  // namespace

BROCH_DATAFLOW(Shapes, "examples.shapes", "1.0.0", "Images of circles, squares and triangles.",
               Options::schema)
