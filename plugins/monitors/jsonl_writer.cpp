// jsonl_writer.cpp: all scalars of a run as JSON, one record per line, in stats.jsonl. The format:
// https://jsonlines.org.
//
// Lines are appended, so that other programs can follow the file while the training runs.
#include <filesystem>
#include <fstream>
#include <utility>

#include "record_file.hpp"
#include "store/atomic_file.hpp"

namespace {

using broch::monitors::Json;

struct Options {
  std::string filename;

  static constexpr auto schema = broch::options(
      broch::option("filename", &Options::filename, "Name of the file in the log folder.")
          .pattern("^[^/]+$")
          .by_default("stats.jsonl"));
};

class JsonlWriter final : public broch::monitors::RecordFile {
 public:
  JsonlWriter(const broch::Host& host, const Options& options)
      : RecordFile(host, options.filename) {}

 private:
  // A last line without its end was being written when the program was killed; its record is lost.
  std::optional<Records> decoded(const std::string& text) override {
    Records records;
    for (size_t begin = 0, end; (end = text.find('\n', begin)) != text.npos; begin = end + 1) {
      records.push_back(text.substr(begin, end - begin));
      if (!Json::accept(records.back())) return std::nullopt;
    }
    return records;
  }

  // The first write replaces the file, because it may have records after the checkpoint. So does a
  // later one if the file is not what it was, for example because a write was cut off.
  void store(const Records& records, size_t stored) override {
    std::error_code missing;
    if (stored > 0 && std::filesystem::file_size(path(), missing) != size_) stored = 0;
    std::string text;
    for (size_t i = stored; i < records.size(); ++i) text += records[i] + "\n";
    if (stored == 0) {
      log_dir_.write_file(filename_, text);
      size_ = text.size();
    } else if (std::ofstream(path(), std::ios::app) << text << std::flush) {
      size_ += text.size();
      is_durable_ = false;
    } else {
      throw broch::Error(BROCH_E_RESOURCE_EXHAUSTED, "lines could not be appended");
    }
  }

  // A failed fsync is not repeated: it would report success the second time.
  void sync() override {
    if (std::exchange(is_durable_, true)) return;
    if (!broch::store::make_durable(path()))
      throw broch::Error(BROCH_E_DATA_LOSS, "lines could not be made durable");
  }

  std::string path() const { return *log_dir_.path() + "/" + filename_; }

  uint64_t size_ = 0;       // of the file, in bytes
  bool is_durable_ = true;  // all that was appended
};

}  // namespace

BROCH_MONITOR(JsonlWriter, "broch.monitor.jsonl-writer", "1.0.0",
              "Appends all scalars of a run to stats.jsonl, one record per line; a number that is "
              "not finite becomes null.",
              Options::schema)
