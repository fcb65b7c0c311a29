// random_order_aug.cpp: applies transforms in a random order. tensorpack: `RandomOrderAug`.
#include <broch/broch.hpp>
#include <numeric>

namespace {

struct Options {
  std::vector<broch::ChildTransform> aug_lists;
  static constexpr auto schema = broch::options(
      broch::option("aug_lists", &Options::aug_lists, "The transforms.").min_items(1));
};

class RandomOrderAug final : public broch::Transform {
 public:
  RandomOrderAug(const broch::Host& host, const Options& options) : host_(host), options_(options) {
    for (size_t i = 0; i < options.aug_lists.size(); ++i)
      if (options.aug_lists[i].makes_many())
        throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                           "/aug_lists/" + std::to_string(i) +
                               ": found a transform that makes several points or none, expected "
                               "one that makes one point; put it into map itself");
  }

  void apply(broch::PointReader& in, broch::PointWriter& out, broch::Draws draws) override {
    std::vector<size_t> order(options_.aug_lists.size());
    std::iota(order.begin(), order.end(), size_t{0});
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[draws.below(i)]);
    // Two points in turn hold what lies between the first transform and the last one.
    broch::Point between[2] = {broch::Point(host_), broch::Point(host_)};
    const uint64_t key = in.key();
    broch_point from = in.handle();
    for (size_t i = 0; i < order.size(); ++i) {
      const bool is_last = i + 1 == order.size();
      const broch_point to = is_last ? out.handle() : between[i % 2].handle();
      options_.aug_lists[order[i]].apply(key, from, to);
      from = to;
    }
  }

 private:
  broch::Host host_;
  Options options_;
};

}  // namespace

BROCH_TRANSFORM(RandomOrderAug, "broch.transform.random-order-aug", "1.0.0",
                "Applies transforms in a random order.", Options::schema)
