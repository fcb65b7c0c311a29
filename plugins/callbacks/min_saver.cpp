// min_saver.cpp: keeps the checkpoint with the best value of a metric under its own name, and if
// more than one is wanted, each of the best ones as {name}-{step}. tensorpack: `MinSaver`,
// `MaxSaver`.
//
// A value counts only once its checkpoint has been copied, and a resumed run continues with it.
// What is done twice, because a run was killed and resumed, leaves the same files.
#include <algorithm>
#include <broch/broch.hpp>
#include <cmath>
#include <cstring>
#include <filesystem>

#include "../options/saved_state.hpp"
#include "checkpoint_name.hpp"
#include "number_shown.hpp"

namespace {

template <bool kMax>
struct Options {
  std::string monitor_stat;
  uint32_t max_to_keep;
  std::optional<std::string> filename, checkpoint_dir;

  static constexpr auto schema = broch::options(
      broch::option("monitor_stat", &Options::monitor_stat, "The metric to watch.").min_length(1),
      broch::option("max_to_keep", &Options::max_to_keep,
                    "Number of best checkpoints to keep; with 2 or more, each of them is also "
                    "there as {filename}-STEP.")
          .minimum(1)
          .maximum(1000)
          .by_default(1),
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
  static constexpr uint32_t kStateVersion = 2;

  BestSaver(const broch::Host& host, const Options<kMax>& options)
      : host_(host),
        metrics_(host),
        checkpoints_(host, options.checkpoint_dir),
        stat_(options.monitor_stat),
        max_to_keep_(options.max_to_keep),
        filename_(options.filename.value_or((kMax ? "max-" : "min-") + file_part(stat_))) {
    broch::callbacks::refuse_checkpoint_name("/filename", filename_, filename_);
    if (max_to_keep_ > 1)
      broch::callbacks::refuse_checkpoint_name("/filename", filename_, name_of(0));
  }

  // A branch has a folder of its own.
  void before_train() override {
    if (kept_.empty()) return;
    const auto checkpoint = checkpoints_.latest();
    if (!checkpoint) return;
    const std::filesystem::path file = file_of(folder_of(checkpoint->path), filename_);
    std::error_code unknown;
    if (!std::filesystem::exists(file, unknown) && !unknown)
      host_.warning("there is no " + file.string() + ", since the best " + stat_ + " so far, " +
                    broch::callbacks::number_shown(kept_[0].value) +
                    ", was kept in another folder or under another name: only a better one is kept "
                    "here");
  }
  void trigger() override {
    const auto latest = metrics_.latest(stat_);
    if (!latest || std::isnan(latest->value)) return;  // otherwise no later value would be better
    const size_t place = place_of(*latest);
    if (place == max_to_keep_) return;
    try {
      keep(*latest, place);
    } catch (const broch::Error& error) {
      if (error.status() != BROCH_E_DATA_LOSS) throw;
      host_.error(named(place) + stat_ + " so far, " +
                  broch::callbacks::number_shown(latest->value) + ", is not kept: " + error.what());
    }
  }

  std::string save_state() override {
    return std::string(reinterpret_cast<const char*>(kept_.data()), kept_.size() * sizeof(Kept));
  }
  // Version 1: nothing, or the best value.
  void load_state(uint32_t version, const std::string& bytes) override {
    const size_t size = version == 1 ? sizeof(double) : sizeof(Kept);
    if (bytes.size() % size != 0 || (version == 1 && bytes.size() > size))
      broch::saved::refuse(std::to_string(bytes.size()) + " bytes",
                           std::to_string(size) + " for each checkpoint that is kept");
    kept_.resize(bytes.size() / size);
    for (size_t i = 0; i < kept_.size(); ++i) std::memcpy(&kept_[i], bytes.data() + i * size, size);
  }

 private:
  struct Kept {  // saved as these 16 bytes
    double value = 0;
    int64_t step = -1;  // -1: unknown
  };

  // How many of those that are kept are not worse; max_to_keep_ if it is not to be kept, or is.
  size_t place_of(const broch_metric_point& point) const {
    size_t place = 0;
    for (const Kept& one : kept_) {
      if (one.step == point.global_step) return max_to_keep_;
      if (kMax ? one.value >= point.value : one.value <= point.value) ++place;
    }
    return std::min(place, max_to_keep_);
  }
  static std::string named(size_t place) {
    return place == 0 ? "the best " : "number " + std::to_string(place + 1) + " of the best ";
  }
  std::string name_of(int64_t step) const { return filename_ + "-" + std::to_string(step); }

  // Copies the newest checkpoint if it is of the step of this value.
  void keep(const broch_metric_point& latest, size_t place) {
    const auto checkpoint = checkpoints_.latest();
    if (!checkpoint)
      throw broch::Error(BROCH_E_FAILED_PRECONDITION,
                         "there is no checkpoint to copy; put a model-saver with the same schedule "
                         "and checkpoint_dir before this callback");
    if (checkpoint->global_step != latest.global_step) {
      host_.warning(named(place) + stat_ + " is of step " + std::to_string(latest.global_step) +
                    " but the newest checkpoint of step " +
                    std::to_string(checkpoint->global_step) + ": not copied");
      host_.warning("put this callback after the model-saver and after what produces " + stat_ +
                    ", with the same schedule");
      return;
    }
    const std::string name = name_of(latest.global_step);
    if (max_to_keep_ > 1 && !checkpoints_.copy(checkpoint->path, name)) return;
    if (place == 0 && !checkpoints_.copy(checkpoint->path, filename_)) return;
    kept_.insert(kept_.begin() + std::ptrdiff_t(place), {latest.value, latest.global_step});
    const std::string extreme = kMax ? "maximum " : "minimum ";
    host_.info("Model at global_step=" + std::to_string(checkpoint->global_step) + " with " +
               (place == 0 ? extreme : named(place)) + stat_ + "=" +
               broch::callbacks::number_shown(latest.value) + " saved as " +
               (place == 0 ? filename_ : name) + ".");
    const std::filesystem::path folder = folder_of(checkpoint->path);
    for (; kept_.size() > max_to_keep_; kept_.pop_back()) remove(folder, kept_.back().step);
  }
  static std::filesystem::path folder_of(const std::filesystem::path& checkpoint) {
    return checkpoint.parent_path();
  }
  static std::filesystem::path file_of(const std::filesystem::path& folder,
                                       const std::string& name) {
    return folder / (name + ".safetensors");
  }
  // A copy that is called model has no copies with steps: files of such names are checkpoints.
  void remove(const std::filesystem::path& folder, int64_t step) const {
    if (broch::callbacks::is_checkpoint_name(name_of(step))) return;
    const std::filesystem::path file = file_of(folder, name_of(step));
    std::error_code error;
    std::filesystem::remove(file, error);
    if (error) host_.warning(file.string() + " cannot be deleted: " + error.message());
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
  std::string stat_;
  size_t max_to_keep_;
  std::string filename_;
  std::vector<Kept> kept_;  // the best first
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
