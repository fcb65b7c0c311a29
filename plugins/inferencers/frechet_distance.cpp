// frechet_distance.cpp: how far the features of generated samples are from those of real ones: the
// squared Fréchet distance of two normal distributions with their means and covariances. Heusel et
// al., GANs trained by a two time-scale update rule converge to a local Nash equilibrium (2017),
// equation 6; with the features of Inception it is the FID.
#include <limits>

#include "moments.hpp"
#include "samples.hpp"

namespace {

using namespace broch::inferencers;
using broch::Tensor;

struct Options {
  std::string real, generated, prefix;

  static constexpr auto schema = broch::options(
      broch::option("real", &Options::real,
                    "Name of an output or input, (N, D): the features of real samples.")
          .by_default("real_features"),
      broch::option("generated", &Options::generated,
                    "Name of an output, (M, D): the features of generated samples.")
          .by_default("generated_features"),
      broch::option("prefix", &Options::prefix,
                    "The metric is {prefix}_frechet_distance; empty: frechet_distance.")
          .by_default("validation"));
};

class FrechetDistance final : public broch::Inferencer {
 public:
  FrechetDistance(const broch::Host& host, const Options& options)
      : host_(host), data_(host), ops_(host), options_(options) {}

  std::vector<std::string> fetches() override { return {options_.real, options_.generated}; }
  void before_inference() override { real_ = generated_ = {}; }
  void on_fetches(const broch_tensor* values, uint32_t) override {
    const Fetched real(data_, options_.real, values[0]);
    const Fetched generated(data_, options_.generated, values[1]);
    if (real.info.rank != 2 || generated.info.rank != 2 ||
        real.info.shape[1] != generated.info.shape[1])
      refuse_shapes(real, generated, "(N, D) and (M, D) with the same D");
    add(real_, real);
    add(generated_, generated);
  }
  Numbers after_inference() override {
    if (real_.samples() < 2 || generated_.samples() < 2 || real_.width() == 0) return {};
    return {{prefixed(options_.prefix, "frechet_distance"), distance()}};
  }

 private:
  void add(Moments& moments, const Fetched& features) const {
    const size_t width = size_t(features.info.shape[1]);
    if (moments.samples() && moments.width() != width)
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         "found " + features.text() + ", expected " +
                             std::to_string(moments.width()) +
                             " features for each sample, as in the data point before");
    moments.add(data_.doubles(features.tensor), width);
  }

  double distance() {
    const std::vector<double> a = real_.covariance(), b = generated_.covariance();
    double sum = 0;  // not finite if a feature is not
    for (size_t i = 0; i < real_.width(); ++i) {
      const double apart = real_.mean(i) - generated_.mean(i);
      const size_t diagonal = i * (real_.width() + 1);
      sum += apart * apart + a[diagonal] + b[diagonal];
    }
    return std::isfinite(sum) ? sum - 2 * trace_of_root(a, b)
                              : std::numeric_limits<double>::quiet_NaN();
  }

  // The trace of the square root of a b. With a = f f', a b has the eigenvalues of the symmetric
  // matrix f' b f, which are not negative.
  double trace_of_root(const std::vector<double>& a, const std::vector<double>& b) {
    const broch::Scope scope(host_);
    const broch::Operator eigh(ops_, host_,
                               "aten::linalg_eigh(Tensor self, str UPLO=\"L\") -> "
                               "(Tensor eigenvalues, Tensor eigenvectors)");
    const std::vector<broch_value> of_a = eigh.call({broch_of(matrix(a).handle())}, 2);
    const Tensor roots = ops_.sqrt(ops_.relu(Tensor(&ops_, of_a[0].u.tensor)));
    const Tensor f = Tensor(&ops_, of_a[1].u.tensor) * roots;
    const Tensor product = ops_.matmul(ops_.matmul(ops_.t(f), matrix(b)), f);
    double trace = 0;
    for (const double value : data_.doubles(eigh({broch_of(product.handle())}).handle()))
      trace += std::sqrt(std::max(value, 0.));
    return trace;
  }
  Tensor matrix(const std::vector<double>& values) {
    const auto side = int64_t(real_.width());
    return Tensor(&ops_, data_.from_data(values, {side, side}));
  }

  broch::Host host_;
  broch::TensorData data_;
  broch::Ops ops_;
  Options options_;
  Moments real_, generated_;
};

}  // namespace

BROCH_INFERENCER(FrechetDistance, "broch.inferencer.frechet-distance", "1.0.0",
                 "How far the features of generated samples are from those of real ones.",
                 Options::schema, broch::produces("{prefix?_}frechet_distance"))
