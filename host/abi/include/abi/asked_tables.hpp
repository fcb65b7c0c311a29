// asked_tables.hpp: which extensions the instances of a run have asked for.
#pragma once
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace broch::abi {

class Instance;

// Where it is in the context, get_extension notes.
class AskedTables {
 public:
  void note(const Instance& instance, const char* extension);  // [any thread]
  bool has(const Instance& instance, std::string_view extension) const;

 private:
  mutable std::mutex mutex_;
  std::map<const Instance*, std::set<std::string, std::less<>>> asked_;
};

}  // namespace broch::abi
