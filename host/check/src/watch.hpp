// watch.hpp: collects misuses of the interface, and can replace extension tables.
#pragma once
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "abi/inspection.hpp"

namespace broch::check {

class Watch final : public abi::Inspector {
 public:
  explicit Watch(std::string component) : component_(std::move(component)) {}

  using Filter = std::function<const void*(const std::string& id, const void* table)>;

  void saw(abi::Misuse misuse, const std::string& text) override;
  const void* extension(const abi::Instance& asking, const char* id, const void* table) override;

  // The filter applies to instances of the component under test, from now on. An empty filter does
  // not change tables.
  void set_filter(Filter filter) { filter_ = std::move(filter); }
  // Throws Failed with the first recorded misuse of these kinds.
  void require_none(const std::vector<abi::Misuse>& misuses) const;
  // The same for misuses that no failure of the host can excuse: wrong statuses, errors without a
  // reason, exceptions.
  void require_answers() const;

 private:
  struct Seen {
    abi::Misuse misuse;
    std::string text;
  };
  const std::string component_;
  mutable std::mutex mutex_;
  std::vector<Seen> seen_;
  Filter filter_;
};

}  // namespace broch::check
