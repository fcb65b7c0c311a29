// random_choose_aug.cpp: applies one of several transforms. tensorpack: `RandomChooseAug`.
#include <broch/broch.hpp>
#include <numeric>

namespace {

struct Options {
  std::vector<broch::ChildTransform> aug_lists;
  std::optional<std::vector<double>> prob;
  static constexpr auto schema = broch::options(
      broch::option("aug_lists", &Options::aug_lists, "The transforms.").min_items(1),
      broch::option("prob", &Options::prob,
                    "The probability of each, which add up to 1; null: all equal.")
          .minimum(0)
          .maximum(1));
};

class RandomChooseAug final : public broch::Transform {
 public:
  explicit RandomChooseAug(const Options& options) : options_(options) {
    for (size_t i = 0; i < options.aug_lists.size(); ++i)
      if (options.aug_lists[i].makes_many())
        refuse("/aug_lists/" + std::to_string(i) +
               ": found a transform that makes several points or none, expected one that makes one "
               "point; put it into map itself");
    if (!options.prob) return;
    const size_t found = options.prob->size(), wanted = options.aug_lists.size();
    if (found != wanted)
      refuse("/prob: found " + std::to_string(found) + " numbers, expected one for each of the " +
             std::to_string(wanted) + " transforms; correct the list");
    const double sum = std::accumulate(options.prob->begin(), options.prob->end(), 0.0);
    if (sum < 1 - 1e-6 || sum > 1 + 1e-6)
      refuse("/prob: found a sum of " + broch::number_text(sum) + ", expected 1; correct the list");
  }
  void apply(broch::PointReader& in, broch::PointWriter& out, broch::Draws draws) override {
    options_.aug_lists[choose(draws)].apply(in.key(), in.handle(), out.handle());
  }

 private:
  [[noreturn]] static void refuse(const std::string& message) {
    throw broch::Error(BROCH_E_INVALID_ARGUMENT, message);
  }
  size_t choose(broch::Draws& draws) const {
    const size_t count = options_.aug_lists.size();
    if (!options_.prob) return draws.below(count);
    double rest = draws.uniform();
    for (size_t i = 0; i + 1 < count; ++i)
      if ((rest -= (*options_.prob)[i]) < 0) return i;
    return count - 1;
  }

  Options options_;
};

}  // namespace

BROCH_TRANSFORM(RandomChooseAug, "broch.transform.random-choose-aug", "1.0.0",
                "Applies one of several transforms, chosen randomly.", Options::schema)
