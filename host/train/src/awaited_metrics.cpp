// awaited_metrics.cpp: when a metric is overdue, and the errors and warnings about it.
#include "train/awaited_metrics.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/text.hpp"

namespace broch::train {

AwaitedMetrics::AwaitedMetrics(std::vector<MetricWords> words, Deps deps)
    : words_(std::move(words)), deps_(std::move(deps)) {}

void AwaitedMetrics::begin() const {
  if (!deps_.progress->is_chief || !std::ranges::all_of(words_, &MetricWords::complete)) return;
  const std::vector<std::string> listed = this->listed();
  std::vector<std::string> known = deps_.of_training();
  known.insert(known.end(), listed.begin(), listed.end());
  for (const MetricWords& words : words_)
    for (const std::string& name : words.consumes)
      if (words.callback && !deps_.monitors->latest(name) && who_puts(name).empty())
        base::warning(words.place + " (" + abi::describe(*words.callback) +
                      ") waits for the metric " + base::quoted(name) +
                      ", which nothing is known to set" + base::did_you_mean(name, known) +
                      "; unless a plugin sets it that does not list it in its metadata, the "
                      "training fails at the first trigger" +
                      (listed.empty() ? "" : "; listed are: " + base::join(listed, ", ")));
}

void AwaitedMetrics::before_trigger(const abi::Instance& callback) {
  const auto words = std::ranges::find(words_, &callback, &MetricWords::callback);
  if (words == words_.end() || !deps_.progress->is_chief) return;
  for (const std::string& name : words->consumes) {
    if (deps_.monitors->latest(name)) continue;
    const Missing missing{&*words, name};
    if (is_due(name, &callback)) try {
        refuse(missing);
      } catch (...) {
        deps_.pending->keep_current();  // even if a parent handles the error
        throw;
      }
    missed_.insert(missing);
  }
}

void AwaitedMetrics::after_trigger(const abi::Instance& callback) { triggered_.insert(&callback); }

void AwaitedMetrics::finish() const {
  for (const Missing& missing : missed_) {
    if (deps_.monitors->latest(missing.name)) continue;
    const std::string putter = who_puts(missing.name);
    if (putter.empty() && is_due(missing.name, nullptr)) refuse(missing);
    base::warning(missing.by->place + " waited for the metric " + base::quoted(missing.name) +
                  ", which was never set: " +
                  (putter.empty() ? "not every callback was triggered"
                                  : putter + " may set it, but did not"));
  }
}

bool AwaitedMetrics::is_behind_steps() const {
  const broch_progress& progress = *deps_.progress;
  return progress.epoch_num > progress.starting_epoch ||
         progress.local_step + 1 >= progress.steps_per_epoch;
}

bool AwaitedMetrics::is_due(const std::string& name, const abi::Instance* waiting) const {
  if (!is_behind_steps() || !who_puts(name).empty()) return false;
  return std::ranges::all_of(words_, [&](const MetricWords& words) {
    return words.complete || words.callback == waiting || triggered_.contains(words.callback);
  });
}

std::string AwaitedMetrics::who_puts(const std::string& name) const {
  for (const MetricWords& words : words_)
    if (std::ranges::count(words.produces, name) > 0) return words.place;
  if (std::ranges::count(deps_.of_training(), name) > 0) return "the training";
  return "";
}

std::vector<std::string> AwaitedMetrics::listed() const {
  std::vector<std::string> names = deps_.monitors->names();
  for (const MetricWords& words : words_)
    names.insert(names.end(), words.produces.begin(), words.produces.end());
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  return names;
}

void AwaitedMetrics::refuse(const Missing& missing) const {
  const std::vector<std::string> names = listed();
  throw base::Error{base::Exit::manifest,
                    {missing.by->place + " (" + abi::describe(*missing.by->callback) + ")",
                     "it waits for the metric " + base::quoted(missing.name) +
                         ", which nothing sets" + base::did_you_mean(missing.name, names),
                     names.empty() ? "a metric of this run, which has none"
                                   : "a metric of this run: " + base::join(names, ", "),
                     "correct the name, or add a component that sets it; a callback that sets it "
                     "only later has to list it in \"produces\" of its metadata"}};
}

}  // namespace broch::train
