// records.cpp: a reader for the records that monitors write, which are flat objects of numbers.
// Everything else is read with a complete reader of JSON, which takes longer.
#include "records.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "log_file.hpp"

namespace broch::ui {
namespace {

constexpr uint64_t kMostAtOnce = 256 << 20;  // bytes that are read in one piece
constexpr uint64_t kMostOfRest = 1 << 20;    // bytes in which a problem is looked for
constexpr size_t kMostColumns = 4096;
constexpr size_t kMostRows = std::numeric_limits<uint32_t>::max();
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

// Reads along a text; a failure leaves `failed`.
struct Reader {
  std::string_view text;
  size_t at = 0;
  bool failed = false;

  void skip_spaces() {
    while (at < text.size() && is_space(text[at])) ++at;
  }
  bool take(char c) {
    skip_spaces();
    if (at < text.size() && text[at] == c) return ++at, true;
    return false;
  }
  // A string without escapes.
  std::string_view name() {
    if (!take('"')) return failed = true, std::string_view();
    const size_t begin = at;
    while (at < text.size() && text[at] != '"' && text[at] != '\\') ++at;
    if (at >= text.size() || text[at] == '\\') return failed = true, std::string_view();
    return text.substr(begin, at++ - begin);
  }
  // A number or null.
  double number() {
    skip_spaces();
    if (text.substr(at, 4) == "null") return at += 4, kNone;
    double value = 0;
    const char* const begin = text.data() + at;
    const auto [end, error] = std::from_chars(begin, text.data() + text.size(), value);
    // from_chars would read "inf" and "nan", too.
    const bool is_number =
        at < text.size() && (text[at] == '-' || std::isdigit(static_cast<unsigned char>(text[at])));
    if (error != std::errc() || !is_number) return failed = true, kNone;
    at += size_t(end - begin);
    return value;
  }
};

std::optional<int64_t> whole(double value) {
  constexpr double kMost = 9e15;
  if (!(std::fabs(value) <= kMost) || value != std::floor(value)) return std::nullopt;
  return int64_t(value);
}

// The length of the object at the beginning of the text; 0 if its end is missing.
size_t length_of_object(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (--depth == 0) return i + 1;
    }
  }
  return 0;
}

// text: what follows the records that were understood, from this byte on. A record without an end
// is the last one of a run that is writing or was killed, unless others follow on lines of their
// own.
std::string problem_of(std::string_view text, uint64_t byte) {
  size_t at = 0;
  const char* expected = "a record";
  for (; at < text.size() &&
         (is_space(text[at]) || text[at] == '[' || text[at] == ',' || text[at] == ']');
       ++at)
    if (text[at] == ']') expected = "the end of the file";
  text.remove_prefix(at);
  const bool is_unfinished =
      text.starts_with('{') && length_of_object(text) == 0 && text.find("\n{") == text.npos;
  if (text.empty() || is_unfinished) return "";
  return "stats.json: found " + base::quoted(text.substr(0, text.find('\n'))) + " at byte " +
         std::to_string(byte + at) + ", expected " + expected + "; what follows is not shown";
}

}  // namespace

void Records::clear() {
  epochs_.clear();
  steps_.clear();
  columns_.clear();
  places_.clear();
  last_steps_.clear();
  tail_.clear();
  problem_.clear();
  read_ = 0;
  ++generation_;
}

void Records::update(const std::filesystem::path& path) {
  const LogFile file(path);
  if (!file.is_open()) {
    if (read_ > 0) clear();
    problem_.clear();
    version_.clear();
    return;
  }
  if (file.version() == version_) return;
  if (read_ > 0 && file.tail(read_) != tail_) clear();
  version_ = file.version();
  while (read_ < file.size()) {
    const std::string text = file.read(read_, kMostAtOnce);
    const size_t understood = add(text);
    if (understood == 0) break;
    read_ += understood;
    tail_ = file.tail(read_);
  }
  problem_ = problem_of(file.read(read_, kMostOfRest), read_);
}

