// ordered_reader.cpp: a ring of slots, filled by threads in any order and emptied in order.
#include "ordered_reader.hpp"

#include "base/signals.hpp"

namespace broch::data {
namespace {

constexpr size_t kSlotsPerThread = 4;

}  // namespace

OrderedReader::OrderedReader(FlowReader& reader, size_t threads) : reader_(reader) {
  if (threads < 2 || !abi::Indexed::plays(reader.instance())) return;
  slots_ = std::vector<Slot>(threads * kSlotsPerThread);
  try {
    for (size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  } catch (...) {
    end();
    throw;
  }
}

OrderedReader::~OrderedReader() { end(); }

void OrderedReader::end() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void OrderedReader::work() {
  base::block_signals();
  abi::Indexed source = abi::Indexed::make(reader_.instance());
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || begun_ < taken_ + slots_.size(); });
    if (ending_) return;
    const uint64_t index = begun_++;
    Slot& slot = slot_of(index);
    lock.unlock();
    slot.point.clear();
    slot.failure = nullptr;
    bool there = false;
    try {
      const runtime::LentPoint lent(slot.point);
      there = source.read({0, index}, reader_.cancel(), lent.handle()) == BROCH_OK;
    } catch (...) {
      slot.failure = std::current_exception();
    }
    lock.lock();
    slot.there = there;
    slot.ready = true;
    if (!there) ending_ = true;
    changed_.notify_all();
  }
}

// After the end or a failure, no point is begun, but those before it were; so its turn comes.
bool OrderedReader::next(runtime::Point& point) {
  if (threads_.empty()) return reader_.next(point);
  std::unique_lock lock(mutex_);
  Slot& slot = slot_of(taken_);
  changed_.wait(lock, [&slot] { return slot.ready; });
  if (slot.failure) std::rethrow_exception(slot.failure);
  if (!slot.there) return false;
  point = std::move(slot.point);
  slot.ready = false;
  ++taken_;
  lock.unlock();
  changed_.notify_all();
  return true;
}

}  // namespace broch::data
