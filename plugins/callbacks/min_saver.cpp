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
class BestSaver final : public broch::Callback, public broch::Stateful {
 public:
  static constexpr uint32_t kStateVersion = 1;

  explicit BestSaver(const broch::Host& host)
      : host_(host),
        metrics_(host),
        checkpoints_(host.require<broch_checkpoint>(BROCH_EXT_CHECKPOINT)) {
    const broch::Config config(host);
    stat_ = config.string("/monitor_stat");
    filename_ = config.has("/filename") ? config.string("/filename")
                                        : (kMax ? "max-" : "min-") + file_part(stat_);
    if (config.has("/checkpoint_dir")) directory_ = config.string("/checkpoint_dir");
  }

  void trigger() override {
    const auto latest = metrics_.latest(stat_);
    if (!latest || std::isnan(latest->value)) return;  // otherwise no later value would be better
    if (has_best_ && !(kMax ? latest->value > best_ : latest->value < best_)) return;
    const char* path = "";
    int64_t step = 0;
    const char* directory = directory_.empty() ? nullptr : directory_.c_str();
    const broch_status found = checkpoints_->latest(host_.c(), directory, &path, &step);
    if (found == BROCH_E_DATA_LOSS)
      return host_.error("the best " + stat_ + " so far, " + std::to_string(latest->value) +
                         ", is not kept: " + host_.c()->last_error(host_.c()));
    if (host_.check(found) == BROCH_NONE)
      throw broch::Error(BROCH_E_FAILED_PRECONDITION,
                         "there is no checkpoint to copy; put a model-saver with the same schedule "
                         "before this callback");
    if (step != latest->global_step) {
      host_.warning("the best " + stat_ + " is of step " + std::to_string(latest->global_step) +
                    " but the newest checkpoint of step " + std::to_string(step) + ": not copied");
      host_.warning("put this callback after the model-saver and after what produces " + stat_ +
                    ", with the same schedule");
      return;
    }
    const broch_status copied = checkpoints_->copy(host_.c(), path, filename_.c_str());
    if (copied == BROCH_E_DATA_LOSS) return;  // the host has logged it and tries again at the end
    host_.check(copied);
    best_ = latest->value;
    has_best_ = true;
    host_.info("Model at global_step=" + std::to_string(step) + " with " +
               (kMax ? "maximum " : "minimum ") + stat_ + "=" + std::to_string(best_) +
               " saved as " + filename_ + ".");
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
  // A metric name as part of a file name.
  static std::string file_part(std::string name) {
    for (char& c : name)
      if (c == '/') c = '-';
    return name;
  }

  broch::Host host_;
  broch::Metrics metrics_;
  const broch_checkpoint* checkpoints_;
  std::string stat_, filename_, directory_;
  double best_ = 0;
  bool has_best_ = false;
};

constexpr broch_component kComponents[] = {
    broch::component<BestSaver<false>>("broch.callback.min-saver", "callback"),
    broch::component<BestSaver<true>>("broch.callback.max-saver", "callback")};

}  // namespace

#define BEST_SAVER(word, best)                                                                    \
  R"({"id": "broch.callback.)" word R"(-saver", "role": "callback", "version": "1.0.0",)"         \
  R"("summary": "Keeps the checkpoint with the )" best R"( value of a metric.",)"                 \
  R"("produces": [], "consumes": ["{monitor_stat}"], "requires_ext": ["broch.checkpoint/1"],)"    \
  R"("options": {"type": "object", "properties": {)"                                              \
  R"("monitor_stat": {"type": "string", "minLength": 1, "description": "The metric to watch."},)" \
  R"("filename": {"type": ["string", "null"], "default": null, "pattern": "^[^/]+$",)"            \
  R"( "description": "Name of the copy; null: )" word R"(-{monitor_stat}."},)"                    \
  R"("checkpoint_dir": {"type": ["string", "null"], "default": null, "x-broch-path": true,)"      \
  R"( "description": "Folder for checkpoints; null: the log folder."}},)"                         \
  R"("required": ["monitor_stat"], "additionalProperties": false}})"

BROCH_PLUGIN(kComponents,
             R"({"components": [)" BEST_SAVER("min", "smallest") ", " BEST_SAVER("max",
                                                                                 "largest") "]}")
