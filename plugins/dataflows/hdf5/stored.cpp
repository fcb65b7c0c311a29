// stored.cpp: source: HDF5 1.10 C API.
#include "hdf5/stored.hpp"

#include <algorithm>
#include <archive/source.hpp>
#include <broch/cpp/error.hpp>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "arrays/diagnostic.hpp"

namespace hdf5 {
namespace {

using arrays::refuse;

constexpr uint64_t kLargestRow = uint64_t{1} << 34;     // bytes
constexpr uint64_t kLargestCache = uint64_t{64} << 20;  // bytes of chunks, of each dataset

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

// Whether a dataset lies in this file, and not in another one, to which an external link leads.
bool is_in(const Handle& file, const Handle& dataset) {
  const auto path = [](const Handle& object) {
    std::string name(size_t(std::max<ssize_t>(H5Fget_name(object.get(), nullptr, 0), 0)), '\0');
    if (!name.empty()) H5Fget_name(object.get(), name.data(), name.size() + 1);
    return name;
  };
  return path(file) == path(dataset);
}

// What get says of a part of a virtual dataset: the name of a file, or of the dataset in it.
std::string name_of_part(ssize_t (*get)(hid_t, size_t, char*, size_t), hid_t creation,
                         size_t part) {
  std::string name(size_t(std::max<ssize_t>(get(creation, part, nullptr, 0), 0)), '\0');
  if (!name.empty()) get(creation, part, name.data(), name.size() + 1);
  return name;
}

// The file with a part, from where the library reads it: its path; if that is relative, or leads
// nowhere, in the folder of the whole, in the working directory, or where links of the whole lead.
Handle open_part(const Handle& whole, const std::string& whole_path, const std::string& name) {
  using std::filesystem::path;
  const path part(name), folder = path(whole_path).parent_path();
  const path last = part.is_absolute() ? part.filename() : part;
  std::error_code ignored;
  const path linked = std::filesystem::weakly_canonical(whole_path, ignored).parent_path();
  const Handle access(H5Fget_access_plist(whole.get()), H5Pclose);
  for (const path& place : {folder / part, folder / last, last, linked / last})
    if (const hid_t opened = H5Fopen(place.c_str(), H5F_ACC_RDONLY, access.get()); opened >= 0)
      return {opened, H5Fclose};
  return {};
}

// In place of a part that is missing, the library reads the fill value, which usually is 0. Names
// with a percent sign stand for any number of parts; those that are there make the shape.
void require_parts(const Handle& whole, const std::string& whole_path, hid_t creation,
                   const std::string& place) {
  if (std::getenv("HDF5_VDS_PREFIX")) return;  // then the library also looks there
  size_t count = 0;
  if (H5Pget_virtual_count(creation, &count) < 0) return;
  std::set<std::pair<std::string, std::string>> known;
  for (size_t i = 0; i < count; ++i) {
    const std::string file = name_of_part(H5Pget_virtual_filename, creation, i);
    const std::string name = name_of_part(H5Pget_virtual_dsetname, creation, i);
    const bool is_pattern = (file + name).find('%') != std::string::npos;
    if (is_pattern || !known.emplace(file, name).second) continue;
    const bool is_inside = file == ".";
    const Handle other = is_inside ? Handle() : open_part(whole, whole_path, file);
    const hid_t holder = is_inside ? whole.get() : other.get();
    const Handle part(holder < 0 ? -1 : H5Dopen2(holder, name.c_str(), H5P_DEFAULT), H5Dclose);
    if (part.get() < 0)
      refuse(place,
             "that its part " + arrays::quoted(name) + " in the file " + file + " cannot be read",
             "all parts of a virtual dataset",
             "copy the missing file to its place, such as beside the file of the whole");
  }
}

}  // namespace

Stored::Stored(const Handle& file, uint64_t bytes, const std::string& place,
               const std::string& path)
    : place_(place + ": dataset " + arrays::quoted(path)) {
  dataset_ = checked(H5Dopen2(file.get(), path.c_str(), H5P_DEFAULT), H5Dclose, place_);
  file_type_ = checked(H5Dget_type(dataset_.get()), H5Tclose, place_);
  space_ = checked(H5Dget_space(dataset_.get()), H5Sclose, place_);
  find_type();
  find_shape();
  find_layout(file, bytes, place, path);
}

// The type of the elements in memory: little-endian, and as wide as in the file, or the next larger
// signed type, since a model has no tensors of uint16 and uint32.
void Stored::find_type() {
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
    description_.type = {BROCH_DL_INT, uint8_t(8 * size), 1};
  } else if (kind == H5T_INTEGER && size < 8) {
    memory = size == 1 ? H5T_STD_U8LE : size == 2 ? H5T_STD_I32LE : size == 4 ? H5T_STD_I64LE : -1;
    description_.type =
        size == 1 ? containers::kUint8 : broch_dl_type{BROCH_DL_INT, uint8_t(16 * size), 1};
  } else if (kind == H5T_FLOAT && (size == 4 || size == 8)) {
    memory = size == 4 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
    description_.type = {BROCH_DL_FLOAT, uint8_t(8 * size), 1};
  } else if (kind == H5T_FLOAT && size == 2 && H5Tget_ebias(type) == 15) {
    memory = type;
    description_.type = {BROCH_DL_FLOAT, 16, 1};
  } else if (kind == H5T_ENUM && is_bool(type)) {
    memory = type;
    description_.type = containers::kBool;
  }
  if (memory < 0)
    refuse(place_, "elements without a dtype in Broch",
           "signed integers, uint8, uint16, uint32, bool, or floating numbers of 2, 4 or 8 bytes",
           "convert them first, for example array.astype('int64')");
  memory_type_ = checked(H5Tcopy(memory), H5Tclose, place_);
  if (description_.type.code == BROCH_DL_FLOAT && size == 2)
    H5Tset_order(memory_type_.get(), H5T_ORDER_LE);
}

