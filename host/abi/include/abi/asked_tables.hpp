// asked_tables.hpp: which extensions each instance of a run has asked for.
#pragma once
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace broch::abi {

class Instance;

// If the context has this object, get_extension notes each request in it.
class AskedTables {
 public:
  void note(const Instance& instance, const char* extension);  // [any]
  bool has(const Instance& instance, std::string_view extension) const;

 private:
  mutable std::mutex mutex_;
  std::map<const Instance*, std::set<std::string, std::less<>>> asked_;
};

}  // namespace broch::abi
