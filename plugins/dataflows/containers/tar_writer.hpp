// tar_writer.hpp: writes a shard for the dataflow tar and for WebDataset.
#pragma once
#include <fstream>
#include <string>
#include <string_view>

namespace containers {

class TarWriter {
 public:
  // Throws Error if the file cannot be made.
  explicit TarWriter(const std::string& path);
  // Adds a file; the files of a sample follow each other and differ after the first point of their
  // names. Throws Error if it cannot be written.
  void add(const std::string& name, std::string_view content);
  // Writes the end. Without it, the file is refused as cut short.
  void finish();

 private:
  void write_header(const std::string& name, uint64_t size, char type);
  void write_content(std::string_view content);

  std::string path_;
  std::ofstream stream_;
};

}  // namespace containers
