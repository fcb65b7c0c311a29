// npz_file.cpp: each component as an array in a .npz file, with a row per point.
//
// The files inside an archive lie one after another, so each array first gets a file of its own
// beside the archive.
#include <archive/inflate.hpp>
#include <archive/zip_writer.hpp>
#include <broch/broch.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <vector>

#include "files/elements.hpp"
#include "files/npy_writer.hpp"

namespace {

constexpr size_t kBlock = 1 << 20;

[[noreturn]] void fail(const std::string& path, const char* action) {
  throw broch::Error(BROCH_E_DATA_LOSS, path + ": " + action + ": " + std::strerror(errno));
}

void read_blocks(const std::string& file, const std::function<void(std::string_view)>& found) {
  std::ifstream stream(file, std::ios::binary);
  std::string block(kBlock, '\0');
  while (stream.read(block.data(), std::streamsize(kBlock)), stream.gcount() > 0)
    found({block.data(), size_t(stream.gcount())});
  if (!stream.eof()) fail(file, "cannot be read");
}

uint32_t crc_of(const std::string& file) {
  uint32_t crc = 0;
  read_blocks(file, [&](std::string_view block) { crc = broch::archive::crc32_of(block, crc); });
  return crc;
}

class Npz final : public broch::Sink {
 public:
  explicit Npz(const broch::Host&) {}

  void open(const std::string& path) override { path_ = path; }

  void put(broch::PointReader& point) override {
    if (points_ == 0) begin(point);
    if (point.size() != arrays_.size())
      throw broch::Error(BROCH_E_DATA_LOSS,
                         "point " + std::to_string(points_) + ": found " +
                             std::to_string(point.size()) + " components, expected " +
                             std::to_string(arrays_.size()) + " as in the first point");
    for (uint32_t i = 0; i < arrays_.size(); ++i) {
      require_label(point, i);
      arrays_[i].add(point.view(i));
    }
    ++points_;
  }

  void close() override {
    std::ofstream stream(path_, std::ios::binary | std::ios::trunc);
    if (!stream) fail(path_, "cannot be written");
    broch::archive::ZipWriter archive([&](std::string_view bytes) {
      if (!stream.write(bytes.data(), std::streamsize(bytes.size())))
        fail(path_, "cannot be written to the end");
    });
    for (files::NpyWriter& array : arrays_) {
      array.finish();
      const std::string& file = array.path();
      archive.begin(array.label() + ".npy", std::filesystem::file_size(file), crc_of(file));
      read_blocks(file, [&](std::string_view block) { archive.append(block); });
      std::filesystem::remove(file);
    }
    archive.finish();
    stream.close();
    if (!stream) fail(path_, "cannot be written to the end");
  }

 private:
  void begin(const broch::PointReader& point) {
    for (uint32_t i = 0; i < point.size(); ++i)
      arrays_.emplace_back(path_ + "." + std::to_string(i), label_in(point, i));
  }

  // numpy.savez names arrays without names in this way, too.
  static std::string label_in(const broch::PointReader& point, uint32_t i) {
    return point.name(i) ? point.name(i) : "arr_" + std::to_string(i);
  }

  void require_label(const broch::PointReader& point, uint32_t i) const {
    const std::string label = label_in(point, i);
    if (label == arrays_[i].label()) return;
    throw broch::Error(BROCH_E_DATA_LOSS,
                       "point " + std::to_string(points_) + ": found the component '" + label +
                           "', expected '" + arrays_[i].label() +
                           "' as in the first point: set an order with --component");
  }

  std::string path_;
  std::vector<files::NpyWriter> arrays_;
  uint64_t points_ = 0;
};

}  // namespace

BROCH_SINK(Npz, "broch.sink.npz", "1.0.0",
           "Writes each component as an array of a .npz file; each row is a point.",
           broch::extensions(".npz"))
