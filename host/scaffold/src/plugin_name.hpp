// plugin_name.hpp: the name of a new plugin, in the forms in which its files need it.
#pragma once
#include <string>

namespace broch::scaffold {

struct PluginName {
  // name: as in NewPlugin. Throws base::Error (usage) if the id, or a target of CMake or Meson,
  // cannot be called so.
  explicit PluginName(const std::string& name);

  std::string id;          // "org.example.loss-watch"
  std::string word;        // "loss-watch"
  std::string file_word;   // "loss_watch"
  std::string class_word;  // "LossWatch"
};

}  // namespace broch::scaffold
