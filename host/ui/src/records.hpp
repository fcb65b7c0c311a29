// records.hpp: the records of stats.json as columns, read again only where the file has grown.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace broch::ui {

// A metric: its values, and the rows (records) that have one, ascending. A value that is not finite
// is NaN.
struct Column {
  std::string name;
  std::vector<uint32_t> rows;
  std::vector<double> values;
};

class Records {
 public:
  // Reads what is new in the file. A file that does not continue what was read is read anew.
  void update(const std::filesystem::path& file);
  // Adds the records in the text, which begins between two records or at the beginning of the list.
  // Returns the length of what was understood: up to the end of the last complete record.
  size_t add(std::string_view text);

  size_t size() const { return steps_.size(); }
  const std::vector<Column>& columns() const { return columns_; }
  int64_t step(size_t row) const { return steps_[row]; }
  int64_t epoch_number(size_t row) const { return epochs_[row]; }
  // A fraction within an epoch: at the end of epoch 3 it is 3.
  double epoch(size_t row) const;
  // Increased each time that the file is read anew.
  uint32_t generation() const { return generation_; }
  // What ends the records before the file does; empty if nothing does. A record whose end is
  // missing is no problem: it is being written, or the run was killed.
  const std::string& problem() const { return problem_; }
  size_t bytes() const;  // of memory

 private:
  void clear();
  size_t record(std::string_view text);
  size_t unusual_record(std::string_view text);
  void finish_row(std::optional<int64_t> epoch, std::optional<int64_t> step);
  void put(std::string_view name, double value);

  std::vector<int64_t> epochs_, steps_;
  std::vector<Column> columns_;
  std::map<std::string, size_t, std::less<>> places_;
  size_t expected_ = 0;                    // the column of the next metric, if records are alike
  std::map<int64_t, int64_t> last_steps_;  // by epoch

  std::string version_, tail_;  // of the file, and of what was read of it
  std::string problem_;
  uint64_t read_ = 0;
  uint32_t generation_ = 0;
};

}  // namespace broch::ui
