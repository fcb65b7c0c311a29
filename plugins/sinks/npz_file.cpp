// npz_file.cpp: each component as an array in a .npz file, with a row per point.
//
// The files inside an archive lie one after another, so each array first gets a file of its own
// beside the archive.
#include <broch/broch.hpp>
#include <filesystem>
#include <vector>

#include "files/elements.hpp"
#include "files/npy_writer.hpp"
#include "files/zip_writer.hpp"

namespace {

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
    for (uint32_t i = 0; i < arrays_.size(); ++i) arrays_[i].add(point.view(i));
    ++points_;
  }

  void close() override {
    files::ZipWriter archive(path_);
    for (files::NpyWriter& array : arrays_) {
      array.finish();
      archive.add(array.label() + ".npy", array.path());
      std::filesystem::remove(array.path());
    }
    archive.finish();
  }

 private:
  // numpy.savez names arrays without names in this way, too.
  void begin(const broch::PointReader& point) {
    for (uint32_t i = 0; i < point.size(); ++i)
      arrays_.emplace_back(path_ + "." + std::to_string(i),
                           point.name(i) ? point.name(i) : "arr_" + std::to_string(i));
  }

  std::string path_;
  std::vector<files::NpyWriter> arrays_;
  uint64_t points_ = 0;
};

}  // namespace

BROCH_SINK(Npz, "broch.sink.npz", "1.0.0",
           "Writes each component as an array of a .npz file; each row is a point.",
           broch::extensions(".npz"))
