// tf_event_writer.cpp: all summaries, and hyper-parameters, as a TensorBoard event file.
// tensorpack: `TFEventWriter`.
//
// A resumed run continues the file of the checkpoint at the size that it had then, and removes
// later steps from the files that were begun after it, so that no step appears twice. The folder of
// the option logdir may hold files of other runs, too. A list in the log folder tells which ones
// are of this run; a branch has a log folder of its own, and so begins a file.
#include <broch/broch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <sstream>

#include "../options/saved_state.hpp"
#include "base/clock.hpp"
#include "event_values.hpp"
#include "graph_nodes.hpp"
#include "hparams.hpp"
#include "store/event_file.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using broch::monitors::Picture;
using broch::store::Event;
using broch::store::EventFile;

constexpr const char* kList = "event_files.txt";  // in the log folder, a path from there a line
std::mutex list_mutex;                            // each writer of a run has a thread

struct Options {
  std::optional<std::string> logdir;
  size_t max_queue;
  double flush_secs;
  bool split_files;
  std::optional<size_t> image_columns;
  std::vector<std::string> hparams;
  bool graph;

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
          .by_default(false),
      broch::option("image_columns", &Options::image_columns,
                    "Several pictures of one name become one, in rows of so many; null: each is "
                    "written by itself, as NAME/0, NAME/1 and so on.")
          .minimum(1),
      broch::option("hparams", &Options::hparams,
                    "Places in the manifest whose values TensorBoard shows in its table of runs, "
                    "written as in overrides: optimizer.with.learning_rate.")
          .by_default(),
      broch::option("graph", &Options::graph,
                    "Write the model in inference as a graph. Its tower function is then called a "
                    "few times more before the training.")
          .by_default(false));
};

class TfEventWriter final : public broch::Monitor, public broch::Callback, public broch::Stateful {
 public:
  static constexpr uint32_t kStateVersion = 1;
  static constexpr bool kQueued = true;  // pictures become PNG, and the disk may be slow

  TfEventWriter(const broch::Host& host, Options options)
      : host_(host),
        run_(host),
        log_dir_(host),
        options_(std::move(options)),
        hparams_(log_dir_, options_.hparams) {
    // Other ranks, and commands that only try something out, have no log folder and write nothing.
    if (const auto log_dir = log_dir_.path()) folder_ = options_.logdir.value_or(*log_dir);
  }

  void before_train() override {
    open();
    flushed_ = Clock::now();
  }
  void process_summary(const broch_summary_value* values, uint32_t n) override {
    if (!takes_events()) return;
    Event event;
    event.step = run_.progress().global_step;
    for (uint32_t i = 0; i < n;) i += add(event, values + i, n - i);
    take(std::move(event));
    if (!file_) return;
    if (file_->pending() > options_.max_queue ||
        std::chrono::duration<double>(Clock::now() - flushed_).count() > options_.flush_secs)
      flush();
  }
  void process_event(const std::string& kind, const std::string& data) override {
    if (!takes_events()) return;
    Event event;
    event.step = run_.progress().global_step;
    event.message = kind + ": " + data;
    take(std::move(event));
    if (file_ && kind == BROCH_EVENT_TRAINING_ENDED) put(hparams_.end(data));
  }
  void trigger() override {
    if (!file_) return;
    flush();
    if (options_.split_files) attempt([this] { begin_file(); });
  }
  void after_train() override {
    if (file_) flush();
    file_.reset();
    has_ended_ = true;
    if (lost_) host_.error(std::to_string(lost_) + " events of this run could not be written");
  }

  // A checkpoint that is saved before the training has what was reported by then.
  std::string save_state() override {
    if (!early_.empty()) attempt([this] { open(); });
    if (!file_) return restored_file_.empty() ? "" : place(restored_size_, restored_file_);
    flush();
    attempt([this] { file_->sync(); });  // a power failure must not make it shorter
    return place(file_->size(), file_->path().filename().string());
  }
  void load_state(uint32_t, const std::string& bytes) override {
    early_.clear();
    if (bytes.empty()) return;
    const size_t space = bytes.find(' ');
    const auto size = broch::saved::number_of<uint64_t>(bytes.substr(0, space));
    if (space == std::string::npos || bytes.find('/') != std::string::npos || !size)
      broch::saved::refuse(broch::saved::quoted(bytes), "the size and the name of an event file");
    restored_size_ = *size;
    restored_file_ = bytes.substr(space + 1);
  }

