// @FILE@.cpp: a sink that writes each point as a line of a .csv file.
#include <broch/broch.hpp>
#include <fstream>

namespace {

struct Options {
  std::string separator;

  static constexpr auto schema = broch::options(
      broch::option("separator", &Options::separator, "Stands between two numbers.")
          .min_length(1).by_default(","));
};

class @CLASS@ final : public broch::Sink {
 public:
  explicit @CLASS@(const Options& options) : separator_(options.separator) {}

  void open(const std::string& path) override {
    lines_.open(path);
    lines_.precision(9);  // the digits of a float32
    if (!lines_) throw broch::Error(BROCH_E_DATA_LOSS, "the file cannot be made");
  }

  void put(broch::PointReader& point) override {
    bool first = true;
    for (uint32_t i = 0; i < point.size(); ++i) {
      for (const float number : broch::view_as<const float>(point.view(i))) {
        if (!first) lines_ << separator_;
        lines_ << number;
        first = false;
      }
    }
    lines_ << '\n';
  }

  void close() override {
    lines_.close();
    if (!lines_) throw broch::Error(BROCH_E_DATA_LOSS, "the file could not be written to its end");
  }

 private:
  std::ofstream lines_;
  std::string separator_;
};

}  // namespace

BROCH_SINK(@CLASS@, "@ID@", "0.1.0", "Writes points as lines of numbers.", Options::schema,
           broch::extensions(".csv"))
