// text_lines.cpp: one data point per line of a text file: its bytes, or its words as numbers.
#include "files/text_lines.hpp"

#include <algorithm>
#include <broch/broch.hpp>

#include "files/content.hpp"

namespace {

struct Options {
  std::string file;
  std::optional<std::string> vocabulary, unknown, name;
  std::optional<int64_t> length;
  int64_t padding;

  static constexpr auto schema = broch::options(
      broch::option("file", &Options::file,
                    "A text file. It is kept in memory if it has at most 256 MiB.")
          .min_length(1)
          .is_path(),
      broch::option("vocabulary", &Options::vocabulary,
                    "A text file with one word per line; the number of a word is the number of its "
                    "line, counted from 0. null: yield the bytes of a line.")
          .min_length(1)
          .is_path(),
      broch::option("unknown", &Options::unknown,
                    "The word of the vocabulary that replaces unknown words; null: an unknown word "
                    "is an error.")
          .min_length(1),
      broch::option("length", &Options::length,
                    "Number of elements of a point: longer lines are cut, shorter ones are padded; "
                    "null: the length of the line.")
          .minimum(1),
      broch::option("padding", &Options::padding, "The value of the padding.")
          .minimum(0)
          .by_default(0),
      broch::option("name", &Options::name,
                    "Name of the model's input; null: inputs are matched by order.")
          .min_length(1));
};

class TextLines final : public broch::Indexed {
 public:
  explicit TextLines(const Options& options) : options_(options) {
    if (!options.vocabulary && (options.unknown || options.padding > 255))
      throw broch::Error(
          BROCH_E_INVALID_ARGUMENT,
          options.unknown ? "/unknown: found a word, expected null unless there is a vocabulary; "
                            "remove the option"
                          : "/padding: found " + std::to_string(options.padding) +
                                ", expected at most 255 since the points are bytes; correct it");
  }

  void reset_state() override {
    file_ = files::open_source(options_.file);
    begins_ = files::line_begins(*file_);
    if (begins_.size() < 2)
      throw broch::Error(BROCH_E_DATA_LOSS, options_.file +
                                                ": found no line, expected at least one; name a "
                                                "file with text");
    if (!options_.vocabulary) return;
    vocabulary_.emplace(*files::open_source(*options_.vocabulary));
    if (!options_.unknown) return;
    unknown_ = vocabulary_->find(*options_.unknown);
    if (unknown_ < 0)
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         "/unknown: found '" + *options_.unknown + "', expected a word of " +
                             *options_.vocabulary + "; add it to the file");
  }

  std::optional<int64_t> size() override { return int64_t(begins_.size()) - 1; }

  bool read(const broch::Position& position, const broch::Cancel&,
            broch::PointWriter& point) override {
    if (position.index >= begins_.size() - 1) return false;
    if (vocabulary_) {
      const std::string line = files::line_at(*file_, begins_, position.index);
      const std::vector<int64_t> words = words_of(line, position.index);
      put(words.data(), words.size(), point);
    } else {
      const uint64_t most = options_.length ? uint64_t(*options_.length) : UINT64_MAX;
      const std::string line = files::line_at(*file_, begins_, position.index, most);
      put(reinterpret_cast<const uint8_t*>(line.data()), line.size(), point);
    }
    return true;
  }

 private:
  std::vector<int64_t> words_of(std::string_view line, uint64_t index) const {
    std::vector<int64_t> words;
    files::for_each_word(line, [&](std::string_view word) {
      const int64_t number = vocabulary_->find(word);
      if (number < 0 && unknown_ < 0)
        throw broch::Error(BROCH_E_DATA_LOSS,
                           options_.file + ": line " + std::to_string(index + 1) + ": found '" +
                               std::string(word) + "', expected words of " + *options_.vocabulary +
                               "; set the option unknown to the word that stands for others");
      words.push_back(number < 0 ? unknown_ : number);
    });
    return words;
  }

  template <class T>
  void put(const T* elements, uint64_t size, broch::PointWriter& point) const {
    const uint64_t length = uint64_t(options_.length.value_or(int64_t(size)));
    T* const to =
        point.allocate<T>({int64_t(length)}, options_.name ? options_.name->c_str() : nullptr);
    const uint64_t count = std::min(length, size);
    std::copy_n(elements, count, to);
    std::fill(to + count, to + length, T(options_.padding));
  }

  Options options_;
  std::shared_ptr<const broch::archive::Source> file_;
  std::vector<uint64_t> begins_;
  std::optional<files::Vocabulary> vocabulary_;
  int64_t unknown_ = -1;
};

}  // namespace

BROCH_DATAFLOW(TextLines, "broch.dataflow.text-lines", "1.0.0",
               "Yields the lines of a text file, as bytes or as the numbers of their words.",
               Options::schema)
