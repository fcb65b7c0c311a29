// operator_table.cpp: entries are written once, and only read afterwards.
#include "runtime/operator_table.hpp"

#include "abi/handle.hpp"
#include "base/error.hpp"

namespace broch::runtime {
namespace {

uint32_t next_serial() {
  static std::atomic<uint32_t> serial{0};
  return ++serial & 0xFFFFF;
}

}  // namespace

OperatorTable::OperatorTable()
    : entries_(std::make_unique<std::array<Entry, kMax>>()), serial_(next_serial()) {}

broch_op OperatorTable::add(const Backend& backend, Operator* op) {
  const std::lock_guard lock(mutex_);
  const uint32_t count = count_.load(std::memory_order_relaxed);
  uint32_t index = 0;
  while (index < count && (*entries_)[index].op != op) ++index;
  if (index == kMax)
    throw base::Error(base::Exit::training,
                      {.where = backend.operator_name(op),
                       .found = "operator number " + std::to_string(kMax + 1),
                       .expected = "at most " + std::to_string(kMax) + " in a run",
                       .hint = "resolve each schema once and keep the handle"});
  if (index == count) {
    (*entries_)[index] = {op, backend.operator_name(op), backend.reads_value(op)};
    count_.store(count + 1, std::memory_order_release);
  }
  return abi::make_handle(abi::Kind::op, 0, serial_, index);
}

const OperatorTable::Entry* OperatorTable::find(broch_op handle) const {
  const uint32_t index = abi::handle_index(handle);
  const bool ours = abi::handle_kind(handle) == abi::Kind::op &&
                    abi::handle_generation(handle) == serial_ &&
                    index < count_.load(std::memory_order_acquire);
  return ours ? &(*entries_)[index] : nullptr;
}

}  // namespace broch::runtime
