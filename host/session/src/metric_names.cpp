// metric_names.cpp: reads "produces" and "consumes" in the metadata, and stat() in expressions.
#include "metric_names.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "functions.hpp"
#include "manifest/expression.hpp"
#include "train/metric_name.hpp"
#include "value/json.hpp"

namespace broch::session {
namespace {

using manifest::Component;
using manifest::Value;
using train::MetricWords;
using Names = std::vector<std::string>;

// The value of an option as texts; a list gives several, a null or absent option none.
Names values_of(const Value* option) {
  if (!option || option->is(Value::Kind::null)) return {};
  if (option->is(Value::Kind::string)) return {option->string()};
  if (!option->is(Value::Kind::array)) return {manifest::to_text(*option)};
  Names values;
  for (const Value& element : option->array())
    for (const std::string& value : values_of(&element)) values.push_back(value);
  return values;
}

// The values of the option at a path such as "datasets/name"; below a list, those of each element.
Names values_at(const Value& options, const std::string& path) {
  if (const Value* found = manifest::find_at(options, "/" + path)) return values_of(found);
  const size_t slash = path.find('/');
  const Value* list = slash == std::string::npos ? nullptr : options.find(path.substr(0, slash));
  Names values;
  if (!list || !list->is(Value::Kind::array)) return values;
  for (const Value& element : list->array())
    for (const std::string& value : values_at(element, path.substr(slash + 1)))
      values.push_back(value);
  return values;
}

// What "{option}" or "{option?text}" expands to. inside: the text between the braces.
Names choices_of(const std::string& inside, const Value& options) {
  const size_t mark = inside.find('?');
  Names values = values_at(options, inside.substr(0, mark));
  if (mark == std::string::npos) return values;
  if (values.empty()) values.emplace_back();
  for (std::string& value : values)
    if (!value.empty()) value += inside.substr(mark + 1);
  return values;
}

bool has(const Names& names, const std::string& name) {
  return std::ranges::count(names, name) > 0;
}

void add_to(Names& names, const Names& more) {
  for (const std::string& name : more)
    if (!has(names, name)) names.push_back(name);
}

std::string called(const Component& component) {
  return component.pointer + " (" + component.use + ")";
}

// Adds the metrics of the component, of expressions in its options, and of components inside it,
// except callbacks.
void add(const Component& component, const MetricSources& sources, MetricWords& words) {
  if (component.is_reference()) return;
  const plugins::Component& found = sources.catalog.find(component.use).component;
  const auto fill = [&](const Names& patterns, Names& names) {
    for (const std::string& pattern : patterns) add_to(names, fill_in(pattern, component.with()));
  };
  fill(found.produces, words.produces);
  fill(found.consumes, words.consumes);
  for (const FunctionOption& option : find_functions(component, sources.kinds))
    add_to(words.consumes, manifest::Expression(*option.value).stats());
  const bool may_put = component.role == "callback" || component.role == "inferencer";
  words.complete &= found.lists_produced || !may_put;
  MetricWords inner;
  inner.complete = true;
  for (const Component& child : component.children)
    if (child.role != "callback") add(child, sources, inner);
  for (const std::string& prefix : fill_in(found.metric_prefix, component.with()))
    for (const std::string& name : inner.produces) add_to(words.produces, {prefix + name});
  add_to(words.consumes, inner.consumes);
  words.complete &= inner.complete;
}

MetricWords words_of(const Component& component, const MetricSources& sources) {
  MetricWords words;
  words.place = component.pointer;
  words.complete = true;
  add(component, sources, words);
  return words;
}

// Also adds the metrics of all callbacks inside it.
void add_all(const Component& component, const MetricSources& sources, MetricWords& words) {
  add(component, sources, words);
  for (const Component& child : component.children)
    if (child.role == "callback") add_all(child, sources, words);
}

// Whether the names differ only in one or two adjacent letters.
bool is_slip(const std::string& a, const std::string& b) {
  constexpr ptrdiff_t kLetters = 2;
  const auto [front_a, front_b] = std::ranges::mismatch(a, b);
  const size_t limit = std::min(a.end() - front_a, b.end() - front_b);
  size_t tail = 0;
  while (tail < limit && a[a.size() - 1 - tail] == b[b.size() - 1 - tail]) ++tail;
  return a.end() - front_a - ptrdiff_t(tail) <= kLetters &&
         b.end() - front_b - ptrdiff_t(tail) <= kLetters;
}

struct Entry {
  const Component* component;
  MetricWords words;
};

// An empty name may stand for none.
void warn_of_names(const std::string& place, const MetricWords& words, Names& warnings) {
  for (const std::string& name : words.produces)
    if (!name.empty() && !train::is_metric_name(name))
      warnings.push_back(place + ": the training fails when the metric " + base::quoted(name) +
                         " is set: expected " + train::kMetricNameExpected);
}

void warn_of_order(const std::vector<Entry>& entries, Names& warnings) {
  for (size_t i = 0; i < entries.size(); ++i)
    for (const std::string& name : entries[i].words.consumes)
      for (size_t j = i + 1; j < entries.size(); ++j)
        if (has(entries[j].words.produces, name) && !has(entries[i].words.produces, name))
          warnings.push_back(called(*entries[i].component) + " consumes " + name + " before " +
                             called(*entries[j].component) + " produces it: put it after");
}

void warn_of_two(const std::vector<Entry>& entries, Names& warnings) {
  for (size_t i = 0; i < entries.size(); ++i)
    for (const std::string& name : entries[i].words.produces)
      for (size_t j = i + 1; j < entries.size(); ++j)
        if (has(entries[j].words.produces, name))
          warnings.push_back(called(*entries[i].component) + " and " +
                             called(*entries[j].component) + " both set " + name +
                             ": the later one wins");
}

// Those of one component, such as a runner, put their metrics with the same words before them.
void warn_of_inferencers(const Component& component, const MetricSources& sources,
                         Names& warnings) {
  std::vector<Entry> inferencers;
  for (const Component& child : component.children) {
    warn_of_inferencers(child, sources, warnings);
    if (child.role == "inferencer") inferencers.push_back({&child, words_of(child, sources)});
  }
  warn_of_two(inferencers, warnings);
}

// A metric that no metadata mentions may still come from the model or from a component that does
// not list its metrics. So only a probable typo gives a warning.
void warn_of_unknown(const std::vector<Entry>& entries, const std::vector<MetricWords>& others,
                     Names& warnings) {
  Names produced;
  for (const Entry& entry : entries) add_to(produced, entry.words.produces);
  for (const MetricWords& words : others) add_to(produced, words.produces);
  for (const Entry& entry : entries)
    for (const std::string& name : entry.words.consumes) {
      const std::string near = base::nearest(name, produced);
      if (has(produced, name) || near.empty() || !is_slip(name, near)) continue;
      warnings.push_back(called(*entry.component) + " waits for the metric " + base::quoted(name) +
                         ", which no component sets according to its metadata" +
                         base::did_you_mean(name, produced));
    }
}

}  // namespace

Names fill_in(const std::string& pattern, const Value& options) {
  const size_t open = pattern.find('{'), close = pattern.find('}', open);
  if (open == std::string::npos || close == std::string::npos) return {pattern};
  Names names;
  const Names ends = fill_in(pattern.substr(close + 1), options);
  for (const std::string& choice : choices_of(pattern.substr(open + 1, close - open - 1), options))
    for (const std::string& end : ends) names.push_back(pattern.substr(0, open) + choice + end);
  return names;
}

Names metric_warnings(const MetricSources& sources) {
  std::vector<Entry> entries;
  for (const auto* list : {&sources.manifest.callbacks, &sources.manifest.extra_callbacks})
    for (const Component& component : *list) {
      entries.push_back({&component, {}});
      add_all(component, sources, entries.back().words);
    }
  std::vector<MetricWords> others;
  add_other_metric_words(sources, others);
  Names warnings;
  for (const Entry& entry : entries) warn_of_names(called(*entry.component), entry.words, warnings);
  for (const MetricWords& words : others) warn_of_names(words.place, words, warnings);
  warn_of_order(entries, warnings);
  warn_of_two(entries, warnings);
  for (const Entry& entry : entries) warn_of_inferencers(*entry.component, sources, warnings);
  warn_of_unknown(entries, others, warnings);
  return warnings;
}

void add_metric_words(const Component& component, const abi::Instance& instance,
                      const MetricSources& sources, std::vector<MetricWords>& words) {
  words.push_back(words_of(component, sources));
  words.back().callback = &instance;
  for (size_t i = 0; i < component.children.size(); ++i)
    if (const abi::Instance::Child& child = instance.children()[i];
        component.children[i].role == "callback" && child.owned)
      add_metric_words(component.children[i], *child.owned, sources, words);
}

void add_other_metric_words(const MetricSources& sources, std::vector<MetricWords>& words) {
  const manifest::Manifest& manifest = sources.manifest;
  if (manifest.model) words.push_back(words_of(*manifest.model, sources));
  words.push_back(words_of(manifest.trainer, sources));
  if (sources.input) words.push_back(words_of(*sources.input, sources));
  for (const Component& monitor : manifest.monitors) words.push_back(words_of(monitor, sources));
}

}  // namespace broch::session
