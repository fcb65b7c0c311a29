// gan_losses_test.cpp: gan_losses of the C++ interface.
#include <cmath>

#include "slope.hpp"

using namespace broch::test;

namespace {

// The cross entropy of a logit if the example is real; of its negative if it is not.
double if_real(double logit) { return std::log1p(std::exp(-logit)); }
double probability(double logit) { return 1 / (1 + std::exp(-logit)); }

}  // namespace

TEST_CASE("gan_losses: costs, shares and gradients by their definitions") {
  // Two steps over the same examples: the second one sees the weights that the first has changed.
  const double examples[] = {0.5, -1, 2, 0.25};
  Project project;
  const std::string fetch =
      recorder("{" + project.trace_option() +
               R"(, "fetch": ["g_loss", "d_loss", "g_accuracy", "d_accuracy"]})");
  REQUIRE(train(project, {R"(model={"use": "test.gan-costs"})",
                          "dataflow=" + rows("[[0.5, -1, 2, 0.25], [0.5, -1, 2, 0.25]]"),
                          "steps_per_epoch=2", "callbacks=[" + fetch + "]"}) == Exit::ok);
  double w = 2, v = 1;
  for (size_t step = 0; step < 2; ++step) {
    CAPTURE(step);
    double g_loss = 0, d_loss = 0, g_accuracy = 0, d_accuracy = 0, of_w = 0, of_v = 0;
    for (const double x : examples) {
      const double real = w * x, fake = v * (x - 1);
      g_loss += if_real(fake) / 4;
      d_loss += (if_real(real) + if_real(-fake)) / 8;
      g_accuracy += (fake > 0) / 4.0;
      d_accuracy += ((real > 0) + (fake < 0)) / 8.0;
      of_w += (probability(real) - 1) * x / 8;
      of_v += ((probability(fake) - 1) / 4 + probability(fake) / 8) * (x - 1);
    }
    const auto is = [&](const std::string& name, double expected) {
      CAPTURE(name);
      const Lines values = project.trace(name + " ");
      REQUIRE(values.size() == 2);
      CHECK(std::stod(values[step]) == doctest::Approx(expected).epsilon(1e-6));
    };
    is("g_loss", g_loss);
    is("d_loss", d_loss);
    is("g_accuracy", g_accuracy);
    is("d_accuracy", d_accuracy);
    w -= of_w;
    v -= of_v;
  }
}
