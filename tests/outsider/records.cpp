// records.cpp: a monitor that keeps the smallest value of each number in a file of the log folder.
#include <broch/broch.hpp>
#include <map>

class Records final : public broch::Monitor, public broch::Callback, public broch::Stateful {
 public:
  static constexpr uint32_t kStateVersion = 1;

  explicit Records(const broch::Host& host) : log_dir_(host) {}

  void process_scalar(const std::string& name, double value) override {
    const auto [found, is_new] = smallest_.try_emplace(name, value);
    if (value < found->second) found->second = value;
  }
  void trigger_epoch() override { log_dir_.write_file("records.txt", save_state()); }

  // One line a name, so that the file and the state are the same text.
  std::string save_state() override {
    std::string text;
    for (const auto& [name, value] : smallest_)
      text += name + ' ' + broch::number_text(value) + '\n';
    return text;
  }
  void load_state(uint32_t, const std::string& text) override {
    smallest_.clear();
    for (size_t at = 0, end; (end = text.find('\n', at)) != text.npos; at = end + 1) {
      const size_t space = text.rfind(' ', end);
      smallest_[text.substr(at, space - at)] = std::stod(text.substr(space + 1, end - space - 1));
    }
  }

 private:
  broch::LogDir log_dir_;
  std::map<std::string, double> smallest_;
};

BROCH_MONITOR(Records, "net.outsider.records", "1.0.0", "Keeps the smallest value of each number.",
              R"({"type": "object", "additionalProperties": false})")
