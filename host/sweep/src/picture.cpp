// picture.cpp: the trials as lines between parallel axes.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>

#include "short_names.hpp"
#include "sweep/results.hpp"
#include "value/json.hpp"

namespace broch::sweep {
namespace {

std::string last_word(const std::string& path) { return path.substr(path.rfind('.') + 1); }

std::string word_of(const Value& value) {
  return value.is(Value::Kind::string) ? value.string() : value::to_text(value);
}

// Numbers get an axis with numbers, even if they are given as a list. Anything else gets words.
plot::ParallelAxis axis_of(const Parameter& parameter, const std::string& name) {
  plot::ParallelAxis axis{name};
  axis.logarithmic = parameter.kind == Parameter::Kind::log_uniform;
  if (parameter.is_number() || std::ranges::all_of(parameter.values, &Value::is_number))
    return axis;
  for (const Value& value : parameter.values) axis.words.push_back(word_of(value));
  return axis;
}

double place_of(const Value* value, const plot::ParallelAxis& axis) {
  if (!value) return std::numeric_limits<double>::quiet_NaN();
  if (axis.words.empty()) return value->number();
  return double(std::ranges::find(axis.words, word_of(*value)) - axis.words.begin());
}

}  // namespace

std::vector<std::string> short_names(const Spec& spec) {
  std::map<std::string, int> count;
  for (const Parameter& parameter : spec.parameters) ++count[last_word(parameter.path)];
  std::vector<std::string> names;
  for (const Parameter& parameter : spec.parameters) {
    const std::string word = last_word(parameter.path);
    names.push_back(count[word] == 1 ? word : parameter.path);
  }
  return names;
}

std::optional<plot::ParallelPicture> picture_of(const Spec& spec,
                                                const std::vector<Result>& results) {
  plot::ParallelPicture picture{std::filesystem::path(spec.file).stem().string()};
  const std::vector<std::string> names = short_names(spec);
  for (size_t i = 0; i < names.size(); ++i)
    picture.axes.push_back(axis_of(spec.parameters[i], names[i]));
  picture.axes.push_back({spec.metric});
  picture.low_is_good = spec.smallest_is_best;
  for (const Result& result : results) {
    if (!result.value || !std::isfinite(*result.value)) continue;
    plot::ParallelLine& line = picture.lines.emplace_back();
    line.dashed = result.state == "pruned";
    for (size_t i = 0; i < names.size(); ++i)
      line.values.push_back(
          place_of(result.parameters.find(spec.parameters[i].path), picture.axes[i]));
    line.values.push_back(*result.value);
  }
  if (picture.lines.empty()) return std::nullopt;
  std::ranges::reverse(picture.lines);  // the best one last, on top of the others
  return picture;
}

}  // namespace broch::sweep
