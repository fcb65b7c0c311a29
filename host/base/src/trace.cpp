// trace.cpp: keeps events and writes them in the Trace Event Format, as events "X", "C" and "M".
#include "base/trace.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/noun.hpp"
#include "base/text.hpp"

namespace broch::base {
namespace {

std::string json(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", c);
      quoted += escape;
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

}  // namespace

void require_replaceable_trace(const std::string& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return;
  std::string start(256, '\0');
  std::ifstream before(file, std::ios::binary);
  before.read(start.data(), std::streamsize(start.size()));
  start.resize(size_t(before.gcount()));
  if (start.find("\"traceEvents\"") == std::string::npos &&
      std::filesystem::file_size(file, error) > 0)
    fail(Exit::data, file, "something that is no trace", "a trace or a new name",
         "choose another name");
}

Trace::Trace(const std::string& file) : path_(file) {
  require_replaceable_trace(file);
  file_.open(file);
  if (!file_)
    throw Error(Exit::usage, {"--profile " + file, "the file cannot be written", "a file name",
                              "name a file in a folder that exists and may be written to"});
  running_.store(this);
}

Trace::~Trace() { finish(); }

void Trace::finish() {
  running_.store(nullptr);
  const std::lock_guard lock(mutex_);
  if (finished_) return;
  finished_ = true;
  write();
}

void Trace::span(std::string_view name, std::string_view category, uint64_t begin, uint64_t end) {
  add({std::string(name), std::string(category), begin, end, 0, 0, false});
}

void Trace::counter(std::string_view name, std::string_view category, double value) {
  const uint64_t now = ticks();
  add({std::string(name), std::string(category), now, now, value, 0, true});
}

void Trace::name_thread(std::string_view name) {
  const std::lock_guard lock(mutex_);
  thread_names_[thread_number()] = name;
}

void Trace::add(Event event) {
  const std::lock_guard lock(mutex_);
  if (finished_) return;
  if (events_.size() == kMost) {
    ++dropped_;
    return;
  }
  event.thread = thread_number();
  events_.push_back(std::move(event));
}

size_t Trace::thread_number() {
  // The system reuses thread IDs, so each thread keeps its own number. The start time tells which
  // trace the number belongs to.
  struct Place {
    uint64_t trace;
    size_t number;
  };
  static thread_local Place place{0, 0};
  if (place.trace != start_) {
    place = {start_, thread_names_.size()};
    thread_names_.push_back("thread " + std::to_string(place.number));
  }
  return place.number;
}

// Sorts the events by their start, and an enclosing span before the spans inside it.
void Trace::write() {
  std::ranges::sort(events_, [](const Event& a, const Event& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  constexpr uint64_t kMany = uint64_t{1} << 40;
  const double scale = rate_.seconds(kMany) * 1e6 / static_cast<double>(kMany);  // for all events
  const auto microseconds = [scale](uint64_t count) {
    char text[32];
    std::snprintf(text, sizeof text, "%.3f", static_cast<double>(count) * scale);
    return std::string(text);
  };
  file_ << "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n";
  for (size_t i = 0; i < thread_names_.size(); ++i)
    file_ << "{\"ph\": \"M\", \"name\": \"thread_name\", \"pid\": 1, \"tid\": " << i
          << ", \"args\": {\"name\": " << json(thread_names_[i]) << "}}"
          << (i + 1 < thread_names_.size() || !events_.empty() ? ",\n" : "\n");
  for (size_t i = 0; i < events_.size(); ++i) {
    const Event& event = events_[i];
    file_ << "{\"ph\": \"" << (event.is_counter ? "C" : "X") << "\", \"name\": " << json(event.name)
          << ", \"cat\": " << json(event.category) << ", \"pid\": 1, \"tid\": " << event.thread
          << ", \"ts\": " << microseconds(event.begin - std::min(start_, event.begin));
    if (event.is_counter)
      file_ << ", \"args\": {\"value\": "
            << (std::isfinite(event.value) ? shortest(event.value) : "null") << "}}";
    else
      file_ << ", \"dur\": " << microseconds(event.end - event.begin) << "}";
    file_ << (i + 1 < events_.size() ? ",\n" : "\n");
  }
  file_ << "]}\n";
  file_.close();
  if (!file_) return warning("the profile " + path_ + " could not be written whole");
  info("profile: " + counted(int64_t(events_.size()), "event") + " in " + path_);
  if (dropped_ > 0)
    warning("profile: " + std::to_string(dropped_) + " later events are not in it; it keeps " +
            std::to_string(kMost) + ", profile fewer steps");
}

}  // namespace broch::base
