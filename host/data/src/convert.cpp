// convert.cpp: finds the sink, reads in order, and lets the sink write beside the target, or send.
#include "data/convert.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "data/new_files.hpp"
#include "ordered_reader.hpp"
#include "session/preconditions.hpp"

namespace broch::data {
namespace {

namespace fs = std::filesystem;
using base::Exit;
using value::Value;

// "tcp://host:5555": points are sent there, and no file is written.
bool is_address(const std::string& to) { return to.find("://") != std::string::npos; }

// The longest extension of the sink that fits; of an address, what it begins with.
bool writes(const plugins::Component& component, const std::string& to, std::string& extension) {
  for (const std::string& one : component.extensions) {
    const bool fits = is_address(to) ? to.starts_with(one) : to.ends_with(one);
    if (component.role == "sink" && fits && one.size() > extension.size())
      return extension = one, true;
  }
  return false;
}

// The sink whose extension is the longest that fits.
const plugins::Component& sink_for(const std::string& file, const plugins::Catalog& catalog) {
  const plugins::Component* best = nullptr;
  std::string extension;
  std::vector<std::string> known;
  for (const plugins::Found& found : catalog.components()) {
    if (writes(found.component, file, extension)) best = &found.component;
    if (found.component.role == "sink")
      known.insert(known.end(), found.component.extensions.begin(),
                   found.component.extensions.end());
  }
  if (best) return *best;
  base::fail(
      Exit::usage, "--to " + file,
      is_address(file) ? "an address to which no sink sends" : "an extension that no sink writes",
      known.empty() ? "a plugin of role sink" : "one of " + base::join(known, ", "),
      "broch plugin ls --role sink lists the sinks");
}

manifest::Component sink_of(const ConvertOptions& options, const Flow& flow) {
  Value entry{Value::Object{}};
  entry.set("use", Value(sink_for(options.to, flow.catalog()).id));
  entry.set("with", options.sink);
  entry.set_origin_deep(value::made_by("--to " + options.to));
  return manifest::resolve_component(entry, "sink", flow.kinds());
}

// Keeps the components with these names; a number counts the components of a point without names.
void select(const std::vector<std::string>& names, runtime::Point& point) {
  if (names.empty()) return;
  runtime::Point kept;
  for (const std::string& name : names) {
    std::vector<std::string> known;
    for (size_t i = 0; i < point.size(); ++i)
      known.push_back(point.name(i) ? point.name(i) : std::to_string(i));
    const auto found = std::ranges::find(known, name);
    if (found == known.end())
      base::fail(Exit::data, "--component " + name, "no component of this name",
                 "one of " + base::join(known, ", "), "broch data show lists them");
    const auto index = size_t(found - known.begin());
    if (point.taken(index))
      base::fail(Exit::usage, "--component " + name, "this name twice", "each name once", "");
    kept.move_component(point, index);
  }
  kept.key = point.key;
  point = std::move(kept);
}

// In a file, the second component of a name would hide the first one.
void require_distinct_names(const runtime::Point& point, const Flow& flow) {
  for (size_t i = 0; i < point.size(); ++i)
    for (size_t k = 0; k < i; ++k)
      if (point.name(i) && point.name(k) && std::string_view(point.name(i)) == point.name(k))
        base::fail(Exit::data, flow.component().use,
                   "components " + std::to_string(k) + " and " + std::to_string(i) +
                       " with the same name '" + point.name(i) + "'",
                   "each name once", "rename one of them with the dataflow select");
}

Converted write_points(const ConvertOptions& options, Flow& flow, const fs::path& path,
                       abi::Sink& sink, session::Ui& ui) {
  FlowReader reader(flow, flow.component());
  const std::optional<int64_t> size = reader.size();
  OrderedReader ordered(reader, options.threads);
  if (options.threads > 1 && ordered.threads() == 0)
    base::warning(flow.component().use +
                  " is a stream, which one thread reads: --threads has no effect");
  const int64_t most = options.limit ? options.limit : std::numeric_limits<int64_t>::max();
  ui.begin(&options, "convert", std::min(size.value_or(options.limit), most));
  const auto start = std::chrono::steady_clock::now();
  sink.open(path.c_str());
  Converted done;
  runtime::Point point;
  while (done.points < most && !flow.bench().interrupt().raised() && ordered.next(point)) {
    select(options.components, point);
    require_distinct_names(point, flow);
    const runtime::LentPoint lent(point);
    if (!sink.put(lent.handle())) break;
    ui.advance(&options, ++done.points);
  }
  done.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  ui.end(&options);
  return done;
}

uint64_t bytes_of(const std::vector<fs::path>& files) {
  uint64_t bytes = 0;
  for (const fs::path& file : files) {
    if (!fs::is_directory(file)) bytes += fs::file_size(file);
    if (fs::is_directory(file))
      for (const fs::directory_entry& one : fs::recursive_directory_iterator(file))
        if (one.is_regular_file()) bytes += one.file_size();
  }
  return bytes;
}

}  // namespace

Converted convert(Flow& flow, const ConvertOptions& options, session::Ui& ui) {
  const manifest::Component component = sink_of(options, flow);
  session::require_usable({&component}, flow.catalog());
  std::optional<NewFiles> files;
  if (!is_address(options.to)) files.emplace(options.to, options.replace);
  plan::Interrupt& interrupt = flow.bench().interrupt();
  interrupt.install();
  session::Workbench bench(flow.catalog(), flow.kinds());
  bench.heed(interrupt);
  const auto made = bench.make(component);
  abi::Sink sink = abi::Sink::make(*made->instance, interrupt.token());
  Converted done =
      write_points(options, flow, files ? files->path() : fs::path(options.to), sink, ui);
  done.sent = !files;
  if (done.points == 0 && !interrupt.raised())
    base::fail(Exit::data, flow.component().use, "no points", "at least one",
               "broch data show shows what a dataflow yields");
  if (interrupt.raised() || !sink.close()) {
    done.interrupted = interrupt.exit();
    return done;
  }
  if (files) done.files = files->move_into_place();
  done.bytes = bytes_of(done.files);
  return done;
}

}  // namespace broch::data
