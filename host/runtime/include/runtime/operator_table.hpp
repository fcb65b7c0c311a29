// operator_table.hpp: operators by number, so that handles are checked without a lock.
#pragma once
#include <array>
#include <atomic>
#include <memory>
#include <mutex>

#include "runtime/backend.hpp"

namespace broch::runtime {

class OperatorTable {
 public:
  static constexpr uint32_t kMax = 4096;
  struct Entry {
    Operator* op = nullptr;
    const char* name = "";
    bool reads_value = false;
  };

  OperatorTable();
  // The handle of an operator, always the same one. Throws base::Error if the table is full.
  broch_op add(const Backend& backend, Operator* op);
  // nullptr if the handle is not from this table.
  const Entry* find(broch_op handle) const;

 private:
  std::mutex mutex_;
  std::atomic<uint32_t> count_{0};
  std::unique_ptr<std::array<Entry, kMax>> entries_;
  uint32_t serial_;
};

}  // namespace broch::runtime
