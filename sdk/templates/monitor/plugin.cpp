// @FILE@.cpp: a monitor that writes each number to a file, as a line "global_step,name,value".
#include <broch/broch.hpp>
#include <fstream>

namespace {

class @CLASS@ final : public broch::Monitor, public broch::Callback {
 public:
  explicit @CLASS@(const broch::Host& host)
      : run_(host), log_dir_(host), file_(broch::Config(host).string("/file")) {}

  // A resumed run appends to the file.
  void before_train() override {
    const auto folder = log_dir_.path();
    if (!folder) return;  // only the chief has a log folder
    lines_.open(*folder + "/" + file_, std::ios::app);
    if (!lines_) throw broch::Error("cannot write " + *folder + "/" + file_);
  }
  void process_scalar(const std::string& name, double value) override {
    if (lines_.is_open()) lines_ << run_.progress().global_step << ',' << name << ',' << value << '\n';
  }
  void trigger_epoch() override { lines_.flush(); }

 private:
  broch::Run run_;
  broch::LogDir log_dir_;
  std::string file_;
  std::ofstream lines_;
};

}  // namespace

BROCH_MONITOR(@CLASS@, "@ID@", "0.1.0", "Writes every number to a file of lines.", R"({
  "type": "object",
  "properties": {
    "file": {"type": "string", "minLength": 1, "default": "scalars.csv", "description": "In the log folder."}
  },
  "additionalProperties": false
})")
