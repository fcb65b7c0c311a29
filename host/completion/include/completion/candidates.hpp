// candidates.hpp: candidates that depend on files. Files that cannot be read give no
// candidates and no errors, because somebody is still typing.
#pragma once
#include <string>
#include <vector>

namespace broch::completion {

using Words = std::vector<std::string>;

// Ids and short names of the installed components.
Words components(const Words& plugin_path);

// Overrides that begin with word, such as "optimizer.with.learning_rate=",
// "~callbacks[NAME]" or "+callbacks=NAME". earlier: those that were typed before.
Words overrides(const std::string& manifest, const Words& earlier, const Words& plugin_path,
                const std::string& word);

// Log folders whose path begins with word, and folders that contain some, as "train_log/".
Words runs(const std::string& word);

}  // namespace broch::completion
