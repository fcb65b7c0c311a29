// tfrecord.cpp: source: tensorflow/core/lib/io/record_writer.h; the checksums are masked CRC-32C.
#include "containers/tfrecord.hpp"

#include <cstring>

#include "arrays/diagnostic.hpp"
#include "base/checksum.hpp"
#include "containers/index_cache.hpp"
#include "containers/tar.hpp"
#include "containers/written.hpp"

namespace containers {
namespace {

using arrays::refuse;

constexpr uint64_t kHead = 12, kTail = 4;  // bytes before and after a record
const char* const kDamaged =
    "the file is damaged or is not a TFRecord file; copy or write it again";

std::string place(const Source& source, uint64_t offset) {
  return source.name() + ": byte " + std::to_string(offset);
}

// The length of the record at this offset.
uint64_t read_length(const Source& source, uint64_t offset) {
  if (source.size() - offset < kHead)
    refuse(place(source, offset), std::to_string(source.size() - offset) + " bytes",
           "the 12 bytes before a record", "the file is cut short; copy or write it again");
  char head[kHead];
  source.read(offset, head, kHead);
  uint64_t length = 0;
  uint32_t sum = 0;
  std::memcpy(&length, head, 8);
  std::memcpy(&sum, head + 8, 4);
  if (sum != broch::base::masked_crc32c(head, 8)) {
    const std::string compressed = offset == 0 ? compression_of({head, kHead}) : "";
    if (!compressed.empty() || (offset == 0 && head[0] == '\x78'))
      refuse(place(source, 0), "a compressed file", "uncompressed records",
             "write it again without compression, since a compressed one cannot be read by index");
    refuse(place(source, offset), "a length with a wrong checksum", "the checksum of the length",
           kDamaged);
  }
  const uint64_t left = source.size() - offset - kHead;
  if (left < kTail || length > left - kTail)
    refuse(place(source, offset), "a record of " + std::to_string(length) + " bytes",
           "at most the " + std::to_string(left < kTail ? 0 : left - kTail) + " that follow",
           "the file is cut short; copy or write it again");
  return length;
}

}  // namespace

std::vector<uint64_t> index_tfrecord(const Source& source) {
  std::vector<uint64_t> offsets = {0};
  while (offsets.back() < source.size())
    offsets.push_back(offsets.back() + kHead + read_length(source, offsets.back()) + kTail);
  return offsets;
}

std::string text_of(const std::vector<uint64_t>& offsets) {
  std::string bytes;
  for (const uint64_t offset : offsets) put_number(bytes, offset);
  return bytes;
}

std::optional<std::vector<uint64_t>> parse_tfrecord_index(std::string_view bytes,
                                                          uint64_t file_size) {
  IndexReader reader(bytes);
  std::vector<uint64_t> offsets;
  while (reader.left() > 0) offsets.push_back(reader.number());
  if (!reader.at_end() || offsets.empty() || offsets.front() != 0 || offsets.back() != file_size)
    return std::nullopt;
  for (size_t i = 1; i < offsets.size(); ++i)
    if (offsets[i] < offsets[i - 1] || offsets[i] - offsets[i - 1] < kHead + kTail)
      return std::nullopt;
  return offsets;
}

std::string read_record(const Source& source, uint64_t begin, uint64_t end) {
  std::string record = source.read(begin + kHead, end - begin - kHead);
  uint32_t sum = 0;
  std::memcpy(&sum, record.data() + record.size() - kTail, kTail);
  record.resize(record.size() - kTail);
  if (sum != broch::base::masked_crc32c(record.data(), record.size()))
    refuse(place(source, begin), "a record with a wrong checksum", "the checksum of its bytes",
           kDamaged);
  return record;
}

TfrecordWriter::TfrecordWriter(const std::string& path)
    : path_(path), stream_(path, std::ios::binary) {
  check_written(stream_, path_);
}

void TfrecordWriter::add(std::string_view record) {
  const auto put = [this](const auto number) {
    stream_.write(reinterpret_cast<const char*>(&number), sizeof number);
  };
  const uint64_t length = record.size();
  put(length);
  put(broch::base::masked_crc32c(&length, sizeof length));
  stream_ << record;
  put(broch::base::masked_crc32c(record.data(), record.size()));
  check_written(stream_, path_);
}

void TfrecordWriter::finish() {
  stream_.close();
  check_written(stream_, path_);
}

}  // namespace containers
