// catalog.cpp: reads the catalog, which is part of the plugin, and finds files.
#include "datasets/catalog.hpp"

#include <algorithm>
#include <broch/cpp/error.hpp>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "arrays/diagnostic.hpp"
#include "base/sha256.hpp"

namespace datasets {

extern const char* const kCatalogText;  // catalog.json, by the build

namespace {

std::map<std::string, DatasetFacts> parse_catalog() {
  std::map<std::string, DatasetFacts> all;
  const nlohmann::json catalog = nlohmann::json::parse(kCatalogText);
  for (const auto& [name, entry] : catalog.items()) {
    DatasetFacts& facts = all[name];
    facts.name = name;
    facts.about = entry.at("about");
    facts.hint = entry.value("hint", "");
    facts.also_in = entry.value("also_in", std::vector<std::string>());
    for (const auto& file : entry.at("files"))
      facts.files.push_back({file.at("name"), file.at("url"), file.value("split", ""),
                             file.value("bytes", uint64_t{0}), file.at("sha256"),
                             file.value("unpack", false)});
  }
  return all;
}

}  // namespace

const DatasetFacts& facts_of(const std::string& dataset) {
  static const std::map<std::string, DatasetFacts> all = parse_catalog();
  return all.at(dataset);
}

std::string default_folder() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  if (cache && *cache == '/') return std::string(cache) + "/broch/datasets";
  const char* const home = std::getenv("HOME");
  return std::string(home ? home : "") + "/.cache/broch/datasets";
}

Place::Place(const std::string& dataset, const std::string& folder, bool verify)
    : facts_(facts_of(dataset)), verify_(verify) {
  folders_.push_back(folder.empty() ? default_folder() + "/" + dataset : folder);
  if (folder.empty()) folders_.insert(folders_.end(), facts_.also_in.begin(), facts_.also_in.end());
}

Place::Found Place::open(const std::vector<std::string>& names) const {
  for (const std::string& folder : folders_)
    for (const std::string& name : names) {
      const std::string path = (std::filesystem::path(folder) / name).string();
      std::error_code ignored;
      if (!std::filesystem::exists(path, ignored)) continue;
      Found found{path, files::Content(path)};
      if (verify_) check(found, name);
      return found;
    }
  refuse_absent(names);
}

void Place::check(const Found& found, const std::string& name) const {
  for (const SourceFile& file : facts_.files) {
    if (file.name != name) continue;
    broch::base::Sha256 checksum;
    checksum.add(found.file.bytes().data(), found.file.bytes().size());
    const std::string sum = checksum.finish();
    if (std::find(file.sha256.begin(), file.sha256.end(), sum) == file.sha256.end())
      arrays::refuse(
          found.path, std::to_string(found.file.bytes().size()) + " bytes with the SHA-256 " + sum,
          (file.bytes > 0 ? std::to_string(file.bytes) + " bytes with " : "") + file.sha256[0],
          "get the file again from " + file.url +
              ", or set verify to false if it is meant to be another one");
  }
}

void Place::refuse_absent(const std::vector<std::string>& names) const {
  std::string expected;
  for (const SourceFile& file : facts_.files)
    expected += (expected.empty() ? "" : ", ") + file.name +
                (file.bytes > 0 ? " (" + std::to_string(file.bytes) + " bytes)" : "") + " from " +
                file.url + (file.unpack ? ", unpacked" : "");
  throw broch::Error(BROCH_E_DATA_LOSS, "dataset " + facts_.name + ": found no " + names[0] +
                                            " in " + folders_[0] + ", expected the files " +
                                            expected + "; run `broch data download " + facts_.name +
                                            "`, put them into " + folders_[0] +
                                            ", or name another folder with the option folder" +
                                            (facts_.hint.empty() ? "" : "; " + facts_.hint));
}

}  // namespace datasets
