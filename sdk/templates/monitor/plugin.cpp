// @FILE@.cpp: a monitor that writes each number to a file, as a line "global_step,name,value".
#include <broch/broch.hpp>
#include <fstream>

namespace {

struct Options {
  std::string file;

  static constexpr auto schema = broch::options(
      broch::option("file", &Options::file, "In the log folder.")
          .min_length(1)
          .by_default("scalars.csv"));
};

class @CLASS@ final : public broch::Monitor, public broch::Callback {
 public:
  @CLASS@(const broch::Host& host, const Options& options)
      : run_(host), log_dir_(host), file_(options.file) {}

  // A resumed run appends to the file.
  void before_train() override {
    const auto folder = log_dir_.path();
    if (!folder) return;  // only the chief has a log folder
    lines_.open(*folder + "/" + file_, std::ios::app);
    if (!lines_) throw broch::Error("cannot write " + *folder + "/" + file_);
  }
  void process_scalar(const std::string& name, double value) override {
    if (!lines_.is_open()) return;
    lines_ << run_.progress().global_step << ',' << name << ',' << value << '\n';
  }
  void trigger_epoch() override { lines_.flush(); }

 private:
  broch::Run run_;
  broch::LogDir log_dir_;
  std::string file_;
  std::ofstream lines_;
};

}  // namespace

BROCH_MONITOR(@CLASS@, "@ID@", "0.1.0", "Writes every number to a file of lines.",
              Options::schema)
