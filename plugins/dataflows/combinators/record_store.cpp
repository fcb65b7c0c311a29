// record_store.cpp: the memory and the file.
//
// File: 8 bytes of magic, the fingerprint; then records: number, size, checksum, bytes. The record
// with the largest number has the count. All numbers are 64 bits, little-endian.
#include "record_store.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <broch/broch.hpp>
#include <cerrno>
#include <cstring>

namespace broch::dataflows {

namespace {

constexpr char kMagic[] = "BROCHDC1";  // 8 characters
constexpr uint64_t kHeader = 16, kRecordHeader = 24;
constexpr uint64_t kCount = UINT64_MAX;

// FNV-1a over words of 8 bytes, seeded with number and size.
uint64_t checksum(uint64_t number, const std::string& bytes) {
  uint64_t hash = Draws(number ^ (bytes.size() << 20)).bits();
  for (size_t i = 0; i < bytes.size(); i += 8) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, std::min<size_t>(8, bytes.size() - i));
    hash = (hash ^ word) * 0x100000001B3u;
    hash ^= hash >> 29;
  }
  return hash;
}

// A record with its header, as it stands in the file.
std::string framed(uint64_t number, const std::string& bytes) {
  const uint64_t head[3] = {number, bytes.size(), checksum(number, bytes)};
  std::string whole;
  whole.reserve(sizeof head + bytes.size());
  whole.append(reinterpret_cast<const char*>(head), sizeof head);
  return whole += bytes;
}

}  // namespace

Record MemoryStore::get(uint64_t number) {
  const std::lock_guard lock(mutex_);
  const auto it = records_.find(number);
  return it == records_.end() ? nullptr : it->second;
}

bool MemoryStore::has_room(uint64_t size) {
  const std::lock_guard lock(mutex_);
  return size <= limit_ - used_;
}

bool MemoryStore::put(uint64_t number, std::string&& bytes) {
  const Record record = std::make_shared<const std::string>(std::move(bytes));
  const std::lock_guard lock(mutex_);
  if (records_.count(number)) return true;
  if (record->size() > limit_ - used_) return false;
  records_.emplace(number, record);
  used_ += record->size();
  return true;
}

void MemoryStore::complete(uint64_t count) {
  const std::lock_guard lock(mutex_);
  count_ = count;
}

std::optional<uint64_t> MemoryStore::count() {
  const std::lock_guard lock(mutex_);
  return count_;
}

FileStore::FileStore(const std::string& path, uint64_t fingerprint, uint64_t limit)
    : path_(path), limit_(limit) {
  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file_ < 0)
    throw Error(BROCH_E_DATA_LOSS, path + ": cannot be opened or made: " + std::strerror(errno) +
                                       "; expected a file in a folder that may be written to");
  writes_ = ::flock(file_, LOCK_EX | LOCK_NB) == 0;
  try {
    struct stat facts {};
    if (::fstat(file_, &facts) != 0 || !S_ISREG(facts.st_mode))
      throw Error(BROCH_E_INVALID_ARGUMENT, path + ": expected a regular file");
    end_ = uint64_t(facts.st_size);
    if (end_ < kHeader && writes_) begin(fingerprint);
    // Another process is about to write the header: there is nothing to read yet.
    if (end_ == 0) return;
    read_header(fingerprint);
    find_records();
  } catch (...) {
    ::close(file_);
    throw;
  }
}

FileStore::~FileStore() { ::close(file_); }

// A process may have been killed before it had written the whole header.
void FileStore::begin(uint64_t fingerprint) {
  char header[kHeader], found[kHeader] = {};
  std::memcpy(header, kMagic, 8);
  std::memcpy(header + 8, &fingerprint, 8);
  read_exactly(found, end_, 0, "header");
  if (std::memcmp(found, header, end_) != 0) return;
  write_exactly(header, kHeader, 0);
  end_ = kHeader;
}

void FileStore::read_header(uint64_t fingerprint) {
  char magic[8] = {};
  uint64_t found = 0;
  if (end_ >= kHeader) {
    read_exactly(magic, 8, 0, "header");
    read_exactly(&found, 8, 8, "header");
  }
  if (std::memcmp(magic, kMagic, 8) != 0)
    throw Error(
        BROCH_E_DATA_LOSS,
        path_ +
            ": this is not a cache of data points, so it is not overwritten; name another file");
  if (found != fingerprint)
    throw Error(BROCH_E_INVALID_ARGUMENT,
                path_ +
                    ": this cache was made of another dataflow or with other options: delete "
                    "it, or name another file");
}

