// data_convert.cpp: broch data convert: the points of a dataflow into a file, or to an address.
#include <iostream>
#include <limits>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/noun.hpp"
#include "base/text.hpp"
#include "data/convert.hpp"
#include "data_commands.hpp"
#include "options.hpp"
#include "output.hpp"
#include "terminal.hpp"
#include "value/json.hpp"

namespace broch::cli {
namespace {

struct ConvertWords {
  session::SetupOptions setup;
  data::ConvertOptions how;
  std::optional<int64_t> shard_size;  // bytes
  std::vector<std::string> options;   // of the sink
  bool json = false;
};

// "dtype=uint32": the value is JSON, or else text.
void set_option(const std::string& words, Value& with) {
  const size_t equals = words.find('=');
  if (equals == 0 || equals == std::string::npos)
    base::fail(base::Exit::usage, "--option " + words, "no value", "KEY=VALUE", "");
  const std::string value = words.substr(equals + 1);
  try {
    with.set(words.substr(0, equals), value::parse_text("--option " + words, value));
  } catch (const base::Error&) {
    with.set(words.substr(0, equals), text(value));
  }
}

void report(const data::Converted& done, bool json) {
  std::vector<std::string> names;
  for (const std::filesystem::path& file : done.files) names.push_back(file.string());
  if (json)
    return print_json(object({{"files", list(names)},
                              {"points", integer(done.points)},
                              {"bytes", integer(int64_t(done.bytes))},
                              {"seconds", number(done.seconds)}}));
  for (const std::string& name : names) std::cout << name << '\n';
  const double rate = done.seconds > 0 ? double(done.points) / done.seconds : 0;
  base::info(base::counted(done.points, "point") +
             (done.sent ? "" : ", " + std::to_string(done.bytes) + " bytes,") + " in " +
             base::humanize_seconds(done.seconds) + ": " + base::general(rate, 4) +
             " points per second");
}

int convert(ConvertWords& options) {
  Value& sink = options.how.sink;
  for (const std::string& one : options.options) set_option(one, sink);
  if (options.shard_size) sink.set("shard_size", integer(*options.shard_size));
  data::Flow flow(options.setup);
  Terminal terminal;
  const data::Converted done = data::convert(flow, options.how, terminal);
  if (done.interrupted == base::Exit::ok) return report(done, options.json), 0;
  base::warning("interrupted: " + (done.sent
                                       ? base::counted(done.points, "point") + " sent to " +
                                             options.how.to + ", of which the last ones may be lost"
                                       : "nothing was written to " + options.how.to));
  return int(done.interrupted);
}

}  // namespace

void add_data_convert(CLI::App& group, int& exit_code) {
  static ConvertWords options;
  CLI::App* command =
      group.add_subcommand("convert", "Write the points of a dataflow to a file, or send them");
  add_flow_options(*command, options.setup);
  data::ConvertOptions& how = options.how;
  command
      ->add_option("--to", how.to,
                   "The file to write; its extension selects the format: .npz, .tar, … (broch "
                   "plugin ls --role sink). An address, such as tcp://host:5555: send the points "
                   "there")
      ->required();
  command
      ->add_option("--threads", how.threads,
                   "Number of threads that read; the file does not depend on it")
      ->check(CLI::Range(size_t{1}, size_t{256}));
  command->add_option("--limit", how.limit, "Write at most this many points")
      ->check(CLI::Range(int64_t{1}, int64_t{1'000'000'000'000}));
  command
      ->add_option("--shard-size", options.shard_size,
                   "Begin a new file after about this many bytes, if the format allows it")
      ->check(CLI::Range(int64_t{1}, std::numeric_limits<int64_t>::max()));
  command
      ->add_option("--component", how.components,
                   "Write only this component, by name or index; may be given several times")
      ->allow_extra_args(false);
  command
      ->add_option("--option", options.options,
                   "Set an option of the sink, such as dtype=uint32; may be given several times")
      ->allow_extra_args(false);
  command->add_flag("--force", how.replace, "Replace an existing file");
  add_json_flag(*command, options.json);
  command->callback([&exit_code] { exit_code = convert(options); });
}

}  // namespace broch::cli
