// pack_tokens.hpp: blocks of a fixed number of tokens from documents of any length.
//
// A block has the tokens and, for attention masks, the number of the document within the block and
// the position within the document, both int32, shape [length]. The key is that of the first
// document in the block, mixed with the position in it. The cursor is the number of used tokens of
// the current document, and the cursor of replay.hpp.
#pragma once
#include <cstring>

#include "../../points/component_name.hpp"
#include "../../points/numbers.hpp"
#include "replay.hpp"

namespace broch::dataflows {

struct PackTokensOptions {
  ChildDataFlow dataflow;
  JsonText component;
  uint64_t length;
  std::optional<int64_t> separator;
  bool split, documents, positions, remainder;
  int64_t pad;

  static constexpr auto schema = broch::options(
      broch::option("dataflow", &PackTokensOptions::dataflow,
                    "A dataflow of documents, each a vector of tokens."),
      broch::option("component", &PackTokensOptions::component,
                    "The component with the tokens: its name or index (from 0).")
          .schema(BROCH_COMPONENT_NAME_SCHEMA)
          .by_default(0),
      broch::option("length", &PackTokensOptions::length, "Number of tokens in a block.")
          .minimum(1)
          .maximum(1 << 24),
      broch::option("separator", &PackTokensOptions::separator,
                    "A token that is put after each document; null: none."),
      broch::option("split", &PackTokensOptions::split,
                    "true: a document that does not fit continues in the next block. false: it "
                    "starts in a new block, and the rest of the current one is padded; only "
                    "documents longer than a block are split.")
          .by_default(true),
      broch::option("pad", &PackTokensOptions::pad, "The token that fills the rest of a block.")
          .by_default(0),
      broch::option("documents", &PackTokensOptions::documents,
                    "Whether to add a component: for each token, the number of its document within "
                    "the block; -1: padding.")
          .by_default(false),
      broch::option("positions", &PackTokensOptions::positions,
                    "Whether to add a component: for each token, its position in its document.")
          .by_default(false),
      broch::option("remainder", &PackTokensOptions::remainder,
                    "Whether to pad and yield a last block that is not full.")
          .by_default(false));
};

class PackTokens final : public DataFlow {
 public:
  PackTokens(const Host& host, const PackTokensOptions& options)
      : options_(options),
        component_(Config(host), "/component"),
        replay_(host, options.dataflow, "pack-tokens") {}

  void reset_state() override { replay_.reset_state(); }
  void open(const std::string& cursor) override {
    document_.reset();
    used_ = 0;
    is_open_ = false;
    if (cursor.empty()) return replay_.open("");
    const std::vector<std::string> parts = unpack(cursor, 2, "pack-tokens");
    used_ = number_in(parts[0], "pack-tokens");
    replay_.open(parts[1]);
  }
  std::optional<std::string> start_cursor() override {
    const auto of_child = replay_.start_cursor();
    if (!of_child) return std::nullopt;
    return pack({std::to_string(used_), *of_child});
  }

  bool next(const Cancel& cancel, PointWriter& block) override {
    if (!std::exchange(is_open_, true))
      for (Kept& one : replay_.take_kept(cancel)) begin(std::move(one), used_);
    Block made(options_.length, options_.pad);
    while (made.size < options_.length) {
      if (!document_) {
        std::optional<Kept> one = replay_.next(cancel);
        if (!one) break;
        begin(std::move(*one), 0);
      }
      const size_t rest = tokens_.size() - used_, room = options_.length - made.size;
      // What starts here and fits nowhere is divided; otherwise it waits for the next block.
      if (!options_.split && rest > room && made.size > 0) break;
      take(made, std::min(rest, room));
    }
    if (made.size == 0 || (made.size < options_.length && is_last() && !options_.remainder))
      return false;
    write(made, block);
    return true;
  }

 private:
  struct Block {
    Block(uint64_t length, int64_t pad)
        : tokens(length, pad), documents(length, -1), positions(length, 0) {}
    std::vector<int64_t> tokens;
    std::vector<int32_t> documents, positions;
    size_t size = 0;
    int32_t count = 0;  // documents
    uint64_t key = 0;
  };

  // Whether the block is short because the documents have ended.
  bool is_last() const { return !document_; }

