// formats.cpp: CSV, JSON lines, NumPy, safetensors, PNG.
#include "formats.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>

#include "archive/inflate.hpp"
#include "archive/npy_header.hpp"
#include "archive/zip_writer.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "store/png.hpp"
#include "store/safetensors.hpp"
#include "text_rows.hpp"
#include "value/json.hpp"

namespace broch::predict {
namespace {

namespace fs = std::filesystem;
using base::Exit;

std::string anything(const std::vector<Column>&) { return ""; }

void write_csv(const Rows& rows, const std::vector<std::string>& files, const fs::path& to) {
  std::ofstream stream = created(to);
  std::string line = files.empty() ? "" : "file";
  for (const Column& column : rows.columns())
    for (int64_t i = 0; i < column.row.elements(); ++i) {
      const std::string number = column.row.rank == 0 ? "" : "_" + std::to_string(i);
      line += (line.empty() ? "" : ",") + csv_cell(column.name + number);
    }
  each_row(rows, [&](int64_t row, size_t i, const char* bytes) {
    if (i == 0) {
      stream << line << '\n';
      line = files.empty() ? "" : csv_cell(files[size_t(row)]);
    }
    const Column& column = rows.columns()[i];
    const size_t size = runtime::dtype_size(column.dtype);
    for (int64_t k = 0; k < column.row.elements(); ++k)
      line +=
          (line.empty() ? "" : ",") + text_of(bytes + size_t(k) * size, column.dtype, kCsvWords);
  });
  stream << line << '\n';
  finish(stream, to);
}

void add_nested(std::string& line, const Column& column, const char*& element, uint32_t dimension) {
  if (dimension == column.row.rank) {
    line += text_of(element, column.dtype, kJsonWords);
    element += runtime::dtype_size(column.dtype);
    return;
  }
  line += '[';
  for (int64_t i = 0; i < column.row.dims[dimension]; ++i) {
    if (i) line += ", ";
    add_nested(line, column, element, dimension + 1);
  }
  line += ']';
}

void write_jsonl(const Rows& rows, const std::vector<std::string>& files, const fs::path& to) {
  std::ofstream stream = created(to);
  const auto text = [](const std::string& word) { return value::to_text(value::Value(word)); };
  std::string line;
  each_row(rows, [&](int64_t row, size_t i, const char* bytes) {
    if (i == 0) line = files.empty() ? "" : "\"file\": " + text(files[size_t(row)]);
    line += (line.empty() ? "" : ", ") + text(rows.columns()[i].name) + ": ";
    add_nested(line, rows.columns()[i], bytes, 0);
    if (i + 1 == rows.columns().size()) stream << '{' << line << "}\n";
  });
  finish(stream, to);
}

std::string npy_start(const Rows& rows, size_t i) {
  const Column& column = rows.columns()[i];
  std::vector<int64_t> shape{rows.count()};
  shape.insert(shape.end(), column.row.span().begin(), column.row.span().end());
  const std::string size = std::to_string(runtime::dtype_size(column.dtype));
  const std::string descr = column.dtype == BROCH_BOOL           ? "|b1"
                            : column.dtype == BROCH_UINT8        ? "|u1"
                            : column.dtype == BROCH_INT8         ? "|i1"
                            : runtime::is_floating(column.dtype) ? "<f" + size
                                                                 : "<i" + size;
  return archive::npy_header(descr, shape);
}

std::string only_one(const std::vector<Column>& columns) {
  return columns.size() == 1 ? ""
                             : std::to_string(columns.size()) +
                                   " outputs, where a .npy file "
                                   "holds one: choose .npz, or one output with --name";
}

void write_npy(const Rows& rows, const std::vector<std::string>&, const fs::path& to) {
  std::ofstream stream = created(to);
  stream << npy_start(rows, 0);
  rows.read(0, [&](std::string_view block) { stream << block; });
  finish(stream, to);
}

// A name of a member is a path.
std::string array_name(std::string name) {
  std::ranges::replace(name, '/', '.');
  return name;
}

std::string other_names(const std::vector<Column>& columns) {
  std::map<std::string, std::string> outputs;  // by the names of their arrays
  for (const Column& column : columns) {
    const auto [before, is_new] = outputs.emplace(array_name(column.name), column.name);
    if (!is_new)
      return "outputs '" + before->second + "' and '" + column.name + "', both of which are '" +
             before->first + "' in a .npz file: choose .safetensors, or one of them with --name";
  }
  return "";
}

void write_npz(const Rows& rows, const std::vector<std::string>&, const fs::path& to) {
  std::ofstream stream = created(to);
  archive::ZipWriter zip([&](std::string_view bytes) { stream << bytes; });
  for (size_t i = 0; i < rows.columns().size(); ++i) {
    const std::string start = npy_start(rows, i);
    uint32_t crc = archive::crc32_of(start);
    rows.read(i, [&](std::string_view block) { crc = archive::crc32_of(block, crc); });
    const Column& column = rows.columns()[i];
    zip.begin(array_name(column.name) + ".npy",
              start.size() + size_t(rows.count()) * column.bytes(), crc);
    zip.append(start);
    rows.read(i, [&](std::string_view block) { zip.append(block); });
  }
  zip.finish();
  finish(stream, to);
}

void write_safetensors(const Rows& rows, const std::vector<std::string>&, const fs::path& to) {
  std::vector<std::string> bytes(rows.columns().size());
  std::vector<store::TensorView> tensors;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const Column& column = rows.columns()[i];
    rows.read(i, [&](std::string_view block) { bytes[i] += block; });
    store::TensorView view{column.name, *store::stored_dtype(column.dtype), {rows.count()}};
    view.shape.insert(view.shape.end(), column.row.span().begin(), column.row.span().end());
    view.bytes = std::as_bytes(std::span(bytes[i]));
    tensors.push_back(std::move(view));
  }
  store::write_safetensors(to, std::move(tensors), {});
}

struct Picture {
  int64_t height, width, channels;
  bool planes;  // the channels lie one behind the other
};

std::optional<Picture> picture_of(const Column& column) {
  const auto& dims = column.row.dims;
  const auto is_color = [](int64_t n) { return n == 1 || n == 3 || n == 4; };
  const bool bytes = column.dtype == BROCH_UINT8;
  if (!bytes && column.dtype != BROCH_FLOAT32) return std::nullopt;
  if (column.row.rank == 2) return Picture{dims[0], dims[1], 1, false};
  if (column.row.rank != 3) return std::nullopt;
  if (bytes && is_color(dims[2])) return Picture{dims[0], dims[1], dims[2], false};
  if (!bytes && is_color(dims[0])) return Picture{dims[1], dims[2], dims[0], true};
  return std::nullopt;
}

std::string one_picture(const std::vector<Column>& columns) {
  if (columns.size() != 1)
    return std::to_string(columns.size()) +
           " outputs, where pictures show one: choose it with "
           "--name";
  if (picture_of(columns[0])) return "";
  return "'" + columns[0].name + "' as " + runtime::type_text(columns[0].dtype, columns[0].row) +
         ", where a picture is uint8 (height, width, channels) or float32 (channels, height, "
         "width)";
}

// Of the finite numbers of all rows.
struct Range {
  // Their distance may be more than the greatest float, or so small that its inverse is.
  double least = std::numeric_limits<double>::max(), greatest = -least;
};

Range range_of_floats(const Rows& rows) {
  Range range;
  rows.read(0, [&](std::string_view block) {
    for (size_t i = 0; i < block.size(); i += sizeof(float)) {
      const double value = load<float>(block.data() + i);
      if (!std::isfinite(value)) continue;
      range.least = std::min(range.least, value);
      range.greatest = std::max(range.greatest, value);
    }
  });
  return range;
}

// One picture, the channels of a pixel side by side. Floats are stretched over the range.
void read_pixels(const Picture& picture, broch_dtype dtype, const Range& range, const char* bytes,
                 std::vector<uint8_t>& pixels) {
  const double scale = range.greatest > range.least ? 255 / (range.greatest - range.least) : 0;
  const int64_t area = picture.height * picture.width;
  for (int64_t i = 0; i < int64_t(pixels.size()); ++i) {
    const int64_t place = picture.planes ? i % picture.channels * area + i / picture.channels : i;
    if (dtype == BROCH_UINT8) {
      pixels[size_t(i)] = uint8_t(bytes[place]);
      continue;
    }
    const double value = load<float>(bytes + size_t(place) * sizeof(float));
    pixels[size_t(i)] =
        std::isfinite(value) ? uint8_t(std::lround((value - range.least) * scale)) : uint8_t(0);
  }
}

// "out.png", 7 -> "out-000007.png"
fs::path numbered(const fs::path& file, int64_t row) {
  std::string number = std::to_string(row);
  number.insert(0, 6 - std::min<size_t>(6, number.size()), '0');
  return file.parent_path() / (file.stem().string() + "-" + number + file.extension().string());
}

// One file for each row.
void write_pictures(const Rows& rows, const std::vector<std::string>&, const fs::path& to) {
  const Column& column = rows.columns()[0];
  const Picture picture = *picture_of(column);
  const Range range = column.dtype == BROCH_FLOAT32 ? range_of_floats(rows) : Range{};
  std::vector<uint8_t> pixels(size_t(column.row.elements()));
  each_row(rows, [&](int64_t row, size_t, const char* bytes) {
    read_pixels(picture, column.dtype, range, bytes, pixels);
    const fs::path file = numbered(to, row);
    std::ofstream stream = created(file);
    stream << store::encode_png(pixels, int32_t(picture.height), int32_t(picture.width),
                                int32_t(picture.channels));
    finish(stream, file);
  });
}

constexpr Format kFormats[] = {{".csv", anything, write_csv, &kCsvRanking},
                               {".jsonl", anything, write_jsonl, &kJsonRanking},
                               {".npy", only_one, write_npy, nullptr},
                               {".npz", other_names, write_npz, nullptr},
                               {".safetensors", anything, write_safetensors, nullptr},
                               {".png", one_picture, write_pictures, nullptr}};

// The format of this ending. Otherwise the endings of those that are usable remain in endings.
const Format* usable(const fs::path& file, bool (*is_usable)(const Format&),
                     std::vector<std::string>& endings) {
  for (const Format& format : kFormats) {
    if (!is_usable(format)) continue;
    if (file.extension() == format.ending) return &format;
    endings.emplace_back(format.ending);
  }
  return nullptr;
}

[[noreturn]] void refuse_ending(const fs::path& file, const std::string& expected,
                                const std::string& hint) {
  base::fail(Exit::usage, "--output " + file.string(),
             file.has_extension() ? "the ending " + file.extension().string() : "no ending",
             expected, hint);
}

}  // namespace

const Format& format_of(const fs::path& file) {
  std::vector<std::string> endings;
  if (const Format* const found = usable(
          file, [](const Format&) { return true; }, endings))
    return *found;
  refuse_ending(file, "one of " + base::join(endings, ", "), "the ending chooses the format");
}

void require_ranking_format(const fs::path& file) {
  std::vector<std::string> endings;
  if (usable(
          file, [](const Format& format) { return format.ranking != nullptr; }, endings))
    return;
  refuse_ending(file, base::join(endings, " or ") + ", which hold words, with --top",
                "choose one, or leave --top out");
}

}  // namespace broch::predict
