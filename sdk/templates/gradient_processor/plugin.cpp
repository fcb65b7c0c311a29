// @FILE@.cpp: a gradient processor that limits the norm of each gradient separately.
#include <broch/broch.hpp>

namespace {

struct Options {
  double length;

  static constexpr auto schema = broch::options(
      broch::option("length", &Options::length, "Largest norm that passes unchanged.")
          .above(0)
          .by_default(1));
};

class @CLASS@ final : public broch::GradientProcessor {
 public:
  @CLASS@(const broch::Host& host, const Options& options)
      : GradientProcessor(host), length_(options.length) {}

  // The host calls this to record the computation and replays the recording in each step. So use
  // operators only, and keep no state in members.
  void process(broch::Tower&, std::vector<broch::Gradient>& gradients) override {
    broch::Ops& o = ops();
    for (broch::Gradient& one : gradients) {
      const broch::Tensor norm = o.linalg_vector_norm(one.gradient);
      const broch::Tensor longer = o.clamp_min(o.div_scalar(norm, length_), 1);
      one.gradient = o.div(one.gradient, longer);
    }
  }

 private:
  double length_;
};

}  // namespace

BROCH_GRADIENT_PROCESSOR(@CLASS@, "@ID@", "0.1.0", "Shortens each gradient by itself.",
                         Options::schema)
