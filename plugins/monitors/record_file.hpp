// record_file.hpp: base class of the monitors that write all scalars of a run into a file of
// records. tensorpack: `JSONWriter`.
//
// A record contains the scalars since the previous record, epoch_num and global_step. Records end
// in before_train, after each step except the last of an epoch, and in trigger_epoch. To keep many
// small records cheap, the file is written at most once a second between epochs, and after epochs
// so that this takes a tenth of the time at most. It is always written after the last epoch, and
// before a checkpoint, whose state says how many records belong to it.
#pragma once
#include <broch/broch.hpp>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "../options/saved_state.hpp"
#include "pace.hpp"

namespace broch::monitors {

using Json = nlohmann::ordered_json;

class RecordFile : public broch::Monitor, public broch::Callback, public broch::Stateful {
 public:
  static constexpr uint32_t kStateVersion = 1;
  static constexpr bool kQueued = true;  // a slow disk does not stop the training

  void process_scalar(const std::string& name, double value) override {
    if (enabled_) now_[name] = value;
  }

  void before_train() override {
    if (!enabled_) return;
    read_existing();
    size_ = size_on_disk();
    started_ = true;
    // Scalars that a resumed run has restored belong to the record that its epoch still has to
    // finish.
    if (!run_.progress().resumed) cut();
    write();
  }
  void trigger_step() override {
    if (!enabled_ || run_.is_last_step() || (now_.empty() && !is_behind_)) return;
    cut();
    if (pace_.since_last() >= kWriteInterval) write();
  }
  void trigger_epoch() override {
    if (!enabled_) return;
    cut();
    const broch_progress& now = run_.progress();
    is_behind_ = now.epoch_num < now.max_epoch && !pace_.allows();
    if (!is_behind_) write();
  }
  // If the start fails before the existing file is read, the file must not be replaced.
  void after_train() override {
    if (!started_) return;
    cut();
    write();
  }

  std::string save_state() override {
    if (enabled_) {
      write();
      attempt([this] { sync(); });
    }
    Json state;
    // Until the existing file is read, the number of records is the one that was loaded.
    state["records"] = restored_records_ && !started_ ? *restored_records_ : records_.size();
    state["pending"] = now_;
    for (Json& value : state["pending"])  // JSON has no such numbers
      if (value.is_number_float() && !std::isfinite(value.get<double>()))
        value = broch::number_text(value.get<double>());
    return state.dump();
  }
  void load_state(uint32_t, const std::string& bytes) override {
    const Json state = Json::parse(bytes, nullptr, false);
    if (!state.is_object() || !state.value("records", Json()).is_number_unsigned() ||
        !state.value("pending", Json()).is_object())
      saved::refuse(saved::quoted(bytes),
                    "a JSON object with the number of records and the pending one");
    restored_records_ = state["records"].get<size_t>();
    now_ = state["pending"];
    for (Json& value : now_)
      if (value.is_string()) value = std::strtod(value.get<std::string>().c_str(), nullptr);
  }

 protected:
  using Records = std::vector<std::string>;

  RecordFile(const broch::Host& host, std::string filename)
      : log_dir_(host),
        filename_(std::move(filename)),
        host_(host),
        run_(host),
        enabled_(log_dir_.path().has_value()) {}

  // A record as it stands in the file.
  virtual std::string encoded(const Json& record) { return record.dump(); }
  // The records of an existing file; no value if it is no such file.
  virtual std::optional<Records> decoded(const std::string& text) = 0;
  // The epoch of a record of an existing file; no value if it has none.
  virtual std::optional<int64_t> epoch_of(const std::string& record) {
    const Json json = Json::parse(record, nullptr, false);
    if (!json.is_object() || !json.contains("epoch_num")) return std::nullopt;
    const Json& epoch = json["epoch_num"];
    return epoch.is_number_integer() ? std::optional(epoch.get<int64_t>()) : std::nullopt;
  }
  // Brings the file up to date. stored: how many of the records are in it, from its beginning.
  virtual void store(const Records& records, size_t stored) = 0;
  // Makes what was stored survive a power failure, as the checkpoint does that counts it.
  virtual void sync() {}

  // Makes this the content of the file, unless somebody else has written it.
  void replace(const std::string& text) {
    const std::optional<uintmax_t> now = size_on_disk();
    if (now && now != size_)
      throw broch::Error(BROCH_E_ALREADY_EXISTS,
                         "found that somebody else has written it during this training, expected "
                         "a file of this monitor alone; give it another filename");
    log_dir_.write_file(filename_, text);
    size_ = text.size();
  }

  broch::LogDir log_dir_;
  std::string filename_;

 private:
  static constexpr std::chrono::seconds kWriteInterval{1};

  // When a run is resumed, the records of the checkpoint are kept and later ones are dropped.
  // Otherwise an existing file is continued if it ends in the epoch before this start; else it is
  // kept under another name.
  void read_existing() {
    const auto text = log_dir_.read_file(filename_);
    if (!text) return tell_missing();
    const std::optional<Records> found = decoded(*text);
    if (!found)
      throw broch::Error(BROCH_E_DATA_LOSS,
                         filename_ + " is not a file of this monitor; move it away");
    if (!restored_records_ && !continues(*found)) return move_away(*text);
    const size_t kept = std::min(restored_records_.value_or(found->size()), found->size());
    if (restored_records_ && kept < *restored_records_)
      host_.warning(filename_ + " holds " + std::to_string(kept) + " of the " +
                    std::to_string(*restored_records_) +
                    " records that it had when the checkpoint was saved; the others are lost.");
    records_.assign(found->begin(), found->begin() + ptrdiff_t(kept));
    host_.info("found existing " + filename_ + " with " + std::to_string(found->size()) +
               " records, appending to its first " + std::to_string(kept) + ".");
  }

  // A branch has a folder of its own.
  void tell_missing() const {
    if (restored_records_.value_or(0) > 0)
      host_.info("there is no " + filename_ + " here: it begins behind the " +
                 std::to_string(*restored_records_) + " records up to the checkpoint.");
  }

  bool continues(const Records& records) {
    if (records.empty()) return true;
    const std::optional<int64_t> epoch = epoch_of(records.back());
    return !epoch || *epoch + 1 == run_.progress().starting_epoch;
  }

  std::optional<uintmax_t> size_on_disk() const {
    std::error_code missing;
    const uintmax_t size = std::filesystem::file_size(*log_dir_.path() + "/" + filename_, missing);
    return missing ? std::nullopt : std::optional(size);
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
    records_.push_back(encoded(now_));
    now_ = Json::object();
  }

  void write() {
    is_behind_ = false;
    if (records_.size() == stored_) return;
    attempt([this] {
      pace_.write([this] { store(records_, stored_); });
      stored_ = records_.size();
    });
  }

  // After an I/O error the run continues; only this write is lost.
  template <class Action>
  void attempt(Action&& action) {
    try {
      action();
    } catch (const broch::Error& error) {
      host_.error("cannot write " + filename_ + ": " + error.what());
    }
  }

  broch::Host host_;
  broch::Run run_;
  bool enabled_;          // whether this process has a log folder
  bool started_ = false;  // whether the existing file has been read
  Json now_ = Json::object();
  Records records_;
  size_t stored_ = 0;              // records that are in the file
  std::optional<uintmax_t> size_;  // of the file, as this monitor found or wrote it
  std::optional<size_t> restored_records_;
  Pace pace_;
  bool is_behind_ = false;  // the file, because an epoch came too soon
};

}  // namespace broch::monitors
