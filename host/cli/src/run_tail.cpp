// run_tail.cpp: broch run tail: prints the records of a run as they are written.
#include <chrono>
#include <iostream>
#include <thread>

#include "base/error.hpp"
#include "base/text.hpp"
#include "options.hpp"
#include "output.hpp"
#include "run_commands.hpp"
#include "run_folder.hpp"
#include "value/json.hpp"

namespace broch::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds kInterval{200};

struct TailOptions {
  std::string log_dir;
  size_t records = 10;
  bool follow = false, json = false;
};

void print_record(const Value& record, bool json) {
  if (json) return print_json_line(object({{"record", record}}));
  std::string line;
  for (const char* counter : {"epoch_num", "global_step"})
    if (const Value* value = record.find(counter))
      line += std::string(line.empty() ? "" : " ") + counter + "=" + value::to_text(*value);
  for (const value::Member& member : record.object())
    if (!is_counter(member.key))
      line += " " + member.key + "=" + base::general(number_or_nan(member.value), 6);
  std::cout << line << std::endl;
}

// Reads the records again only when the file has changed.
class Records {
 public:
  explicit Records(fs::path log_dir) : log_dir_(std::move(log_dir)) {}

  const Value::Array& read() {
    const double modified = modified_at(log_dir_ / "stats.json");
    if (modified != modified_) records_ = records_so_far(log_dir_);
    modified_ = modified;
    return records_;
  }

 private:
  fs::path log_dir_;
  double modified_ = 0;
  Value::Array records_;
};

int tail(const TailOptions& options) {
  require_run(options.log_dir);
  // Without --follow, it is an error if there are none.
  if (!options.follow) read_records(options.log_dir);
  Records records(options.log_dir);
  size_t shown = records.read().size();
  shown -= std::min(shown, options.records);
  for (bool more = true; more;) {
    // Check the state first, so that records written just before the end are still read.
    more = options.follow && log_folder::state_of_run(options.log_dir) == "running";
    const Value::Array& all = records.read();
    shown = std::min(shown, all.size());  // a resumed run may drop records
    for (; shown < all.size(); ++shown) print_record(all[shown], options.json);
    if (!std::cout) return 0;  // main reports the error
    if (more) std::this_thread::sleep_for(kInterval);
  }
  return 0;
}

}  // namespace

void add_run_tail(CLI::App& run, int& exit_code) {
  static TailOptions options;
  CLI::App* command = run.add_subcommand("tail", "Print the last records of a run, one per line");
  command->add_option("log_dir", options.log_dir, "The log folder of a run")->required();
  command->add_flag("-f,--follow", options.follow, "Continue until the run ends");
  command->add_option("-n,--records", options.records, "Number of existing records to print");
  add_json_flag(*command, options.json)->description("Print one JSON object per line");
  command->callback([&exit_code] { exit_code = tail(options); });
}

}  // namespace broch::cli