void Stored::find_shape() {
  const int rank = H5Sget_simple_extent_ndims(space_.get());
  if (rank < 1)
    refuse(place_, "no dimensions", "rows along the first dimension",
           "store the dataset with a shape of at least one dimension");
  extents_.resize(size_t(rank));
  H5Sget_simple_extent_dims(space_.get(), extents_.data(), nullptr);
  description_.rows = extents_[0];
  for (int i = 1; i < rank; ++i) description_.row_shape.push_back(int64_t(extents_[size_t(i)]));
  const auto size = containers::byte_count(description_.type, description_.row_shape);
  if (!size || *size > kLargestRow)
    refuse(place_, "rows of more than 16 GiB", "rows that fit memory", "store it in smaller rows");
  description_.row_bytes = *size;
  uint64_t whole = 0;
  if (__builtin_mul_overflow(description_.rows, description_.row_bytes, &whole))
    refuse(place_, "2^64 bytes or more", "fewer", "the file is damaged; copy or write it again");
}

// Elements that lie one behind the other in the file are read there. For others, the library gets a
// cache of several chunks, since rows of a chunk are read one by one.
void Stored::find_layout(const Handle& file, uint64_t bytes, const std::string& file_path,
                         const std::string& path) {
  const Handle creation = checked(H5Dget_create_plist(dataset_.get()), H5Pclose, place_);
  const H5D_layout_t layout = H5Pget_layout(creation.get());
  if (layout == H5D_VIRTUAL) return require_parts(file, file_path, creation.get(), place_);
  // The library copies what the shape says, also from a smaller piece. 0: nothing was written yet.
  // Of chunks, it looks at their whole index, and finds damage there that would crash a read.
  H5Eclear2(H5E_DEFAULT);
  const hsize_t stored = H5Dget_storage_size(dataset_.get());
  if (stored == 0 && H5Eget_num(H5E_DEFAULT) > 0)
    refuse(place_, "an index of chunks that the library cannot read", "one",
           "the file is damaged; copy or write it again");
  const uint64_t size = description_.rows * description_.row_bytes;
  const size_t element = H5Tget_size(file_type_.get());
  const uint64_t whole = size / (description_.type.bits / 8) * element;
  if (layout != H5D_CHUNKED && stored > 0 && stored < whole)
    refuse(place_, std::to_string(stored) + " bytes", std::to_string(whole) + " as the shape says",
           "the file is damaged; copy or write it again");
  if (layout == H5D_CONTIGUOUS && stored > 0 && H5Pget_external_count(creation.get()) == 0 &&
      is_in(file, dataset_) && H5Tequal(file_type_.get(), memory_type_.get()) > 0) {
    const haddr_t offset = H5Dget_offset(dataset_.get());
    if (offset != HADDR_UNDEF && offset <= bytes && size <= bytes - offset)
      description_.offset = offset;
    return;
  }
  if (layout != H5D_CHUNKED) return;
  std::vector<hsize_t> chunk(extents_.size());
  if (H5Pget_chunk(creation.get(), int(chunk.size()), chunk.data()) < 0) return;
  uint64_t bytes_of_chunk = element;
  for (const hsize_t extent : chunk)
    if (__builtin_mul_overflow(bytes_of_chunk, extent, &bytes_of_chunk)) return;
  const Handle access = checked(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose, place_);
  const uint64_t cache = std::max(std::min(16 * bytes_of_chunk, kLargestCache), bytes_of_chunk);
  constexpr size_t kSlots = 12421;  // a prime number, far above the number of chunks in the cache
  H5Pset_chunk_cache(access.get(), kSlots, std::max<uint64_t>(cache, 1 << 20), 0.75);
  dataset_ = {};  // it has to be closed, or the cache stays as it is
  dataset_ = checked(H5Dopen2(file.get(), path.c_str(), access.get()), H5Dclose, place_);
}

