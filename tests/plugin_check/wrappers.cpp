// wrappers.cpp: dataflows around a dataflow: one passes on its failures, the other hides them.
#include <broch/broch.hpp>

namespace {

struct Options {
  broch::ChildDataFlow dataflow;

  static constexpr auto schema =
      broch::options(broch::option("dataflow", &Options::dataflow, "What is passed on."));
};

template <bool hides>
class Around final : public broch::DataFlow {
 public:
  explicit Around(const Options& options) : child_(options.dataflow) {}

  void reset_state() override { child_.reset_state(); }
  void open(const std::string& cursor) override { child_.open(cursor); }
  bool next(const broch::Cancel& cancel, broch::PointWriter& point) override {
    try {
      return child_.next(cancel, point);
    } catch (const broch::Error&) {
      if (hides) return false;
      throw;
    }
  }

 private:
  broch::ChildDataFlow child_;
};

}  // namespace

BROCH_COMPONENTS(broch::component<Around<true>>("valid.hides", "dataflow", "1.0.0",
                                                "Hides failures.", Options::schema),
                 broch::component<Around<false>>("valid.passes", "dataflow", "1.0.0",
                                                 "Passes failures on.", Options::schema))
