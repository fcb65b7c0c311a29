// monitors.cpp: passes values to the monitors and records them.
#include "monitors/monitors.hpp"

#include <algorithm>
#include <cmath>

#include "abi/nesting.hpp"
#include "abi/serve.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "summary/image.hpp"

namespace broch::monitors {

namespace {

constexpr std::string_view kTower = "tower";
constexpr std::string_view kSuffix = "-summary";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Length of "towerN/" at the start of text; 0 if there is none.
size_t tower_prefix(std::string_view text) {
  if (!text.starts_with(kTower)) return 0;
  size_t end = kTower.size();
  while (end < text.size() && is_digit(text[end])) ++end;
  return end > kTower.size() && end < text.size() && text[end] == '/' ? end + 1 : 0;
}

broch_summary_value scalar_value(const char* tag, double value) {
  return {tag, BROCH_SUMMARY_SCALAR, 0, value, nullptr, nullptr, 0};
}

}  // namespace

// A monitor that puts a value while it processes one would cause endless recursion.
class Monitors::Passing {
 public:
  explicit Passing(bool& passing) : passing_(passing) {
    if (passing)
      throw abi::CallError{BROCH_E_FAILED_PRECONDITION,
                           "a monitor sets a metric while it receives one; set it in trigger_step "
                           "or trigger_epoch"};
    passing = true;
  }
  ~Passing() { passing_ = false; }
  Passing(const Passing&) = delete;
  Passing& operator=(const Passing&) = delete;

