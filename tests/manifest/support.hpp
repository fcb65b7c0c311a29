// support.hpp: errors as text, a catalog made of schemas, manifests that are fine.
#pragma once
#include <doctest/doctest.h>

#include <functional>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "manifest/component.hpp"
#include "manifest/json.hpp"
#include "manifest/manifest.hpp"

namespace support {

struct Refusal {
  int exit = 0;
  std::string text;  // empty: nothing was refused
};

inline Refusal refusal(const std::function<void()>& action) {
  try {
    action();
    return {};
  } catch (const broch::base::Error& error) {
    return {static_cast<int>(error.exit()), error.what()};
  }
}

// Four expressions that a message has to match, in this order.
struct Expected {
  std::string place, found, expected, next;
};

inline void check_refusal(const std::string& what, const Refusal& refused, const Expected& wanted,
                          int exit = 3) {
  CAPTURE(what);
  CAPTURE(refused.text);
  CHECK(refused.exit == exit);
  const std::string pattern = "(^|\n)" + wanted.place + "[^\n]*: [^\n]*" + wanted.found +
                              "[^\n]*, expected [^\n]*" + wanted.expected +
                              "[^\n]*\n  hint: [^\n]*" + wanted.next;
  CHECK(std::regex_search(refused.text, std::regex(pattern)));
}

inline std::shared_ptr<const broch::manifest::Source> source(const std::string& text,
                                                             const std::string& name = "run.json") {
  return std::make_shared<const broch::manifest::Source>(
      broch::manifest::Source{name, "/runs/one", text});
}

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