  // used: tokens of it that are in earlier blocks.
  void begin(Kept one, uint64_t used) {
    const broch_dl_tensor view = one.point.view(component_.in(one.point));
    const std::string what = "component " + component_.text();
    require_tokens(view, what);
    type_ = view.dtype;
    tokens_.clear();
    points::with_type(dtype_of(view.dtype), what, [&](auto token) {
      using Token = decltype(token);
      require_fits<Token>(options_.pad, what);
      require_fits<Token>(options_.separator.value_or(0), what);
      const char* const bytes = points::bytes_of(view, what);
      for (size_t i = 0; i < size_t(view.shape[0]); ++i) {
        std::memcpy(&token, bytes + i * sizeof token, sizeof token);
        tokens_.push_back(int64_t(token));
      }
    });
    if (options_.separator) tokens_.push_back(*options_.separator);
    used_ = used;
    document_ = std::move(one);
    if (used_ >= tokens_.size()) document_.reset();
  }

  // A list of integers of one dtype in all documents.
  void require_tokens(const broch_dl_tensor& view, const std::string& what) const {
    if (view.ndim != 1 || (view.dtype.code != BROCH_DL_INT && view.dtype.code != BROCH_DL_UINT))
      throw Error(BROCH_E_INVALID_ARGUMENT,
                  what + ": found " + dtype_name(dtype_of(view.dtype)) + points::shape_text(view) +
                      ", expected a list of integers, the tokens of a document");
    if (type_.bits && dtype_of(type_) != dtype_of(view.dtype))
      throw Error(BROCH_E_INVALID_ARGUMENT, what + ": found " + dtype_name(dtype_of(view.dtype)) +
                                                ", expected " + dtype_name(dtype_of(type_)) +
                                                " as in the documents before");
  }

  // token: of pad or separator, which blocks have among those of the documents.
  template <class Token>
  static void require_fits(int64_t token, const std::string& what) {
    if (int64_t(Token(token)) != token)
      throw Error(BROCH_E_INVALID_ARGUMENT,
                  what + ": found " + dtype_name(dtype_of(Token{})) +
                      ", which cannot hold the token " + std::to_string(token) +
                      " of pad or separator: choose another one, or cast the tokens before");
  }

  void take(Block& block, size_t n) {
    if (const uint64_t key = document_->point.key(); key && !block.key)
      block.key = mixed(key, used_);
    for (size_t i = 0; i < n; ++i) {
      block.tokens[block.size] = tokens_[used_];
      block.documents[block.size] = block.count;
      block.positions[block.size++] = int32_t(used_++);
    }
    ++block.count;
    if (name_.empty())
      if (const char* name = document_->point.name(component_.in(document_->point))) name_ = name;
    if (used_ == tokens_.size()) document_.reset();
  }

  void write(const Block& made, PointWriter& block) const {
    const std::vector<int64_t> shape{int64_t(options_.length)};
    const auto name = [&](std::string& text) { return name_.empty() ? nullptr : text.c_str(); };
    std::string tokens = name_, documents = name_ + "_documents", positions = name_ + "_positions";
    void* const bytes = block.allocate(type_, shape.data(), shape.size(), name(tokens));
    points::with_type(dtype_of(type_), "tokens", [&](auto zero) {
      auto* to = static_cast<decltype(zero)*>(bytes);
      for (const int64_t token : made.tokens) *to++ = decltype(zero)(token);
    });
    if (options_.documents) block.add(made.documents, shape, name(documents));
    if (options_.positions) block.add(made.positions, shape, name(positions));
    if (made.key) block.set_key(made.key);
    std::vector<const Kept*> kept;
    if (document_) kept.push_back(&*document_);
    if (const auto of_child = replay_.cursor(kept))
      block.set_cursor(pack({std::to_string(document_ ? used_ : 0), *of_child}));
  }

  PackTokensOptions options_;
  points::ComponentName component_;
  Replay replay_;
  std::optional<Kept> document_;  // of which there are tokens left
  std::vector<int64_t> tokens_;   // of document_, with the separator
  uint64_t used_ = 0;             // of tokens_
  bool is_open_ = false;          // the document of the cursor is in document_
  broch_dl_type type_{};          // of all documents
  std::string name_;              // of the component; "": none
};

}  // namespace broch::dataflows