size_t Records::add(std::string_view text) {
  size_t understood = 0;
  Reader reader{text};
  while (steps_.size() < kMostRows) {
    while (reader.take('[') || reader.take(',')) {
    }
    reader.skip_spaces();
    if (reader.at >= text.size() || text[reader.at] != '{') break;
    const size_t length = record(text.substr(reader.at));
    if (length == 0) break;
    understood = reader.at += length;
  }
  return understood;
}

// Returns the length of the record; 0 if it is incomplete or malformed.
size_t Records::record(std::string_view text) {
  Reader reader{text};
  std::optional<int64_t> epoch, step;
  reader.take('{');
  expected_ = 0;
  std::vector<std::pair<std::string_view, double>> found;
  if (!reader.take('}')) do {
      const std::string_view name = reader.name();
      if (reader.failed || !reader.take(':')) return unusual_record(text);
      const double value = reader.number();
      if (reader.failed) return unusual_record(text);
      if (name == "epoch_num")
        epoch = whole(value);
      else if (name == "global_step")
        step = whole(value);
      else
        found.emplace_back(name, value);
    } while (reader.take(','));
  else
    return reader.at;
  if (!reader.take('}')) return unusual_record(text);
  if (!epoch && !step) return reader.at;  // no record
  for (const auto& [name, value] : found) put(name, value);
  finish_row(epoch, step);
  return reader.at;
}

size_t Records::unusual_record(std::string_view text) {
  const size_t length = length_of_object(text);
  if (length == 0) return 0;
  const auto json = nlohmann::json::parse(text.substr(0, length), nullptr, false);
  if (!json.is_object()) return 0;
  const auto counter = [&json](const char* name) {
    const auto found = json.find(name);
    return found != json.end() && found->is_number() ? whole(found->get<double>()) : std::nullopt;
  };
  const auto epoch = counter("epoch_num"), step = counter("global_step");
  if (!epoch && !step) return length;
  for (const auto& [name, value] : json.items())
    if (name != "epoch_num" && name != "global_step" && (value.is_number() || value.is_null()))
      put(name, value.is_number() ? value.get<double>() : kNone);
  finish_row(epoch, step);
  return length;
}

void Records::put(std::string_view name, double value) {
  if (expected_ >= columns_.size() || columns_[expected_].name != name) {
    const auto found = places_.find(name);
    if (found == places_.end()) {
      if (columns_.size() == kMostColumns) return;
      expected_ = columns_.size();
      places_.emplace(name, expected_);
      columns_.push_back({std::string(name), {}, {}});
    } else {
      expected_ = found->second;
    }
  }
  Column& column = columns_[expected_++];
  const auto row = uint32_t(steps_.size());
  if (!column.rows.empty() && column.rows.back() == row) return;  // a key that stands twice
  column.rows.push_back(row);
  column.values.push_back(std::isfinite(value) ? value : kNone);
}

void Records::finish_row(std::optional<int64_t> epoch, std::optional<int64_t> step) {
  epochs_.push_back(epoch.value_or(0));
  steps_.push_back(step.value_or(epoch.value_or(0)));
  last_steps_[epochs_.back()] = steps_.back();
}

double Records::epoch(size_t row) const {
  const auto here = last_steps_.find(epochs_[row]);
  const bool is_last = std::next(here) == last_steps_.end();
  const int64_t begin = here == last_steps_.begin() ? 0 : std::prev(here)->second;
  int64_t length = here->second - begin;
  // How long the last epoch becomes is not known before its end; most likely as long as the others.
  if (is_last && here != last_steps_.begin()) {
    const auto before = std::prev(here);
    const int64_t earlier =
        before == last_steps_.begin() ? before->second : before->second - std::prev(before)->second;
    const int64_t epochs = std::max<int64_t>(1, here->first - before->first);
    length = std::max(length, earlier * epochs);
  }
  if (length <= 0) return double(here->first);
  const double first =
      here == last_steps_.begin() ? double(here->first - 1) : double(std::prev(here)->first);
  return first + (double(here->first) - first) * double(steps_[row] - begin) / double(length);
}

size_t Records::bytes() const {
  size_t bytes = (epochs_.size() + steps_.size()) * sizeof(int64_t);
  for (const Column& column : columns_)
    bytes += column.rows.size() * (sizeof(uint32_t) + sizeof(double));
  return bytes;
}

}  // namespace broch::ui
