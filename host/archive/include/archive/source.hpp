// source.hpp: bytes that can be read at any offset: a file, or memory in tests.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace broch::archive {

class Source {
 public:
  virtual ~Source() = default;
  // For messages.
  virtual const std::string& name() const = 0;
  virtual uint64_t size() const = 0;
  // Bytes that lie within the file, if they are kept in memory; otherwise null.
  virtual const char* at(uint64_t /*offset*/, uint64_t /*size*/) const { return nullptr; }
  // Reads exactly so many bytes. Throws Error if the file ends before. Any thread.
  virtual void read(uint64_t offset, void* to, uint64_t size) const = 0;

  std::string read(uint64_t offset, uint64_t size) const;

 protected:
  // Throws Error unless these bytes lie within the file.
  void require(uint64_t offset, uint64_t size) const;
};

class File final : public Source {
 public:
  // Throws Error if it cannot be opened or is no regular file. what: follows the path in messages,
  // such as ", image 17".
  explicit File(const std::string& path, const std::string& what = "");
  ~File() override;
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  const std::string& name() const override { return name_; }
  uint64_t size() const override { return size_; }
  using Source::read;
  void read(uint64_t offset, void* to, uint64_t size) const override;
  // The time of the last change, in nanoseconds since 1970.
  int64_t modified() const { return modified_; }

 private:
  std::string name_;
  int descriptor_;
  uint64_t size_ = 0;
  int64_t modified_ = 0;
};

class Memory final : public Source {
 public:
  // owner: keeps the bytes; null: the caller does.
  Memory(std::string_view bytes, std::string name, std::shared_ptr<const void> owner = nullptr)
      : bytes_(bytes), name_(std::move(name)), owner_(std::move(owner)) {}
  const std::string& name() const override { return name_; }
  uint64_t size() const override { return bytes_.size(); }
  const char* at(uint64_t offset, uint64_t) const override { return bytes_.data() + offset; }
  using Source::read;
  void read(uint64_t offset, void* to, uint64_t size) const override;

 private:
  std::string_view bytes_;
  std::string name_;
  std::shared_ptr<const void> owner_;
};

// Opens files when they are needed and keeps at most 64 of them open, since there may be thousands
// of shards and only 1,024 descriptors. Any thread.
class Files {
 public:
  Files() = default;
  explicit Files(std::vector<std::string> paths) : slots_(paths.size()), paths_(std::move(paths)) {}
  size_t count() const { return paths_.size(); }
  std::shared_ptr<const File> open(size_t which);

 private:
  static constexpr size_t kMostOpen = 64;
  struct Slot {
    std::shared_ptr<const File> file;
    uint64_t last_use = 0;
  };
  std::mutex mutex_;
  std::vector<Slot> slots_;  // guarded by mutex_, like what follows
  std::vector<size_t> open_;
  uint64_t uses_ = 0;
  std::vector<std::string> paths_;
};

}  // namespace broch::archive
