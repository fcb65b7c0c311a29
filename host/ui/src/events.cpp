// events.cpp: remembers where things stand in event files, not what they are.
#include "events.hpp"

#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/utf8.hpp"
#include "log_file.hpp"
#include "refusal.hpp"
#include "store/event_file.hpp"

namespace broch::ui {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostTags = 1000, kMostPlaces = 10'000, kMostMessages = 1000, kMostText = 64 << 10;

// Of very many places, the first one, some at even distances and the newest are kept.
void add_place(Events::Places& places, const std::string& tag, EventPlace place) {
  if (places.size() == kMostTags && !places.contains(tag)) return;
  std::vector<EventPlace>& list = places[tag];
  const int64_t distance = list.size() > 1 ? list[1].number : 1;
  if (!list.empty()) place.number = list.back().number + 1;
  if (!list.empty() && list.back().number % distance != 0) list.pop_back();
  list.push_back(place);
  if (list.size() <= kMostPlaces) return;
  size_t kept = 0;
  for (size_t i = 0; i < list.size(); i += 2) list[kept++] = list[i];
  list.resize(kept);
}

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(fs::symlink_status(path, error));
}

}  // namespace

void Events::update(const fs::path& log_dir) {
  std::vector<fs::path> paths;
  try {
    paths = store::event_files(log_dir);
  } catch (const base::Error&) {  // the folder is gone
  }
  std::erase_if(paths, [](const fs::path& path) { return !is_file(path); });
  bool continues = paths.size() >= files_.size();
  for (size_t i = 0; continues && i < files_.size(); ++i)
    continues =
        files_[i].path == paths[i] && LogFile(paths[i]).tail(files_[i].read) == files_[i].tail;
  if (!continues) *this = Events();
  for (size_t i = files_.size(); i < paths.size(); ++i) files_.push_back({paths[i]});
  for (size_t i = 0; i < files_.size(); ++i)
    if (!files_[i].damaged) update(i);
}

void Events::update(size_t file) {
  const uint64_t before = files_[file].read;
  try {
    files_[file].read = store::visit_events(files_[file].path, files_[file].read,
                                            [&](const store::Event& event, uint64_t at) {
                                              add(event, file, at);
                                              files_[file].read = at;
                                              return true;
                                            });
  } catch (const base::Error&) {
    files_[file].damaged = true;
  }
  if (files_[file].read != before)
    files_[file].tail = LogFile(files_[file].path).tail(files_[file].read);
}

void Events::add(const store::Event& event, size_t file, uint64_t at) {
  if (event.step > 0 && std::isfinite(event.wall_time))
    times_.try_emplace(event.step, event.wall_time);
  if (!event.message.empty()) {
    if (messages_.size() == kMostMessages) messages_.erase(messages_.begin());
    messages_.push_back(
        {event.step, event.wall_time, std::string(base::cut_to_bytes(event.message, kMostText))});
  }
  for (size_t i = 0; i < event.summary.size(); ++i) {
    const store::EventValue& value = event.summary[i];
    if (!base::is_utf8(value.tag)) continue;
    const EventPlace place{file, at, i, event.step, event.wall_time};
    if (std::holds_alternative<store::EventImage>(value.value))
      add_place(images_, value.tag, place);
    else if (std::holds_alternative<store::Histogram>(value.value))
      add_place(histograms_, value.tag, place);
    else if (const auto* tensor = std::get_if<store::EventTensor>(&value.value);
             tensor && tensor->plugin == "text")
      add_place(texts_, value.tag, place);
  }
}

double Events::time_of(int64_t step) const {
  if (times_.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto after = times_.lower_bound(step);
  if (after == times_.end()) return times_.rbegin()->second;
  if (after->first == step || after == times_.begin()) return after->second;
  const auto before = std::prev(after);
  const double part = double(step - before->first) / double(after->first - before->first);
  return before->second + part * (after->second - before->second);
}

store::EventValue Events::read(const EventPlace& place) const {
  store::EventValue value;
  bool found = false;
  try {
    if (is_file(files_[place.file].path))
      store::visit_events(files_[place.file].path, place.at, [&](store::Event event, uint64_t) {
        found = place.value < event.summary.size();
        if (found) value = std::move(event.summary[place.value]);
        return false;
      });
  } catch (const base::Error&) {
    found = false;
  }
  if (!found) throw Refusal(kNotFound, "the event file has changed; load the page again");
  return value;
}

size_t Events::bytes() const {
  size_t bytes = times_.size() * 64;
  for (const Places* all : {&images_, &histograms_, &texts_})
    for (const auto& [tag, places] : *all) bytes += places.size() * sizeof(EventPlace);
  for (const EventText& text : messages_) bytes += text.text.size();
  return bytes;
}

}  // namespace broch::ui
