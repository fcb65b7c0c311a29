// files_of.cpp: a transform that needs files: it adds their sizes to the first component.
#include <broch/broch.hpp>
#include <filesystem>

namespace {

struct Options {
  std::string file;
  std::vector<std::string> others;
  static constexpr auto schema = broch::options(
      broch::option("file", &Options::file, "A file.").is_path(),
      broch::option("others", &Options::others, "Others, each counted ten times.").is_path());
};

class FilesOf final : public broch::Transform {
 public:
  explicit FilesOf(const Options& options) : sum_(float(std::filesystem::file_size(options.file))) {
    for (const std::string& other : options.others)
      sum_ += 10 * float(std::filesystem::file_size(other));
  }

  void apply(broch::PointReader& in, broch::PointWriter& out, broch::Draws) override {
    const broch::View<const float> from = broch::view_as<const float>(in.view(0));
    float* const to = out.allocate<float>({int64_t(from.size())}, in.name(0));
    for (size_t i = 0; i < from.size(); ++i) to[i] = from[i] + sum_;
    for (uint32_t i = 1; i < in.size(); ++i) in.move(i, out);
  }

 private:
  float sum_;
};

}  // namespace

BROCH_TRANSFORM(FilesOf, "broch.transform.test-files", "1.0.0", "Adds the sizes of files.",
                Options::schema)
