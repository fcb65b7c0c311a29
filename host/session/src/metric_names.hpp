// metric_names.hpp: the metrics that components set and wait for, according to their metadata.
#pragma once
#include <string>
#include <vector>

#include "abi/instance.hpp"
#include "manifest/component.hpp"
#include "manifest/manifest.hpp"
#include "plugins/catalog.hpp"
#include "train/awaited_metrics.hpp"

namespace broch::session {

// Expands a name in "produces" or "consumes" that refers to options. "{monitor_stat}" becomes the
// value of that option. "{prefix?_}" becomes its value followed by "_", or nothing if the value is
// empty or null. An option that is a list gives one name per element, and "{datasets/name}" one for
// the member name of each; with "{option}", one that is null or absent gives no name.
std::vector<std::string> fill_in(const std::string& pattern, const manifest::Value& options);

struct MetricSources {
  const manifest::Manifest& manifest;
  const plugins::Catalog& catalog;
  const manifest::Catalog& kinds;
  const manifest::Component* input;  // of the training; nullptr: none
};

// Warns of callbacks that wait for a metric that a later callback sets, of metrics that two
// callbacks set, or two inferencers of one, of metrics that nothing sets although a very similar
// name exists (probably a typo), and of names that metrics cannot have.
std::vector<std::string> metric_warnings(const MetricSources& sources);

// Adds the metrics of a callback, and of the callbacks inside it. instance: created from component.
void add_metric_words(const manifest::Component& component, const abi::Instance& instance,
                      const MetricSources& sources, std::vector<train::MetricWords>& words);
// Adds the metrics of the model, the trainer, the monitors, and the input with its dataflows.
void add_other_metric_words(const MetricSources& sources, std::vector<train::MetricWords>& words);

}  // namespace broch::session
