// @FILE@.cpp: a monitor that writes each number to a file, as a line "global_step,name,value".
#include <broch/broch.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace {

struct Options {
  std::string file;

  static constexpr auto schema = broch::options(
      broch::option("file", &Options::file, "In the log folder.")
          .min_length(1)
          .by_default("scalars.csv"));
};

class @CLASS@ final : public broch::Monitor, public broch::Callback, public broch::Stateful {
 public:
  @CLASS@(const broch::Host& host, const Options& options)
      : run_(host), log_dir_(host), file_(options.file) {}

  // A resumed run reports again what came after its checkpoint, so that is cut off.
  void before_train() override {
    const auto folder = log_dir_.path();
    if (!folder) return;  // only the chief has a log folder
    const std::string path = *folder + "/" + file_;
    std::error_code absent;
    const std::uintmax_t there = std::filesystem::file_size(path, absent);
    size_ = absent ? 0 : std::min(size_, there);
    if (!absent) std::filesystem::resize_file(path, size_);
    lines_.open(path, std::ios::app);
    if (!lines_) throw broch::Error("cannot write " + path);
  }
  void process_scalar(const std::string& name, double value) override {
    if (!lines_.is_open()) return;
    const std::string line = std::to_string(run_.progress().global_step) + "," + name + "," +
                             broch::number_text(value) + "\n";
    lines_ << line;
    size_ += line.size();
  }
  void trigger_epoch() override { lines_.flush(); }

  static constexpr uint32_t kStateVersion = 1;
  std::string save_state() override {
    lines_.flush();
    return std::to_string(size_);
  }
  void load_state(uint32_t, const std::string& bytes) override {
    size_ = std::strtoull(bytes.c_str(), nullptr, 10);
  }

 private:
  broch::Run run_;
  broch::LogDir log_dir_;
  std::string file_;
  std::ofstream lines_;
  std::uintmax_t size_ = 0;  // of the file
};

}  // namespace

BROCH_MONITOR(@CLASS@, "@ID@", "0.1.0", "Writes every number to a file of lines.",
              Options::schema, broch::roles("monitor", "callback"))
