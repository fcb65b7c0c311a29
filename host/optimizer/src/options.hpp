// options.hpp: reads the options of an entry key by key; a key that was not read is an error.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "optimizer/entry.hpp"
#include "optimizer/name_filter.hpp"

namespace broch::optimizer {

// Every error is a base::Error that says where the option was written.
class Options {
 public:
  explicit Options(Entry object);

  // A key that is missing or null gives an empty optional, or an empty list.
  std::optional<std::string> text(const char* key);
  std::optional<int64_t> integer(const char* key);
  std::optional<double> number(const char* key);
  std::optional<bool> flag(const char* key);
  std::optional<Entry> entry(const char* key);
  std::vector<Entry> list(const char* key);
  // Takes the variables that an expression matches; without one, all of them.
  NameFilter filter(const char* key);
  // To be called last: throws for a key that was not read, and suggests the nearest one.
  void done() const;

  // For messages: "run.json:3:7: /optimizer/with/eps".
  std::string place(const char* key) const;
  [[noreturn]] void refuse(const char* key, const std::string& expected) const;

 private:
  const value::Value* take(const char* key);

  Entry object_;
  std::vector<std::string> known_;
};

// What an entry says: the full id of a component, and its options.
struct Component {
  std::string use;
  Options with;
};
Component read_entry(const Entry& entry, const std::string& role);

}  // namespace broch::optimizer
