// generate.cpp: asks the model for the scores of the next token, and draws it.
#include "predict/generate.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.hpp"
#include "base/philox.hpp"
#include "vocabulary.hpp"

namespace broch::predict {
namespace {

using base::Exit;
using runtime::Tensor;

// So many tokens a model sees at first; it grows with the text in these steps, since each length
// has a program of its own. What lies behind the text has no influence on a causal model.
constexpr int64_t kStep = 64;
constexpr int64_t kMostContext = 1024;

[[noreturn]] void refuse(const std::string& found, const std::string& hint) {
  base::fail(Exit::usage, "--generate", found,
             "a language model: tokens int64 (N, T), scores (N, T, vocabulary)", hint);
}

class Writer {
 public:
  Writer(Model& model, const GenerateOptions& options)
      : model_(model),
        options_(options),
        vocabulary_(options.vocabulary.empty() ? options.words
                                               : words_in(options.vocabulary, "--vocabulary")),
        sequence_(model.sequence()) {
    const std::vector<abi::InputSpec>& inputs = model.inputs();
    if (inputs.size() != 1 || inputs[0].dtype != BROCH_INT64 || inputs[0].shape.size() != 2)
      refuse("no language model", "");
    if (model.outputs().size() != 1) refuse("several outputs", "choose the scores with --name");
    fixed_ = std::max<int64_t>(inputs[0].shape[1], 0);
    rows_ = std::max<int64_t>(inputs[0].shape[0], 1);
    context_ = fixed_ ? fixed_ : options.context ? options.context : kMostContext;
    if (fixed_ && options.context > fixed_)
      base::fail(Exit::usage, "--context", std::to_string(options.context),
                 "at most " + std::to_string(fixed_) + ", which the model has", "");
    if (fixed_ && options.context) context_ = options.context;
    tokens_ = {0};
    scores_of_next(0);  // whether the vocabulary fits, before it is used
    tokens_ = vocabulary_.tokens(options.text);
    if (tokens_.empty())
      base::fail(Exit::usage, "--generate", "no text", "at least one token to begin with", "");
  }

  int64_t next(int64_t place) {
    if (!has_room()) sequence_.reset();
    const std::vector<double> scores = sequence_ ? scores_by_state() : scores_of_next(0);
    if (place == 0) require_causal(scores);
    if (sequence_ && place < 2) require_same(scores);
    const int64_t token = choose(scores, place);
    tokens_.push_back(token);
    return token;
  }
  std::string text(int64_t token) const { return vocabulary_.text(token); }

 private:
  // Whether the model can see all tokens, as it does with the state.
  bool has_room() const {
    const int64_t most = fixed_ ? context_ : options_.context;
    return most == 0 || int64_t(tokens_.size()) <= most;
  }

  std::vector<double> scores_by_state() {
    const int64_t width = sequence_->one_by_one() ? 1 : int64_t(tokens_.size()) - seen_;
    std::vector<double> scores;
    for (; seen_ < int64_t(tokens_.size()); seen_ += width) {
      const auto fresh = tokens_.begin() + seen_;
      const std::vector<Tensor> inputs = {tensor({fresh, fresh + width}, width, 0)};
      const std::vector<Tensor> outputs =
          call([&] { return sequence_->call(inputs); }, seen_ + width);
      scores = row(outputs[0], width, width - 1);
    }
    return scores;
  }

  // pad: the token behind the text.
  std::vector<double> scores_of_next(int64_t pad) {
    const int64_t there = std::min(int64_t(tokens_.size()), context_);
    const int64_t width = fixed_ ? fixed_ : std::min(context_, (there + kStep - 1) / kStep * kStep);
    const std::vector<Tensor> inputs = {tensor({tokens_.end() - there, tokens_.end()}, width, pad)};
    return row(call([&] { return model_.call(0, inputs); }, width)[0], width, there - 1);
  }

  // A context of which nothing is known may be more than the model can see.
  std::vector<Tensor> call(const std::function<std::vector<Tensor>()>& compute,
                           int64_t width) const {
    try {
      return compute();
    } catch (const base::Error& error) {
      if (fixed_ || error.exit() != Exit::training) throw;
      base::fail(Exit::usage, "--generate",
                 "a model that fails for " + std::to_string(width) + " tokens: " + error.what(),
                 "one that computes so many",
                 "name the number of tokens that it can see with --context N");
    }
  }

