// rows.hpp: predictions on their way: rows of raw numbers in a folder beside the output, which
// remains if the process ends before its time.
#pragma once
#include <cstdio>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/tensor.hpp"

namespace broch::predict {

struct Column {
  std::string name;
  broch_dtype dtype = 0;
  runtime::Shape row;
  size_t bytes() const { return size_t(row.elements()) * runtime::dtype_size(dtype); }
  bool operator==(const Column&) const = default;
};

class Rows {
 public:
  // identity: of the prediction; what another one has left is removed. Throws base::Error (data) if
  // another process is writing the same output.
  Rows(const std::filesystem::path& output, const std::string& identity);
  ~Rows();
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  int64_t count() const { return count_; }
  // Of the last row: where its dataflow continues. No value: it has none.
  const std::optional<std::string>& cursor() const { return cursor_; }
  const std::vector<Column>& columns() const { return columns_; }

  // Before the first rows. Throws base::Error (data) if earlier rows have other columns.
  void begin(const std::vector<Column>& columns);
  // bytes: by column, n rows each. They count once this returns.
  void add(int64_t n, const std::vector<std::string>& bytes,
           const std::optional<std::string>& cursor);
  // All rows of a column, some at a time: calls found with whole rows.
  void read(size_t column, const std::function<void(std::string_view rows)>& found) const;
  std::string read(size_t column, int64_t first, int64_t n) const;
  // They are no longer needed.
  void remove();

 private:
  void recover();
  std::filesystem::path file(size_t column) const;

  std::filesystem::path folder_;
  int lock_ = -1;
  int64_t count_ = 0;
  std::optional<std::string> cursor_;
  std::vector<Column> columns_;
  std::vector<std::FILE*> files_;
  std::FILE* journal_ = nullptr;
};

}  // namespace broch::predict
