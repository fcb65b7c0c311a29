// moving_average_summary.cpp: updates the moving averages of the model's scalars in every hooked
// run. tensorpack: `MovingAverageSummary`.
#include <broch/broch.hpp>

namespace {

struct Options {
  std::string collection;

  static constexpr auto schema = broch::options(
      broch::option("collection", &Options::collection, "Collection of the averages.")
          .by_default("MOVING_SUMMARY_OPS"));
};

class MovingAverageSummary final : public broch::Callback {
 public:
  MovingAverageSummary(const broch::Host& host, const Options& options)
      : run_(host), collection_(options.collection) {}
  void setup_graph() override { run_.run_collection(collection_); }

 private:
  broch::Run run_;
  std::string collection_;
};

}  // namespace

BROCH_CALLBACK(MovingAverageSummary, "broch.callback.moving-average-summary", "1.0.0",
               "Updates the moving averages of the model's scalars in every hooked run.",
               Options::schema, broch::produces())
