// tokens.cpp: blocks of a long sequence of tokens, for language models.
#include <broch/broch.hpp>

#include "files/token_file.hpp"

namespace {

enum class Blocks { in_order, random };

struct Options {
  std::string file;
  files::TokenType dtype;
  uint64_t header;
  int64_t length;
  std::optional<int64_t> stride, vocabulary_size, seed;
  Blocks blocks;
  bool random_offset, targets;
  std::optional<std::vector<std::string>> names;

  static constexpr auto schema = broch::options(
      broch::option("file", &Options::file,
                    "A file of little-endian numbers, or a .npy file with one dimension. It is "
                    "kept in memory if it has at most 256 MiB.")
          .min_length(1)
          .is_path(),
      broch::option("dtype", &Options::dtype,
                    "The dtype of the numbers in the file, not used for a .npy file. The dtype in "
                    "a data point is int64.")
          .one_of("uint8", "uint16", "uint32", "int32", "int64")
          .by_default("uint16"),
      broch::option("header", &Options::header, "Number of bytes before the first token.")
          .by_default(0),
      broch::option("length", &Options::length, "Number of tokens in a block.").minimum(1),
      broch::option("stride", &Options::stride,
                    "Distance between the beginnings of two blocks, in tokens; null: length, so "
                    "that blocks do not overlap.")
          .minimum(1),
      broch::option("blocks", &Options::blocks,
                    "in-order: block i begins at token i * stride. random: each block of each "
                    "round begins at a random token.")
          .one_of("in-order", "random")
          .by_default("in-order"),
      broch::option("random_offset", &Options::random_offset,
                    "For blocks in order: begin each round at a random token below stride, so that "
                    "the blocks differ from round to round.")
          .by_default(false),
      broch::option(
          "targets", &Options::targets,
          "Whether to yield a second component: for each token of the block, the token after it.")
          .by_default(true),
      broch::option("vocabulary_size", &Options::vocabulary_size,
                    "Number of different tokens; a larger token is an error. null: not checked.")
          .minimum(1),
      broch::option("seed", &Options::seed,
                    "The seed of random blocks and offsets; null: derived from the run's seed."),
      broch::option("names", &Options::names,
                    "Names of the components: tokens and targets; null: they are matched with the "
                    "model's inputs by order."));
};

class Tokens final : public broch::Indexed {
 public:
  Tokens(const broch::Host& host, const Options& options)
      : options_(options),
        stride_(uint64_t(options.stride.value_or(options.length))),
        seed_(options.seed ? uint64_t(*options.seed) : broch::Instance(host).seed()) {
    const size_t components = options.targets ? 2 : 1;
    if (options.names && options.names->size() != components)
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         "/names: found " + std::to_string(options.names->size()) +
                             " names, expected " + std::to_string(components) +
                             (options.targets ? ": of tokens and targets" : ": of the tokens") +
                             "; correct the list");
    if (options.random_offset && options.blocks == Blocks::random)
      throw broch::Error(BROCH_E_INVALID_ARGUMENT,
                         "/random_offset: found true, expected false for random blocks, which "
                         "begin anywhere; remove one of the two options");
  }

  void reset_state() override {
    tokens_ = files::TokenFile(options_.file, options_.dtype, options_.header);
    const uint64_t lost = options_.random_offset ? stride_ - 1 : 0;
    if (tokens_.size() < span() || tokens_.size() - span() < lost)
      throw broch::Error(BROCH_E_DATA_LOSS,
                         options_.file + ": found " + std::to_string(tokens_.size()) +
                             " tokens, expected at least " + std::to_string(span() + lost) +
                             " for one block; choose a smaller length");
    blocks_ = (tokens_.size() - span() - lost) / stride_ + 1;
  }

  std::optional<int64_t> size() override { return int64_t(blocks_); }

  bool read(const broch::Position& position, const broch::Cancel&,
            broch::PointWriter& point) override {
    if (position.index >= blocks_) return false;
    const uint64_t first = begin_of(position);
    int64_t* const tokens = point.allocate<int64_t>({options_.length}, name(0));
    int64_t* const targets =
        options_.targets ? point.allocate<int64_t>({options_.length}, name(1)) : nullptr;
    tokens_.copy(first, uint64_t(options_.length), tokens, targets);
    check(tokens, first);
    if (targets) check(targets, first + 1);
    return true;
  }

 private:
  // Tokens that one block needs.
  uint64_t span() const { return uint64_t(options_.length) + options_.targets; }

  uint64_t begin_of(const broch::Position& position) const {
    const uint64_t round = broch::mixed(seed_, position.round);
    if (options_.blocks == Blocks::random)
      return broch::Draws(broch::mixed(round, position.index)).below(tokens_.size() - span() + 1);
    const uint64_t offset = options_.random_offset ? broch::Draws(round).below(stride_) : 0;
    return offset + position.index * stride_;
  }

  void check(const int64_t* tokens, uint64_t first) const {
    if (!options_.vocabulary_size) return;
    for (int64_t i = 0; i < options_.length; ++i)
      if (tokens[i] < 0 || tokens[i] >= *options_.vocabulary_size)
        throw broch::Error(BROCH_E_DATA_LOSS, options_.file + ": token " +
                                                  std::to_string(first + uint64_t(i)) + ": found " +
                                                  std::to_string(tokens[i]) + ", expected 0 to " +
                                                  std::to_string(*options_.vocabulary_size - 1) +
                                                  "; correct dtype, header or vocabulary_size");
  }

  const char* name(size_t i) const {
    return options_.names ? (*options_.names)[i].c_str() : nullptr;
  }

  Options options_;
  uint64_t stride_, seed_, blocks_ = 0;
  files::TokenFile tokens_;
};

}  // namespace

BROCH_DATAFLOW(Tokens, "broch.dataflow.tokens", "1.0.0",
               "Yields blocks of a long sequence of tokens in a file, for language models.",
               Options::schema)