  // The tokens and, behind them, pad: (rows, width).
  Tensor tensor(const std::vector<int64_t>& tokens, int64_t width, int64_t pad) {
    runtime::Shape shape;
    shape.rank = 2;
    shape.dims = {rows_, width};
    runtime::Point point;
    auto* to = static_cast<int64_t*>(point.allocate(nullptr, BROCH_INT64, shape));
    std::fill_n(to, rows_ * width, pad);
    std::ranges::copy(tokens, to);
    return model_.backend().copy_in(point.tensor(0), {});
  }

  // The scores behind the token at this place of the first row.
  std::vector<double> row(const Tensor& output, int64_t width, int64_t place) const {
    runtime::Backend& backend = model_.backend();
    const runtime::TensorInfo info = backend.info(output);
    if (info.shape.rank != 3 || info.shape.dims[1] != width || !runtime::is_floating(info.dtype))
      refuse("the output " + model_.outputs()[0] + " " + runtime::type_text(info.dtype, info.shape),
             "choose the scores with --name");
    const int64_t vocabulary = info.shape.dims[2];
    require_size(vocabulary);
    std::vector<double> all(size_t(info.shape.elements()));
    backend.copy_out(output, BROCH_FLOAT64, all.data(), all.size() * sizeof(double));
    const auto first = all.begin() + place * vocabulary;
    return {first, first + vocabulary};
  }

  void require_size(int64_t found) const {
    if (found == vocabulary_.size()) return;
    const std::string size = std::to_string(found) + " different tokens";
    if (!vocabulary_.has_words())
      base::fail(Exit::usage, "--generate", "a model of " + size, "256, the bytes of a text",
                 "name the file with its words as --vocabulary FILE");
    base::fail(Exit::usage, "--vocabulary " + vocabulary_.place(),
               std::to_string(vocabulary_.size()) + " words", size + " as the model has",
               "name another file as --vocabulary FILE");
  }

  // Whether what lies behind the text changes nothing, up to rounding.
  void require_causal(const std::vector<double>& scores) {
    if (!near(scores, scores_of_next(1)))
      refuse("a model whose scores depend on later tokens, or are not finite",
             "such a model does not continue a text");
  }

  // Whether the state makes no difference, up to rounding: in the first call, and in one that is
  // fed the state of another.
  void require_same(const std::vector<double>& scores) {
    if (int64_t(tokens_.size()) <= context_ && !near(scores, scores_of_next(0)))
      refuse("a model whose state/ and next/ give other scores than all tokens together",
             "next/NAME is state/NAME behind the tokens of a call");
  }

  static bool near(const std::vector<double>& scores, const std::vector<double>& others) {
    const double size = std::abs(
        *std::ranges::max_element(scores, {}, [](double value) { return std::abs(value); }));
    for (size_t i = 0; i < scores.size(); ++i)
      if (!(std::abs(scores[i] - others[i]) <= 1e-3 * size + 1e-6)) return false;
    return true;
  }

  int64_t choose(const std::vector<double>& scores, int64_t place) const {
    std::vector<int64_t> order(scores.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::greater<>(), [&](int64_t i) { return scores[size_t(i)]; });
    if (options_.temperature == 0) return order[0];
    if (options_.top_k) order.resize(std::min(order.size(), size_t(options_.top_k)));
    std::vector<double> odds;
    for (const int64_t i : order)
      odds.push_back(
          std::exp((scores[size_t(i)] - scores[size_t(order[0])]) / options_.temperature));
    const double whole = std::accumulate(odds.begin(), odds.end(), 0.0);
    size_t kept = 0;
    double sum = 0;
    while (kept < odds.size() && (kept == 0 || sum < options_.top_p * whole)) sum += odds[kept++];
    double left = draw(place) * sum;
    for (size_t i = 0; i < kept; ++i)
      if ((left -= odds[i]) < 0) return order[i];
    return order[kept - 1];
  }

  // From 0 to 1, the same for the same seed and place.
  double draw(int64_t place) const {
    return base::PhiloxStream(options_.seed, uint64_t(place)).uniform53();
  }

  Model& model_;
  const GenerateOptions& options_;
  Vocabulary vocabulary_;
  int64_t fixed_, rows_, context_;  // tokens; fixed_ 0: any number
  std::vector<int64_t> tokens_;
  std::unique_ptr<Sequence> sequence_;  // nullptr: all tokens are computed each time
  int64_t seen_ = 0;                    // tokens that it was given
};

}  // namespace

int64_t generate(Model& model, const GenerateOptions& options,
                 const std::function<void(const std::string&)>& found,
                 const std::function<bool()>& enough) {
  Writer writer(model, options);
  int64_t place = 0;
  for (; place < options.length && !enough(); ++place) found(writer.text(writer.next(place)));
  return place;
}

}  // namespace broch::predict
