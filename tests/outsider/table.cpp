// table.cpp: the lines of a text file as points, "X Y MOON" each, read where they lie.
#include <fcntl.h>
#include <unistd.h>

#include <broch/broch.hpp>
#include <fstream>

struct Options {
  std::string file;

  static constexpr auto schema =
      broch::options(broch::option("file", &Options::file, "Lines of X Y MOON.").is_path());
};

class Table final : public broch::Indexed {
 public:
  explicit Table(const Options& options) : file_(options.file) {}
  Table(Table&& other) noexcept : file_(std::move(other.file_)) {}
  ~Table() override {
    if (fd_ >= 0) close(fd_);
  }

  void reset_state() override {
    fd_ = open(file_.c_str(), O_RDONLY | O_CLOEXEC);
    std::ifstream lines(file_);
    if (fd_ < 0 || !lines) throw broch::Error(BROCH_E_DATA_LOSS, file_ + " cannot be read");
    for (std::string line; std::getline(lines, line);)
      starts_.push_back(starts_.back() + int64_t(line.size()) + 1);
  }
  std::optional<int64_t> size() override { return int64_t(starts_.size()) - 1; }

  bool read(const broch::Position& at, const broch::Cancel&, broch::PointWriter& point) override {
    if (at.index >= starts_.size() - 1) return false;
    const int64_t start = starts_[at.index];
    std::string line(size_t(starts_[at.index + 1] - start) - 1, ' ');
    if (pread(fd_, line.data(), line.size(), start) != ssize_t(line.size())) wrong(at.index, line);
    float* position = point.allocate<float>({2}, "position");
    long long moon = -1;
    if (std::sscanf(line.c_str(), "%f %f %lld", &position[0], &position[1], &moon) != 3)
      wrong(at.index, line);
    *point.allocate<int64_t>({}, "moon") = moon;
    return true;
  }

 private:
  [[noreturn]] void wrong(uint64_t index, const std::string& line) const {
    throw broch::Error(BROCH_E_DATA_LOSS, file_ + ": line " + std::to_string(index + 1) +
                                              ": found '" + line + "', expected X Y MOON");
  }

  std::string file_;
  int fd_ = -1;
  std::vector<int64_t> starts_ = {0};  // of the lines, and one behind the last
};

BROCH_DATAFLOW(Table, "net.outsider.table", "1.0.0", "Points in the lines of a text file.",
               Options::schema)
