// npy_file.cpp: writes one component of all points as an array in a .npy file.
#include <broch/broch.hpp>
#include <optional>

#include "files/elements.hpp"
#include "files/npy_writer.hpp"

namespace {

class Npy final : public broch::Sink {
 public:
  explicit Npy(const broch::Host&) {}

  void open(const std::string& path) override { path_ = path; }

  void put(broch::PointReader& point) override {
    if (point.size() != 1)
      throw broch::Error(BROCH_E_DATA_LOSS,
                         "found " + std::to_string(point.size()) +
                             " components, expected 1: a .npy file contains one array; choose one "
                             "with --component, or write a .npz file");
    if (!array_) array_.emplace(path_, files::label_of(point, 0));
    array_->add(point.view(0));
  }

  void close() override { array_->finish(); }

 private:
  std::string path_;
  std::optional<files::NpyWriter> array_;
};

}  // namespace

BROCH_SINK(Npy, "broch.sink.npy", "1.0.0", "Writes one component as an array; each row is a point.",
           broch::extensions(".npy"))
