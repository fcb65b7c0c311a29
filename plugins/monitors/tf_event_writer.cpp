// tf_event_writer.cpp: scalars, histograms and images as a TensorBoard event file. tensorpack:
// `TFEventWriter`.
//
// A resumed run continues the file of the checkpoint at the size that it had then, and removes
// later steps from the files that were begun after it, so that no step appears twice.
#include <broch/broch.hpp>
#include <chrono>
#include <filesystem>
#include <memory>

#include "base/error.hpp"
#include "store/event_file.hpp"
#include "store/png.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using broch::store::Event;
using broch::store::EventFile;
using broch::store::EventImage;
using broch::store::EventValue;

struct Options {
  std::optional<std::string> logdir;
  size_t max_queue;
  double flush_secs;
  bool split_files;

  static constexpr auto schema = broch::options(
      broch::option("logdir", &Options::logdir, "Folder for the file; null: the log folder.")
          .is_path(),
      broch::option("max_queue", &Options::max_queue,
                    "Maximal number of events that wait to be written.")
          .minimum(0)
          .by_default(10),
      broch::option("flush_secs", &Options::flush_secs, "Maximal time between writes.")
          .minimum(0)
          .by_default(120)
          .unit("seconds"),
      broch::option("split_files", &Options::split_files, "Start a new file on each trigger.")
          .by_default(false));
};

class TfEventWriter final : public broch::Monitor, public broch::Callback, public broch::Stateful {
 public:
  static constexpr uint32_t kStateVersion = 1;

  TfEventWriter(const broch::Host& host, const Options& options)
      : host_(host),
        run_(host),
        max_queue_(options.max_queue),
        flush_seconds_(options.flush_secs),
        split_files_(options.split_files) {
    if (options.logdir)
      folder_ = *options.logdir;
    else if (const auto log_dir = broch::LogDir(host).path())
      folder_ = *log_dir;
  }

  void before_train() override {
    if (folder_.empty()) return;
    if (restored_file_.empty() || begins_branch()) {
      file_ = std::make_unique<EventFile>(folder_);
    } else {
      file_ = std::make_unique<EventFile>(folder_ / restored_file_, restored_size_);
      cut_later_files();
    }
    flushed_ = Clock::now();
  }
  void process_summary(const broch_summary_value* values, uint32_t n) override {
    if (!file_) return;
    Event event;
    event.step = run_.progress().global_step;
    for (uint32_t i = 0; i < n; ++i) add(event, values[i]);
    file_->add(std::move(event));
    if (file_->pending() > max_queue_ ||
        std::chrono::duration<double>(Clock::now() - flushed_).count() > flush_seconds_)
      flush();
  }
  void process_event(const std::string& kind, const std::string& data) override {
    if (!file_) return;
    Event event;
    event.step = run_.progress().global_step;
    event.message = kind + ": " + data;
    file_->add(std::move(event));
  }
  void trigger() override {
    if (!file_) return;
    flush();
    if (split_files_) attempt([this] { file_ = std::make_unique<EventFile>(folder_); });
  }
  void after_train() override {
    if (file_) flush();
    file_.reset();
    if (lost_) host_.error(std::to_string(lost_) + " events of this run could not be written");
  }

  std::string save_state() override {
    if (!file_) return "";
    flush();
    return std::to_string(file_->size()) + " " + file_->path().filename().string();
  }
  void load_state(uint32_t, const std::string& bytes) override {
    if (bytes.empty()) return;
    const size_t space = bytes.find(' ');
    if (space == std::string::npos || bytes.find('/') != std::string::npos)
      throw broch::Error(BROCH_E_DATA_LOSS, "the saved state is no state of tf-event-writer");
    restored_size_ = std::stoull(bytes.substr(0, space));
    restored_file_ = bytes.substr(space + 1);
  }

 private:
  // Whether the run that saved the state wrote its events to another folder.
  bool begins_branch() const {
    return broch::store::event_files(folder_).empty() &&
           !std::filesystem::exists(folder_ / restored_file_);
  }
  void add(Event& event, const broch_summary_value& value) {
    switch (value.kind) {
      case BROCH_SUMMARY_SCALAR:
        event.summary.push_back({value.tag, float(value.scalar)});
        return;
      case BROCH_SUMMARY_HISTOGRAM:
        event.summary.push_back({value.tag, histogram(value)});
        return;
      case BROCH_SUMMARY_IMAGE:
        event.summary.push_back({value.tag, image(*value.tensor)});
        return;
      default:
        return;  // a kind that a later host has added
    }
  }

  static broch::store::Histogram histogram(const broch_summary_value& value) {
    try {
      return broch::store::histogram_of(numbers(*value.tensor), value.tag);
    } catch (const broch::base::Error& error) {
      throw broch::Error(BROCH_E_NUMBERS, error.what());
    }
  }

  static std::vector<float> numbers(const broch_dl_tensor& tensor) {
    const auto values = broch::view_as<const double>(tensor);
    return std::vector<float>(values.begin(), values.end());
  }
  static EventImage image(const broch_dl_tensor& tensor) {
    const auto pixels = broch::view_as<const uint8_t>(tensor);
    const int32_t height = int32_t(tensor.shape[0]), width = int32_t(tensor.shape[1]),
                  channels = int32_t(tensor.shape[2]);
    return {height, width, channels,
            broch::store::encode_png({pixels.data(), pixels.size()}, height, width, channels)};
  }

  void flush() {
    flushed_ = Clock::now();
    const size_t pending = file_->pending();
    if (!attempt([this] { file_->flush(); })) lost_ += pending;
  }
  void cut_later_files() {
    attempt([this] {
      const int64_t step = run_.progress().global_step;
      for (const std::filesystem::path& file : broch::store::event_files(folder_, restored_file_))
        if (file.filename() != restored_file_) broch::store::truncate_events(file, step);
    });
  }
  // After an I/O error the run continues; only the events are lost.
  template <class Action>
  bool attempt(Action&& action) {
    try {
      action();
      return true;
    } catch (const std::exception& error) {
      host_.error(error.what());
      return false;
    }
  }

  broch::Host host_;
  broch::Run run_;
  std::filesystem::path folder_;
  size_t max_queue_;
  double flush_seconds_;
  bool split_files_;
  std::unique_ptr<EventFile> file_;
  std::string restored_file_;
  uint64_t restored_size_ = 0;
  Clock::time_point flushed_{};
  size_t lost_ = 0;  // events
};

}  // namespace

BROCH_MONITOR(TfEventWriter, "broch.monitor.tf-event-writer", "1.0.0",
              "Writes scalars, histograms and images into a TensorBoard event file.",
              Options::schema)
