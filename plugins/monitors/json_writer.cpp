// json_writer.cpp: all scalars of a run as a list of records in stats.json. tensorpack:
// `JSONWriter`.
//
// A record contains the scalars since the previous record, epoch_num and global_step. Records end
// in before_train, after each step except the last of an epoch, and in trigger_epoch. The file is
// always replaced as a whole. To keep many small records cheap, this happens at most once a second
// between epochs, and always before a checkpoint is written, because its state says how many
// records belong to it.
#include <broch/broch.hpp>
#include <chrono>
#include <nlohmann/json.hpp>

namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kWriteInterval{1};

struct Options {
  std::string filename;

  static constexpr auto schema = broch::options(
      broch::option("filename", &Options::filename, "Name of the file in the log folder.")
          .pattern("^[^/]+$")
          .by_default("stats.json"));
};

class JsonWriter final : public broch::Monitor, public broch::Callback, public broch::Stateful {
 public:
  static constexpr uint32_t kStateVersion = 1;

  JsonWriter(const broch::Host& host, const Options& options)
      : host_(host),
        run_(host),
        log_dir_(host),
        filename_(options.filename),
        enabled_(log_dir_.path().has_value()) {}

  void process_scalar(const std::string& name, double value) override {
    if (enabled_) now_[name] = value;
  }

  void before_train() override {
    if (!enabled_) return;
    read_existing();
    started_ = true;
    // Scalars that a resumed run has restored belong to the record that its epoch still has to
    // finish.
    if (!run_.progress().resumed) cut();
    write();
  }
  void trigger_step() override {
    if (!enabled_ || run_.is_last_step() || now_.empty()) return;
    cut();
    if (Clock::now() - written_ >= kWriteInterval) write();
  }
  void trigger_epoch() override {
    if (!enabled_) return;
    cut();
    write();
  }
  // If the start fails before the existing file is read, the file must not be replaced.
  void after_train() override {
    if (started_) trigger_epoch();
  }

  std::string save_state() override {
    if (enabled_) write();
    Json state;
    // Until the existing file is read, the number of records is the one that was loaded.
    state["records"] = restored_records_ && !started_ ? *restored_records_ : records_.size();
    state["pending"] = now_;
    return state.dump();
  }
  void load_state(uint32_t, const std::string& bytes) override {
    const Json state = Json::parse(bytes, nullptr, false);
    if (!state.is_object() || !state.contains("records") || !state.contains("pending"))
      throw broch::Error(BROCH_E_DATA_LOSS, "the saved state is no state of json-writer");
    restored_records_ = state["records"].get<size_t>();
    now_ = state["pending"];
  }

 private:
  // When a run is resumed, the records of the checkpoint are kept and later ones are dropped.
  // Otherwise an existing file is continued if it ends in the epoch before this start; else it is
  // kept under another name.
  void read_existing() {
    const auto text = log_dir_.read_file(filename_);
    if (!text) return;
    const Json list = Json::parse(*text, nullptr, false);
    if (!list.is_array())
      throw broch::Error(BROCH_E_DATA_LOSS,
                         filename_ + " is no JSON list of records; move it away");
    if (!restored_records_ && !continues(list)) return move_away(*text);
    const size_t kept = std::min(restored_records_.value_or(list.size()), list.size());
    for (size_t i = 0; i < kept; ++i) records_.push_back(list[i].dump());
    host_.info("found existing " + filename_ + " with " + std::to_string(list.size()) +
               " records, appending to its first " + std::to_string(kept) + ".");
  }

  bool continues(const Json& list) const {
    if (list.empty() || !list.back().is_object()) return true;
    const auto epoch = list.back().find("epoch_num");
    return epoch == list.back().end() || !epoch->is_number_integer() ||
           epoch->get<int64_t>() + 1 == run_.progress().starting_epoch;
  }

  void move_away(const std::string& text) {
    const std::time_t time = std::time(nullptr);
    char stamp[32];
    std::tm parts{};
    localtime_r(&time, &parts);
    std::strftime(stamp, sizeof stamp, "%m%d-%H%M%S", &parts);
    const std::string name = filename_ + "." + stamp;
    log_dir_.write_file(name, text);
    host_.warning("the existing " + filename_ + " does not end in the epoch before epoch " +
                  std::to_string(run_.progress().starting_epoch) + ".");
    host_.warning("it is kept as " + name + ".");
    host_.warning("if this start was meant to continue it, use --resume.");
  }

  void cut() {
    if (now_.empty()) return;
    now_["epoch_num"] = run_.progress().epoch_num;
    now_["global_step"] = run_.progress().global_step;
    records_.push_back(now_.dump());
    now_ = Json::object();
  }

  // After an I/O error the run continues; only this write is lost.
  void write() {
    written_ = Clock::now();
    if (records_.size() == written_records_) return;
    std::string text = "[";
    for (size_t i = 0; i < records_.size(); ++i) text += (i ? ",\n" : "\n") + records_[i];
    text += "\n]\n";
    try {
      log_dir_.write_file(filename_, text);
      written_records_ = records_.size();
    } catch (const broch::Error& error) {
      host_.error("cannot write " + filename_ + ": " + error.what());
    }
  }

  broch::Host host_;
  broch::Run run_;
  broch::LogDir log_dir_;
  std::string filename_;
  bool enabled_;          // whether this process has a log folder
  bool started_ = false;  // whether the existing file has been read
  Json now_ = Json::object();
  std::vector<std::string> records_;
  size_t written_records_ = 0;
  std::optional<size_t> restored_records_;
  Clock::time_point written_{};
};

}  // namespace

BROCH_MONITOR(JsonWriter, "broch.monitor.json-writer", "1.0.0",
              "Writes all scalars of a run into stats.json, as a list of records; a number that is "
              "not finite becomes null.",
              Options::schema)
