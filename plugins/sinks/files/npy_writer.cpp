// npy_writer.cpp: the header, then the rows, then the header again.
#include "npy_writer.hpp"

#include <arrays/npy.hpp>
#include <cerrno>
#include <containers/component.hpp>
#include <cstring>

#include "elements.hpp"

namespace files {

NpyWriter::NpyWriter(std::string path, std::string label)
    : path_(std::move(path)), label_(std::move(label)) {
  stream_.open(path_, std::ios::binary | std::ios::trunc);
  if (!stream_)
    throw broch::Error(BROCH_E_DATA_LOSS, path_ + ": cannot be written: " + std::strerror(errno));
}

std::string NpyWriter::header() const {
  std::vector<int64_t> shape = {int64_t(rows_)};
  shape.insert(shape.end(), shape_.begin(), shape_.end());
  return broch::archive::npy_header(containers::descr_of(type_), shape);
}

void NpyWriter::check(const broch_dl_tensor& row) const {
  const bool same = row.dtype.code == type_.code && row.dtype.bits == type_.bits &&
                    std::equal(shape_.begin(), shape_.end(), row.shape, row.shape + row.ndim);
  if (same) return;
  throw broch::Error(BROCH_E_DATA_LOSS,
                     "component " + label_ + " of point " + std::to_string(rows_) + ": found " +
                         type_text(row.dtype, {row.shape, row.shape + row.ndim}) + ", expected " +
                         type_text(type_, shape_) +
                         " as in the first point; an array has rows of one shape: crop or pad the "
                         "data, or write a .tar file");
}

void NpyWriter::add(const broch_dl_tensor& row) {
  if (rows_ == 0) {
    type_ = row.dtype;
    shape_.assign(row.shape, row.shape + row.ndim);
    write(header());
  }
  check(row);
  copy_elements(row, buffer_);
  write(buffer_);
  ++rows_;
}

void NpyWriter::finish() {
  stream_.seekp(0);
  write(header());
  stream_.close();
  if (!stream_) write("");
}

void NpyWriter::write(const std::string& bytes) {
  if (stream_.write(bytes.data(), std::streamsize(bytes.size()))) return;
  throw broch::Error(BROCH_E_DATA_LOSS,
                     path_ + ": cannot be written to the end: " + std::strerror(errno) +
                         "; free space, or choose "
                         "another file system");
}

}  // namespace files
