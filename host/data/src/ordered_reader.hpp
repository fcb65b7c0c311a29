// ordered_reader.hpp: the points of a dataflow in their order, read on several threads.
#pragma once
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "data/flow.hpp"

namespace broch::data {

// With a dataflow that can be read by index, threads read ahead of next(). Otherwise it is read
// where next() is called. The points are the same, with any number of threads.
class OrderedReader {
 public:
  // reader has just been opened.
  OrderedReader(FlowReader& reader, size_t threads);
  ~OrderedReader();
  OrderedReader(const OrderedReader&) = delete;
  OrderedReader& operator=(const OrderedReader&) = delete;

  // As in FlowReader. Throws what reading a point threw, when it is that point's turn.
  bool next(runtime::Point& point);
  size_t threads() const { return threads_.size(); }  // 0: read where next() is called

 private:
  struct Slot {
    runtime::Point point;
    bool ready = false, there = false;
    std::exception_ptr failure;
  };
  void end();  // the threads
  void work();
  Slot& slot_of(uint64_t index) { return slots_[index % slots_.size()]; }

  FlowReader& reader_;
  std::vector<Slot> slots_;
  std::mutex mutex_;  // protects what follows, and the flags of the slots
  std::condition_variable changed_;
  uint64_t taken_ = 0;   // points that next() has returned
  uint64_t begun_ = 0;   // points that threads have begun to read
  bool ending_ = false;  // no further point is to be begun
  std::vector<std::thread> threads_;
};

}  // namespace broch::data