 private:
  static std::string place(uint64_t size, const std::string& file) {
    return std::to_string(size) + " " + file;
  }
  // Begins the file, or continues that of the checkpoint.
  void open() {
    if (file_ || has_ended_ || folder_.empty()) return;
    std::filesystem::create_directories(folder_);
    if (restored_file_.empty() || begins_anew()) {
      begin_file();
      put(hparams_.begin());
      if (options_.graph) put_graph();
    } else {
      file_ = std::make_unique<EventFile>(folder_ / restored_file_, restored_size_);
      cut_later_files();
    }
    for (Event& event : early_) file_->add(std::move(event));
    early_.clear();
  }
  // Callbacks stand before monitors, so what they report before the training comes before the file.
  // Callbacks that go on in a resumed run have reported it already.
  bool takes_events() const {
    return file_ || !(has_ended_ || folder_.empty() || run_.progress().resumed);
  }
  void take(Event event) {
    if (file_) return file_->add(std::move(event));
    event.wall_time = broch::base::system_clock().wall();
    early_.push_back(std::move(event));
  }
  void begin_file() {
    file_ = std::make_unique<EventFile>(folder_);
    if (!options_.logdir) return;
    const std::lock_guard lock(list_mutex);
    log_dir_.write_file(kList, list() + entry_of(file_->path()) + "\n");
  }
  // A run finds its files if both folders were moved together, and by links.
  std::string entry_of(const std::filesystem::path& file) const {
    return std::filesystem::relative(file, *log_dir_.path()).string();
  }
  std::string list() const {
    std::ostringstream text;
    text << std::ifstream(*log_dir_.path() + "/" + kList).rdbuf();
    return text.str();
  }
  bool is_own(const std::filesystem::path& file) const {
    if (!options_.logdir) return true;
    return ("\n" + list()).find("\n" + entry_of(file) + "\n") != std::string::npos;
  }
  // Whether another run saved the state, this one wrote its events to another folder, or the file
  // is gone, which it tells.
  bool begins_anew() const {
    const std::filesystem::path file = folder_ / restored_file_;
    if (!is_own(file)) return true;
    if (std::filesystem::exists(file)) return false;
    const std::string words = file.string() +
                              ", which has the events up to the checkpoint, is not there: a new "
                              "file is begun";
    if (broch::store::event_files(folder_).empty())
      host_.info(words);  // of a branch, for example
    else
      host_.warning(words + ", and files that are there stay as they are");
    return true;
  }
  // Adds the first of the values, or several that are pictures of one name. Returns how many.
  uint32_t add(Event& event, const broch_summary_value* values, uint32_t n) const {
    if (values[0].kind != BROCH_SUMMARY_IMAGE) {
      if (auto value = broch::monitors::event_value_of(values[0]))
        event.summary.push_back(std::move(*value));
      return 1;
    }
    const std::string tag = values[0].tag;
    std::vector<Picture> pictures = {Picture(*values[0].tensor)};
    if (!options_.image_columns || !tag.ends_with("/0")) {
      event.summary.push_back({tag, broch::monitors::image_of(pictures[0])});
      return 1;
    }
    const std::string name = tag.substr(0, tag.size() - 2);
    for (uint32_t i = 1; i < n && values[i].kind == BROCH_SUMMARY_IMAGE &&
                         values[i].tag == name + "/" + std::to_string(i) &&
                         pictures[0].fits(Picture(*values[i].tensor));
         ++i)
      pictures.emplace_back(*values[i].tensor);
    event.summary.push_back({name, broch::monitors::grid_of(pictures, *options_.image_columns)});
    return uint32_t(pictures.size());
  }

  void put(std::optional<broch::store::EventValue> value) {
    if (!value) return;
    Event event;
    event.step = run_.progress().global_step;
    event.summary.push_back(std::move(*value));
    file_->add(std::move(event));
  }

  // A model that cannot be written as a graph is trained all the same.
  void put_graph() {
    try {
      const broch::monitors::GraphNodes graph(broch::ModelGraph(host_).of_model());
      Event event;
      event.graph = broch::store::encode_graph(graph.nodes());
      file_->add(std::move(event));
    } catch (const broch::Error& error) {
      host_.warning("no graph of the model is written: " + std::string(error.what()));
    }
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
        if (file.filename() != restored_file_ && is_own(file))
          broch::store::truncate_events(file, step);
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
  broch::LogDir log_dir_;
  Options options_;
  broch::monitors::HParams hparams_;
  std::filesystem::path folder_;
  std::unique_ptr<EventFile> file_;
  std::vector<Event> early_;  // before there was a file
  bool has_ended_ = false;
  std::string restored_file_;
  uint64_t restored_size_ = 0;
  Clock::time_point flushed_{};
  size_t lost_ = 0;  // events
};

}  // namespace

BROCH_MONITOR(
    TfEventWriter, "broch.monitor.tf-event-writer", "1.0.0",
    "Writes scalars, histograms, images, texts, sounds, curves and the graph of the model "
    "into a TensorBoard event file.",
    Options::schema)
