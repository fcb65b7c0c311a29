// dataset.cpp: rows straight from the file, or from a process that reads it with libhdf5.
#include "hdf5/dataset.hpp"

#include <algorithm>
#include <utility>

#include "arrays/diagnostic.hpp"

namespace hdf5 {

Datasets::Datasets(const Opening& opening, const broch::Cancel& cancel)
    : opening_(opening), file_(opening.file) {
  auto reader = std::make_unique<Reader>(opening, cancel);
  descriptions_ = reader->descriptions();
  const bool is_needed = std::any_of(descriptions_.begin(), descriptions_.end(),
                                     [](const Description& one) { return !one.offset; });
  if (is_needed) idle_.push_back(std::move(reader));
}

void Datasets::read(size_t dataset, uint64_t row, void* to, const broch::Cancel& cancel) {
  const Description& one = descriptions_[dataset];
  if (one.offset) {
    file_.read(*one.offset + row * one.row_bytes, to, one.row_bytes);
    return;
  }
  std::unique_ptr<Reader> reader = take_reader(cancel);
  reader->read(dataset, row, to, cancel);
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(reader));
}

std::unique_ptr<Reader> Datasets::take_reader(const broch::Cancel& cancel) {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<Reader> reader = std::move(idle_.back());
      idle_.pop_back();
      return reader;
    }
  }
  auto reader = std::make_unique<Reader>(opening_, cancel);
  if (reader->descriptions() != descriptions_)
    arrays::refuse(opening_.file, "other datasets than at the start",
                   "a file that does not change during a run", "start the run again");
  return reader;
}

}  // namespace hdf5
