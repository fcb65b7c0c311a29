// content.cpp: files in memory, as a whole or as far as they are used.
#include "files/content.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <new>

namespace files {
namespace {

// Read piece by piece, when a piece is needed for the first time.
class KeptFile final : public broch::archive::Source {
 public:
  explicit KeptFile(std::shared_ptr<const broch::archive::File> file)
      : file_(std::move(file)),
        pieces_((file_->size() + kPiece - 1) / kPiece),
        is_read_(new std::atomic<bool>[pieces_]()),
        data_(static_cast<char*>(std::aligned_alloc(kPiece, std::max(pieces_, 1UL) * kPiece))) {
    if (!data_) throw std::bad_alloc();
    // A hint: large pages make reads at random places a quarter faster.
    if (pieces_ > 1) ::madvise(data_.get(), pieces_ * kPiece, MADV_HUGEPAGE);
  }

  const std::string& name() const override { return file_->name(); }
  uint64_t size() const override { return file_->size(); }
  const char* at(uint64_t offset, uint64_t size) const override {
    for (uint64_t i = offset / kPiece; i * kPiece < offset + size; ++i)
      if (!is_read_[i].load(std::memory_order_acquire)) read_piece(i);
    return data_.get() + offset;
  }
  using Source::read;
  void read(uint64_t offset, void* to, uint64_t size) const override {
    require(offset, size);
    std::copy_n(at(offset, size), size, static_cast<char*>(to));
  }

 private:
  static constexpr uint64_t kPiece = uint64_t{1} << 21;  // that of a large page
  struct Free {
    void operator()(char* data) const { std::free(data); }
  };

  void read_piece(uint64_t i) const {
    const std::lock_guard lock(mutex_);
    if (is_read_[i]) return;
    const uint64_t begin = i * kPiece;
    file_->read(begin, data_.get() + begin, std::min(kPiece, size() - begin));
    is_read_[i].store(true, std::memory_order_release);
  }

  std::shared_ptr<const broch::archive::File> file_;
  uint64_t pieces_;
  mutable std::mutex mutex_;
  std::unique_ptr<std::atomic<bool>[]> is_read_;  // set under mutex_
  std::unique_ptr<char, Free> data_;
};

}  // namespace

Content::Content(const std::string& path) {
  const broch::archive::File file(path);
  data_.reset(new char[file.size()]);
  size_ = file.size();
  file.read(0, data_.get(), size_);
}

std::shared_ptr<const broch::archive::Source> open_source(const std::string& path) {
  auto file = std::make_shared<const broch::archive::File>(path);
  if (file->size() > kMostKept) return file;
  return std::make_shared<const KeptFile>(std::move(file));
}

}  // namespace files
