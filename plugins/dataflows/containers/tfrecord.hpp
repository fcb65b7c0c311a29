// tfrecord.hpp: the framing of TensorFlow's record files: length, its checksum, the record, its
// checksum.
#pragma once
#include <archive/source.hpp>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace containers {

using broch::archive::Source;

// Where each record begins, at its length, in bytes; then where the last one ends. Reads only the
// lengths. Throws Error if the file is damaged, cut short or compressed.
std::vector<uint64_t> index_tfrecord(const Source& source);

// For IndexCache. parse: no value if bytes are none that text_of gave for a file of this size.
std::string text_of(const std::vector<uint64_t>& offsets);
std::optional<std::vector<uint64_t>> parse_tfrecord_index(std::string_view bytes,
                                                          uint64_t file_size);

// The record between two offsets of the index. Throws Error if its checksum is wrong.
std::string read_record(const Source& source, uint64_t begin, uint64_t end);

class TfrecordWriter {
 public:
  // Throws Error if the file cannot be made.
  explicit TfrecordWriter(const std::string& path);
  // Both throw Error if something could not be written.
  void add(std::string_view record);
  void finish();

 private:
  std::string path_;
  std::ofstream stream_;
};

}  // namespace containers
