// min_saver.cpp: keeps the checkpoint with the best value of a metric under its own name.
// tensorpack: `MinSaver`, `MaxSaver`.
//
// A value counts as the best only once its checkpoint has been copied, and a resumed run continues
// with it.
#include <broch/broch.hpp>
#include <cmath>
#include <cstring>

namespace {

template <bool kMax>
struct Options {
  std::string monitor_stat;
  std::optional<std::string> filename, checkpoint_dir;

  static constexpr auto schema = broch::options(
      broch::option("monitor_stat", &Options::monitor_stat, "The metric to watch.").min_length(1),
      broch::option("filename", &Options::filename,
                    kMax ? "Name of the copy; null: max-{monitor_stat}."
                         : "Name of the copy; null: min-{monitor_stat}.")
          .pattern("^[^/]+$"),
      broch::option("checkpoint_dir", &Options::checkpoint_dir,
                    "Folder for checkpoints; null: the log folder.")
          .is_path());
};

template <bool kMax>
class BestSaver final : public broch::Callback, public broch::Stateful {
 public:
  static constexpr uint32_t kStateVersion = 1;

  BestSaver(const broch::Host& host, const Options<kMax>& options)
      : host_(host),
        metrics_(host),
        checkpoints_(host, options.checkpoint_dir),
        stat_(options.monitor_stat),
        filename_(options.filename.value_or((kMax ? "max-" : "min-") + file_part(stat_))) {}

  void trigger() override {
    const auto latest = metrics_.latest(stat_);
    if (!latest || std::isnan(latest->value)) return;  // otherwise no later value would be better
    if (has_best_ && !(kMax ? latest->value > best_ : latest->value < best_)) return;
    try {
      keep(*latest);
    } catch (const broch::Error& error) {
      if (error.status() != BROCH_E_DATA_LOSS) throw;
      host_.error("the best " + stat_ + " so far, " + std::to_string(latest->value) +
                  ", is not kept: " + error.what());
    }
  }

  std::string save_state() override {
    if (!has_best_) return "";
    std::string bytes(sizeof best_, '\0');
    std::memcpy(bytes.data(), &best_, sizeof best_);
    return bytes;
  }
  void load_state(uint32_t, const std::string& bytes) override {
    if (bytes.empty()) return;
    if (bytes.size() != sizeof best_)
      throw broch::Error(BROCH_E_DATA_LOSS, "the saved state has " + std::to_string(bytes.size()) +
                                                " bytes, expected 8");
    std::memcpy(&best_, bytes.data(), sizeof best_);
    has_best_ = true;
  }

 private:
  // Copies the newest checkpoint if it is of the step of this value.
  void keep(const broch_metric_point& latest) {
    const auto checkpoint = checkpoints_.latest();
    if (!checkpoint)
      throw broch::Error(BROCH_E_FAILED_PRECONDITION,
                         "there is no checkpoint to copy; put a model-saver with the same schedule "
                         "before this callback");
    if (checkpoint->global_step != latest.global_step) {
      host_.warning("the best " + stat_ + " is of step " + std::to_string(latest.global_step) +
                    " but the newest checkpoint of step " +
                    std::to_string(checkpoint->global_step) + ": not copied");
      host_.warning("put this callback after the model-saver and after what produces " + stat_ +
                    ", with the same schedule");
      return;
    }
    if (!checkpoints_.copy(checkpoint->path, filename_)) return;
    best_ = latest.value;
    has_best_ = true;
    host_.info("Model at global_step=" + std::to_string(checkpoint->global_step) + " with " +
               (kMax ? "maximum " : "minimum ") + stat_ + "=" + std::to_string(best_) +
               " saved as " + filename_ + ".");
  }

  // A metric name as part of a file name.
  static std::string file_part(std::string name) {
    for (char& c : name)
      if (c == '/') c = '-';
    return name;
  }

  broch::Host host_;
  broch::Metrics metrics_;
  broch::Checkpoints checkpoints_;
  std::string stat_, filename_;
  double best_ = 0;
  bool has_best_ = false;
};

template <bool kMax>
constexpr auto best_saver(const char* id, const char* summary) {
  return broch::component<BestSaver<kMax>>(id, "callback", "1.0.0", summary, Options<kMax>::schema,
                                           broch::produces(), broch::consumes("{monitor_stat}"),
                                           broch::requires_ext(BROCH_EXT_CHECKPOINT));
}

}  // namespace

BROCH_COMPONENTS(best_saver<false>("broch.callback.min-saver",
                                   "Keeps the checkpoint with the smallest value of a metric."),
                 best_saver<true>("broch.callback.max-saver",
                                  "Keeps the checkpoint with the largest value of a metric."))
