// panels.cpp: groups metrics by unit, and divides them into panels of limited size.
#include "runs/panels.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <set>

#include "runs/run_folder.hpp"

namespace broch::runs {
namespace fs = std::filesystem;
namespace {

constexpr size_t kCurves = 12;  // per panel
constexpr double kGap = std::numeric_limits<double>::quiet_NaN();

using Points = std::map<int64_t, double>;      // by epoch
using Curves = std::map<std::string, Points>;  // by metric

// If a metric has several values in one epoch, the last one counts. null becomes a gap.
Curves curves_of(const Value::Array& records) {
  Curves curves;
  for (const Value& record : records)
    for (const value::Member& member : record.object())
      if (!is_counter(member.key) && (member.value.is_number() || member.value.is_null()))
        curves[member.key][record.find("epoch_num")->integer()] =
            member.value.is_number() ? member.value.number() : kGap;
  return curves;
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words(1);
  for (const char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)))
      words.back() += char(std::tolower(static_cast<unsigned char>(c)));
    else if (!words.back().empty())
      words.emplace_back();
  if (words.size() > 1 && words.back().empty()) words.pop_back();
  return words;
}

std::string known_word(const std::string& word) {
  static const std::map<std::string, std::string> kSame = {
      {"cost", "loss"},   {"err", "error"},  {"errors", "error"},    {"acc", "accuracy"},
      {"losses", "loss"}, {"costs", "loss"}, {"lr", "learning rate"}};
  const auto found = kSame.find(word);
  return found == kSame.end() ? word : found->second;
}

std::string titled(std::string text) {
  if (!text.empty()) text[0] = char(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

// Puts loss, error and accuracy first, and sorts the rest by name.
std::pair<size_t, std::string> order_of(const std::string& unit) {
  static const std::vector<std::string> kFirst = {"Loss", "Error", "Accuracy"};
  return {size_t(std::ranges::find(kFirst, unit) - kFirst.begin()), unit};
}

std::vector<std::string> metrics_of(const std::vector<Curves>& all,
                                    const std::vector<std::string>& wanted) {
  std::set<std::string> there;
  for (const Curves& curves : all)
    for (const auto& [name, points] : curves) there.insert(name);
  return chosen_metrics("broch run plot", there, wanted);
}

plot::Series series_of(const Points& points) {
  plot::Series series;
  for (const auto& [epoch, value] : points) {
    series.x.push_back(double(epoch));
    series.y.push_back(value);
  }
  return series;
}

plot::Panel panel_of(const std::string& title, const std::vector<PlottedRun>& runs,
                     const std::vector<Curves>& all, const std::vector<std::string>& metrics) {
  plot::Panel panel{title, {}};
  for (size_t run = 0; run < runs.size(); ++run)
    for (size_t metric = 0; metric < metrics.size(); ++metric) {
      const auto found = all[run].find(metrics[metric]);
      if (found == all[run].end()) continue;
      plot::Series series = series_of(found->second);
      series.name = runs.size() > 1 ? runs[run].name + ": " + metrics[metric] : metrics[metric];
      series.color = runs.size() > 1 ? run : metric;
      // When all colors are used, they start again with the next kind of dashes.
      constexpr size_t kColors = 6;
      series.dash = runs.size() > 1 ? metric : metric / kColors;
      panel.series.push_back(std::move(series));
    }
  return panel;
}

// may_be_whole: whole numbers become integers.
Value numbers(const std::vector<double>& list, bool may_be_whole) {
  Value::Array all;
  for (const double one : list)
    if (!std::isfinite(one))
      all.emplace_back();
    else if (may_be_whole && one == std::floor(one))
      all.emplace_back(int64_t(one));
    else
      all.emplace_back(one);
  return Value(std::move(all));
}

Value to_value(const plot::Panel& panel) {
  Value value{Value::Object{}};
  Value::Array all;
  for (const plot::Series& series : panel.series) {
    Value& one = all.emplace_back(Value::Object{});
    one.set("name", Value(series.name));
    one.set("epochs", numbers(series.x, true));
    one.set("values", numbers(series.y, false));
  }
  value.set("title", Value(panel.title));
  value.set("series", Value(std::move(all)));
  return value;
}

// The paths without the folders at their start that all have in common, as far as something is left
// of each.
std::vector<std::string> without_common_start(const std::vector<std::string>& paths) {
  std::vector<std::vector<std::string>> all;
  for (const std::string& path : paths) {
    std::vector<std::string>& parts = all.emplace_back();
    for (const fs::path& part : fs::absolute(path).lexically_normal())
      if (!part.empty()) parts.push_back(part.string());
  }
  size_t common = 0;
  while (!all.empty() && std::ranges::all_of(all, [&](const auto& parts) {
    return common + 1 < parts.size() && parts[common] == all[0][common];
  }))
    ++common;
  std::vector<std::string> rest;
  for (const auto& parts : all) {
    fs::path path;
    for (size_t i = common; i < parts.size(); ++i) path /= parts[i];
    rest.push_back(path.string());
  }
  return rest;
}

}  // namespace

std::vector<PlottedRun> read_runs(const std::vector<std::string>& log_dirs) {
  std::vector<PlottedRun> runs;
  for (const std::string& log_dir : log_dirs)
    runs.push_back({name_of_run(log_dir), read_records(log_dir)});
  std::map<std::string, int> count;
  for (const PlottedRun& run : runs) ++count[run.name];
  const std::vector<std::string> folders = without_common_start(log_dirs);
  for (size_t i = 0; i < runs.size(); ++i)
    if (count[runs[i].name] > 1) runs[i].name = folders[i];
  return runs;
}

std::string unit_of(const std::string& metric) {
  if (const size_t open = metric.rfind('('); metric.ends_with(')') && open != metric.npos)
    return titled(metric.substr(open + 1, metric.size() - open - 2));
  const std::vector<std::string> words = words_of(metric.substr(metric.rfind('/') + 1));
  const std::string last = known_word(words.back());
  if (last == "rate" && words.size() > 1) return titled(words[words.size() - 2] + " rate");
  return titled(last.empty() ? metric : last);
}

std::vector<plot::Panel> panels_of(const std::vector<PlottedRun>& runs,
                                   const std::vector<std::string>& wanted) {
  std::vector<Curves> all;
  for (const PlottedRun& run : runs) all.push_back(curves_of(run.records));
  std::map<std::pair<size_t, std::string>, std::vector<std::string>> units;
  for (const std::string& metric : metrics_of(all, wanted))
    units[order_of(unit_of(metric))].push_back(metric);
  std::vector<plot::Panel> panels;
  for (const auto& [order, metrics] : units) {
    const size_t at_once = std::max<size_t>(1, kCurves / runs.size());
    const size_t parts = (metrics.size() + at_once - 1) / at_once;
    for (size_t part = 0; part < parts; ++part) {
      const auto first = metrics.begin() + ptrdiff_t(part * at_once);
      const auto end = metrics.begin() + ptrdiff_t(std::min(metrics.size(), (part + 1) * at_once));
      const std::string number =
          parts > 1 ? " " + std::to_string(part + 1) + " of " + std::to_string(parts) : "";
      panels.push_back(panel_of(order.second + number, runs, all, {first, end}));
    }
  }
  return panels;
}

value::Value to_value(const plot::Picture& picture) {
  Value::Array panels;
  for (const plot::Panel& panel : picture.panels) panels.push_back(to_value(panel));
  Value value{Value::Object{}};
  value.set("run", Value(picture.title));
  value.set("panels", Value(std::move(panels)));
  return value;
}

}  // namespace broch::runs