// Notes where the records are. The first one that is not whole is the end, and so is a count
// without its checksum; if this process writes, the rest is overwritten.
void FileStore::find_records() {
  uint64_t at = kHeader;
  while (end_ - at >= kRecordHeader) {
    uint64_t head[3];
    read_exactly(head, sizeof head, at, "record");
    // No record is empty, but a power failure may leave zeros.
    if (head[1] == 0 || head[1] > end_ - at - kRecordHeader) break;
    if (head[0] == kCount && head[1] == 8) {
      std::string bytes(8, '\0');
      read_exactly(bytes.data(), bytes.size(), at + kRecordHeader, "count");
      if (head[2] != checksum(kCount, bytes)) break;
      uint64_t count = 0;
      std::memcpy(&count, bytes.data(), bytes.size());
      count_ = count;
    } else {
      places_.emplace(head[0], Place{at + kRecordHeader, head[1]});
    }
    at += kRecordHeader + head[1];
  }
  end_ = at;
  if (writes_ && ::ftruncate(file_, off_t(end_)) != 0)
    throw Error(BROCH_E_UNKNOWN, path_ + ": cannot be cut: " + std::strerror(errno));
}

Record FileStore::get(uint64_t number) {
  Place place{};
  {
    const std::lock_guard lock(mutex_);
    const auto it = places_.find(number);
    if (it == places_.end()) return nullptr;
    place = it->second;
  }
  uint64_t head[3];
  read_exactly(head, sizeof head, place.offset - kRecordHeader, "record");
  std::string bytes(place.size, '\0');
  read_exactly(bytes.data(), place.size, place.offset, "record");
  if (head[2] != checksum(number, bytes))
    throw Error(BROCH_E_DATA_LOSS,
                path_ + ": byte " + std::to_string(place.offset) + ": the cached point " +
                    std::to_string(number) +
                    " does not have its checksum: delete the file, so that it is written again");
  return std::make_shared<const std::string>(std::move(bytes));
}

// REQUIRES: mutex_ is held.
bool FileStore::fits(uint64_t size) const {
  const uint64_t left = limit_ - std::min(limit_, end_);
  return writes_ && left >= kRecordHeader && size <= left - kRecordHeader;
}

bool FileStore::has_room(uint64_t size) {
  const std::lock_guard lock(mutex_);
  return fits(size);
}

bool FileStore::put(uint64_t number, std::string&& bytes) {
  const std::string whole = framed(number, bytes);
  const std::lock_guard writing(write_mutex_);
  {
    const std::lock_guard lock(mutex_);
    if (places_.count(number)) return true;
    if (!fits(bytes.size())) return false;
  }
  const uint64_t at = append(whole);
  const std::lock_guard lock(mutex_);
  places_.emplace(number, Place{at + kRecordHeader, bytes.size()});
  return true;
}

void FileStore::complete(uint64_t count) {
  const std::lock_guard writing(write_mutex_);
  if (!this->count() && writes_)
    append(framed(kCount, std::string(reinterpret_cast<const char*>(&count), 8)));
  const std::lock_guard lock(mutex_);
  count_ = count;
}

std::optional<uint64_t> FileStore::count() {
  const std::lock_guard lock(mutex_);
  return count_;
}

// Returns where it begins. REQUIRES: write_mutex_ is held, so that end_ stays as it is meanwhile.
uint64_t FileStore::append(const std::string& framed) {
  const uint64_t at = end_;
  write_exactly(framed.data(), framed.size(), at);
  const std::lock_guard lock(mutex_);
  end_ = at + framed.size();
  return at;
}

void FileStore::read_exactly(void* to, uint64_t size, uint64_t offset, const char* what) {
  for (uint64_t done = 0; done < size;) {
    const ssize_t n =
        ::pread(file_, static_cast<char*>(to) + done, size - done, off_t(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0)
      throw Error(BROCH_E_DATA_LOSS,
                  path_ + ": byte " + std::to_string(offset + done) + ": a " + what +
                      " cannot be read: " + (n < 0 ? std::strerror(errno) : "the file ends") +
                      "; delete the file, so that it is written again");
    done += uint64_t(n);
  }
}

void FileStore::write_exactly(const void* from, uint64_t size, uint64_t offset) {
  for (uint64_t done = 0; done < size;) {
    const ssize_t n =
        ::pwrite(file_, static_cast<const char*>(from) + done, size - done, off_t(offset + done));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0)
      throw Error(BROCH_E_RESOURCE_EXHAUSTED, path_ +
                                                  ": cannot be written: " + std::strerror(errno) +
                                                  "; free some space, or set max_bytes");
    done += uint64_t(n);
  }
}

}  // namespace broch::dataflows
