// turned.cpp: a transform that turns positions around the origin by a random angle.
#include <broch/broch.hpp>
#include <cmath>
#include <cstring>

struct Options {
  double angle;

  static constexpr auto schema =
      broch::options(broch::option("angle", &Options::angle, "The largest one.")
                         .minimum(0)
                         .by_default(0.1)
                         .unit("rad"));
};

class Turned final : public broch::Transform {
 public:
  explicit Turned(const Options& options) : angle_(options.angle) {}

  void apply(broch::PointReader& in, broch::PointWriter& out, broch::Draws draws) override {
    const double angle = draws.between(-angle_, angle_);
    for (uint32_t i = 0; i < in.size(); ++i) {
      const char* name = in.name(i);
      if (!name || std::strcmp(name, "position") != 0) {
        in.move(i, out);
        continue;
      }
      const broch::View<const float> from = broch::view_as<const float>(in.view(i));
      if (from.size() != 2)
        throw broch::Error(
            BROCH_E_INVALID_ARGUMENT,
            "found a position of " + std::to_string(from.size()) + " numbers, expected 2");
      float* to = out.allocate<float>({2}, name);
      to[0] = float(std::cos(angle) * from[0] - std::sin(angle) * from[1]);
      to[1] = float(std::sin(angle) * from[0] + std::cos(angle) * from[1]);
    }
  }

 private:
  const double angle_;
};

BROCH_TRANSFORM(Turned, "net.outsider.turned", "1.0.0", "Turns positions by a random angle.",
                Options::schema)
