// dataset.cpp: source: HDF5 1.10 C API. The library of Debian is not safe for threads, so one lock
// is held around every call.
#include "hdf5/dataset.hpp"

#include <algorithm>
#include <broch/cpp/error.hpp>
#include <mutex>
#include <new>

#include "arrays/diagnostic.hpp"
#include "hdf5/trial.hpp"

namespace hdf5 {
namespace {

using arrays::refuse;

constexpr uint64_t kLargestRow = uint64_t{1} << 34;     // bytes
constexpr uint64_t kLargestTried = uint64_t{1} << 28;   // bytes of a row
constexpr uint64_t kLargestCache = uint64_t{64} << 20;  // bytes of chunks, of each dataset

// Recursive: handles are closed inside calls that hold it.
std::recursive_mutex& library() {
  static std::recursive_mutex mutex;
  return mutex;
}

Handle checked(hid_t id, herr_t (*close)(hid_t), const std::string& place) {
  if (id < 0)
    throw broch::Error(BROCH_E_DATA_LOSS,
                       place +
                           ": cannot be read as HDF5; the command h5dump -H shows what "
                           "is in a file; copy or write it again if it is damaged");
  return {id, close};
}

bool is_bool(hid_t type) {
  if (H5Tget_size(type) != 1 || H5Tget_nmembers(type) != 2) return false;
  const char* const names[] = {"FALSE", "TRUE"};
  for (unsigned i = 0; i < 2; ++i) {
    char* const name = H5Tget_member_name(type, i);
    const bool equal = name && std::string(name) == names[i];
    H5free_memory(name);
    int8_t value = -1;
    if (!equal || H5Tget_member_value(type, i, &value) < 0 || value != int8_t(i)) return false;
  }
  return true;
}

}  // namespace

Handle::~Handle() {
  if (id_ < 0) return;
  const std::lock_guard lock(library());
  close_(id_);
}

Dataset::Dataset(std::shared_ptr<const containers::File> bytes, const Handle& file,
                 const std::string& path)
    : bytes_(std::move(bytes)), place_(bytes_->name() + ": dataset " + arrays::quoted(path)) {
  const std::lock_guard lock(library());
  dataset_ = checked(H5Dopen2(file.get(), path.c_str(), H5P_DEFAULT), H5Dclose, place_);
  file_type_ = checked(H5Dget_type(dataset_.get()), H5Tclose, place_);
  space_ = checked(H5Dget_space(dataset_.get()), H5Sclose, place_);
  find_type(place_);
  find_shape(place_);
  find_layout(file, path, place_);
}

// The type of the elements in memory: little-endian, as wide as in the file.
void Dataset::find_type(const std::string& place) {
  const hid_t type = file_type_.get();
  const size_t size = H5Tget_size(type);
  const H5T_class_t kind = H5Tget_class(type);
  hid_t memory = -1;
  if (kind == H5T_INTEGER && H5Tget_sign(type) == H5T_SGN_2) {
    memory = size == 1   ? H5T_STD_I8LE
             : size == 2 ? H5T_STD_I16LE
             : size == 4 ? H5T_STD_I32LE
             : size == 8 ? H5T_STD_I64LE
                         : -1;
    type_ = {BROCH_DL_INT, uint8_t(8 * size), 1};
  } else if (kind == H5T_INTEGER && size == 1) {
    memory = H5T_STD_U8LE;
    type_ = containers::kUint8;
  } else if (kind == H5T_FLOAT && (size == 4 || size == 8)) {
    memory = size == 4 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
    type_ = {BROCH_DL_FLOAT, uint8_t(8 * size), 1};
  } else if (kind == H5T_FLOAT && size == 2 && H5Tget_ebias(type) == 15) {
    memory = type;
    type_ = {BROCH_DL_FLOAT, 16, 1};
  } else if (kind == H5T_ENUM && is_bool(type)) {
    memory = type;
    type_ = containers::kBool;
  }
  if (memory < 0)
    refuse(place, "elements without a dtype in Broch",
           "integers with a sign, uint8, bool, or floating numbers of 2, 4 or 8 bytes",
           "convert them first, for example array.astype('int32')");
  memory_type_ = checked(H5Tcopy(memory), H5Tclose, place);
  if (type_.code == BROCH_DL_FLOAT && size == 2) H5Tset_order(memory_type_.get(), H5T_ORDER_LE);
}

void Dataset::find_shape(const std::string& place) {
  const int rank = H5Sget_simple_extent_ndims(space_.get());
  if (rank < 1)
    refuse(place, "no dimensions", "rows along the first dimension",
           "store the dataset with a shape of at least one dimension");
  extents_.resize(size_t(rank));
  H5Sget_simple_extent_dims(space_.get(), extents_.data(), nullptr);
  rows_ = extents_[0];
  for (int i = 1; i < rank; ++i) row_shape_.push_back(int64_t(extents_[size_t(i)]));
  const auto size = containers::byte_count(type_, row_shape_);
  if (!size || *size > kLargestRow)
    refuse(place, "rows of more than 16 GiB", "rows that fit memory", "store it in smaller rows");
  row_bytes_ = *size;
  uint64_t whole = 0;
  if (__builtin_mul_overflow(rows_, row_bytes_, &whole))
    refuse(place, "2^64 bytes or more", "fewer", "the file is damaged; copy or write it again");
}

// Elements that lie one behind the other in the file are read there. For others, the library gets a
// cache of several chunks, since rows of a chunk are read one by one.
void Dataset::find_layout(const Handle& file, const std::string& path, const std::string& place) {
  const Handle creation = checked(H5Dget_create_plist(dataset_.get()), H5Pclose, place);
  const H5D_layout_t layout = H5Pget_layout(creation.get());
  // The library copies what the shape says, also from a smaller piece. 0: nothing was written yet.
  // Of chunks, it looks at their whole index, and finds damage there that would crash a read.
  H5Eclear2(H5E_DEFAULT);
  const hsize_t stored = H5Dget_storage_size(dataset_.get());
  if (stored == 0 && H5Eget_num(H5E_DEFAULT) > 0)
    refuse(place, "an index of chunks that the library cannot read", "one",
           "the file is damaged; copy or write it again");
  if (layout != H5D_CHUNKED && stored > 0 && stored < rows_ * row_bytes_)
    refuse(place, std::to_string(stored) + " bytes",
           std::to_string(rows_ * row_bytes_) + " as the shape says",
           "the file is damaged; copy or write it again");
  if (layout == H5D_CONTIGUOUS && H5Pget_external_count(creation.get()) == 0 &&
      H5Tequal(file_type_.get(), memory_type_.get()) > 0) {
    const haddr_t offset = H5Dget_offset(dataset_.get());
    const uint64_t size = rows_ * row_bytes_;
    direct_ = offset != HADDR_UNDEF && offset <= bytes_->size() && size <= bytes_->size() - offset;
    if (direct_) offset_ = offset;
    return;
  }
  if (layout != H5D_CHUNKED) return;
  std::vector<hsize_t> chunk(extents_.size());
  if (H5Pget_chunk(creation.get(), int(chunk.size()), chunk.data()) < 0) return;
  uint64_t size = type_.bits / 8;
  for (const hsize_t extent : chunk)
    if (__builtin_mul_overflow(size, extent, &size)) return;
  const Handle access = checked(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose, place);
  const uint64_t cache = std::max<uint64_t>(std::min(16 * size, kLargestCache), size);
  constexpr size_t kSlots = 12421;  // a prime number, far above the number of chunks in the cache
  H5Pset_chunk_cache(access.get(), kSlots, std::max<uint64_t>(cache, 1 << 20), 0.75);
  dataset_ = {};  // it has to be closed, or the cache stays as it is
  dataset_ = checked(H5Dopen2(file.get(), path.c_str(), access.get()), H5Dclose, place);
}

void Dataset::read(uint64_t row, void* to) const {
  if (direct_) {
    bytes_->read(offset_ + row * row_bytes_, to, row_bytes_);
    return;
  }
  if (row_bytes_ == 0) return;
  const std::lock_guard lock(library());
  std::vector<hsize_t> start(extents_.size(), 0), count = extents_;
  start[0] = row;
  count[0] = 1;
  const hsize_t elements = row_bytes_ / (type_.bits / 8);
  const Handle memory = checked(H5Screate_simple(1, &elements, nullptr), H5Sclose, place_);
  const bool read =
      H5Sselect_hyperslab(space_.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(),
                          nullptr) >= 0 &&
      H5Dread(dataset_.get(), memory_type_.get(), memory.get(), space_.get(), H5P_DEFAULT, to) >= 0;
  if (!read)
    refuse(place_ + ": row " + std::to_string(row), "data that the library cannot read",
           "a row of it", "the file is damaged, or compressed by a filter that is not installed");
}

namespace {

std::vector<Dataset> open_here(const std::string& file, const std::vector<std::string>& paths) {
  const auto bytes = std::make_shared<const containers::File>(file);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // it would print failures
  const Handle access = checked(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, file);
#if H5_VERSION_GE(1, 10, 7)
  H5Pset_file_locking(access.get(), false, true);  // which fails on some network file systems
#endif
  const Handle opened =
      checked(H5Fopen(file.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose, file);
  std::vector<Dataset> datasets;
  for (const std::string& path : paths) {
    datasets.emplace_back(bytes, opened, path);
    if (datasets.back().rows() != datasets[0].rows())
      refuse(file + ": dataset " + arrays::quoted(path),
             std::to_string(datasets.back().rows()) + " rows",
             std::to_string(datasets[0].rows()) + " as in " + arrays::quoted(paths[0]),
             "name datasets with the same first dimension");
  }
  return datasets;
}

// What is done of a file that crashes the library in most cases: opening it, reading the first and
// the last row.
void try_to_read(const std::string& file, const std::vector<std::string>& paths) {
  for (const Dataset& dataset : open_here(file, paths)) {
    if (dataset.is_direct() || dataset.rows() == 0 || dataset.row_bytes() > kLargestTried) continue;
    std::string row(dataset.row_bytes(), '\0');
    dataset.read(0, row.data());
    dataset.read(dataset.rows() - 1, row.data());
  }
}

}  // namespace

std::vector<Dataset> open_datasets(const std::string& file, const std::vector<std::string>& paths,
                                   unsigned seconds) {
  const std::lock_guard lock(library());
  try_in_child(file, seconds, [&] {
    // It is held by the thread of the parent, as which the one of the child does not count.
    new (&library()) std::recursive_mutex;
    try_to_read(file, paths);
  });
  return open_here(file, paths);
}

}  // namespace hdf5
