// run_update_ops.cpp: writes the updates of a collection in every hooked run. tensorpack:
// `RunUpdateOps`.
#include <broch/broch.hpp>

namespace {

struct Options {
  std::string collection;

  static constexpr auto schema =
      broch::options(broch::option("collection", &Options::collection, "Collection of the updates.")
                         .by_default("UPDATE_OPS"));
};

class RunUpdateOps final : public broch::Callback {
 public:
  RunUpdateOps(const broch::Host& host, const Options& options)
      : run_(host), collection_(options.collection) {}
  void setup_graph() override { run_.run_collection(collection_); }

 private:
  broch::Run run_;
  std::string collection_;
};

}  // namespace

BROCH_CALLBACK(RunUpdateOps, "broch.callback.run-update-ops", "1.0.0",
               "Makes the updates in a collection as part of every hooked run.", Options::schema,
               broch::produces(), broch::run_on("all"))
