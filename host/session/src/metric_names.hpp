// metric_names.hpp: which metrics components put and wait for, as far as their metadata says.
#pragma once
#include <string>
#include <vector>

#include "abi/instance.hpp"
#include "manifest/component.hpp"
#include "manifest/manifest.hpp"
#include "plugins/catalog.hpp"
#include "train/awaited_metrics.hpp"

namespace broch::session {

// A name of "produces" or "consumes" with options in it: "{monitor_stat}" is the option's value,
// "{prefix?_}" its value and "_" behind it, or nothing where it is empty or null. A list gives a
// name for each element; a name with another option that is null or absent none.
std::vector<std::string> fill_in(const std::string& pattern, const manifest::Value& options);

struct MetricSources {
  const manifest::Manifest& manifest;
  const plugins::Catalog& catalog;
  const manifest::Catalog& kinds;
};

// What each callback waits for that comes later in the list, what two of them set, and what nobody
// says that it puts although there is a name that is spelt nearly the same.
std::vector<std::string> metric_warnings(const MetricSources& sources);

// The words of a callback, and of those inside of it, for the instance that was made of it.
void add_metric_words(const manifest::Component& component, const abi::Instance& instance,
                      const MetricSources& sources, std::vector<train::MetricWords>& words);
// The words of the model, the trainer and the monitors.
void add_other_metric_words(const MetricSources& sources, std::vector<train::MetricWords>& words);

}  // namespace broch::session