 private:
  bool& passing_;
};

std::string clean_tag(std::string_view tag) {
  std::string clean;
  for (size_t i = 0; i < tag.size();) {
    const size_t prefix = tower_prefix(tag.substr(i));
    if (prefix == 0) clean += tag[i++];
    i += prefix;
  }
  if (clean.ends_with(kSuffix)) clean.resize(clean.size() - kSuffix.size());
  return clean;
}

MonitorQueue* Monitors::add(abi::Instance& instance) {
  Entry& entry =
      monitors_.emplace_back(Entry{abi::Monitor::make(instance), times_.of(instance), nullptr});
  if (entry.monitor.queued())
    entry.queue = std::make_unique<MonitorQueue>(instance, progress_, failures_);
  return entry.queue.get();
}

bool Monitors::settle(const abi::Instance& instance) {
  for (const Entry& entry : monitors_)
    if (entry.queue && contains(entry.monitor.instance(), instance)) return entry.queue->settle();
  return true;
}

void Monitors::finish() {
  for (const Entry& entry : monitors_) try {
      if (entry.queue) entry.queue->finish();
    } catch (const std::exception& error) {
      base::error(error.what());
    }
}

void Monitors::report() const {
  failures_.report();
  times_.report();
  for (const Entry& entry : monitors_)
    if (entry.queue) entry.queue->report();
}

bool Monitors::has_stuck() const {
  return std::ranges::any_of(
      monitors_, [](const Entry& entry) { return entry.queue && entry.queue->is_stuck(); });
}

template <class Member, class Call, class Copy>
void Monitors::each(Member broch_monitor::*entry, Call&& call, Copy&& copy) {
  SharedCall shared;
  for (Entry& one : monitors_) {
    if (!one.queue) {
      failures_.pass_over(one.monitor.instance(),
                          [&] { one.time.measure([&] { call(one.monitor); }); });
    } else if (one.queue->takes(entry)) {
      if (!shared) shared = copy();
      one.queue->put(shared);
    }
  }
}

void Monitors::scalar(const char* name, double value) {
  each(
      &broch_monitor::process_scalar,
      [&](abi::Monitor& monitor) { monitor.process_scalar(name, value); },
      [&] { return copy_scalar(name, value); });
  if (!std::isfinite(value)) [[unlikely]]
    tell_not_finite(name, value);
  history_[name].push_back({progress_.global_step, value});
}

// Not an error, since some metrics have no value for some data. A resumed run does not tell again.
void Monitors::tell_not_finite(const char* name, double value) {
  const broch_metric_point* before = latest(name);
  if (!not_finite_.emplace(name).second || (before && !std::isfinite(before->value))) return;
  std::string text = std::string(name) + " is " + base::shortest(value) + " at step " +
                     std::to_string(progress_.global_step);
  if (before)
    text += ", after " + base::shortest(before->value) + " at step " +
            std::to_string(before->global_step);
  base::warning(text +
                "; if the training diverges, lower the learning rate; if not, look for numbers in "
                "the data that are not finite, which 'broch data show' shows; a callback can end "
                "the training at the first value that is not finite");
}

void Monitors::summary(std::span<const broch_summary_value> values) {
  each(
      &broch_monitor::process_summary,
      [&](abi::Monitor& monitor) { monitor.process_summary(values); },
      [&] { return copy_summary(values); });
}

void Monitors::put_scalar(const char* name, double value) {
  const Passing passing(passing_);
  if (dropping_) return;
  if (holding_) {
    held_.emplace_back(name, value);
    return;
  }
  scalar(name, value);
  const broch_summary_value one = scalar_value(name, value);
  summary({&one, 1});
}

void Monitors::pass_scalars() {
  holding_ = false;
  if (held_.empty()) return;
  for (const auto& [name, value] : std::exchange(held_, {})) put_scalar(name.c_str(), value);
}

void Monitors::forget_scalars() {
  holding_ = false;
  held_.clear();
}

void Monitors::put_image(const char* name, const broch_dl_tensor& data) {
  const Passing passing(passing_);
  summary::Image image(name, data);
  const broch_dl_tensor whole = image.tensor();
  each(
      &broch_monitor::process_image,
      [&](abi::Monitor& monitor) { monitor.process_image(name, whole); },
      [&] { return copy_image(name, whole); });

  std::vector<std::string> tags;
  std::vector<broch_dl_tensor> pictures;
  for (int64_t k = 0; k < image.count(); ++k) {
    tags.push_back(image.count() == 1 ? name : std::string(name) + "/" + std::to_string(k));
    pictures.push_back(image.picture(k));
  }
  std::vector<broch_summary_value> values;
  for (size_t k = 0; k < tags.size(); ++k)
    values.push_back({tags[k].c_str(), BROCH_SUMMARY_IMAGE, 0, 0, &pictures[k], nullptr, 0});
  summary(values);
}

void Monitors::put_summary(std::span<const broch_summary_value> values) {
  const Passing passing(passing_);
  std::vector<std::string> tags;
  tags.reserve(values.size());
  std::vector<broch_summary_value> clean(values.begin(), values.end());
  for (broch_summary_value& value : clean)
    value.tag = tags.emplace_back(clean_tag(value.tag)).c_str();
  if (dropping_)
    std::erase_if(clean, [](const auto& value) { return value.kind == BROCH_SUMMARY_SCALAR; });
  for (const broch_summary_value& value : clean)
    if (value.kind == BROCH_SUMMARY_SCALAR) scalar(value.tag, value.scalar);
  if (!clean.empty()) summary(clean);
}

void Monitors::put_event(const char* kind, const void* data, uint64_t size) {
  const Passing passing(passing_);
  each(
      &broch_monitor::process_event,
      [&](abi::Monitor& monitor) { monitor.process_event(kind, data, size); },
      [&] { return copy_event(kind, data, size); });
}

const broch_metric_point* Monitors::latest(std::string_view name) const {
  const auto found = history_.find(name);
  return found == history_.end() ? nullptr : &found->second.back();
}

std::span<const broch_metric_point> Monitors::history(std::string_view name) const {
  const auto found = history_.find(name);
  if (found == history_.end()) return {};
  return found->second;
}

std::vector<std::string> Monitors::names() const {
  std::vector<std::string> names;
  for (const auto& [name, points] : history_) names.push_back(name);
  return names;
}

}  // namespace broch::monitors
