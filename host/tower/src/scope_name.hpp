// scope_name.hpp: the variable scopes that are open in a call, as one name.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace broch::tower {

class ScopeName {
 public:
  // "a", then "a/b". Allocates only when the name gets longer than ever before.
  void push(std::string_view name) {
    ends_.push_back(name_.size());
    if (!name_.empty()) name_ += '/';
    name_ += name;
  }
  void pop() {  // REQUIRES: is_open()
    name_.resize(ends_.back());
    ends_.pop_back();
  }
  bool is_open() const { return !ends_.empty(); }
  const std::string& text() const { return name_; }
  void clear() {
    name_.clear();
    ends_.clear();
  }

 private:
  std::string name_;
  std::vector<size_t> ends_;  // lengths of name_ before each push
};

// Opens a scope for its lifetime.
class ScopeGuard {
 public:
  ScopeGuard(ScopeName& scope, std::string_view name) : scope_(scope) { scope_.push(name); }
  ~ScopeGuard() { scope_.pop(); }
  ScopeGuard(const ScopeGuard&) = delete;
  ScopeGuard& operator=(const ScopeGuard&) = delete;

 private:
  ScopeName& scope_;
};

}  // namespace broch::tower
