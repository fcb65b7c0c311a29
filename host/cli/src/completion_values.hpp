// completion_values.hpp: candidates that have to be looked for. What cannot be read gives none:
// somebody is still typing.
#pragma once
#include <string>
#include <vector>

namespace broch::cli {

using Words = std::vector<std::string>;

// Ids and names of what is installed.
Words component_candidates(const Words& plugin_path);

// "optimizer.with.learning_rate=", "~callbacks[model-saver]", "+callbacks=nan-guard": what the word
// may become as an override of the manifest, beside the overrides that stand already.
Words override_candidates(const std::string& manifest, const Words& overrides,
                          const Words& plugin_path, const std::string& word);

// Log folders of runs whose path begins with the word, and folders ("train_log/") on the way to
// some.
Words run_candidates(const std::string& word);

}  // namespace broch::cli