void Stored::read(uint64_t row, void* to) const {
  if (description_.row_bytes == 0) return;
  std::vector<hsize_t> start(extents_.size(), 0), count = extents_;
  start[0] = row;
  count[0] = 1;
  const hsize_t elements = description_.row_bytes / (description_.type.bits / 8);
  const Handle memory = checked(H5Screate_simple(1, &elements, nullptr), H5Sclose, place_);
  const bool read =
      H5Sselect_hyperslab(space_.get(), H5S_SELECT_SET, start.data(), nullptr, count.data(),
                          nullptr) >= 0 &&
      H5Dread(dataset_.get(), memory_type_.get(), memory.get(), space_.get(), H5P_DEFAULT, to) >= 0;
  if (!read)
    refuse(place_ + ": row " + std::to_string(row), "data that the library cannot read",
           "a row of it", "the file is damaged, or compressed by a filter that is not installed");
}

std::vector<Stored> open_stored(const std::string& file, const std::vector<std::string>& paths) {
  const uint64_t bytes = broch::archive::File(file).size();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // it would print failures
  const Handle access = checked(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, file);
#if H5_VERSION_GE(1, 10, 7)
  H5Pset_file_locking(access.get(), false, true);  // which fails on some network file systems
#endif
  const Handle opened =
      checked(H5Fopen(file.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose, file);
  std::vector<Stored> datasets;
  for (const std::string& path : paths) {
    datasets.emplace_back(opened, bytes, file, path);
    const uint64_t rows = datasets.back().description().rows;
    const uint64_t first = datasets[0].description().rows;
    if (rows != first)
      refuse(file + ": dataset " + arrays::quoted(path), std::to_string(rows) + " rows",
             std::to_string(first) + " as in " + arrays::quoted(paths[0]),
             "name datasets with the same first dimension");
  }
  return datasets;
}

}  // namespace hdf5
