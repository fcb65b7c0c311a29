// record_store.hpp: keeps records by number, in memory or in a file. Any thread.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

namespace broch::dataflows {

using Record = std::shared_ptr<const std::string>;

class RecordStore {
 public:
  virtual ~RecordStore() = default;
  // nullptr: it is not there.
  virtual Record get(uint64_t number) = 0;
  // Whether there is room for a record of so many bytes now.
  virtual bool has_room(uint64_t size) = 0;
  // False: there is no room.
  virtual bool put(uint64_t number, std::string&& bytes) = 0;
  // Says that there are the records 0 to count - 1, and no others.
  virtual void complete(uint64_t count) = 0;
  // What complete was told.
  virtual std::optional<uint64_t> count() = 0;
};

class MemoryStore final : public RecordStore {
 public:
  explicit MemoryStore(uint64_t limit) : limit_(limit) {}
  Record get(uint64_t number) override;
  bool has_room(uint64_t size) override;
  bool put(uint64_t number, std::string&& bytes) override;
  void complete(uint64_t count) override;
  std::optional<uint64_t> count() override;

 private:
  std::mutex mutex_;
  std::unordered_map<uint64_t, Record> records_;
  uint64_t limit_, used_ = 0;  // bytes
  std::optional<uint64_t> count_;
};

// A file is written by one process at a time; another one that uses it only reads what is in it
// when it opens it. A record that was not written completely is cut off at the next start.
class FileStore final : public RecordStore {
 public:
  // fingerprint: of what the records are made of. limit: bytes of the file. Throws Error if the
  // file is no cache, or has another fingerprint.
  FileStore(const std::string& path, uint64_t fingerprint, uint64_t limit);
  ~FileStore() override;
  FileStore(const FileStore&) = delete;
  FileStore& operator=(const FileStore&) = delete;
  Record get(uint64_t number) override;
  bool has_room(uint64_t size) override;
  bool put(uint64_t number, std::string&& bytes) override;
  void complete(uint64_t count) override;
  std::optional<uint64_t> count() override;

 private:
  struct Place {
    uint64_t offset, size;  // of the bytes of the record
  };
  void begin(uint64_t fingerprint);
  void read_header(uint64_t fingerprint);
  void find_records();
  bool fits(uint64_t size) const;
  uint64_t append(const std::string& framed);
  void read_exactly(void* to, uint64_t size, uint64_t offset, const char* what);
  void write_exactly(const void* from, uint64_t size, uint64_t offset);

  std::string path_;
  int file_ = -1;
  bool writes_ = false;  // this process has the lock
  uint64_t limit_;
  std::mutex write_mutex_;  // held by who writes into the file; who only reads does not wait for it
  std::mutex mutex_;        // guards all below
  std::unordered_map<uint64_t, Place> places_;
  uint64_t end_ = 0;  // where the next record goes
  std::optional<uint64_t> count_;
};

}  // namespace broch::dataflows
