// rows.hpp: a batch whose rows are filled in place, possibly on several threads.
//
// The first row that adds a tensor settles name, dtype and shape of that component for all rows;
// its memory, with a first dimension of n, is allocated then.
#pragma once
#include <mutex>
#include <vector>

#include "runtime/point.hpp"

namespace broch::runtime {

class Rows {
 public:
  explicit Rows(size_t n) : records_(n) {}
  ~Rows();
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  size_t count() const { return records_.size(); }
  // The point fills row `index` from now on; the row that it filled before is complete.
  void begin(size_t index, Point& point);
  // The point no longer fills a row.
  void leave(Point& point);
  // The memory of a component in a row. Throws base::Error (data) if name, dtype or shape differ
  // from what another row has.
  void* slot(size_t row, size_t component, const char* name, broch_dtype dtype, const Shape& shape);
  // Completes all rows and puts the first `count` into the batch.
  void finish(size_t count, Point& batch);

 private:
  struct Component {
    std::string name;
    bool has_name = false;
    broch_dtype dtype = 0;
    Shape shape;  // of a row
    broch_dl_managed* data = nullptr;
    size_t row_bytes = 0;
  };
  struct Record {
    bool complete = false;
    size_t components = 0;
    std::string cursor, origin;
    const abi::Instance* origin_of = nullptr;
    uint64_t key = 0;
  };
  void add_component(size_t row, const char* name, broch_dtype dtype, const Shape& shape);
  void complete(Point& point);
  void check(size_t count) const;
  void describe(size_t count, Point& batch) const;

  std::mutex mutex_;  // guards all below
  std::vector<Component> components_;
  std::vector<Record> records_;
  std::vector<Point*> filling_;
};

}  // namespace broch::runtime
