// json_writer.cpp: all scalars of a run as a list of records in stats.json. tensorpack:
// `JSONWriter`.
//
// The file is always replaced as a whole, so that it is a valid list at any time.
#include "record_file.hpp"

namespace {

using broch::monitors::Json;

struct Options {
  std::string filename;

  static constexpr auto schema = broch::options(
      broch::option("filename", &Options::filename, "Name of the file in the log folder.")
          .pattern("^[^/]+$")
          .by_default("stats.json"));
};

class JsonWriter final : public broch::monitors::RecordFile {
 public:
  JsonWriter(const broch::Host& host, const Options& options)
      : RecordFile(host, options.filename) {}

 private:
  std::optional<Records> decoded(const std::string& text) override {
    const Json list = Json::parse(text, nullptr, false);
    if (!list.is_array()) return std::nullopt;
    Records records;
    for (const Json& record : list) records.push_back(record.dump());
    return records;
  }

  void store(const Records& records, size_t) override {
    std::string text = "[";
    for (size_t i = 0; i < records.size(); ++i) text += (i ? ",\n" : "\n") + records[i];
    replace(text + "\n]\n");
  }
};

}  // namespace

BROCH_MONITOR(JsonWriter, "broch.monitor.json-writer", "1.0.0",
              "Writes all scalars of a run into stats.json, as a list of records; a number that is "
              "not finite becomes null.",
              Options::schema)
