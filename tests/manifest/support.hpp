// support.hpp: a catalog made of schemas, manifests that are fine.
#pragma once
#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

#include "json_source.hpp"
#include "manifest/component.hpp"
#include "manifest/manifest.hpp"
#include "refusal.hpp"
#include "value/json.hpp"

namespace support {

inline broch::manifest::Manifest load(const std::string& text,
                                      const std::vector<std::string>& overrides = {}) {
  return broch::manifest::load_source(source(text), overrides);
}

// The smallest manifest, with more members before the end.
inline std::string minimal(const std::string& more = "") {
  const std::string start = R"({"broch": 1, "model": "m.net", "dataflow": "d.set")";
  return start + (more.empty() ? "" : ", ") + more + "}";
}

class FakeCatalog : public broch::manifest::Catalog {
 public:
  void add(const std::string& id, const std::string& role, const std::string& schema,
           const std::vector<std::string>& needs = {}) {
    kinds_[id] = {{role}, broch::manifest::parse_text("schema of " + id, schema), "", needs};
  }
  const Kind* find(const std::string& id) const override {
    const auto found = kinds_.find(id);
    return found == kinds_.end() ? nullptr : &found->second;
  }
  std::vector<std::string> ids() const override {
    std::vector<std::string> ids;
    for (const auto& [id, kind] : kinds_) ids.push_back(id);
    return ids;
  }

 private:
  std::map<std::string, Kind> kinds_;
};

}  // namespace support
